/* Slots: where the elements of a block find their points, packed, and in which colour they
 * increment them, one slot after another. */
#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include "kernels/tables/tables.h"
#include "kernels/text/bit_field.h"

#include <stdlib.h>
#include <string.h>

/* One slot of a target in the words of an element. */
typedef struct slot_field {
    int reach, slot;
    int at, bits;               /* of the place */
    int colour_at, colour_bits; /* of the colour; no bits where one is enough */
    int n_colours;              /* the most of a block; 0 where not incremented */
} slot_field;

typedef struct slots {
    tess_page *page;
    int32_t **place;   /* [n_targets]: of the points of all blocks */
    slot_field *field; /* [n_fields] */
    int n_fields, n_words;
    bool gathered;    /* increments need no colours */
    uint16_t *colour; /* [n_fields][n_executed] */
    uint32_t *words;  /* [n_words][stride] */
} slots;

/* Colours the increments through one slot: those of one point need one each. */
static tess_status colour_slot(slots *all, slot_field *field, uint16_t *colour) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[field->reach];
    uint16_t *seen = NULL;
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], &seen));
    field->n_colours = 1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + field->slot];
            if (local == TESS_NO_POINT)
                continue;
            colour[k] = seen[set->point_offset[b] + local]++;
            if (colour[k] >= field->n_colours)
                field->n_colours = colour[k] + 1;
        }
    free(seen);
    return TESS_OK;
}

static tess_status lay_out(slots *all) {
    const tess_page *page = all->page;
    int used = 0, n = 0;
    for (int r = 0; r < page->bound->n_targets; r++)
        all->n_fields += page->bound->targets[r].n_slots;
    TRY(TESS_ZEROS(all->n_fields, &all->field));
    TRY(TESS_ZEROS(all->n_fields * page->plan->n_executed, &all->colour));
    for (int r = 0; r < page->bound->n_targets; r++)
        for (int s = 0; s < page->bound->targets[r].n_slots; s++, n++) {
            slot_field *field = &all->field[n];
            *field = (slot_field){.reach = r, .slot = s};
            field->bits = tess_bits_for(tess_page_staged(page, r));
            field->at = tess_bits_take(&used, field->bits);
            if (!page->plan->sets[r].slot_incremented[s] || all->gathered)
                continue;
            TRY(colour_slot(all, field, all->colour + n * page->plan->n_executed));
            field->colour_bits = field->n_colours > 1 ? tess_bits_for(field->n_colours - 1) : 0;
            field->colour_at = tess_bits_take(&used, field->colour_bits);
        }
    all->n_words = tess_words_of(used);
    return TESS_OK;
}

static tess_status pack(slots *all) {
    const tess_plan *plan = all->page->plan;
    const int64_t stride = tess_store_stride(plan->n_executed);
    TRY(TESS_ZEROS(all->n_words * stride, &all->words));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int f = 0; f < all->n_fields; f++) {
                const slot_field *field = &all->field[f];
                const tess_plan_set *set = &plan->sets[field->reach];
                const uint16_t local = set->local_index[k * set->n_slots + field->slot];
                const int64_t i = set->point_offset[b] + local;
                tess_bits_put(all->words + k, stride, field->at,
                              local == TESS_NO_POINT ? tess_no_bits(field->bits)
                                                     : (uint32_t)all->place[field->reach][i]);
                if (field->colour_bits > 0)
                    tess_bits_put(all->words + k, stride, field->colour_at,
                                  all->colour[f * plan->n_executed + k]);
            }
    return tess_page_array(all->page, "const unsigned *", all->words, all->n_words * stride * 4,
                           "local_word");
}

static int most_slots(const slots *all) {
    int most = 0;
    for (int f = 0; f < all->n_fields; f++)
        if (all->field[f].slot >= most)
            most = all->field[f].slot + 1;
    return most;
}

static void print_layout(const slots *all) {
    tess_page *page = all->page;
    tess_page_print(page,
                    "#define LOCAL_WORDS %d\n#define LOCAL_STRIDE %lld\n#define EACH_LOCAL(X)",
                    all->n_words, (long long)tess_store_stride(page->plan->n_executed));
    for (const slot_field *f = all->field; f < all->field + all->n_fields; f++)
        tess_page_print(page, " X(%s, %d)", tess_reach_name(page, f->reach), f->slot);
    tess_page_print(page, "\n");
    for (const slot_field *f = all->field; f < all->field + all->n_fields; f++)
        tess_page_print(page, "#define %s_PLACE_%d(word) PLACE_AT(%s, word, %d, %d)\n",
                        tess_reach_name(page, f->reach), f->slot, tess_reach_name(page, f->reach),
                        f->at, f->bits);
    for (const slot_field *f = all->field; f < all->field + all->n_fields; f++)
        if (f->colour_bits > 0)
            tess_page_print(page, "#define %s_COLOUR_%d(word) BITS_AT(word, %d, %d)\n",
                            tess_reach_name(page, f->reach), f->slot, f->colour_at, f->colour_bits);
        else
            tess_page_print(page, "#define %s_COLOUR_%d(word) 0\n", tess_reach_name(page, f->reach),
                            f->slot);
    tess_page_print(page, "#define EACH_PHASE(X)");
    for (int s = 0; s < most_slots(all); s++) {
        int n_colours = 0;
        for (int f = 0; f < all->n_fields; f++)
            if (all->field[f].slot == s && all->field[f].n_colours > n_colours)
                n_colours = all->field[f].n_colours;
        if (n_colours > 0)
            tess_page_print(page, " X(%d, %d)", s, n_colours);
    }
    tess_page_print(page, "\n");
}

tess_status tess_table_slots(tess_page *page, tess_marks marks, bool gathered) {
    tess_status status = TESS_OK;
    slots all = {.page = page, .gathered = gathered};
    page->has_slots = true;
    CHECK(TESS_ZEROS(page->bound->n_targets, &all.place));
    for (int r = 0; r < page->bound->n_targets; r++)
        CHECK(tess_table_staged_points(page, r, marks, true, &all.place[r]));
    CHECK(lay_out(&all));
    print_layout(&all);
    CHECK(pack(&all));
    for (int r = 0; gathered && r < page->bound->n_targets; r++)
        if (page->plan->sets[r].incremented)
            CHECK(tess_table_gather(page, r, all.place[r]));
done:
    for (int r = 0; all.place && r < page->bound->n_targets; r++)
        free(all.place[r]);
    free(all.place);
    free(all.field);
    free(all.colour);
    free(all.words);
    return status;
}
