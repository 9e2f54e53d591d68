/* The counts that the metrics of a plan are made of, block by block; for core/plan/plan_metrics*.c
 * only. */
#ifndef TESS_PLAN_COUNTS_H
#define TESS_PLAN_COUNTS_H

#include "core/base/distinct.h"
#include "core/plan/metrics.h"
#include "core/plan/plan_uses.h"

enum { TESS_WARP = 32, TESS_SECTOR_BYTES = 32, TESS_LINE_BYTES = 128 };

/* What is counted and how. */
typedef struct tess_count_task {
    const tess_bound_loop *bound;
    const tess_plan *plan;
    const tess_dat_uses *uses;
    tess_layout layout;
    const int32_t **place; /* [n_sets]: number to place, NULL where the same */
    bool **counting;       /* [n_sets][n_slots]: the slots of reuse_factor */
    bool *some_counting;   /* [n_sets] */
    int n_slots;           /* of all sets */
} tess_count_task;

/* Sums over blocks; whole numbers, so that they do not depend on the order. */
typedef struct tess_counts {
    int64_t accesses, points;             /* through counting slots */
    int64_t accesses_all, points_all;     /* through all */
    int64_t accesses_bytes, points_bytes; /* of the indirect dats' rows */
    int64_t thread_colours, thread_colours_max, bound, components;
    int64_t shared, shared_max;
    int64_t used, total;
    int64_t *sectors; /* [n uses] */
    int64_t *unique;  /* [n_slots][TESS_WARP + 1]: warps by their distinct points */
} tess_counts;

/* Scratch of one thread. */
typedef struct tess_count_scratch {
    tess_distinct distinct;
    int32_t *values, *places; /* [most points] */
    bool *marked;             /* [most points] */
    int32_t *number, *last;   /* [most points] */
    int64_t *stamp;           /* [most points] */
    int64_t next_stamp;
    int32_t *parent; /* [most elements] */
    tess_counts counts;
} tess_count_scratch;

TESS_MUST_CHECK tess_status tess_count_scratch_new(const tess_count_task *task,
                                                   tess_count_scratch *scratch);
void tess_count_scratch_free(tess_count_scratch *scratch);

/* Adds block b to the scratch's counts and fills its places in the distributions. */
void tess_count_block(const tess_count_task *task, int32_t b, tess_count_scratch *scratch,
                      tess_metrics *metrics);

#endif
