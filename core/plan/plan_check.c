/* A proof of a plan, from the mesh, the loop and the partition. It shares no code with the builder:
 * counts and marks in plain arrays, no hashing, no sorting. */
#include "core/plan/plan_check.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define DEFECT(...) FAIL(TESS_ERROR_CHECK, __VA_ARGS__)

/* The point of an element through a slot, -1 where padded. */
static int32_t point_of(const tess_loop_target *target, int64_t element, int slot) {
    return target->slot_index[slot][element * target->slot_stride[slot]];
}

typedef struct plan_subject {
    const tess_bound_loop *bound;
    const int32_t *block_of; /* of the partitioned set */
    const tess_plan *plan;
    int64_t set_size;
    const tess_loop_target *owner; /* the partitioned to-set; NULL over the from-set */
    bool owner_by_increments;
} plan_subject;

/* Offsets of blocks into n things: start at 0, never fall, end at n. */
static tess_status offsets_check(const char *what, const int64_t *offset, int32_t n_blocks,
                                 int64_t n) {
    if (offset[0] != 0)
        DEFECT("%s offset of block 0 is %" PRId64 ", not 0", what, offset[0]);
    for (int32_t b = 0; b < n_blocks; b++)
        if (offset[b + 1] < offset[b])
            DEFECT("%s offsets fall from %" PRId64 " to %" PRId64 " at block %d", what, offset[b],
                   offset[b + 1], b);
    if (n >= 0 && offset[n_blocks] != n)
        DEFECT("%s offsets end at %" PRId64 ", not at %" PRId64 ": off by %" PRId64, what,
               offset[n_blocks], n, offset[n_blocks] - n);
    return TESS_OK;
}

/* Finds what the plan is over. */
static tess_status subject_open(plan_subject *subject) {
    const tess_bound_loop *bound = subject->bound;
    const tess_plan *plan = subject->plan;
    const int set = tess_mesh_find_set(bound->mesh, plan->partitioned_set);
    if (set < 0)
        DEFECT("the plan is over %s, which the mesh lacks", plan->partitioned_set);
    subject->set_size = set == bound->set ? bound->n_elements : bound->mesh->sets[set].size;
    if (!plan->owns_points) {
        if (set != bound->set)
            DEFECT("the plan is over %s, but loop %s is over %s", plan->partitioned_set,
                   bound->loop->name, bound->loop->set);
        return TESS_OK;
    }
    for (int r = 0; r < bound->n_targets; r++)
        if (bound->targets[r].set == set)
            subject->owner = &bound->targets[r];
    if (!subject->owner)
        DEFECT("the plan is over %s, which loop %s does not reach", plan->partitioned_set,
               bound->loop->name);
    subject->owner_by_increments = subject->owner->incremented;
    return TESS_OK;
}

/* Sizes, names and offsets: what must hold before anything else may be looked at. */
static tess_status frame_check(const plan_subject *subject) {
    const tess_plan *plan = subject->plan;
    const tess_bound_loop *bound = subject->bound;
    if (plan->n_elements != bound->n_elements)
        DEFECT("the plan is of %" PRId64 " elements, the loop has %" PRId64, plan->n_elements,
               bound->n_elements);
    if (plan->n_blocks < 0 || plan->block_size < 1)
        DEFECT("%d blocks of size %d make no plan", plan->n_blocks, plan->block_size);
    if (!tess_loop_gathers(bound) && !(plan->thread_colour && plan->block_colour))
        DEFECT("loop %s increments through maps, and the plan has no colours", bound->loop->name);
    if (plan->n_sets != bound->n_targets)
        DEFECT("the plan stages %d sets, the loop reaches %d", plan->n_sets, bound->n_targets);
    TRY(offsets_check("block", plan->block_offset, plan->n_blocks, plan->n_executed));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_plan_set *set = &plan->sets[k];
        const tess_loop_target *target = &bound->targets[k];
        if (strcmp(set->set, bound->mesh->sets[target->set].name) != 0)
            DEFECT("set %d of the plan is %s, of the loop %s", k, set->set,
                   bound->mesh->sets[target->set].name);
        if (set->n_slots != target->n_slots || set->incremented != target->incremented ||
            memcmp(set->slot_incremented, target->slot_incremented,
                   (size_t)target->n_slots * sizeof(bool)) != 0)
            DEFECT("the slots of %s are not those of the loop", set->set);
        TRY(offsets_check("point", set->point_offset, plan->n_blocks, -1));
    }
    return TESS_OK;
}

