/* Cuts: partitions that may be taken again, made before on the same bench, or left in the lab by an
 * earlier run of the same blocks by the same program. */
#ifndef TESS_CUTS_H
#define TESS_CUTS_H

#include "experiments/archive/lab.h"
#include "experiments/archive/run_table.h"
#include "experiments/bench/line.h"

enum { TESS_MOST_CUTS = 8 }; /* that are kept: the oldest goes first */

typedef struct tess_kept_cut {
    char *key; /* what the blocks follow from */
    tess_partition *partition;
    double seconds;             /* NaN where an earlier run cut it */
    char run[TESS_RUN_ID_SIZE]; /* that run, else "" */
} tess_kept_cut;

typedef struct tess_cuts {
    const tess_lab *lab; /* where to look for earlier ones; NULL: nowhere; the caller's */
    char mesh[TESS_DIGEST_SIZE];
    tess_run_table *table; /* of the lab; NULL until it is needed */
    int n_made;            /* cuts that were kept so far */
    tess_kept_cut kept[TESS_MOST_CUTS];
} tess_cuts;

/* Makes a line (tess_line_run) on a cut that is there already, or on a new one, which it keeps. The
 * record has its configuration, which says what the blocks follow from; a plan of the lab that
 * would do but is damaged is named in its log. */
TESS_MUST_CHECK tess_status tess_cuts_line(tess_cuts *cuts, const tess_bound_loop *bound,
                                           const tess_setting *setting, tess_record *record,
                                           tess_line **out);
void tess_cuts_clear(tess_cuts *cuts);

#endif
