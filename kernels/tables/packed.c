/* Packed blocks: all that a block needs to begin in one row, and each element's thread colour and
 * staged points in as few words as they fit. */
#include "kernels/tables/tables.h"

#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include "kernels/text/bit_field.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 64, ROW_START = 3, ROW_SET = 3 };

/* A set of which something is staged, and where its places stand in an element's words. */
typedef struct staged_set {
    bool staged;
    int bits;
    int at[MOST_SLOTS];     /* -1: not needed */
    uint16_t *place;        /* of all blocks' points: where the block stages them */
    int32_t *n_incremented; /* [n_blocks] of the block's points, staged first */
} staged_set;

typedef struct packed {
    tess_page *page;
    bool reads, sums;
    int colour_bits, n_words, n_row;
    staged_set *sets; /* [plan->n_sets] */
} packed;

static bool is_staged(const packed *all, const tess_arg *arg, int r) {
    return strcmp(arg->set, tess_reach_name(all->page, r)) == 0 &&
           ((all->reads && tess_arg_travels(all->page, arg, false)) ||
            (all->sums && tess_arg_travels(all->page, arg, true)));
}

/* --- staged points ---------------------------------------------------------------------------- */

typedef struct point_order {
    bool only_read;
    int32_t stored;
    int32_t local; /* in the plan */
} point_order;

static int compare_order(const void *a, const void *b) {
    const point_order *i = a, *j = b;
    if (i->only_read != j->only_read)
        return i->only_read - j->only_read;
    return (i->stored > j->stored) - (i->stored < j->stored);
}

/* Puts block b's points in order: those that it increments, then the others, as stored. */
static void order_block(const packed *all, int r, int32_t b, point_order *order, int32_t *points) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        order[i] = (point_order){.only_read = true,
                                 .stored = tess_page_point(all->page, r, set->points[first + i]),
                                 .local = (int32_t)i};
    for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
        for (int s = 0; s < set->n_slots; s++) {
            const uint16_t local = set->local_index[k * set->n_slots + s];
            if (set->slot_incremented[s] && local != TESS_NO_POINT)
                order[local].only_read = false;
        }
    qsort(order, (size_t)n, sizeof *order, compare_order);
    for (int64_t i = 0; i < n; i++) {
        points[first + i] = order[i].stored;
        all->sets[r].place[first + order[i].local] = (uint16_t)i;
        all->sets[r].n_incremented[b] += !order[i].only_read;
    }
}

static tess_status put_points(packed *all, int r) {
    tess_status status = TESS_OK;
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t n = set->point_offset[plan->n_blocks];
    int32_t *points = NULL;
    point_order *order = NULL;
    CHECK(TESS_ALLOC(n, &points));
    CHECK(TESS_ALLOC(tess_page_staged(all->page, r), &order));
    CHECK(TESS_ALLOC(n, &all->sets[r].place));
    CHECK(TESS_ZEROS(plan->n_blocks, &all->sets[r].n_incremented));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        order_block(all, r, b, order, points);
    CHECK(tess_page_array(all->page, "const int *", points, n * 4, "%s_points",
                          tess_reach_name(all->page, r)));
done:
    free(order);
    free(points);
    return status;
}

/* --- rows of blocks --------------------------------------------------------------------------- */

/* block_row[n_blocks][n_row], by colour. */
static tess_status put_rows(packed *all) {
    const tess_plan *plan = all->page->plan;
    int32_t *rows = NULL;
    int64_t n = 0;
    TRY(TESS_ALLOC(plan->n_blocks * (int64_t)all->n_row, &rows));
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            if (plan->block_colour[b] != colour)
                continue;
            rows[n++] = (int32_t)plan->block_offset[b];
            rows[n++] = (int32_t)(plan->block_offset[b + 1] - plan->block_offset[b]);
            rows[n++] = plan->thread_colours[b];
            for (int r = 0; r < plan->n_sets; r++) {
                const int64_t *offset = &plan->sets[r].point_offset[b];
                if (!all->sets[r].staged)
                    continue;
                rows[n++] = (int32_t)offset[0];
                rows[n++] = (int32_t)(offset[1] - offset[0]);
                rows[n++] = all->sets[r].n_incremented[b];
            }
        }
    const tess_status status = tess_page_array(all->page, "const int *", rows, n * 4, "block_row");
    free(rows);
    return status;
}

/* --- words of elements ------------------------------------------------------------------------ */