/* Blocks of the partition exist and hold no more than the block size. */
static tess_status partition_check(const plan_subject *subject) {
    const tess_plan *plan = subject->plan;
    tess_status status = TESS_OK;
    int64_t *size = NULL;
    CHECK(TESS_ZEROS(plan->n_blocks, &size));
    for (int64_t i = 0; i < subject->set_size; i++) {
        const int32_t b = subject->block_of[i];
        if (b < 0 || b >= plan->n_blocks)
            CHECK(tess_fail(TESS_ERROR_CHECK, "%s %" PRId64 " is in block %d of %d",
                            plan->partitioned_set, i, b, plan->n_blocks));
        if (plan->owns_points && (!plan->owner || plan->owner[i] != b))
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "%s %" PRId64 " is owned by block %d in the plan, by %d in the "
                            "partition",
                            plan->partitioned_set, i, plan->owner ? plan->owner[i] : -1, b));
        if (++size[b] > plan->block_size)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "block %d is overfull: %s %" PRId64 " is one over the block size %d", b,
                            plan->partitioned_set, i, plan->block_size));
    }
done:
    free(size);
    return status;
}

/* Whether element e has to be executed by block b of a plan over a to-set. */
static bool touches(const plan_subject *subject, int64_t e, int32_t b) {
    for (int s = 0; s < subject->owner->n_slots; s++) {
        const int32_t p = point_of(subject->owner, e, s);
        if (p >= 0 && subject->block_of[p] == b &&
            (subject->owner->slot_incremented[s] || !subject->owner_by_increments))
            return true;
    }
    return false;
}

/* One position: the element exists, belongs there, and is there for the first time. last[e] is the
 * block that executed e before, or -1. */
static tess_status position_check(const plan_subject *subject, int32_t b, int64_t i,
                                  int32_t *last) {
    const int32_t e = subject->plan->executed[i];
    if (e < 0 || e >= subject->plan->n_elements)
        DEFECT("block %d, position %" PRId64 ": element %d does not exist", b, i, e);
    if (subject->owner ? last[e] == b : last[e] >= 0)
        DEFECT("block %d, position %" PRId64 ": element %d is executed a second time", b, i, e);
    last[e] = b;
    if (!subject->owner && subject->block_of[e] != b)
        DEFECT("block %d, position %" PRId64 ": element %d belongs to block %d by the partition", b,
               i, e, subject->block_of[e]);
    if (subject->owner && !touches(subject, e, b))
        DEFECT("block %d, position %" PRId64 ": element %d touches no point that the block owns", b,
               i, e);
    return TESS_OK;
}

/* Nothing is lost over a to-set: each element was executed by as many blocks as own its points.
 */
static tess_status coverage_check(const plan_subject *subject, const int32_t *executions) {
    for (int64_t e = 0; e < subject->plan->n_elements; e++) {
        int32_t wanted = 0;
        int32_t block = -1;
        for (int s = 0; s < subject->owner->n_slots; s++) {
            const int32_t p = point_of(subject->owner, e, s);
            if (p < 0 || (subject->owner_by_increments && !subject->owner->slot_incremented[s]))
                continue;
            bool before = false;
            for (int t = 0; t < s; t++) {
                const int32_t q = point_of(subject->owner, e, t);
                before |= q >= 0 && subject->block_of[q] == subject->block_of[p] &&
                          (subject->owner->slot_incremented[t] || !subject->owner_by_increments);
            }
            wanted += !before;
            block = subject->block_of[p];
        }
        if (executions[e] != wanted)
            DEFECT("element %" PRId64 " is lost: executed by %d of the %d blocks that own its "
                   "points (block %d is one)",
                   e, executions[e], wanted, block);
    }
    return TESS_OK;
}

/* Of pairs whose rows blocks own: each element that increments one is executed by the block of its
 * row. `pairs` leads from them to their rows. */
static tess_status pairs_check(const plan_subject *subject, const tess_loop_target *target,
                               const tess_map *pairs) {
    for (int64_t e = 0; e < subject->plan->n_elements; e++)
        for (int s = 0; s < target->n_slots; s++) {
            const int32_t p = point_of(target, e, s);
            if (p < 0 || !target->slot_incremented[s])
                continue;
            const int32_t row = pairs->index[2 * p], b = subject->block_of[row];
            if (!touches(subject, e, b))
                DEFECT("element %" PRId64 " increments %s %d, but block %d, which owns its row %d, "
                       "does not execute it",
                       e, subject->bound->mesh->sets[target->set].name, p, b, row);
        }
    return TESS_OK;
}

