/* The quantities of blocks: what is counted of each block of a plan, a function each. */
#include "core/plan/block_quantities.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/union_find.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

tess_block_view tess_block_view_of(const tess_plan *plan, int k, int32_t b) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t start = plan->block_offset[b], first = set->point_offset[b];
    return (tess_block_view){.set = set,
                             .n = plan->block_offset[b + 1] - start,
                             .n_points = set->point_offset[b + 1] - first,
                             .executed = plan->executed + start,
                             .local = set->local_index + start * set->n_slots,
                             .points = set->points + first};
}

int64_t tess_block_most_points(const tess_plan *plan) {
    int64_t most = 0;
    for (int k = 0; k < plan->n_sets; k++)
        for (int32_t b = 0; b < plan->n_blocks; b++)
            most = larger(tess_block_view_of(plan, k, b).n_points, most);
    return most;
}

tess_status tess_block_task_new(const tess_bound_loop *bound, const tess_plan *plan,
                                tess_block_task *out) {
    *out = (tess_block_task){.bound = bound, .plan = plan, .gathers = tess_loop_gathers(bound)};
    TRY(TESS_ZEROS(plan->n_sets, &out->counting));
    TRY(TESS_ZEROS(plan->n_sets, &out->some_counting));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_loop_target *target = &bound->targets[k];
        TRY(TESS_ALLOC(target->n_slots, &out->counting[k]));
        for (int s = 0; s < target->n_slots; s++) {
            out->counting[k][s] = tess_loop_target_counts(bound, target, s, TESS_POINTS_INCREMENTS);
            out->some_counting[k] |= out->counting[k][s];
        }
    }
    return TESS_OK;
}

void tess_block_task_free(tess_block_task *task) {
    for (int k = 0; task->counting && k < task->plan->n_sets; k++)
        free(task->counting[k]);
    free(task->counting);
    free(task->some_counting);
}

tess_status tess_block_scratch_new(const tess_plan *plan, tess_block_scratch *out) {
    const int64_t most_points = tess_block_most_points(plan);
    *out = (tess_block_scratch){.block = -1};
    TRY(TESS_ALLOC(most_points, &out->values));
    TRY(TESS_ALLOC(most_points, &out->marked));
    TRY(TESS_ALLOC(most_points, &out->last));
    return TESS_ALLOC(tess_plan_largest_block(plan), &out->parent);
}

void tess_block_scratch_free(tess_block_scratch *scratch) {
    free(scratch->values);
    free(scratch->marked);
    free(scratch->last);
    free(scratch->parent);
}

int64_t tess_block_count_accesses(const tess_block_view *view, const bool *slots) {
    int64_t accesses = 0;
    for (int s = 0; s < view->set->n_slots; s++)
        for (int64_t i = 0; slots[s] && i < view->n; i++)
            accesses += view->local[i * view->set->n_slots + s] != TESS_NO_POINT;
    return accesses;
}

static bool all_of(const bool *slots, int n_slots) {
    for (int s = 0; s < n_slots; s++)
        if (!slots[s])
            return false;
    return true;
}

int64_t tess_block_list_points(const tess_block_view *view, const bool *slots,
                               tess_block_scratch *scratch) {
    const int n_slots = view->set->n_slots;
    if (all_of(slots, n_slots)) {
        memcpy(scratch->values, view->points, (size_t)view->n_points * sizeof *view->points);
        return view->n_points;
    }
    memset(scratch->marked, 0, (size_t)view->n_points * sizeof *scratch->marked);
    for (int s = 0; s < n_slots; s++)
        for (int64_t i = 0; slots[s] && i < view->n; i++)
            if (view->local[i * n_slots + s] != TESS_NO_POINT)
                scratch->marked[view->local[i * n_slots + s]] = true;
    int64_t n = 0;
    for (int64_t j = 0; j < view->n_points; j++)
        if (scratch->marked[j])
            scratch->values[n++] = view->points[j];
    return n;
}

void tess_block_reach(const tess_block_task *task, int32_t b, tess_block_scratch *scratch) {
    if (scratch->block == b)
        return;
    scratch->block = b;
    scratch->accesses = scratch->points = 0;
    for (int k = 0; k < task->plan->n_sets; k++) {
        if (!task->some_counting[k])
            continue;
        const tess_block_view view = tess_block_view_of(task->plan, k, b);
        scratch->accesses += tess_block_count_accesses(&view, task->counting[k]);
        scratch->points += tess_block_list_points(&view, task->counting[k], scratch);
    }
}

static double block_elements(const tess_block_task *task, int32_t b, tess_block_scratch *scratch) {
    (void)scratch;
    return (double)(task->plan->block_offset[b + 1] - task->plan->block_offset[b]);
}

