/* A cache of partitions that may be taken again: made before on the same bench, or left in the lab
 * by an earlier run of the same blocks by the same program. */
#pragma once

#include "experiments/archive/lab.h"
#include "experiments/archive/run_table.h"
#include "experiments/bench/planned.h"

enum { TESS_MOST_PARTITIONS = 8 }; /* that are kept: the oldest goes first */

typedef struct tess_kept_partition {
    char *key; /* what the blocks follow from */
    tess_partition *partition;
    double seconds;             /* NaN where an earlier run cut it */
    char run[TESS_RUN_ID_SIZE]; /* that run, else "" */
} tess_kept_partition;

typedef struct tess_partition_cache {
    const tess_lab *lab; /* where to look for earlier ones; NULL: nowhere; the caller's */
    char mesh[TESS_DIGEST_SIZE];
    tess_run_table *table; /* of the lab; NULL until it is needed */
    int n_made;            /* that were kept so far */
    tess_kept_partition kept[TESS_MOST_PARTITIONS];
} tess_partition_cache;

/* Whose partition is wanted. All is the caller's. */
typedef struct tess_partition_wanted {
    const tess_experiment *experiment;
    const tess_bound_loop *bound;
    const char *owned_set; /* the to-set whose points blocks own; NULL: blocks of elements */
    tess_record *record;   /* has the experiment's configuration; a plan of the lab that would do
                              but is damaged is named in its log */
} tess_partition_wanted;

/* Gives the planned loop a partition that is there already, the run it is from and the seconds;
 * leaves it without. */
TESS_MUST_CHECK tess_status tess_partition_cache_take(tess_partition_cache *cache,
                                                      const tess_partition_wanted *want,
                                                      tess_planned *planned);
/* Keeps a copy of the partition of a planned loop. */
TESS_MUST_CHECK tess_status tess_partition_cache_keep(tess_partition_cache *cache,
                                                      const tess_partition_wanted *want,
                                                      const tess_planned *planned);
void tess_partition_cache_clear(tess_partition_cache *cache);
