/* The points that blocks stage: listed by block, as stored and marked; and how they travel, one dat
 * after the other. */
#include "kernels/codegen/tables.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/plan/point_owners.h"
#include <stdlib.h>

/* --- arrays ----------------------------------------------------------------------------------- */

/* Local indices component by component: [slot][stride]. */
static tess_status local_array(tess_page *page, int r) {
    const tess_plan_set *set = &page->plan->sets[r];
    const int64_t n = page->plan->n_executed, stride = tess_store_stride(n);
    uint16_t *local = NULL;
    TRY(TESS_ZEROS(stride * set->n_slots, &local));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int s = 0; s < set->n_slots; s++)
            local[s * stride + k] = set->local_index[k * set->n_slots + s];
    const tess_status status =
        tess_page_array(page, "const unsigned short *", local, stride * set->n_slots * 2,
                        "%s_local", page->sets[r].name);
    free(local);
    return status;
}

tess_status tess_table_incremented(const tess_page *page, int target, uint8_t **incremented,
                                   int32_t **n_blocks) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[target];
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], incremented));
    TRY(TESS_ZEROS(page->bound->mesh->sets[page->bound->targets[target].set].size, n_blocks));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                if (set->slot_incremented[s] && local != TESS_NO_POINT)
                    (*incremented)[set->point_offset[b] + local] = 1;
            }
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            if ((*incremented)[i]) {
#pragma omp atomic
                (*n_blocks)[set->points[i]]++;
            }
    }
    return TESS_OK;
}

/* What decides which points of a block are marked. */
typedef struct marking {
    tess_marks marks;
    tess_point_owners owners;
    const int32_t *n_blocks; /* that increment each point */
    const int32_t *first;    /* which is the first of them, for TESS_MARK_KEPT */
} marking;

static bool is_marked(const marking *by, int32_t block, int32_t point) {
    if (by->marks == TESS_MARK_OTHERS)
        return by->owners.owner && tess_point_owner(by->owners, point) != block;
    return by->n_blocks[point] > 1 && (by->marks == TESS_MARK_BORDER ||
                                       (by->marks == TESS_MARK_KEPT && by->first[point] != block));
}

/* The first block that increments each point; 0 where none does. */
static tess_status find_first_blocks(const tess_page *page, int r, const uint8_t *touched,
                                     int32_t **first) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    TRY(TESS_ZEROS(page->bound->mesh->sets[page->bound->targets[r].set].size, first));
    for (int32_t b = plan->n_blocks - 1; b >= 0; b--)
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            if (touched[i])
                (*first)[set->points[i]] = b;
    return TESS_OK;
}

/* Gives each point of a block its position among them in the order of storage. */
static void find_positions(const tess_page *page, int r, const int32_t *points, int64_t n,
                           int32_t *stored, int32_t *position) {
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_point(page, r, points[i]);
    tess_sort(stored, n);
    for (int64_t i = 0; i < n; i++)
        position[i] = (int32_t)tess_sorted_position(stored, n, tess_page_point(page, r, points[i]));
}

/* The positions of all blocks' points: as in the plan, or in the order of storage. */
static tess_status positions_of(const tess_page *page, int r, bool sorted, int32_t **position) {
    tess_status status = TESS_OK;
    const tess_plan_set *set = &page->plan->sets[r];
    const int64_t *offset = set->point_offset;
    int32_t *stored = NULL;
    CHECK(TESS_ALLOC(offset[page->plan->n_blocks], position));
    CHECK(TESS_ALLOC(sorted ? offset[page->plan->n_blocks] : 0, &stored));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < page->plan->n_blocks; b++) {
        const int64_t first = offset[b], n = offset[b + 1] - first;
        if (sorted)
            find_positions(page, r, set->points + first, n, stored + first, *position + first);
        for (int64_t i = 0; !sorted && i < n; i++)
            (*position)[first + i] = (int32_t)i;
    }
done:
    free(stored);
    return status;
}

/* Staged points as stored and marked, each at its place, and which of them the block increments. */
static tess_status points_array(tess_page *page, int r, tess_marks marks, const int32_t *position,
                                bool *partly) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t n = set->point_offset[plan->n_blocks];
    int32_t *points = NULL, *n_blocks = NULL, *first = NULL;
    uint8_t *touched = NULL, *incremented = NULL;
    bool all = true;
    CHECK(tess_table_incremented(page, r, &touched, &n_blocks));
    if (marks == TESS_MARK_KEPT)
        CHECK(find_first_blocks(page, r, touched, &first));
    const marking by = {marks,
                        tess_point_owners_of(page->bound, plan->partitioned_set, plan->owner, r),
                        n_blocks, first};
    CHECK(TESS_ALLOC(n, &points));
    CHECK(TESS_ALLOC(n, &incremented));
#pragma omp parallel for schedule(static) reduction(&& : all)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
            const int32_t point = set->points[i], stored = tess_page_point(page, r, point);
            /* a set that is only read may be another than the one that blocks own */
            const bool marked = set->incremented && is_marked(&by, b, point);
            const int64_t at = set->point_offset[b] + position[i];
            points[at] = marked ? ~stored : stored;
            incremented[at] = touched[i];
            all = all && touched[i];
        }
    CHECK(tess_page_array(page, "const int *", points, n * 4, "%s_points", page->sets[r].name));
    if (set->incremented && marks == TESS_MARK_KEPT)
        CHECK(tess_table_border_lists(page, r, points, incremented, n));
    *partly = set->incremented && !all;
    if (*partly)
        CHECK(tess_page_array(page, "const unsigned char *", incremented, n, "%s_incremented",
                              page->sets[r].name));
