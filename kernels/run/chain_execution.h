/* A chain's execution: one chain, compiled for a device, ready to run again and again. */
#pragma once

#include "kernels/run/chained_step.h"
#include "kernels/run/execution.h"

/* Compiles the one chain of a step, which is the execution's from then on, whatever fails
 * (tess_chained_step_new_one gives both). What the setting points to outlives the execution. */
TESS_MUST_CHECK tess_status tess_chain_execution_open(tess_chained_step *step, int first,
                                                      const tess_chains_setting *setting,
                                                      tess_execution **out);

/* The step of an execution that is a chain's; it is the execution's. */
const tess_chained_step *tess_chain_execution_step(const tess_execution *execution);
