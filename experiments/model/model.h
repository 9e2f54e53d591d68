/* The model: how long a loop takes on a GPU by its features and the machine's numbers
 * (docs/predict.md). */
#pragma once

#include "experiments/model/features.h"
#include "experiments/model/machine.h"
#include "kernels/devices/occupancy.h"

typedef enum tess_term {
    TESS_TERM_MEMORY,
    TESS_TERM_L2,
    TESS_TERM_L1,
    TESS_TERM_ATOMICS,
    TESS_TERM_SHARED,
    TESS_TERM_LATENCY,
    TESS_TERM_ISSUE,
    TESS_TERM_FLOPS,
    TESS_TERM_LAUNCHES,
    TESS_N_TERMS
} tess_term;

const char *tess_term_name(tess_term term);

typedef struct tess_model_time {
    double seconds;
    double terms[TESS_N_TERMS]; /* seconds; the launches are added, the others hide each other */
    tess_term bound;            /* the longest */
    double resident;            /* thread blocks that a multiprocessor has at a time */
} tess_model_time;

/* The time by the constants [TESS_N_CONSTANTS]. */
tess_model_time tess_model_predict(const double *constants, const tess_features *features);

/* The time as above, and the slopes of the logarithm of the seconds by those of the constants, out
 * [TESS_N_CONSTANTS]; 0 of a constant that no fit changes. */
tess_model_time tess_model_slopes(const double *constants, const tess_features *features,
                                  double *out);
