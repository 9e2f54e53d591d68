/* The renumbering of a plan in its file: /renumber (experiments/archive/plan_file.h). */
#pragma once

#include "core/plan/order/renumber.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"

/* NULL, or of no set: nothing is written. */
TESS_MUST_CHECK tess_status tess_archived_renumbering_write(const tess_renumbering *renumbering,
                                                            const tess_mesh *mesh,
                                                            tess_archive_writer *file);
/* NULL where the file has none. Fails (INPUT) by the name of what is damaged: each order is a
 * permutation of a set of the mesh. The caller frees the renumbering. */
TESS_MUST_CHECK tess_status tess_archived_renumbering_read(const tess_archive_reader *file,
                                                           const tess_mesh *mesh,
                                                           tess_renumbering **out);