/* What a loop increments beside the points that blocks own are pairs of these. */
static tess_status followers_check(const plan_subject *subject) {
    const tess_bound_loop *bound = subject->bound;
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_loop_target *target = &bound->targets[r];
        const tess_map *pairs = NULL;
        if (!target->incremented || target == subject->owner)
            continue;
        for (int m = 0; m < bound->mesh->n_maps; m++)
            if (bound->mesh->maps[m].pairs && bound->mesh->maps[m].from == target->set)
                pairs = &bound->mesh->maps[m];
        if (!pairs || pairs->to != subject->owner->set)
            DEFECT("loop %s increments %s, which no block owns", bound->loop->name,
                   bound->mesh->sets[target->set].name);
        TRY(pairs_check(subject, target, pairs));
    }
    return TESS_OK;
}

/* The executed elements are exactly those that each block has to execute. */
static tess_status executed_check(const plan_subject *subject) {
    const tess_plan *plan = subject->plan;
    tess_status status = TESS_OK;
    int32_t *last = NULL, *executions = NULL;
    CHECK(TESS_ALLOC(plan->n_elements, &last));
    CHECK(TESS_ZEROS(plan->n_elements, &executions));
    for (int64_t e = 0; e < plan->n_elements; e++)
        last[e] = -1;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            CHECK(position_check(subject, b, i, last));
            executions[plan->executed[i]]++;
        }
    }
    for (int64_t e = 0; e < plan->n_elements && !subject->owner; e++)
        if (last[e] < 0)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "element %" PRId64 " of block %d is lost: no position executes it", e,
                            subject->block_of[e]));
    if (subject->owner) {
        CHECK(coverage_check(subject, executions));
        CHECK(followers_check(subject));
    }
done:
    free(last);
    free(executions);
    return status;
}

/* Marks the incremented points of block b in set k as taken; fails where a block of the
 * same colour has one. by[p] is the block that took point p last. */
static tess_status block_take(const plan_subject *subject, int k, int32_t b, int32_t *by) {
    const tess_plan *plan = subject->plan;
    const tess_loop_target *target = &subject->bound->targets[k];
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
        for (int s = 0; s < target->n_slots; s++) {
            const int32_t p = point_of(target, plan->executed[i], s);
            if (p < 0 || !target->slot_incremented[s])
                continue;
            if (by[p] >= 0 && by[p] != b && plan->block_colour[by[p]] == plan->block_colour[b])
                DEFECT("blocks %d and %d of block colour %d increment the same %s %d (position "
                       "%" PRId64 ", element %d, slot %d)",
                       by[p], b, plan->block_colour[b], plan->sets[k].set, p, i, plan->executed[i],
                       s);
            by[p] = b;
        }
    }
    return TESS_OK;
}

/* Lists blocks by colour: head [n_block_colours], next [n_blocks]; all colours are in range and in
 * use. */
static tess_status colours_list(const tess_plan *plan, int32_t *head, int32_t *next) {
    for (int32_t c = 0; c < plan->n_block_colours; c++)
        head[c] = -1;
    for (int32_t b = plan->n_blocks - 1; b >= 0; b--) {
        const int32_t c = plan->block_colour[b];
        if (c < 0 || c >= plan->n_block_colours)
            DEFECT("block %d has block colour %d of %d", b, c, plan->n_block_colours);
        next[b] = head[c];
        head[c] = b;
    }
    for (int32_t c = 0; c < plan->n_block_colours; c++)
        if (head[c] < 0)
            DEFECT("no block has block colour %d of %d", c, plan->n_block_colours);
    return TESS_OK;
}

/* No two blocks of a colour increment a common point. Blocks that own points write no others.
 */
static tess_status block_colours_check(const plan_subject *subject) {
    const tess_plan *plan = subject->plan;
    tess_status status = TESS_OK;
    int32_t *head = NULL, *next = NULL, *by = NULL;
    if (plan->n_block_colours < 0 || plan->n_block_colours > plan->n_blocks)
        DEFECT("%d blocks have %d block colours", plan->n_blocks, plan->n_block_colours);
    if (!plan->block_colour)
        return TESS_OK;
    CHECK(TESS_ALLOC(plan->n_block_colours, &head));
    CHECK(TESS_ALLOC(plan->n_blocks, &next));
    CHECK(colours_list(plan, head, next));
    for (int k = 0; k < plan->n_sets && !plan->owns_points; k++) {
        if (!subject->bound->targets[k].incremented)
            continue;
        const int64_t size = subject->bound->mesh->sets[subject->bound->targets[k].set].size;
        CHECK(TESS_ALLOC(size, &by));
        for (int64_t p = 0; p < size; p++)
            by[p] = -1;
        for (int32_t c = 0; c < plan->n_block_colours; c++)
            for (int32_t b = head[c]; b >= 0; b = next[b])
                CHECK(block_take(subject, k, b, by));
        free(by);
        by = NULL;
    }
done:
    free(head);
    free(next);
    free(by);
    return status;
}

