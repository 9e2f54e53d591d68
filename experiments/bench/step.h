/* A step: how each loop of an application is to be marched, an experiment a loop.
 *
 * What all of a march has once (mesh, device, layout, order of the data) is the same in all its
 * loops; what a loop has of its own is what tess_step_is_of_loop says. */
#pragma once

#include "experiments/bench/experiment_value.h"
#include "kernels/loops/user_step.h"

typedef struct tess_step {
    const tess_application *application;
    tess_user_step *user;   /* whose the application is; NULL: it ships; owned */
    int n;                  /* loops, at least one */
    int first;              /* the loop whose blocks number the mesh */
    tess_experiment *loops; /* [n], each with its `loop`, as the application's step names them; one
                               without a partitioner has blocks of what is consecutive in memory */
    char *chains; /* runs of loops that are one kernel, as --chains takes them; NULL: none; owned */
} tess_step;

/* What a march has once, in the order of its file. */
enum { TESS_N_STEP_ONCE = 8 };
extern const tess_field tess_step_once[TESS_N_STEP_ONCE];

/* Whether a setting is a loop's own. */
bool tess_step_is_of_loop(tess_field field);

/* Gives the step of an experiment's application: the experiment's own loop (NULL: the primary one)
 * as it says; the others on GPUs by atomics, on the host by its strategy, with its block size. The
 * experiment's loop numbers the mesh, where it reaches something through a map, else the primary
 * one does. The caller clears the step. Fails (USAGE) where the loop is no part of a time step. */
TESS_MUST_CHECK tess_status tess_step_build(const tess_experiment *experiment, tess_step *out);
void tess_step_clear(tess_step *step);

/* The loop of that name. Fails (USAGE) where the application's step has none. */
TESS_MUST_CHECK tess_status tess_step_find(const tess_step *step, const char *loop, int *position);

/* Whether a loop reaches something through a map, so that its blocks can number the mesh. */
bool tess_step_reaches(const tess_step *step, int position);

/* Lets the blocks of another loop number the mesh. Fails (USAGE) where it reaches nothing. */
TESS_MUST_CHECK tess_status tess_step_number_by(tess_step *step, const char *loop);

/* Lets runs of loops be one kernel each; what they are is looked at when they march. */
TESS_MUST_CHECK tess_status tess_step_chain(tess_step *step, const char *chains);

/* Fails (USAGE) where a list of runs names a loop that the step has not. */
TESS_MUST_CHECK tess_status tess_step_check_chains(const tess_step *step, const char *chains);

/* Sets what a loop has of its own. Fails (USAGE) where the text is not one of its values, and where
 * the setting is not a loop's. */
TESS_MUST_CHECK tess_status tess_step_set(tess_step *step, int position, tess_field field,
                                          const char *text);

/* Gives the setting of that name, written as in records or as an option. Fails (USAGE) with a
 * suggestion where it is not a loop's own. */
TESS_MUST_CHECK tess_status tess_step_field(const char *name, tess_field *out);
