/* A plan: a partition made executable, over the loop's from-set or over a to-set, whose points its
 * blocks own. */
#include "core/plan/plan.h"

#include "core/base/array.h"
#include "core/base/distinct.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/plan/block_colours.h"
#include "core/plan/colour/colour.h"
#include "core/plan/order/line_order.h"
#include "core/plan/owned_elements.h"
#include "core/plan/point_owners.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = TESS_NO_POINT, MOST_THREAD_COLOURS = 1 << 16 };

/* What one thread needs to plan a block; as large as the largest block, n. */
typedef struct block_scratch {
    tess_distinct distinct;
    int32_t *reached;  /* [n][slots of the set with most]: points of each element */
    int64_t *n_points; /* [n_sets] */
    int32_t *rows;     /* [n][increments]: block_increments */
    int32_t *colour;   /* [n] */
    int32_t *position; /* [n]: new position of each old one */
    int32_t *next;     /* [n + 1]: the next position of each colour */
    void *kept;        /* a copy of [n] ids or of [n][slots] local indices */
} block_scratch;

enum { TOO_MANY_COLOURS = -1, OUT_OF_MEMORY = -2 };

/* What went wrong in a block, kept so that the same block is named on any number of threads. */
typedef struct defect {
    int32_t block; /* INT32_MAX: none */
    int set;       /* with too many points, or one of the below */
    int64_t n;
} defect;

int64_t tess_plan_largest_block(const tess_plan *plan) {
    int64_t largest = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
        largest = n > largest ? n : largest;
    }
    return largest;
}

/* The incremented slots of all sets. */
static int count_increments(const tess_plan *plan) {
    int n = 0;
    for (int k = 0; k < plan->n_sets; k++)
        for (int s = 0; s < plan->sets[k].n_slots; s++)
            n += plan->sets[k].slot_incremented[s];
    return n;
}

static tess_status scratch_new(const tess_plan *plan, block_scratch *scratch) {
    const int64_t n = tess_plan_largest_block(plan);
    int most_slots = 1;
    for (int k = 0; k < plan->n_sets; k++)
        if (plan->sets[k].n_slots > most_slots)
            most_slots = plan->sets[k].n_slots;
    TRY(tess_distinct_new(n * most_slots, &scratch->distinct));
    TRY(TESS_ALLOC(n * most_slots, &scratch->reached));
    TRY(TESS_ALLOC(plan->n_sets, &scratch->n_points));
    TRY(TESS_ALLOC(n * count_increments(plan), &scratch->rows));
    TRY(TESS_ALLOC(n, &scratch->colour));
    TRY(TESS_ALLOC(n, &scratch->position));
    TRY(TESS_ALLOC(n + 1, &scratch->next));
    const size_t of_ids = sizeof(int32_t), of_positions = (size_t)most_slots * sizeof(uint16_t);
    return tess_array_alloc(n, of_ids > of_positions ? of_ids : of_positions, &scratch->kept);
}

static void scratch_free(block_scratch *scratch) {
    tess_distinct_free(&scratch->distinct);
    free(scratch->reached);
    free(scratch->n_points);
    free(scratch->rows);
    free(scratch->colour);
    free(scratch->position);
    free(scratch->next);
    free(scratch->kept);
}

/* Fills rows [n][increments] with the incremented points of the n elements from position `start`
 * on, a block of which set k has n_points[k]: numbers within the block, those of one set after
 * those of the other, -1 where padded. The incidence borrows rows. */
static void block_increments(const tess_plan *plan, int64_t start, int64_t n,
                             const int64_t *n_points, int32_t *rows, tess_incidence *out) {
    const int arity = count_increments(plan);
    int column = 0;
    *out = (tess_incidence){.index = rows, .arity = arity};
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_plan_set *set = &plan->sets[k];
        if (!set->incremented)
            continue;
        const int32_t first = (int32_t)out->n_points;
        for (int s = 0; s < set->n_slots; s++) {
            if (!set->slot_incremented[s])
                continue;
            const uint16_t *local = set->local_index + start * set->n_slots + s;
            for (int64_t i = 0; i < n; i++) {
                const uint16_t position = local[i * set->n_slots];
                rows[i * arity + column] = position == TESS_NO_POINT ? -1 : first + position;
            }
            column++;
        }
        out->n_points += n_points[k];
    }
}