enum { MOST_COLOURS = 1 << 16 };

/* Scratch of one thread, for the block with most points and the one with most elements. */
typedef struct block_marks {
    bool *reached;     /* [most points]: some element reaches the point */
    int64_t *position; /* [most points]: who incremented the point last ... */
    int32_t *colour;   /* [most points]: ... and in which colour, -1: nobody yet */
    int64_t *next;     /* [most elements]: next position of the same colour, -1: none */
    int64_t *head;     /* [65536]: first position of each colour */
} block_marks;

static tess_status block_marks_new(const tess_plan *plan, block_marks *marks) {
    int64_t most_points = 0, most_elements = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
        most_elements = n > most_elements ? n : most_elements;
        for (int k = 0; k < plan->n_sets; k++) {
            const int64_t m = plan->sets[k].point_offset[b + 1] - plan->sets[k].point_offset[b];
            most_points = m > most_points ? m : most_points;
        }
    }
    TRY(TESS_ALLOC(most_points, &marks->reached));
    TRY(TESS_ALLOC(most_points, &marks->position));
    TRY(TESS_ALLOC(most_points, &marks->colour));
    TRY(TESS_ALLOC(most_elements, &marks->next));
    return TESS_ALLOC(MOST_COLOURS, &marks->head);
}

static void block_marks_free(block_marks *marks) {
    free(marks->reached);
    free(marks->position);
    free(marks->colour);
    free(marks->next);
    free(marks->head);
}

/* One slot of one position: its local index addresses its point. */
static tess_status local_check(const plan_subject *subject, int k, int32_t b, int64_t i, int slot,
                               bool *reached) {
    const tess_plan *plan = subject->plan;
    const tess_plan_set *set = &plan->sets[k];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    const int32_t e = plan->executed[i];
    const int32_t point = point_of(&subject->bound->targets[k], e, slot);
    const uint16_t local = set->local_index[i * set->n_slots + slot];
    if (point < 0) {
        if (local != TESS_NO_POINT)
            DEFECT("block %d, position %" PRId64 ", element %d, slot %d: the map is padded, but "
                   "local index %d of %s is given",
                   b, i, e, slot, local, set->set);
        return TESS_OK;
    }
    if (local < n && set->points[first + local] == point) {
        reached[local] = true;
        return TESS_OK;
    }
    for (int64_t j = 0; j < n; j++)
        if (set->points[first + j] == point)
            DEFECT("block %d, position %" PRId64 ", element %d, slot %d: local index %d is wrong, "
                   "%s %d is the block's point %" PRId64,
                   b, i, e, slot, local, set->set, point, j);
    DEFECT("block %d, position %" PRId64 ", element %d, slot %d: %s %d is missing from the block's "
           "points",
           b, i, e, slot, set->set, point);
}

/* The points of a block are distinct, ascending, and exactly those that its elements reach. */
static tess_status points_check(const plan_subject *subject, int k, int32_t b, block_marks *marks) {
    const tess_bound_loop *bound = subject->bound;
    const tess_plan *plan = subject->plan;
    const tess_plan_set *set = &plan->sets[k];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    const int64_t size = bound->mesh->sets[bound->targets[k].set].size;
    for (int64_t j = 0; j < n; j++) {
        const int32_t point = set->points[first + j];
        if (point < 0 || point >= size)
            DEFECT("block %d: its point %" PRId64 " is %s %d, which does not exist", b, j, set->set,
                   point);
        if (j > 0 && set->points[first + j - 1] >= point)
            DEFECT("block %d: its points %" PRId64 " and %" PRId64 ", %s %d and %d, do not ascend",
                   b, j - 1, j, set->set, set->points[first + j - 1], point);
        marks->reached[j] = false;
    }
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
        for (int s = 0; s < set->n_slots; s++)
            TRY(local_check(subject, k, b, i, s, marks->reached));
    for (int64_t j = 0; j < n; j++)
        if (!marks->reached[j])
            DEFECT("block %d: its point %" PRId64 ", %s %d, is extra: no element reaches it", b, j,
                   set->set, set->points[first + j]);
    return TESS_OK;
}

/* One position takes its incremented points of a set for its colour; fails where another position
 * of the colour has one. */
