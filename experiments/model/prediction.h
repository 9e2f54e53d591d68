/* Predictions: how long experiments would take on a GPU, from their plans and the numbers of the
 * machine, without running them. */
#pragma once

#include "experiments/bench/bench.h"
#include "experiments/model/fit.h"
#include <stdatomic.h>

typedef struct tess_prediction {
    const tess_experiment *experiment; /* the caller's */
    int registers;                     /* of a thread, where a run told; 0: not known */
    tess_features features;
    bool compiled; /* the features' registers are */
    tess_model_time time;
    double seconds, low, high; /* corrected by the kind's factor, with its 90 % interval (NaN where
                                  no fit tells) */
    bool is_fitted;            /* its kind is one that the fit has seen */
    char *failure;             /* why it is missing, or NULL; owned */
    bool late;                 /* it was not counted: the time had passed */
    double cost;               /* seconds that counting the features took */
} tess_prediction;

enum { TESS_MOST_COUNTED = 1000000 };

/* What features and times are computed with. All is the caller's. */
typedef struct tess_predictor {
    const tess_machine *machine;
    const tess_device *compiler; /* of registers; NULL: they are assumed */
    tess_target *target;         /* of the compiler */
    int64_t most_elements;       /* whose accesses are counted, say TESS_MOST_COUNTED; 0: all */
    const tess_fit *fit;         /* NULL: the machine's constants alone */
    double until;                /* by the clock: what was not begun by then is late, nor are plans
                                    begun in the second half of the time; 0: there is no end */
    const atomic_bool *stopped;  /* nothing is begun once it is true; NULL */
    /* One has its prediction, or why it has none: called by any thread. NULL. */
    void (*predicted)(void *context, const tess_prediction *one);
    void *context;
} tess_predictor;

/* What is predicted: a loop with the dats that it is for, whose values are not read. */
typedef struct tess_predicted_loop {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_state *state;
} tess_predicted_loop;

static inline tess_predicted_loop tess_predicted_loop_of(const tess_workload *load) {
    return (tess_predicted_loop){load->kernel, load->bound, load->start};
}

/* Has registers compiled by NVRTC from here on; where it is not there they stay assumed. */
void tess_predictor_open_compiler(tess_predictor *predictor);
void tess_predictor_close_compiler(tess_predictor *predictor);

/* Fills a prediction whose experiment is set, and zeroed otherwise, from the experiment's plan.
 * What cannot be predicted keeps why. */
TESS_MUST_CHECK tess_status tess_prediction_make(const tess_predictor *predictor,
                                                 const tess_predicted_loop *loop,
                                                 const tess_planned *planned, tess_prediction *one);

/* Fills the predictions [n], whose experiments are set and zeroed otherwise. The bench is open for
 * them, or becomes so. What cannot be predicted keeps why. */
TESS_MUST_CHECK tess_status tess_predictions_make(const tess_predictor *predictor,
                                                  tess_bench *bench, tess_prediction *predictions,
                                                  int64_t n);

/* Gives those that are late the longest time of their kind, so that they come behind those that
 * were counted; of all kinds where none of theirs was, NaN where nothing was. */
void tess_predictions_fill_late(tess_prediction *predictions, int64_t n);

/* The shortest first; those that have no time last. */
void tess_predictions_sort(tess_prediction *predictions, int64_t n);
void tess_predictions_clear(tess_prediction *predictions, int64_t n);