/* The plan's sets, with room for the points of each block at block_offset * n_slots. */
static tess_status sets_new(const tess_bound_loop *bound, tess_plan *plan) {
    TRY(TESS_ZEROS(bound->n_targets, &plan->sets));
    plan->n_sets = bound->n_targets;
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_loop_target *target = &bound->targets[k];
        tess_plan_set *set = &plan->sets[k];
        snprintf(set->set, sizeof set->set, "%s", bound->mesh->sets[target->set].name);
        set->n_slots = target->n_slots;
        set->incremented = target->incremented;
        TRY(TESS_COPY(target->n_slots, target->slot_incremented, &set->slot_incremented));
        TRY(TESS_ZEROS(plan->n_blocks + 1, &set->point_offset));
        TRY(TESS_ALLOC(plan->n_executed * set->n_slots, &set->points));
        TRY(TESS_ALLOC(plan->n_executed * set->n_slots, &set->local_index));
    }
    return TESS_OK;
}

/* Room for colours, where the loop increments anything. */
static tess_status colours_new(const tess_bound_loop *bound, tess_plan *plan) {
    if (tess_loop_gathers(bound))
        return TESS_OK;
    TRY(TESS_ALLOC(plan->n_executed, &plan->thread_colour));
    TRY(TESS_ALLOC(plan->n_blocks, &plan->thread_colours));
    return TESS_ALLOC(plan->n_blocks, &plan->block_colour);
}

/* Puts the block's elements into the order of their colours, by element id within a colour. */
static void order_by_colour(tess_plan *plan, int32_t b, block_scratch *scratch) {
    const int64_t start = plan->block_offset[b], n = plan->block_offset[b + 1] - start;
    int32_t *const next = scratch->next;
    for (int32_t c = 0; c <= plan->thread_colours[b]; c++)
        next[c] = 0;
    for (int64_t i = 0; i < n; i++)
        next[scratch->colour[i] + 1]++;
    for (int32_t c = 0; c < plan->thread_colours[b]; c++)
        next[c + 1] += next[c];
    for (int64_t i = 0; i < n; i++)
        scratch->position[i] = next[scratch->colour[i]]++;
    int32_t *const executed = plan->executed + start;
    memcpy(scratch->kept, executed, (size_t)n * sizeof *executed);
    for (int64_t i = 0; i < n; i++)
        executed[scratch->position[i]] = ((const int32_t *)scratch->kept)[i];
    for (int64_t i = 0; i < n; i++)
        plan->thread_colour[start + scratch->position[i]] = (uint16_t)scratch->colour[i];
    for (int k = 0; k < plan->n_sets; k++) {
        const size_t n_slots = (size_t)plan->sets[k].n_slots;
        uint16_t *const local = plan->sets[k].local_index + start * (int64_t)n_slots;
        const size_t row = n_slots * sizeof *local;
        memcpy(scratch->kept, local, (size_t)n * row);
        for (int64_t i = 0; i < n; i++)
            memcpy(local + (size_t)scratch->position[i] * n_slots,
                   (const uint16_t *)scratch->kept + (size_t)i * n_slots, row);
    }
}

/* The points of n elements through all slots of a target, [n][n_slots]. */
static void gather_points(const tess_loop_target *target, const int32_t *elements, int64_t n,
                          int32_t *reached) {
    for (int64_t i = 0; i < n; i++)
        for (int s = 0; s < target->n_slots; s++)
            *reached++ = tess_target_point(target, elements[i], s);
}

