/* Entries there: made by the kernels of entry_tables.cu and spread_banks.cu. */
#include "kernels/codegen/banks.h"
#include "kernels/codegen/bit_field.h"
#include "kernels/codegen/entries.h"
#include "kernels/cut/device_sort.h"

#include <stdlib.h>

enum { SPREAD_BYTES = 96 << 10 }; /* of shared memory, that blocks of all GPUs but 7.5 may have */

static tess_status launch(const tess_entries *all, const char *kernel) {
    return tess_cut_launch(&all->page->there->kernels, kernel, all->page->plan->n_blocks);
}

/* --- own points ------------------------------------------------------------------------------- */

static tess_status bring_own(tess_entries *all) {
    int32_t *offsets = NULL;
    const int64_t n = all->page->plan->n_blocks + INT64_C(1);
    const tess_status status = tess_there_bring(all->page, all->there.own.offsets, n, &offsets);
    for (int64_t b = 0; status == TESS_OK && b < n; b++)
        all->own_offset[b] = offsets[b];
    free(offsets);
    return status;
}

tess_status tess_entries_own_there(tess_entries *all, tess_address *own) {
    tess_page *page = all->page;
    tess_tables_there *there = page->there;
    tess_cut_params *p = &there->kernels.params;
    const int64_t n_offsets = page->plan->n_blocks + INT64_C(1);
    const size_t size = sizeof(int32_t);
    int32_t mark = 0;
    TRY(tess_there_points(page, all->target));
    TRY(tess_there_owner(page));
    const tess_there_set *set = &there->sets[all->target];
    *p = (tess_cut_params){.n_blocks = page->plan->n_blocks,
                           .offsets = set->point_offset,
                           .points = set->points,
                           .order = set->order,
                           .owners = there->owner};
    const int64_t n = page->plan->sets[all->target].point_offset[page->plan->n_blocks];
    TRY(tess_cut_take(&there->room, "own points of blocks", n_offsets, size, &p->own_offsets));
    TRY(tess_cut_take(&there->room, "their ranks", n, size, &p->own_ranks));
    TRY(tess_cut_take(&there->room, "sums", tess_cut_tiles(n_offsets, TESS_CUT_CHUNK), size,
                      &p->sums));
    TRY(tess_cut_take(&there->room, "marks", 1, size, &p->marks));
    TRY(launch(all, "rank_own_points"));
    p->values = p->own_offsets;
    TRY(tess_cut_scan(&there->kernels, n_offsets));
    all->there.own = (tess_there_own){.offsets = p->own_offsets, .ranks = p->own_ranks};
    TRY(bring_own(all));
    TRY(tess_cut_take(&there->room, "own points", all->own_offset[n_offsets - 1], size,
                      &p->own_points));
    TRY(launch(all, "list_own_points"));
    TRY(tess_there_read(page, p->marks, 1, size, &mark));
    all->own_in_order = all->there.own.in_order = !mark;
    *own = p->own_points;
    return TESS_OK;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Rounds of each block, as the host counts them. */
static tess_status count_rounds(tess_entries *all) {
    tess_page *page = all->page;
    tess_tables_there *there = page->there;
    tess_cut_params *p = &there->kernels.params;
    const tess_plan_set *set = &page->plan->sets[all->target];
    TRY(tess_there_blocks(page));
    int64_t incremented = 0;
    TRY(tess_there_incremented(page, all->target, &incremented));
    *p = (tess_cut_params){.n_blocks = page->plan->n_blocks,
                           .n_slots = set->n_slots,
                           .elements = there->block_offset,
                           .offsets = there->sets[all->target].point_offset,
                           .local_index = there->sets[all->target].local_index,
                           .own_offsets = all->there.own.offsets,
                           .own_ranks = all->there.own.ranks,
                           .n_words = all->n_words,
                           .slot_bits = all->slot_bits,
                           .element_bits = all->element_bits,
                           .incremented = incremented};
    TRY(tess_cut_take(&there->room, "rounds", p->n_blocks, sizeof(int32_t), &p->rounds));
    TRY(launch(all, "count_rounds"));
    return tess_there_bring(page, p->rounds, p->n_blocks, &all->n_rounds);
}

static tess_status count_slots(tess_entries *all) {
    tess_tables_there *there = all->page->there;
    tess_cut_params *p = &there->kernels.params;
    int32_t counts[2];
    TRY(tess_cut_take(&there->room, "slots", 2, sizeof *counts, &p->taken));
    TRY(launch(all, "count_entry_slots"));
    TRY(tess_there_read(all->page, p->taken, 2, sizeof *counts, counts));
    all->n_warp_rounds = counts[0];
    all->n_slots = counts[1];
    return TESS_OK;
}

/* Puts where the points of a target are staged into entries. */
static tess_status pack_positions(tess_entries *all, int r) {
    tess_tables_there *there = all->page->there;
    tess_cut_params *p = &there->kernels.params;
    const tess_loop_target *target = &all->page->bound->targets[r];
    const tess_positions *at = &all->positions[r];
    int32_t exchanged[TESS_MOST_SLOTS] = {0};
    p->is_own = r == all->target;
    p->n_slots = target->n_slots;
    p->offsets = there->sets[r].point_offset;
    p->local_index = there->sets[r].local_index;
    p->staged_at = all->there.staged_at[r];
    p->bits = at->bits;
    p->used = at->n > 0 ? at->at[0] : 0;
    p->exchanged = 0;
    for (int s = 0; s < at->n; s++)
        exchanged[s] = tess_entries_exchanged_slot(target, s);
    if (all->chosen.exchanged && !p->is_own)
        TRY(tess_cut_send(&there->room, "slots exchanged", exchanged, at->n, sizeof *exchanged,
                          &p->exchanged));
    return launch(all, "pack_positions");
}

/* What spread_banks.cu knows of a field. */
typedef struct field_there {
    int32_t word, shift, bits, n_positions, lanes, weight, reads;
} field_there;

static int64_t spread_bytes(const tess_store *store) {
    const tess_device *device = store->device;
    const bool has_less = device->facts && device->facts(store->target).capability == 75;
    return has_less ? SPREAD_BYTES / 3 * 2 : SPREAD_BYTES;
}

static tess_status spread(tess_entries *all) {
    tess_tables_there *there = all->page->there;
    tess_cut_params *p = &there->kernels.params;
    tess_bank_field fields[TESS_BANK_FIELDS];
    field_there there_fields[TESS_BANK_FIELDS];
    p->n_fields = tess_entries_bank_fields(all, fields);
    p->most_rounds = p->round_bytes = 0;
    for (int f = 0; f < p->n_fields; f++) {
        const int lanes = fields[f].value_bytes == 8 ? TESS_WARP / 2 : TESS_WARP;
        const int n_positions = (fields[f].n_positions + 4) / 4 * 4 - 1;
        there_fields[f] = (field_there){fields[f].at / TESS_WORD_BITS,
                                        fields[f].at % TESS_WORD_BITS,
                                        fields[f].bits,
                                        n_positions,
                                        lanes,
                                        fields[f].weight,
                                        (int32_t)p->round_bytes};
        p->round_bytes += 3 * TESS_WARP + TESS_WARP / lanes * (n_positions + 1);
    }
    for (int32_t b = 0; b < p->n_blocks; b++)
        if (all->n_rounds[b] > p->most_rounds && all->n_rounds[b] <= TESS_BANK_ROUNDS)
            p->most_rounds = all->n_rounds[b];
    if (!tess_banks_fit(fields, (int)p->n_fields) || p->most_rounds * p->round_bytes == 0)
        return TESS_OK;
    p->n_sweeps = TESS_BANK_SWEEPS;
    p->slot_bits = all->chosen.exchanged ? 0 : all->slot_bits;
    p->n_warps = spread_bytes(all->page->store) / (p->most_rounds * p->round_bytes);
    p->n_warps = p->n_warps < TESS_CUT_WARPS ? p->n_warps : TESS_CUT_WARPS;
    if (p->n_warps == 0)
        FAIL(TESS_ERROR_MISSING, "entries that name positions of so many points");
    TRY(tess_cut_send(&there->room, "fields", there_fields, p->n_fields, sizeof *there_fields,
                      &p->fields));
    return launch(all, "spread_banks");
}

tess_status tess_entries_list_there(tess_entries *all) {
    tess_tables_there *there = all->page->there;
    tess_cut_params *p = &there->kernels.params;
    const int32_t n_blocks = all->page->plan->n_blocks;
    TRY(count_rounds(all));
    TRY(tess_entries_begin_words(all));
    TRY(tess_there_offsets(all->page, all->start, &p->starts));
    TRY(tess_cut_take(&there->room, "increments", all->start[n_blocks] / all->n_words,
                      sizeof(int32_t), &p->entry_keys));
    TRY(tess_cut_take(&there->room, "entries", all->start[n_blocks], sizeof(uint32_t), &p->words));
    TRY(launch(all, "list_entries"));
    TRY(count_slots(all));
    p->staged_at = all->chosen.staged.there;
    if (all->element_bits && !p->staged_at)
        TRY(tess_there_elements(all->page));
    p->points = there->executed;
    TRY(launch(all, "pack_elements"));
    for (int r = 0; r < all->page->bound->n_targets; r++)
        if (all->is_staged[r])
            TRY(pack_positions(all, r));
    all->there.words = p->words;
    return tess_entries_are_spread(all) ? spread(all) : TESS_OK;
}

tess_status tess_entries_join_there(tess_entries *all, int n_words) {
    tess_tables_there *there = all->page->there;
    tess_cut_params *p = &there->kernels.params;
    const int64_t n = all->start[p->n_blocks] / all->n_rounds[0] * n_words;
    p->n_joined = n_words;
    p->bits = all->n_bits;
    TRY(tess_cut_take(&there->room, "joined entries", n, sizeof(uint32_t), &p->words_out));
    TRY(launch(all, "join_entries"));
    all->there.words = p->words_out;
    return TESS_OK;
}
