/* The blocks of a plan in its file: /plan (experiments/archive/plan_file.h). */
#pragma once

#include "core/plan/plan.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"

TESS_MUST_CHECK tess_status tess_archived_plan_write(const tess_plan *plan,
                                                     const tess_bound_loop *bound,
                                                     tess_archive_writer *file);
/* Fills what a plan whose block offsets are there executes, its colours and its sets: every offset
 * and index is within its bounds. Fails (INPUT) by the name of what is damaged. */
TESS_MUST_CHECK tess_status tess_archived_plan_read(const tess_archive_reader *file,
                                                    const tess_bound_loop *bound, tess_plan *plan);