static tess_status colour_greedily(const tess_incidence *map, int64_t n, int32_t *colour,
                                   int32_t *n_colours) {
    return tess_colour_first_fit(map, 1, n, colour, n_colours);
}

/* Colours the elements of a block whose points and local indices are known. */
static defect colour_block(const tess_plan_options *options, tess_plan *plan, int32_t b,
                           block_scratch *scratch) {
    const int64_t start = plan->block_offset[b], n = plan->block_offset[b + 1] - start;
    tess_incidence increments;
    block_increments(plan, start, n, scratch->n_points, scratch->rows, &increments);
    tess_status (*const colour_all[])(const tess_incidence *, int64_t, int32_t *, int32_t *) = {
        [TESS_COLOUR_FEWEST] = tess_colour_fewest,
        [TESS_COLOUR_DSATUR] = tess_colour_dsatur,
        [TESS_COLOUR_GREEDY] = colour_greedily,
        [TESS_COLOUR_SULYOK] = tess_colour_smallest_last,
    };
    if (colour_all[options->thread_colouring](&increments, n, scratch->colour,
                                              &plan->thread_colours[b]) != TESS_OK)
        return (defect){b, OUT_OF_MEMORY, 0};
    if (plan->thread_colours[b] > MOST_THREAD_COLOURS)
        return (defect){b, TOO_MANY_COLOURS, plan->thread_colours[b]};
    for (int64_t i = 0; i < n; i++)
        plan->thread_colour[start + i] = (uint16_t)scratch->colour[i];
    if (options->thread_order == TESS_ORDER_COLOUR)
        order_by_colour(plan, b, scratch);
    return (defect){.block = INT32_MAX};
}

/* Finds the points of a block and their local indices. */
static defect find_points(const tess_bound_loop *bound, tess_plan *plan, int32_t b,
                          block_scratch *scratch) {
    const int64_t start = plan->block_offset[b], n = plan->block_offset[b + 1] - start;
    for (int k = 0; k < plan->n_sets; k++) {
        tess_plan_set *set = &plan->sets[k];
        gather_points(&bound->targets[k], plan->executed + start, n, scratch->reached);
        scratch->n_points[k] = tess_distinct_find(
            &scratch->distinct, scratch->reached, n * set->n_slots,
            set->points + start * set->n_slots, set->local_index + start * set->n_slots);
        set->point_offset[b + 1] = scratch->n_points[k];
        if (scratch->n_points[k] > MOST_POINTS)
            return (defect){b, k, scratch->n_points[k]};
    }
    return (defect){.block = INT32_MAX};
}

/* Plans one block: its points and local indices, unless it is filled, and thread colours. */
static defect plan_block(const tess_bound_loop *bound, const tess_plan_options *options,
                         bool filled, tess_plan *plan, int32_t b, block_scratch *scratch) {
    defect found = {.block = INT32_MAX};
    if (!filled)
        found = find_points(bound, plan, b, scratch);
    for (int k = 0; filled && k < plan->n_sets; k++)
        scratch->n_points[k] = plan->sets[k].point_offset[b + 1] - plan->sets[k].point_offset[b];
    return plan->thread_colour && found.block == INT32_MAX ? colour_block(options, plan, b, scratch)
                                                           : found;
}

static tess_status defect_report(const tess_plan *plan, const defect *found) {
    if (found->block == INT32_MAX)
        return TESS_OK;
    if (found->set == OUT_OF_MEMORY)
        FAIL(TESS_ERROR_MEMORY, "out of memory while colouring block %d", found->block);
    if (found->set == TOO_MANY_COLOURS)
        FAIL(TESS_ERROR_INPUT, "block %d needs %lld thread colours; at most %d are possible",
             found->block, (long long)found->n, MOST_THREAD_COLOURS);
    FAIL(TESS_ERROR_INPUT,
         "block %d has %lld distinct points in %s; at most %d are possible: take smaller blocks",
         found->block, (long long)found->n, plan->sets[found->set].set, MOST_POINTS);
}