static double block_points(const tess_block_task *task, int32_t b, tess_block_scratch *scratch) {
    tess_block_reach(task, b, scratch);
    return (double)scratch->points;
}

static double block_reuse(const tess_block_task *task, int32_t b, tess_block_scratch *scratch) {
    tess_block_reach(task, b, scratch);
    return scratch->points ? (double)scratch->accesses / (double)scratch->points : 0;
}

static double block_thread_colours(const tess_block_task *task, int32_t b,
                                   tess_block_scratch *scratch) {
    (void)scratch;
    return task->gathers || !task->plan->thread_colours ? NAN
                                                        : (double)task->plan->thread_colours[b];
}

/* Joins elements that share a point through counting slots; returns how many pieces fewer there
 * are. */
static int64_t join_pieces(const tess_block_view *view, const bool *counting,
                           tess_block_scratch *scratch) {
    const int n_slots = view->set->n_slots;
    int64_t joined = 0;
    for (int64_t j = 0; j < view->n_points; j++)
        scratch->last[j] = -1;
    for (int64_t i = 0; i < view->n; i++) {
        for (int s = 0; s < n_slots; s++) {
            const uint16_t local = view->local[i * n_slots + s];
            if (!counting[s] || local == TESS_NO_POINT)
                continue;
            if (scratch->last[local] >= 0)
                joined += tess_sets_join(scratch->parent, scratch->last[local], (int32_t)i);
            scratch->last[local] = (int32_t)i;
        }
    }
    return joined;
}

/* Joins elements, the first of which is number `first` of its set, with those that reach them;
 * returns how many pieces fewer there are. */
static int64_t join_reached(const tess_block_view *view, int64_t first,
                            tess_block_scratch *scratch) {
    int64_t joined = 0;
    for (int64_t i = 0; i < view->n; i++) {
        const int32_t element = (int32_t)(first + view->executed[i]);
        const int64_t own = tess_sorted_position(view->points, view->n_points, element);
        if (own < view->n_points && view->points[own] == element)
            joined += tess_sets_join(scratch->parent, scratch->last[own], (int32_t)i);
    }
    return joined;
}

static double block_components(const tess_block_task *task, int32_t b,
                               tess_block_scratch *scratch) {
    const tess_bound_loop *bound = task->bound;
    int64_t pieces = task->plan->block_offset[b + 1] - task->plan->block_offset[b];
    for (int64_t i = 0; i < pieces; i++)
        scratch->parent[i] = (int32_t)i;
    for (int k = 0; k < task->plan->n_sets; k++) {
        if (!task->some_counting[k])
            continue;
        const tess_block_view view = tess_block_view_of(task->plan, k, b);
        pieces -= join_pieces(&view, task->counting[k], scratch);
        if (task->gathers && bound->targets[k].set == bound->set)
            pieces -= join_reached(&view, bound->first, scratch);
    }
    return (double)pieces;
}

/* The functions, which are named as the quantities of core/plan/quantities.h. */
#define QUANTITY(name, title, scale, format, unit, better, of, ...) ENTRY_##of(name)
#define ENTRY_RUN(name)
#define ENTRY_PLAN(name)
#define ENTRY_ELEMENT(name)
#define ENTRY_BLOCK(name) {#name, name},
#define ENTRY_BLOCK_ONLY(name) ENTRY_BLOCK(name)
static const struct {
    const char *name;
    double (*count)(const tess_block_task *task, int32_t b, tess_block_scratch *scratch);
} counted[] = {
#include "core/plan/quantities.h"
};
enum { N_COUNTED = sizeof counted / sizeof *counted };

const tess_quantity *tess_block_quantity_at(int i) {
    return i >= 0 && i < N_COUNTED ? tess_quantity_find(counted[i].name) : NULL;
}

double tess_block_quantity_count(const tess_block_task *task, int i, int32_t b,
                                 tess_block_scratch *scratch) {
    return counted[i].count(task, b, scratch);
}

tess_status tess_block_quantity_values(const tess_bound_loop *bound, const tess_plan *plan, int i,
                                       double **out) {
    tess_status status = TESS_OK;
    tess_block_task task = {.bound = NULL};
    tess_block_scratch scratch = {.block = -1};
    double *values = NULL;
    CHECK(tess_block_task_new(bound, plan, &task));
    CHECK(tess_block_scratch_new(plan, &scratch));
    CHECK(TESS_ALLOC(plan->n_blocks, &values));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        values[b] = tess_block_quantity_count(&task, i, b, &scratch);
    *out = plan->n_blocks > 0 && isnan(values[0]) ? NULL : TESS_TAKE(values);
done:
    free(values);
    tess_block_scratch_free(&scratch);
    tess_block_task_free(&task);
    return status;
}
