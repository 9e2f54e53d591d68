/* Features: what decides how long a loop takes by a strategy on a GPU, computed from its plan,
 * layout and page. Nothing runs and nothing is compiled. */
#pragma once

#include "experiments/model/traffic.h"
#include "kernels/strategies/strategy.h"

/* Of a thread, where nothing is compiled: of loops with doubles, and of others. */
enum { TESS_REGISTERS_DOUBLE = 64, TESS_REGISTERS_FLOAT = 40 };

/* Of one execution of the loop, as docs/predict.md defines them. */
typedef struct tess_features {
    tess_traffic_counts traffic;
    double moved_bytes;   /* least that must move: moved_bytes_min */
    double flops;         /* with what several threads compute; 0 where nobody counted them */
    double wavefronts;    /* of shared memory; conflicts of banks where elements find points */
    double barriers;      /* passed by blocks */
    double blocks, turns; /* thread blocks; elements or points of a thread, the mean */
    double launches;
    double threads, shared_bytes; /* of a thread block */
    double registers;             /* of a thread: compiled, else assumed */
    bool shared_atomics;          /* doubles are summed in shared memory by compare-and-swap */
} tess_features;

typedef struct tess_features_setting {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    const tess_renumbering *renumbering; /* NULL: sets keep their numbers */
    const tess_state *state;             /* for its dats; values are not read */
    tess_layouts layouts;
    const tess_strategy *strategy;
    const tess_spec *spec;
    int threads;                 /* a block; 0: as many as the strategy likes */
    int64_t l2_bytes;            /* that a loop has of the L2 */
    const tess_device *compiler; /* that says how many registers a thread has; NULL: assumed */
    tess_target *target;         /* of the compiler */
    int64_t most_elements; /* of which accesses are counted, the first in the plan's order; the rest
                              is taken to be alike; 0: all */
} tess_features_setting;

/* Computes them. Fails (USAGE) where the strategy does not fit the loop, and where there is no
 * model of that. */
TESS_MUST_CHECK tess_status tess_features_compute(const tess_features_setting *setting,
                                                  tess_features *out);