static tess_status blocks_plan(const tess_bound_loop *bound, const tess_plan_options *options,
                               bool filled, tess_plan *plan) {
    tess_status status = TESS_OK;
    block_scratch *scratches = NULL;
    defect first = {.block = INT32_MAX};
    const int n_threads = omp_get_max_threads();
    tess_progress_begin("planning");
    CHECK(TESS_ZEROS(n_threads, &scratches));
    for (int t = 0; t < n_threads; t++)
        CHECK(scratch_new(plan, &scratches[t]));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        if (tess_interrupted())
            continue;
        tess_progress_set(b, plan->n_blocks, NULL);
        const defect found =
            plan_block(bound, options, filled, plan, b, &scratches[omp_get_thread_num()]);
        if (found.block != INT32_MAX) {
#pragma omp critical
            first = found.block < first.block ? found : first;
        }
    }
    CHECK(tess_interrupt_check());
    CHECK(defect_report(plan, &first));
done:
    tess_progress_end();
    for (int t = 0; scratches && t < n_threads; t++)
        scratch_free(&scratches[t]);
    free(scratches);
    return status;
}

/* Makes offsets of the counts of blocks' points, unless they are filled, and leaves no gaps between
 * these, nor room behind them. */
static tess_status points_compact(const tess_plan *plan, bool filled, tess_plan_set *set) {
    int32_t *points = NULL;
    for (int32_t b = 0; b < plan->n_blocks && !filled; b++)
        set->point_offset[b + 1] += set->point_offset[b];
    const int64_t n_points = set->point_offset[plan->n_blocks];
    if (filled) {
        points = realloc(set->points, (size_t)(n_points + 1) * sizeof *points);
        set->points = points ? points : set->points;
        return TESS_OK;
    }
    TRY(TESS_ALLOC(n_points, &points));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t to = set->point_offset[b], n = set->point_offset[b + 1] - to;
        memcpy(points + to, set->points + plan->block_offset[b] * set->n_slots,
               (size_t)n * sizeof *points);
    }
    free(set->points);
    set->points = points;
    return TESS_OK;
}

/* Marks the points of a block that its elements increment (not only read). */
static void mark_incremented(const tess_plan *plan, const tess_plan_set *set, int32_t b,
                             bool *marked) {
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
        for (int s = 0; s < set->n_slots; s++)
            if (set->slot_incremented[s] && set->local_index[i * set->n_slots + s] != TESS_NO_POINT)
                marked[set->point_offset[b] + set->local_index[i * set->n_slots + s]] = true;
}

tess_status tess_plan_incremented(const tess_bound_loop *bound, const tess_plan *plan, int k,
                                  tess_incidence *out) {
    tess_status status = TESS_OK;
    const tess_plan_set *set = &plan->sets[k];
    const int64_t n_points = set->point_offset[plan->n_blocks];
    bool *marked = NULL;
    int32_t *index = NULL;
    bool all = true;
    for (int s = 0; s < set->n_slots; s++)
        all &= set->slot_incremented[s];
    *out = (tess_incidence){.index = set->points,
                            .offset = set->point_offset,
                            .n_points = bound->mesh->sets[bound->targets[k].set].size};
    if (all)
        return TESS_OK;
    CHECK(TESS_ZEROS(n_points, &marked));
    CHECK(TESS_ALLOC(n_points, &index));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        mark_incremented(plan, set, b, marked);
    for (int64_t i = 0; i < n_points; i++)
        index[i] = marked[i] ? set->points[i] : -1;
    out->index = index;
    out->owned = true;
done:
    free(marked);
    return status;
}

/* Fills first [n_blocks] with the least number, or place, of each block's elements. */
static void find_first_elements(const tess_plan *plan, const int32_t *position, int32_t *first) {
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        first[b] = INT32_MAX;
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            const int32_t e = plan->executed[i], at = position ? position[e] : e;
            first[b] = at < first[b] ? at : first[b];
        }
    }
}

