/* The ways to run a loop whose times are predicted in the runs of a problem, as the verdict has
 * them. */
#pragma once

#include "experiments/report/chart/row_groups.h"
#include "experiments/report/verdict.h"

typedef struct tess_expected_ways {
    tess_row_groups groups; /* whose names the rows have */
    tess_verdict_row *rows; /* [n], the fastest first, and the mesh as it is stored last */
    int64_t n;
    const char *device; /* for which they are predicted; of the query */
} tess_expected_ways;

/* Fills in the ways of a problem's runs; *out is clear. The caller clears it, also on failure. */
TESS_MUST_CHECK tess_status tess_expected_ways_read(const tess_query *query,
                                                    const tess_row_group *problem,
                                                    tess_expected_ways *out);
void tess_expected_ways_clear(tess_expected_ways *all);

/* Gives the verdict of two ways or more, as tess_verdict_print has it; the caller frees it. */
TESS_MUST_CHECK tess_status tess_expected_ways_words(const tess_expected_ways *all, char **out);