static tess_status lay_out(packed *all) {
    const tess_plan *plan = all->page->plan;
    int used = 0;
    int32_t most = 1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        most = plan->thread_colours[b] > most ? plan->thread_colours[b] : most;
    all->colour_bits = tess_bits_for(most);
    tess_bits_take(&used, all->colour_bits);
    all->n_row = ROW_START;
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_plan_set *set = &plan->sets[r];
        staged_set *staged = &all->sets[r];
        if (!staged->staged)
            continue;
        if (set->n_slots > MOST_SLOTS)
            FAIL(TESS_ERROR_INPUT, "a loop that stages reaches %s through %d slots, over %d",
                 set->set, set->n_slots, (int)MOST_SLOTS);
        if (set->point_offset[plan->n_blocks] > INT32_MAX)
            FAIL(TESS_ERROR_INPUT, "the blocks' %s of this plan pass 2^31", set->set);
        staged->bits = tess_bits_for(tess_page_staged(all->page, r));
        for (int s = 0; s < set->n_slots; s++)
            staged->at[s] =
                all->reads || set->slot_incremented[s] ? tess_bits_take(&used, staged->bits) : -1;
        all->n_row += ROW_SET;
    }
    all->n_words = (used + TESS_WORD_BITS - 1) / TESS_WORD_BITS;
    return TESS_OK;
}

static void print_dats(const packed *all, int r, bool summed, const char *word) {
    tess_page *page = all->page;
    const tess_loop *loop = all->page->bound->loop;
    char symbol[TESS_SYMBOL_SIZE];
    tess_page_print(page, "\n#define EACH_%s_%s(X)", tess_reach_name(all->page, r), word);
    for (int a = 0; a < loop->n_args; a++)
        if (is_staged(all, &loop->args[a], r) && tess_arg_first_reach(all->page, a, summed) == r) {
            tess_dat_symbol(&loop->args[a], symbol);
            tess_page_print(page, " X(%s, %s)", loop->args[a].set, symbol);
        }
}

static void print_layout(const packed *all) {
    tess_page *page = all->page;
    const int n_sets = all->page->plan->n_sets;
    tess_page_print(page,
                    "#define PACKED_WORDS %d\n#define ROW_WORDS %d\n"
                    "#define COLOUR_OF(word) BITS_AT(word, 0, %d)\n#define EACH_LOCAL(X)",
                    all->n_words, all->n_row, all->colour_bits);
    for (int r = 0; r < n_sets; r++)
        for (int s = 0; all->sets[r].staged && s < all->page->plan->sets[r].n_slots; s++)
            if (all->sets[r].at[s] >= 0)
                tess_page_print(page, " X(%s, %d, %d, %d)", tess_reach_name(all->page, r), s,
                                all->sets[r].at[s], all->sets[r].bits);
    tess_page_print(page, "\n#define EACH_STAGED_SET(X)");
    int row = ROW_START;
    for (int r = 0; r < n_sets; r++) {
        if (!all->sets[r].staged)
            continue;
        tess_page_print(page, " X(%s, EACH_%s_READ, EACH_%s_SUM, %d)",
                        tess_reach_name(all->page, r), tess_reach_name(all->page, r),
                        tess_reach_name(all->page, r), row);
        row += ROW_SET;
    }
    for (int r = 0; r < n_sets; r++) {
        if (!all->sets[r].staged)
            continue;
        print_dats(all, r, false, "READ");
        print_dats(all, r, true, "SUM");
    }
    tess_page_print(page, "\n");
}

static tess_status put_words(packed *all) {
    const tess_plan *plan = all->page->plan;
    const int64_t stride = tess_store_stride(plan->n_executed);
    uint32_t *words = NULL;
    TRY(TESS_ZEROS(stride * all->n_words, &words));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            tess_bits_put(words + k, stride, 0, plan->thread_colour[k]);
            for (int r = 0; r < plan->n_sets; r++) {
                const tess_plan_set *set = &plan->sets[r];
                const staged_set *staged = &all->sets[r];
                for (int s = 0; staged->staged && s < set->n_slots; s++) {
                    const uint16_t local = set->local_index[k * set->n_slots + s];
                    if (staged->at[s] >= 0)
                        tess_bits_put(words + k, stride, staged->at[s],
                                      local == TESS_NO_POINT
                                          ? (UINT32_C(1) << staged->bits) - 1
                                          : staged->place[set->point_offset[b] + local]);
                }
            }
        }
    tess_page_print(all->page, "#define PACKED_AT(w, k) ((w) * %lldll + (k))\n", (long long)stride);
    const tess_status status =
        tess_page_array(all->page, "const unsigned *", words, stride * all->n_words * 4, "packed");
    free(words);
    return status;
}

tess_status tess_table_packed(tess_page *page, bool reads, bool sums) {
    tess_status status = TESS_OK;
    packed all = {.page = page, .reads = reads, .sums = sums};
    const int n_sets = page->plan->n_sets;
    page->has_entries = true;
    CHECK(TESS_ZEROS(n_sets, &all.sets));
    for (int r = 0; r < n_sets; r++)
        for (int a = 0; a < page->bound->loop->n_args; a++)
            all.sets[r].staged |= is_staged(&all, &page->bound->loop->args[a], r);
    for (int r = 0; r < n_sets; r++)
        if (all.sets[r].staged)
            CHECK(put_points(&all, r));
    CHECK(lay_out(&all));
    print_layout(&all);
    CHECK(put_rows(&all));
    CHECK(put_words(&all));
done:
    for (int r = 0; all.sets && r < n_sets; r++) {
        free(all.sets[r].place);
        free(all.sets[r].n_incremented);
    }
    free(all.sets);
    return status;
}