static tess_status blocks_colour(const tess_bound_loop *bound, const tess_plan_options *options,
                                 tess_plan *plan) {
    tess_status status = TESS_OK;
    tess_incidence *maps = NULL;
    int32_t *first = NULL;
    int n_maps = 0;
    CHECK(TESS_ALLOC(plan->n_sets, &maps));
    CHECK(TESS_ALLOC(plan->n_blocks, &first));
    for (int k = 0; k < plan->n_sets && !plan->owns_points; k++)
        if (plan->sets[k].incremented)
            CHECK(tess_plan_incremented(bound, plan, k, &maps[n_maps++]));
    find_first_elements(plan, options->position, first);
    const tess_blocks_to_colour blocks = {maps, n_maps, plan->n_blocks,
                                          options->by_number ? NULL : first};
    CHECK(tess_block_colours_find(&blocks, options->thread_colouring, plan->block_colour,
                                  &plan->n_block_colours));
done:
    for (int m = 0; m < n_maps; m++)
        if (maps[m].owned)
            free((void *)maps[m].index);
    free(maps);
    free(first);
    return status;
}

static int compare_places(const void *a, const void *b, void *position) {
    const int32_t p = ((const int32_t *)position)[*(const int32_t *)a];
    const int32_t q = ((const int32_t *)position)[*(const int32_t *)b];
    return (p > q) - (p < q);
}

/* Puts the elements of each block in the order of their places. */
static void order_by_position(const int32_t *position, tess_plan *plan) {
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t start = plan->block_offset[b], n = plan->block_offset[b + 1] - start;
        qsort_r(plan->executed + start, (size_t)n, sizeof *plan->executed, compare_places,
                (void *)position);
    }
}

/* Completes a plan whose executed and block_offset are there: points and local indices, unless it
 * was filled elsewhere, and colours, unless they come later. */
static tess_status plan_complete(const tess_planner *planner, const tess_bound_loop *bound,
                                 const tess_plan_options *options, bool filled, tess_plan *plan) {
    const bool coloured = !planner || !planner->colours_later;
    tess_plan_options chosen = {.thread_order = TESS_ORDER_ELEMENT};
    tess_status status = TESS_OK;
    int32_t *by_lines = NULL;
    if (options)
        chosen = *options;
    if ((unsigned)chosen.thread_order > TESS_ORDER_LINES ||
        (unsigned)chosen.thread_colouring > TESS_COLOUR_SULYOK)
        CHECK(tess_fail(TESS_ERROR_USAGE, "there is no order of threads %d, or no colouring %d",
                        chosen.thread_order, chosen.thread_colouring));
    if (chosen.thread_order == TESS_ORDER_LINES && !chosen.position && bound->n_targets > 0) {
        CHECK(tess_line_order_build(bound, NULL, &by_lines));
        chosen.position = by_lines;
    }
    if (chosen.position && !filled)
        order_by_position(chosen.position, plan);
    if (!plan->sets)
        CHECK(sets_new(bound, plan));
    if (coloured)
        CHECK(colours_new(bound, plan));
    if (!filled || coloured)
        CHECK(blocks_plan(bound, &chosen, filled, plan));
    for (int k = 0; k < plan->n_sets; k++)
        CHECK(points_compact(plan, filled, &plan->sets[k]));
    plan->n_block_colours = plan->n_blocks > 0;
    if (plan->block_colour)
        CHECK(blocks_colour(bound, &chosen, plan));
done:
    free(by_lines);
    return status;
}

tess_status tess_plan_colour(const tess_bound_loop *bound, const tess_plan_options *options,
                             tess_plan *plan) {
    TRY(colours_new(bound, plan));
    if (!plan->block_colour)
        return TESS_OK;
    TRY(blocks_plan(bound, options, true, plan));
    return blocks_colour(bound, options, plan);
}

