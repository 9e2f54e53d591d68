/* A proof of a plan, from the mesh, the loop and the partition. It shares no code with the builder:
 * counts and marks in plain arrays, no hashing, no sorting. */
#include "core/plan/plan_check.h"

#include "core/base/array.h"
#include "core/plan/plan_check_parts.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    const tess_bound_loop *bound;
    const int32_t *block_of; /* of the partitioned set */
    const tess_plan *plan;
    int64_t over_size;
    const tess_reach *owner; /* reach of the partitioned to-set; NULL over the from-set */
    bool owner_by_increments;
} subject;

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
static tess_status subject_open(subject *own) {
    const tess_bound_loop *bound = own->bound;
    const tess_plan *plan = own->plan;
    const int over = tess_mesh_find_set(bound->mesh, plan->over);
    if (over < 0)
        DEFECT("the plan is over %s, which the mesh lacks", plan->over);
    own->over_size = bound->mesh->sets[over].size;
    if (!plan->over_to_set) {
        if (over != bound->set)
            DEFECT("the plan is over %s, but loop %s is over %s", plan->over, bound->loop->name,
                   bound->loop->set);
        return TESS_OK;
    }
    for (int r = 0; r < bound->n_reaches; r++)
        if (bound->reaches[r].set == over)
            own->owner = &bound->reaches[r];
    if (!own->owner)
        DEFECT("the plan is over %s, which loop %s does not reach", plan->over, bound->loop->name);
    own->owner_by_increments = own->owner->incremented;
    return TESS_OK;
}

/* Sizes, names and offsets: what must hold before anything else may be looked at. */
static tess_status frame_check(const subject *own) {
    const tess_plan *plan = own->plan;
    const tess_bound_loop *bound = own->bound;
    if (plan->n_elements != bound->n_elements)
        DEFECT("the plan is of %" PRId64 " elements, the loop has %" PRId64, plan->n_elements,
               bound->n_elements);
    if (plan->n_blocks < 0 || plan->block_size < 1)
        DEFECT("%d blocks of size %d make no plan", plan->n_blocks, plan->block_size);
    if (plan->n_sets != bound->n_reaches)
        DEFECT("the plan stages %d sets, the loop reaches %d", plan->n_sets, bound->n_reaches);
    TRY(offsets_check("block", plan->block_offset, plan->n_blocks, plan->n_executed));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_plan_set *set = &plan->sets[k];
        const tess_reach *reach = &bound->reaches[k];
        if (strcmp(set->set, bound->mesh->sets[reach->set].name) != 0)
            DEFECT("set %d of the plan is %s, of the loop %s", k, set->set,
                   bound->mesh->sets[reach->set].name);
        if (set->n_slots != reach->n_slots || set->incremented != reach->incremented ||
            memcmp(set->slot_incremented, reach->slot_incremented,
                   (size_t)reach->n_slots * sizeof(bool)) != 0)
            DEFECT("the slots of %s are not those of the loop", set->set);
        TRY(offsets_check("point", set->point_offset, plan->n_blocks, -1));
    }
    return TESS_OK;
}

/* Blocks of the partition exist and hold no more than the block size. */
static tess_status partition_check(const subject *own) {
    const tess_plan *plan = own->plan;
    tess_status status = TESS_OK;
    int64_t *size = NULL;
    CHECK(TESS_ZEROS(plan->n_blocks, &size));
    for (int64_t i = 0; i < own->over_size; i++) {
        const int32_t b = own->block_of[i];
        if (b < 0 || b >= plan->n_blocks)
            CHECK(tess_fail(TESS_ERROR_CHECK, "%s %" PRId64 " is in block %d of %d", plan->over, i,
                            b, plan->n_blocks));
        if (plan->over_to_set && (!plan->owner || plan->owner[i] != b))
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "%s %" PRId64 " is owned by block %d in the plan, by %d in the "
                            "partition",
                            plan->over, i, plan->owner ? plan->owner[i] : -1, b));
        if (++size[b] > plan->block_size)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "block %d is overfull: %s %" PRId64 " is one over the block size %d", b,
                            plan->over, i, plan->block_size));
    }
done:
    free(size);
    return status;
}

/* True when element e has to be executed by block b of a plan over a to-set. */
static bool touches(const subject *own, int64_t e, int32_t b) {
    for (int s = 0; s < own->owner->n_slots; s++) {
        const int32_t p = tess_reach_point(own->owner, e, s);
        if (p >= 0 && own->block_of[p] == b &&
            (own->owner->slot_incremented[s] || !own->owner_by_increments))
            return true;
    }
    return false;
}

/* One position: the element exists, belongs there, and is there for the first time. last[e] is the
 * block that executed e before, or -1. */
static tess_status position_check(const subject *own, int32_t b, int64_t i, int32_t *last) {
    const int32_t e = own->plan->executed[i];
    if (e < 0 || e >= own->plan->n_elements)
        DEFECT("block %d, position %" PRId64 ": element %d does not exist", b, i, e);
    if (own->owner ? last[e] == b : last[e] >= 0)
        DEFECT("block %d, position %" PRId64 ": element %d is executed a second time", b, i, e);
    last[e] = b;
    if (!own->owner && own->block_of[e] != b)
        DEFECT("block %d, position %" PRId64 ": element %d belongs to block %d by the partition", b,
               i, e, own->block_of[e]);
    if (own->owner && !touches(own, e, b))
        DEFECT("block %d, position %" PRId64 ": element %d touches no point that the block owns", b,
               i, e);
    return TESS_OK;
}

