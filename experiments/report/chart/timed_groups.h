/* Timed groups: the samples of equal runs, with intervals, and which groups may be the fastest. */
#pragma once

#include "experiments/archive/comparison.h"
#include "experiments/report/chart/row_groups.h"

typedef struct tess_timed_group {
    const tess_row_group *group;
    tess_record *first; /* of its first run; NULL: not read */
    tess_side side;     /* of its last 4 runs */
    double median;      /* seconds */
    double low, high;   /* the median's 95 % interval; infinite where samples are too few */
    bool compared;      /* with the fastest, as `tess compare` does: */
    tess_run_comparison with_fastest;
    bool beaten; /* surely slower than the fastest */
} tess_timed_group;

typedef struct tess_timed_groups {
    tess_row_groups all;
    int64_t n;
    tess_timed_group *items; /* [n] the fastest of them, the very fastest first */
} tess_timed_groups;

/* Splits the rows of a group by `fields`, as tess_row_groups_split does, and reads the samples of
 * the fastest, at most `most`. */
TESS_MUST_CHECK tess_status tess_timed_groups_read(const tess_query *query,
                                                   const tess_row_group *of, const char *fields,
                                                   const char *usual, int64_t most,
                                                   tess_timed_groups *out);
void tess_timed_groups_clear(tess_timed_groups *groups);

/* The copy bandwidth that the sessions of a group's runs measured, bytes per second: a median; NaN
 * where no run has it. */
TESS_MUST_CHECK tess_status tess_copy_bandwidth(const tess_query *query,
                                                const tess_row_group *group, double *out);