/* A plan of a bound loop without blocks yet. */
static tess_status plan_new(const tess_bound_loop *bound, int partitioned_set,
                            const tess_partition *partition, tess_plan **out) {
    const tess_set *set = &bound->mesh->sets[partitioned_set];
    const int64_t n = partitioned_set == bound->set ? bound->n_elements : set->size;
    if (partition->n_elements != n)
        FAIL(TESS_ERROR_INTERNAL, "the partition is of %lld elements, but %s has %lld",
             (long long)partition->n_elements, set->name, (long long)n);
    TRY(TESS_ZEROS(1, out));
    tess_plan *plan = *out;
    snprintf(plan->loop, sizeof plan->loop, "%s", bound->loop->name);
    snprintf(plan->partitioned_set, sizeof plan->partitioned_set, "%s", set->name);
    plan->block_size = partition->block_size;
    plan->n_elements = bound->n_elements;
    plan->n_blocks = partition->n_blocks;
    return TESS_OK;
}

/* Whether a planner may fill it: one that does, with elements in an order that is given. */
static bool may_fill(const tess_planner *planner, const tess_plan_options *options) {
    return planner && planner->fill &&
           !(options && options->thread_order == TESS_ORDER_LINES && !options->position);
}

/* Room for orders of points, and of elements that blocks share, by a method. */
static tess_status orders_new(const tess_bound_loop *bound, tess_renumber_method method,
                              tess_plan *plan) {
    plan->renumbered = method;
    if (method != TESS_RENUMBER_NONE && plan->owns_points)
        TRY(TESS_ALLOC(plan->n_elements, &plan->new_to_old));
    if (method != TESS_RENUMBER_BLOCKS && method != TESS_RENUMBER_OWNER)
        return TESS_OK;
    for (int k = 0; k < plan->n_sets; k++)
        TRY(TESS_ALLOC(bound->mesh->sets[bound->targets[k].set].size, &plan->sets[k].new_to_old));
    return TESS_OK;
}

static void orders_free(tess_plan *plan) {
    free(TESS_TAKE(plan->new_to_old));
    for (int k = 0; k < plan->n_sets; k++)
        free(TESS_TAKE(plan->sets[k].new_to_old));
}

/* Has a plan filled by a planner, if there is one and it can. */
static tess_status fill_elsewhere(const tess_planner *planner, const tess_bound_loop *bound,
                                  const tess_partition *partition, const tess_plan_options *options,
                                  tess_plan *plan, bool *filled) {
    const int32_t *position = options ? options->position : NULL;
    *filled = false;
    if (!may_fill(planner, options))
        return TESS_OK;
    TRY(TESS_ALLOC(plan->n_executed, &plan->executed));
    TRY(TESS_ALLOC(plan->n_blocks + 1, &plan->block_offset));
    TRY(sets_new(bound, plan));
    if (!position) /* where it is, elements have new numbers already */
        TRY(orders_new(bound, planner->renumbers, plan));
    const tess_status status =
        planner->fill(planner->context, bound, partition->block_of, position, plan);
    *filled = status == TESS_OK;
    if (!*filled)
        orders_free(plan);
    return status == TESS_ERROR_MEMORY || status == TESS_ERROR_MISSING ? TESS_OK : status;
}

/* The elements, or points, of each block, ascending. */
static tess_status list_of_blocks(const tess_partition *partition, tess_rows **out) {
    const tess_incidence block_of = {
        .index = partition->block_of, .arity = 1, .n_points = partition->n_blocks};
    return tess_incidence_invert(&block_of, partition->n_elements, out);
}

/* Has the plan execute the elements of each block; takes the rows. */
static void take_elements(tess_rows *blocks, tess_plan *plan) {
    free(plan->executed);
    free(plan->block_offset);
    plan->executed = TESS_TAKE(blocks->item);
    plan->block_offset = TESS_TAKE(blocks->offset);
    plan->n_executed = plan->block_offset[blocks->n];
    tess_rows_free(blocks);
}