static tess_status position_take(const tess_plan *plan, int k, int32_t b, int64_t i,
                                 block_marks *marks) {
    const tess_plan_set *set = &plan->sets[k];
    const int32_t colour = plan->thread_colour[i];
    for (int s = 0; s < set->n_slots; s++) {
        const uint16_t local = set->local_index[i * set->n_slots + s];
        if (!set->slot_incremented[s] || local == TESS_NO_POINT)
            continue;
        if (marks->colour[local] == colour && marks->position[local] != i)
            DEFECT("block %d, positions %" PRId64 " and %" PRId64 ": elements %d and %d (slot %d) "
                   "of thread colour %d increment the same %s %d",
                   b, marks->position[local], i, plan->executed[marks->position[local]],
                   plan->executed[i], s, colour, set->set,
                   set->points[set->point_offset[b] + local]);
        marks->colour[local] = colour;
        marks->position[local] = i;
    }
    return TESS_OK;
}

/* Lists the block's positions by colour in head and next; the block has exactly as many colours as
 * it says. */
static tess_status positions_list(const tess_plan *plan, int32_t b, block_marks *marks) {
    const int32_t n_colours = plan->thread_colours[b];
    const int64_t start = plan->block_offset[b], end = plan->block_offset[b + 1];
    if (n_colours < 0 || n_colours > MOST_COLOURS)
        DEFECT("block %d says it has %d thread colours", b, n_colours);
    for (int32_t c = 0; c < n_colours; c++)
        marks->head[c] = -1;
    for (int64_t i = end - 1; i >= start; i--) {
        const int32_t c = plan->thread_colour[i];
        if (c >= n_colours)
            DEFECT("block %d, position %" PRId64 ", element %d: thread colour %d of %d", b, i,
                   plan->executed[i], c, n_colours);
        marks->next[i - start] = marks->head[c];
        marks->head[c] = i;
    }
    for (int32_t c = 0; c < n_colours; c++)
        if (marks->head[c] < 0)
            DEFECT("block %d: no element has thread colour %d of %d", b, c, n_colours);
    return TESS_OK;
}

/* No two elements of a colour increment a common point of set k. */
static tess_status thread_colours_check(const tess_plan *plan, int k, int32_t b,
                                        block_marks *marks) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t n_points = set->point_offset[b + 1] - set->point_offset[b];
    for (int64_t j = 0; j < n_points; j++)
        marks->colour[j] = -1;
    for (int32_t c = 0; c < plan->thread_colours[b]; c++)
        for (int64_t i = marks->head[c]; i >= 0; i = marks->next[i - plan->block_offset[b]])
            TRY(position_take(plan, k, b, i, marks));
    return TESS_OK;
}

/* Checks the points, local indices and thread colours of one block, whose offsets and elements are
 * known to be right. */
static tess_status block_check(const plan_subject *subject, int32_t b, block_marks *marks) {
    const tess_plan *plan = subject->plan;
    for (int k = 0; k < plan->n_sets; k++)
        TRY(points_check(subject, k, b, marks));
    if (!plan->thread_colour)
        return TESS_OK;
    TRY(positions_list(plan, b, marks));
    for (int k = 0; k < plan->n_sets; k++)
        if (plan->sets[k].incremented)
            TRY(thread_colours_check(plan, k, b, marks));
    return TESS_OK;
}

/* Checks the inside of all blocks in parallel; the first block with a defect is then checked once
 * more for its message. */
static tess_status blocks_check(const plan_subject *subject) {
    const tess_plan *plan = subject->plan;
    tess_status status = TESS_OK;
    block_marks *marks = NULL;
    const int n_threads = omp_get_max_threads();
    int32_t first = INT32_MAX;
    CHECK(TESS_ZEROS(n_threads, &marks));
    for (int t = 0; t < n_threads; t++)
        CHECK(block_marks_new(plan, &marks[t]));
#pragma omp parallel for schedule(dynamic, 32) reduction(min : first)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (b < first && !tess_interrupted() &&
            block_check(subject, b, &marks[omp_get_thread_num()]))
            first = b;
    CHECK(tess_interrupt_check());
    if (first < INT32_MAX)
        CHECK(block_check(subject, first, &marks[0]));
done:
    for (int t = 0; marks && t < n_threads; t++)
        block_marks_free(&marks[t]);
    free(marks);
    return status;
}

tess_status tess_plan_check(const tess_bound_loop *bound, const int32_t *block_of,
                            const tess_plan *plan) {
    plan_subject subject = {.bound = bound, .block_of = block_of, .plan = plan};
    TRY(subject_open(&subject));
    TRY(frame_check(&subject));
    TRY(partition_check(&subject));
    TRY(executed_check(&subject));
    TRY(blocks_check(&subject));
    return block_colours_check(&subject);
}
