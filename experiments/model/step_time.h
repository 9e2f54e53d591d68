/* A step's time: how long a GPU would take for a time step in chains, from what the emulator counts
 * of some of their blocks (docs/predict.md, "A step in chains"). */
#pragma once

#include "experiments/bench/march.h"
#include "experiments/model/prediction.h"

/* A chain of a step, or a loop in none. */
typedef struct tess_step_part {
    int first; /* loop of the step, of a chain its first */
    int count; /* times in a step */
    tess_features features;
    tess_model_time time;
    double seconds; /* of one, as launches follow each other: without the start of a run */
} tess_step_part;

typedef struct tess_step_time {
    double seconds; /* of a step */
    int n;
    tess_step_part parts[TESS_MOST_MARCHED];
} tess_step_time;

/* Predicts a step of a march that has run on the emulator, by a sample of blocks, without ranks.
 * Fails (USAGE) where nothing was counted so, and where there is no model of a loop. */
TESS_MUST_CHECK tess_status tess_step_time_predict(const tess_predictor *predictor,
                                                   const tess_march *march, tess_step_time *out);