tess_status tess_plan_build_by(const tess_planner *planner, const tess_bound_loop *bound,
                               const tess_partition *partition, const tess_plan_options *options,
                               tess_plan **out) {
    tess_status status = TESS_OK;
    tess_plan *plan = NULL;
    tess_rows *blocks = NULL;
    bool filled = false;
    CHECK(plan_new(bound, bound->set, partition, &plan));
    plan->n_executed = bound->n_elements;
    CHECK(fill_elsewhere(planner, bound, partition, options, plan, &filled));
    if (!filled) {
        CHECK(list_of_blocks(partition, &blocks));
        take_elements(blocks, plan);
    }
    CHECK(plan_complete(planner, bound, options, filled, plan));
    *out = TESS_TAKE(plan);
done:
    tess_plan_free(plan);
    return status;
}

tess_status tess_plan_build(const tess_bound_loop *bound, const tess_partition *partition,
                            const tess_plan_options *options, tess_plan **out) {
    return tess_plan_build_by(NULL, bound, partition, options, out);
}

/* Has blocks execute the elements of their points, which a map leads to. */
static tess_status list_executed(const tess_partition *partition, const tess_incidence *map,
                                 tess_plan *plan) {
    tess_status status = TESS_OK;
    tess_rows *elements = NULL, *points = NULL, *blocks = NULL; /* of points; of blocks, both */
    CHECK(tess_incidence_invert(map, plan->n_elements, &elements));
    CHECK(list_of_blocks(partition, &points));
    const tess_incidence elements_of = tess_incidence_of_rows(elements, plan->n_elements);
    CHECK(tess_owned_elements_list(points, &elements_of, &blocks));
    take_elements(blocks, plan);
done:
    tess_rows_free(elements);
    tess_rows_free(points);
    return status;
}

tess_status tess_plan_build_owned_by(const tess_planner *planner, const tess_bound_loop *bound,
                                     int partitioned_set, const tess_partition *partition,
                                     const tess_plan_options *options, tess_plan **out) {
    tess_status status = TESS_OK;
    tess_plan *plan = NULL;
    tess_incidence map = {.index = NULL};
    bool filled = false;
    CHECK(plan_new(bound, partitioned_set, partition, &plan));
    plan->owns_points = true;
    CHECK(TESS_COPY(partition->n_elements, partition->block_of, &plan->owner));
    CHECK(tess_owned_incidence(bound, partitioned_set, &map));
    CHECK(tess_points_may_be_owned(bound, partitioned_set));
    if (may_fill(planner, options))
        plan->n_executed = tess_owned_elements_count(&map, plan->n_elements, partition->block_of);
    CHECK(fill_elsewhere(planner, bound, partition, options, plan, &filled));
    if (!filled)
        CHECK(list_executed(partition, &map, plan));
    CHECK(plan_complete(planner, bound, options, filled, plan));
    *out = TESS_TAKE(plan);
done:
    tess_incidence_clear(&map);
    tess_plan_free(plan);
    return status;
}

tess_status tess_plan_build_owned(const tess_bound_loop *bound, int partitioned_set,
                                  const tess_partition *partition, const tess_plan_options *options,
                                  tess_plan **out) {
    return tess_plan_build_owned_by(NULL, bound, partitioned_set, partition, options, out);
}

void tess_plan_free(tess_plan *plan) {
    if (!plan)
        return;
    orders_free(plan);
    for (int i = 0; i < plan->n_sets; i++) {
        free(plan->sets[i].slot_incremented);
        free(plan->sets[i].point_offset);
        free(plan->sets[i].points);
        free(plan->sets[i].local_index);
    }
    free(plan->sets);
    free(plan->owner);
    free(plan->executed);
    free(plan->block_offset);
    free(plan->thread_colour);
    free(plan->thread_colours);
    free(plan->block_colour);
    free(plan);
}
