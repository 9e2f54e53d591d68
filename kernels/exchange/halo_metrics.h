/* Halo metrics: what ranks compute twice, keep copies of and exchange in a time step, counted on
 * the halos themselves. */
#pragma once

#include "kernels/exchange/schedule.h"

typedef struct tess_halo_metrics {
    int32_t n_ranks;
    double elements;       /* of the set that is cut, a rank, mean */
    double rank_imbalance; /* the most that a rank has / the mean; 0 where there is nothing */
    /* Of the loop in question, over all ranks: elements that run while values travel, elements that
     * several ranks execute, and of all sets copies that are only read; each / elements. */
    double core_share, exec_share, read_share;
    double neighbours_mean; /* ranks that a rank receives from */
    int32_t neighbours_max;
    int64_t exchange_bytes, exchange_messages; /* a step, of all ranks */
    double bytes_max;                          /* that one rank receives in a step, the most */
    int exchanges;                             /* times a step that a rank waits for others ... */
    int returns;                               /* ... of these for sums that return */
    int arriving_dats, returned_dats;          /* in all of them, each as often as it travels */
} tess_halo_metrics;

/* Counts the metrics of a halo whose schedule was fitted to it; `set` is the one that was cut,
 * `loop` one of the schedule's. Linear in what lies at interfaces, and in the loop's set. */
TESS_MUST_CHECK tess_status tess_halo_metrics_count(const tess_schedule *schedule,
                                                    const tess_ranking *ranking,
                                                    const tess_halo *halo, int set, int loop,
                                                    tess_halo_metrics *out);