/* Nothing is lost over a to-set: each element was executed by as many blocks as own its points. */
static tess_status coverage_check(const subject *own, const int32_t *executions) {
    for (int64_t e = 0; e < own->plan->n_elements; e++) {
        int32_t wanted = 0;
        int32_t block = -1;
        for (int s = 0; s < own->owner->n_slots; s++) {
            const int32_t p = tess_reach_point(own->owner, e, s);
            if (p < 0 || (own->owner_by_increments && !own->owner->slot_incremented[s]))
                continue;
            bool before = false;
            for (int t = 0; t < s; t++) {
                const int32_t q = tess_reach_point(own->owner, e, t);
                before |= q >= 0 && own->block_of[q] == own->block_of[p] &&
                          (own->owner->slot_incremented[t] || !own->owner_by_increments);
            }
            wanted += !before;
            block = own->block_of[p];
        }
        if (executions[e] != wanted)
            DEFECT("element %" PRId64 " is lost: executed by %d of the %d blocks that own its "
                   "points (block %d is one)",
                   e, executions[e], wanted, block);
    }
    return TESS_OK;
}

/* The executed elements are exactly those that each block has to execute. */
static tess_status executed_check(const subject *own) {
    const tess_plan *plan = own->plan;
    tess_status status = TESS_OK;
    int32_t *last = NULL, *executions = NULL;
    CHECK(TESS_ALLOC(plan->n_elements, &last));
    CHECK(TESS_ZEROS(plan->n_elements, &executions));
    for (int64_t e = 0; e < plan->n_elements; e++)
        last[e] = -1;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            CHECK(position_check(own, b, i, last));
            executions[plan->executed[i]]++;
        }
    }
    for (int64_t e = 0; e < plan->n_elements && !own->owner; e++)
        if (last[e] < 0)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "element %" PRId64 " of block %d is lost: no position executes it", e,
                            own->block_of[e]));
    if (own->owner)
        CHECK(coverage_check(own, executions));
done:
    free(last);
    free(executions);
    return status;
}

/* Marks the incremented points of block b in set k as taken; fails where a block of the
 * same colour has one. by[p] is the block that took point p last. */
static tess_status block_take(const subject *own, int k, int32_t b, int32_t *by) {
    const tess_plan *plan = own->plan;
    const tess_reach *reach = &own->bound->reaches[k];
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
        for (int s = 0; s < reach->n_slots; s++) {
            const int32_t p = tess_reach_point(reach, plan->executed[i], s);
            if (p < 0 || !reach->slot_incremented[s])
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

/* No two blocks of a colour increment a common point. Blocks that own points write no others. */
static tess_status block_colours_check(const subject *own) {
    const tess_plan *plan = own->plan;
    tess_status status = TESS_OK;
    int32_t *head = NULL, *next = NULL, *by = NULL;
    if (plan->n_block_colours < 0 || plan->n_block_colours > plan->n_blocks)
        DEFECT("%d blocks have %d block colours", plan->n_blocks, plan->n_block_colours);
    CHECK(TESS_ALLOC(plan->n_block_colours, &head));
    CHECK(TESS_ALLOC(plan->n_blocks, &next));
    CHECK(colours_list(plan, head, next));
    for (int k = 0; k < plan->n_sets && !plan->over_to_set; k++) {
        if (!own->bound->reaches[k].incremented)
            continue;
        const int64_t size = own->bound->mesh->sets[own->bound->reaches[k].set].size;
        CHECK(TESS_ALLOC(size, &by));
        for (int64_t p = 0; p < size; p++)
            by[p] = -1;
        for (int32_t c = 0; c < plan->n_block_colours; c++)
            for (int32_t b = head[c]; b >= 0; b = next[b])
                CHECK(block_take(own, k, b, by));
        free(by);
        by = NULL;
    }
done:
    free(head);
    free(next);
    free(by);
    return status;
}

/* Checks the inside of all blocks in parallel; the first block with a defect is then checked once
 * more for its message. */
static tess_status blocks_check(const subject *own) {
    const tess_plan *plan = own->plan;
    tess_status status = TESS_OK;
    tess_block_marks *marks = NULL;
    const int n_threads = omp_get_max_threads();
    int32_t first = INT32_MAX;
    CHECK(TESS_ZEROS(n_threads, &marks));
    for (int t = 0; t < n_threads; t++)
        CHECK(tess_block_marks_new(plan, &marks[t]));
#pragma omp parallel for schedule(dynamic, 32) reduction(min : first)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (b < first && tess_block_check(own->bound, plan, b, &marks[omp_get_thread_num()]))
            first = b;
    if (first < INT32_MAX)
        CHECK(tess_block_check(own->bound, plan, first, &marks[0]));
done:
    for (int t = 0; marks && t < n_threads; t++)
        tess_block_marks_free(&marks[t]);
    free(marks);
    return status;
}

tess_status tess_plan_check(const tess_bound_loop *bound, const int32_t *block_of,
                            const tess_plan *plan) {
    subject own = {.bound = bound, .block_of = block_of, .plan = plan};
    TRY(subject_open(&own));
    TRY(frame_check(&own));
    TRY(partition_check(&own));
    TRY(executed_check(&own));
    TRY(blocks_check(&own));
    return block_colours_check(&own);
}
