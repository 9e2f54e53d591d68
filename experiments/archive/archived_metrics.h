/* The metrics of a plan in its file: /metrics and /blocks (experiments/archive/plan_file.h). */
#pragma once

#include "core/plan/metrics.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"

/* NULL: nothing is written. */
TESS_MUST_CHECK tess_status tess_archived_metrics_write(const tess_metrics *metrics,
                                                        tess_archive_writer *file);
/* Those of a plan of n_blocks; the caller frees them. Fails (INPUT) by the name of what is damaged.
 */
TESS_MUST_CHECK tess_status tess_archived_metrics_read(const tess_archive_reader *file,
                                                       int32_t n_blocks, tess_metrics **out);
