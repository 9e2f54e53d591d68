/* An expectation: how long the runs of a command would take on a GPU by the model of one, and how
 * long the loop takes there as the mesh is stored. */
#pragma once

#include "experiments/model/step_time.h"

typedef struct tess_expectation tess_expectation;

/* Whether a command line says that no machine's model is wanted. */
bool tess_expectation_is_refused(const char *machine);

/* Reads a machine and, where it ships by the same name, the fit to its runs. Registers are assumed:
 * compiling would take longer than all else. */
TESS_MUST_CHECK tess_status tess_expectation_open(const char *machine, tess_expectation **out);
/* Accepts NULL. */
void tess_expectation_close(tess_expectation *expectation);

/* Predicts a step of a march, as tess_step_time_predict does; registers are compiled where NVRTC is
 * there. */
TESS_MUST_CHECK tess_status tess_expectation_of_step(tess_expectation *expectation,
                                                     const tess_march *march, tess_step_time *out);

/* The GPU, "NVIDIA H200". */
const char *tess_expectation_device(const tess_expectation *expectation);

/* Plans and predicts the loop of the experiments [n] as the mesh is stored: blocks of consecutive
 * elements, nothing renumbered, by the strategies of the experiments; of loops that are only cut,
 * by those of predicted_time. Once, on the bench that is open for them, which with the experiments
 * outlives the expectation: where loops run, another thread does it until it is asked for. */
TESS_MUST_CHECK tess_status tess_expectation_begin(tess_expectation *expectation, tess_bench *bench,
                                                   const tess_experiment *experiments, int64_t n);

/* Adds predicted_time and stored_time to the values of a run whose plan is there; nothing where
 * there is no model of it. */
TESS_MUST_CHECK tess_status tess_expectation_add(const tess_expectation *expectation,
                                                 const tess_bench *bench, tess_run *run);

/* The loop as the mesh is stored, a run for each block size where blocks are compared, else one;
 * NULL past the last. They are in no lab. */
const tess_run *tess_expectation_stored(const tess_expectation *expectation, int64_t i);

/* Whether an experiment is of the mesh as it is stored; and one that is, in the way of another,
 * which the caller clears. */
bool tess_experiment_is_stored(const tess_experiment *experiment);
TESS_MUST_CHECK tess_status tess_experiment_store_order(const tess_experiment *like,
                                                        tess_experiment *out);

/* Whether two experiments take the mesh as it is stored in the same way. */
bool tess_experiment_shares_stored(const tess_experiment *one, const tess_experiment *other);
