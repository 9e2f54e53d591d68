/* The loop of a plan in its file: /loop/args and its names (experiments/archive/plan_file.h). */
#pragma once

#include "core/plan/loop.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"

TESS_MUST_CHECK tess_status tess_archived_loop_write(const tess_loop *loop,
                                                     tess_archive_writer *file);
/* Fails (INPUT) by the name of what is damaged; the caller frees the loop. */
TESS_MUST_CHECK tess_status tess_archived_loop_read(const tess_archive_reader *file,
                                                    tess_loop **out);
