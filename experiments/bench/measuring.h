/* Measuring: a run's loop executed and checked, and what its samples and counters say. */
#pragma once

#include "experiments/bench/bench.h"

/* Drafts the trial of a run that has its plan: all that needs nothing of the device but its
 * compiler, on any thread. */
TESS_MUST_CHECK tess_status tess_run_draft(const tess_bench *bench, tess_run *run);

/* Emits the loop of a run that has its plan. */
TESS_MUST_CHECK tess_status tess_run_emit(const tess_bench *bench, const tess_run *run,
                                          const tess_emit_setting *setting,
                                          char name[static TESS_NAME_SIZE]);

/* Opens the trial, or the ranks, of a run that has its plan, and may have its draft: compiles,
 * executes once, checks, or keeps the result for tess_run_check_kept. What the check finds fails
 * (CHECK). Samples that the trial has stay. */
TESS_MUST_CHECK tess_status tess_run_execute(tess_bench *bench, tess_run *run);

/* Checks the result that its trial keeps where the reference was not there in time; fails as above.
 */
TESS_MUST_CHECK tess_status tess_run_check_kept(tess_bench *bench, tess_run *run);

/* Where that is asked for notes the bits of two results of the loop from its start
 * (tess_record_result_bits). Ranks are opened anew for the second. */
TESS_MUST_CHECK tess_status tess_run_prove_bits(tess_bench *bench, tess_run *run);

/* Bytes of the device's memory that it holds. */
int64_t tess_run_bytes(const tess_bench *bench, const tess_run *run);

/* After the samples: closes the trial, fills what follows from it, and reads the hardware's
 * counters in an execution of its own; where that fails the run keeps why, and what was timed
 * stays. Where blocks were cut it fills what that took. */
TESS_MUST_CHECK tess_status tess_run_conclude(tess_bench *bench, tess_run *run);
