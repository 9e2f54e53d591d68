/* A forecast: what a time step would take on ranks that are not there, from halos that are computed
 * for real and a stated model. */
#pragma once

#include "kernels/exchange/halo_metrics.h"

/* What is measured of a machine: between ranks by `tess ranks --measure`, of one device by `tess
 * machine measure`. */
typedef struct tess_rank_network {
    double alpha;  /* s an exchange */
    double beta;   /* B/s that a rank receives */
    double launch; /* s of a kernel's launch */
} tess_rank_network;

/* Seconds of a step: at least, and at most. They are equal where the core surely hides what it can
 * of the exchanges. */
typedef struct tess_rank_forecast {
    double step, most;
    double efficiency, efficiency_least; /* the step of one rank / (ranks * step), of each */
} tess_rank_forecast;

/* Names of networks: "nvlink", "ndr", or "alpha=SECONDS:beta=BYTES_A_SECOND", behind which
 * ":launch=SECONDS" may stand. Fails (USAGE). */
TESS_MUST_CHECK tess_status tess_rank_network_parse(const char *text, tess_rank_network *out);

/* What a step was measured to take. */
typedef struct tess_rank_steps {
    double one;         /* s on one rank */
    double two;         /* s on two; 0: not measured */
    double two_exposed; /* s of these that exchanges add (exposed_seconds); 0: not measured */
    const tess_halo_metrics *two_halo; /* theirs; NULL: not measured */
} tess_rank_steps;

/* The model: a rank takes at least
 *
 *   compute = T / ranks * imbalance + fixed * (1 - 1 / ranks)
 *     + for each exchange max(0, 2 * launch + alpha + bytes / beta - core)
 *     + for each exchange of values that arrive launch
 *     + for each exchange of sums that return launch * 3
 *
 * T is the step of one rank; `fixed` is what no division makes shorter: launches of the step's
 * loops, or, where the step of two ranks was measured, that by which the model gives it (last
 * blocks of launches, too; below 0 where smaller parts fit caches better). An exchange is packed
 * and unpacked by a launch each and travels beside the core; bytes are what the rank with most
 * receives in one, core is the time of the core of one loop, all loops taken as equal. What no core
 * hides is the launch of the rest; and where sums return, those of the border before, of clearing,
 * and of adding after. Where it was measured what the exchanges add on two ranks, these launches
 * are that, for each exchange.
 *
 * An exchange waits for processors that the core has: packing and unpacking each until a block
 * ends, and the border's last block runs after both. No block takes longer than the least time of a
 * launch, fixed / loops or launch. So it is surely hidden where
 *
 *   2 * launch + alpha + bytes / beta + 3 * least <= compute / loops * core share
 *
 * or it was measured; else only bounds are known: at most, for each exchange, all of it and a
 * launch of the border after it count. Nothing is fitted. */
tess_rank_forecast tess_rank_forecast_make(const tess_halo_metrics *halo, int n_loops,
                                           const tess_rank_steps *steps,
                                           const tess_rank_network *network);

/* What is cut into ranks; all outlives the call. */
typedef struct tess_rank_case {
    const tess_application *application;
    const tess_mesh *mesh;   /* bound to the application */
    const char *partitioner; /* NULL: the usual one */
    const char *chains;      /* runs of loops that are one kernel each; NULL: none */
    tess_halo_mode mode;
} tess_rank_case;

/* Cuts a mesh into ranks, computes owners and halos, and counts them; *n_loops are the step's. The
 * seconds are those of cutting and of the rest. */
TESS_MUST_CHECK tess_status tess_rank_case_measure(const tess_rank_case *of, int32_t n_ranks,
                                                   tess_halo_metrics *out, int *n_loops,
                                                   double seconds[2]);
