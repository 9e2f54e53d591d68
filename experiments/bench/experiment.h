/* The straight line: what becomes of an experiment, step by step. A newcomer reads experiment.c
 * first. */
#pragma once

#include "experiments/bench/bench.h"

/* Cuts the bench's loop into blocks and plans it. `run` has the experiment, may have an observer
 * and, where partitions may be taken again, the record. Fails with the first step that fails. */
TESS_MUST_CHECK tess_status tess_experiment_plan(tess_bench *bench, const tess_run *run,
                                                 tess_planned **out);

/* Prepares it while other threads work: gives the plan of an experiment before it on the same
 * blocks where the bench has it; what cutting costs is not known. */
TESS_MUST_CHECK tess_status tess_experiment_plan_beside(tess_bench *bench, tess_run *run,
                                                        tess_planned **out);

/* The first half of the line, up to where samples can be taken: record, blocks, plan, proof; where
 * the loop is executed then compiling, the first execution and its check. Where that fails the
 * words are in tess_message(): USAGE for a combination that does not fit, CHECK for a wrong result,
 * MEMORY where it may help to finish others first and start it again. */
TESS_MUST_CHECK tess_status tess_experiment_start(tess_bench *bench, tess_run *run);

/* What need not be there before the samples, if there are any: the check of a result that is kept,
 * the plan's colours and metrics. */
TESS_MUST_CHECK tess_status tess_experiment_complete(tess_bench *bench, tess_run *run);

/* Waits for the plan's colours and counts its metrics, but checks no result: then other threads
 * may use the plan. */
TESS_MUST_CHECK tess_status tess_experiment_complete_plan(const tess_bench *bench,
                                                          const tess_run *run);

/* The second half, after its samples were taken: closes the trial, reads the hardware's counters,
 * and archives. */
TESS_MUST_CHECK tess_status tess_experiment_finish(tess_bench *bench, tess_run *run);

/* The whole line for one experiment, on a bench of its own; or its loop is written as source, where
 * the options say so. The caller frees the run. */
TESS_MUST_CHECK tess_status tess_experiment_run(const tess_experiment *experiment,
                                                const tess_bench_options *options, tess_run **out);
