/* A chain's execution: one chain, compiled for a device, ready to run again and again. */
#pragma once

#include "kernels/run/chained_step.h"
#include "kernels/run/execution.h"

/* Makes an execution of the one chain of a step that is open, which is the execution's from then
 * on, whatever fails (tess_trial_chain_open gives both). */
TESS_MUST_CHECK tess_status tess_chain_execution_new(tess_chained_step *step, int first,
                                                     tess_execution **out);

/* The step of an execution that is a chain's; it is the execution's. */
const tess_chained_step *tess_chain_execution_step(const tess_execution *execution);
