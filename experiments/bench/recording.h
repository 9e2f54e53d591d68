/* Recording: what an experiment leaves in its record, and in the lab: the plan, its view, the run.
 */
#pragma once

#include "experiments/bench/bench.h"

/* Notes what an experiment asks for in the record's configuration: every setting that is said but
 * those of the measuring, and what follows from them. */
TESS_MUST_CHECK tess_status tess_record_experiment(tess_record *record,
                                                   const tess_experiment *experiment);
/* Records what is known once the bench is open: the mesh's source, the loop's name, the
 * precision; and the GPU. */
TESS_MUST_CHECK tess_status tess_record_workload(tess_record *record, const tess_bench *bench);

/* Notes in the configuration what is sure of the bits of a loop's result (same_bits). Fails (USAGE)
 * where that is less than was asked for. */
TESS_MUST_CHECK tess_status tess_record_same_bits(tess_record *record, const tess_bench *bench,
                                                  const tess_experiment *experiment);

/* Notes the digest of what the loop has changed in a result, in the mesh's order (result_bits).
 * Fails (CHECK) where another one was noted before. */
TESS_MUST_CHECK tess_status tess_record_result_bits(tess_record *record, const tess_bench *bench,
                                                    const tess_experiment *experiment,
                                                    const tess_state *result);

/* What the driver calls the bench's device, and which CUDA it is for; nothing where there is no
 * driver. */
TESS_MUST_CHECK tess_status tess_record_gpu(const tess_bench *bench, tess_values *environment);

/* What a lab keeps of the plan of the loop that a bench is open for; `mesh` is the digest of its
 * mesh. */
tess_plan_content tess_planned_content(const tess_bench *bench, const tess_experiment *experiment,
                                       const tess_planned *planned, const char *mesh);

/* Stores the plan of an experiment in the lab and notes its digest, unless that is noted. */
TESS_MUST_CHECK tess_status tess_planned_archive(const tess_bench *bench,
                                                 const tess_experiment *experiment,
                                                 tess_planned *planned);

/* Adds to the run's record all that was measured and, where there is a lab, stores plan, run and
 * view there. */
TESS_MUST_CHECK tess_status tess_run_archive(const tess_bench *bench, tess_run *run);

/* Stores the record of a run that failed, with its failure. */
TESS_MUST_CHECK tess_status tess_run_archive_failure(const tess_bench *bench, tess_run *run);
