/* The quantities of blocks: what is counted of each block of a plan, a function each. */
#pragma once

#include "core/plan/metrics.h"

/* What is counted, and how; shared by all threads. */
typedef struct tess_block_task {
    const tess_bound_loop *bound;
    const tess_plan *plan;
    bool gathers;        /* the loop increments nothing: there are no colours */
    bool **counting;     /* [n_sets][n_slots]: the slots of reuse_factor */
    bool *some_counting; /* [n_sets] */
} tess_block_task;

/* Fills a task, which keeps the loop and the plan; freed below. */
TESS_MUST_CHECK tess_status tess_block_task_new(const tess_bound_loop *bound, const tess_plan *plan,
                                                tess_block_task *out);
void tess_block_task_free(tess_block_task *task);

/* Scratch of one thread. */
typedef struct tess_block_scratch {
    int32_t *values; /* [most points] */
    bool *marked;    /* [most points] */
    int32_t *last;   /* [most points] */
    int32_t *parent; /* [most elements] */
    /* Of the block that was counted last, through the slots of reuse_factor. */
    int32_t block; /* -1: none */
    int64_t accesses, points;
} tess_block_scratch;

TESS_MUST_CHECK tess_status tess_block_scratch_new(const tess_plan *plan, tess_block_scratch *out);
void tess_block_scratch_free(tess_block_scratch *scratch);

/* The most points of a set that a block has. */
int64_t tess_block_most_points(const tess_plan *plan);

/* One set of one block. */
typedef struct tess_block_view {
    const tess_plan_set *set;
    int64_t n, n_points;     /* elements, points */
    const int32_t *executed; /* [n] */
    const uint16_t *local;   /* [n][set->n_slots] */
    const int32_t *points;   /* [n_points], ascending */
} tess_block_view;

/* Set k of block b; what it points to is the plan's. */
tess_block_view tess_block_view_of(const tess_plan *plan, int k, int32_t b);

/* Accesses through the chosen slots [n_slots]. */
int64_t tess_block_count_accesses(const tess_block_view *view, const bool *slots);
/* Lists in scratch->values the points that are reached through the chosen slots; returns how many.
 */
int64_t tess_block_list_points(const tess_block_view *view, const bool *slots,
                               tess_block_scratch *scratch);
/* Fills the scratch's accesses and points of the block. */
void tess_block_reach(const tess_block_task *task, int32_t b, tess_block_scratch *scratch);

/* The i-th quantity of blocks; NULL past the last. */
const tess_quantity *tess_block_quantity_at(int i);
/* Its value of a block; NaN where the loop has none. */
double tess_block_quantity_count(const tess_block_task *task, int i, int32_t b,
                                 tess_block_scratch *scratch);

/* Counts it of all blocks: values [n_blocks], freed by the caller; NULL where the loop has none. */
TESS_MUST_CHECK tess_status tess_block_quantity_values(const tess_bound_loop *bound,
                                                       const tess_plan *plan, int i, double **out);
