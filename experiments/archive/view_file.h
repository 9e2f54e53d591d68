/* A view file of the lab (experiments/archive/view_names.h): a plan over its mesh as ParaView opens
 * it. Derived from the plan and disposable: it is written again when it is missing. */
#pragma once

#include "experiments/archive/lab.h"

/* Writes the view of a plan, unless there is one at `path`, with its metrics and, for captions, its
 * partitioner, mesh, loop and block size. The mesh has the maps that the view needs
 * (viz/view_shape.h); a lab's meshes have all. */
TESS_MUST_CHECK tess_status tess_view_file_write(const tess_plan_content *content,
                                                 const char *path);

/* The same for the plan of a stored run, or views/<run>.hdf for its ranks, read from the lab where
 * the view is missing. The caller frees *path. */
TESS_MUST_CHECK tess_status tess_view_file_of_run(const tess_lab *lab, const char *run_id,
                                                  char **path);