done:
    free(incremented);
    free(touched);
    free(first);
    free(n_blocks);
    free(points);
    return status;
}

tess_status tess_table_staged_points(tess_page *page, int r, tess_marks marks, bool sorted,
                                     int32_t **position, bool *partly) {
    TRY(positions_of(page, r, sorted, position));
    TRY(tess_table_offsets(page, page->plan->sets[r].point_offset, page->plan->n_blocks + 1,
                           page->sets[r].name, "_point_offset"));
    return points_array(page, r, marks, *position, partly);
}

/* --- functions -------------------------------------------------------------------------------- */

/* Begins a loop over the values of a dat at the block's points: `i` is the point's place, `d` the
 * component, `mark` where the point is stored, or the complement of that where it is marked.
 * Consecutive threads take consecutive values of one point in AoS, consecutive points in SoA. */
static void print_loop(tess_page *page, const tess_page_dat *dat) {
    tess_page_code(page, dat,
                   "    {\n"
                   "        const int first = fetch(&p->@set_point_offset[b->index]);\n"
                   "        const int n = fetch(&p->@set_point_offset[b->index + 1]) - first;\n");
    tess_page_code(page, dat,
                   dat->aos ? "        TURNS(v, thread_index(), n * @dim, THREADS) {\n"
                              "            const int i = v / @dim, d = v %% @dim;\n"
                            : "        TURNS(i, thread_index(), n, THREADS) {\n");
    tess_page_code(page, dat, "            const int mark = fetch(&p->@set_points[first + i]);\n%s",
                   dat->aos ? "" : "            UNROLL for (int d = 0; d < @dim; d++)\n");
}

static void print_stage(tess_page *page, bool reads) {
    tess_page_code(page, NULL,
                   "INLINE void stage(const struct params *p, const struct block *b) {\n");
    for (int i = 0; reads && i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (!dat->read)
            continue;
        print_loop(page, dat);
        tess_page_code(page, dat,
                       "                store(@dat_copy(b, i, d),\n"
                       "                      fetch(&p->@dat[@dat_at(mark < 0 ? ~mark : mark, "
                       "d)]));\n        }\n    }\n");
    }
    tess_page_code(page, NULL, "    clear_sums(b);\n    (void)p, (void)b;\n}\n\n");
}

/* give_sums: what a block does with its sums of the points that it increments. */
static void print_give(tess_page *page, tess_marks marks, const bool *partly) {
    tess_page_code(page, NULL,
                   "INLINE void give_sums(const struct params *p, const struct block *b) {\n");
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (!dat->summed)
            continue;
        print_loop(page, dat);
        if (partly[dat->target])
            tess_page_code(page, dat,
                           "                if (fetch(&p->@set_incremented[first + i]))\n");
        tess_page_code(page, dat,
                       "                {\n"
                       "                    if (mark >= 0)\n"
                       "                        plain_add(&p->@dat[@dat_at(mark, d)], "
                       "load(@dat_sum(b, i, d)));\n");
        if (marks == TESS_MARK_BORDER)
            tess_page_code(page, dat,
                           "                    else\n"
                           "                        atomic_add(&p->@dat[@dat_at(~mark, d)], "
                           "load(@dat_sum(b, i, d)));\n");
        if (marks == TESS_MARK_KEPT)
            tess_page_code(page, dat,
                           "                    else\n"
                           "                        store(@dat_kept(p, first + i, d), "
                           "load(@dat_sum(b, i, d)));\n");
        tess_page_code(page, NULL, "                }\n        }\n    }\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

static void print_find_local(tess_page *page) {
    const long long stride = tess_store_stride(page->plan->n_executed);
    tess_page_code(page, NULL,
                   "INLINE void find_local(const struct params *p, struct element *e, int k) {\n");
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        for (int s = 0; s < page->bound->targets[r].n_slots; s++) {
            tess_page_code(page, &set, "    e->@set_local[%d] = fetch(&p->@set_local[%lld + k]);\n",
                           s, s * stride);
            if (page->sets[r].padded)
                tess_page_code(page, &set,
                               "    if (e->@set_local[%d] == %d)\n        e->@set_local[%d] = "
                               "-1;\n",
                               s, TESS_NO_POINT, s);
        }
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)k;\n}\n\n");
}

tess_status tess_table_points(tess_page *page, tess_marks marks, bool reads) {
    tess_status status = TESS_OK;
    const int n_sets = page->plan->n_sets;
    bool *partly = NULL;
    CHECK(TESS_ZEROS(n_sets, &partly));
    for (int r = 0; r < n_sets; r++) {
        int32_t *position = NULL;
        status = tess_table_staged_points(page, r, marks, false, &position, &partly[r]);
        free(position);
        CHECK(status);
        CHECK(local_array(page, r));
    }
    print_stage(page, reads);
    print_give(page, marks, partly);
    print_find_local(page);
done:
    free(partly);
    return status;
}
