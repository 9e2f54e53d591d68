/* The rounds of entries: such that the lanes of a warp read different banks. */
#include "kernels/codegen/banks.h"
#include "kernels/codegen/entries.h"

bool tess_entries_are_spread(const tess_entries *all) {
    return all->chosen.reads && !all->chosen.in_order && !all->page->on_paper;
}

int tess_entries_bank_fields(const tess_entries *all, tess_bank_field *fields) {
    const tess_page *page = all->page;
    int n = 0;
    for (int r = 0; r < page->bound->n_targets; r++) {
        tess_bank_field field = {.bits = all->positions[r].bits,
                                 .n_positions = (int)tess_page_staged(page, r),
                                 .value_bytes = 8};
        for (int i = 0; i < page->n_dats; i++)
            if (page->dats[i].target == r && page->dats[i].read) {
                field.weight += page->dats[i].dim;
                field.value_bytes = page->dats[i].size;
            }
        for (int i = 0; i < all->positions[r].n && n < TESS_BANK_FIELDS; i++) {
            fields[n] = field;
            fields[n++].at = all->positions[r].at[i];
        }
    }
    tess_bank_field own = {.at = all->slot_bits,
                           .bits = all->element_bits,
                           .n_positions = (int)all->chosen.staged.n_positions,
                           .value_bytes = 8};
    for (int a = 0; all->chosen.staged.n_positions > 0 && a < page->bound->loop->n_args; a++) {
        const tess_arg *arg = &page->bound->loop->args[a];
        if (arg->map[0] || !arg->set[0] || arg->access != TESS_READ)
            continue;
        own.weight += arg->dim;
        own.value_bytes = (int)tess_type_size(arg->type);
    }
    if (own.weight > 0 && n < TESS_BANK_FIELDS)
        fields[n++] = own;
    return n;
}

void tess_entries_spread(tess_entries *all) {
    tess_bank_field fields[TESS_BANK_FIELDS];
    const int n_fields = tess_entries_bank_fields(all, fields);
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < all->page->plan->n_blocks; b++) {
        const int64_t n = all->own_offset[b + 1] - all->own_offset[b];
        const tess_bank_entries block = {.words = all->words + all->start[b],
                                         .stride = (n + 7) / 8 * 8,
                                         .n_points = n,
                                         .n_words = all->n_words,
                                         .n_rounds = all->n_rounds[b],
                                         .slot_bits = all->chosen.exchanged ? 0 : all->slot_bits,
                                         .n_fields = n_fields,
                                         .fields = fields};
        tess_banks_spread(&block);
    }
}
