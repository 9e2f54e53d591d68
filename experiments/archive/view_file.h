/* A view file of the lab (experiments/archive/view_names.h): a plan over its mesh as ParaView opens
 * it. Derived from the plan and disposable: it is written when it is asked for, and again when it
 * is missing or of 0.1. */
#pragma once

#include "experiments/archive/lab.h"

/* Gives the path of the view of a plan, which is written unless it is there: `plan` is its digest
 * in the lab, `run` the id of one that uses it. It has the plan's metrics and what captions tell.
 * The mesh has the maps that the view needs (viz/view_shape.h); a lab's meshes have all. The caller
 * frees *path. */
TESS_MUST_CHECK tess_status tess_view_file_of_plan(const tess_lab *lab,
                                                   const tess_plan_content *content,
                                                   const char *plan, const char *run, char **path);

/* Writes the view of a stored run: of its plan, or of its ranks, read from the lab where the view
 * is missing. */
TESS_MUST_CHECK tess_status tess_view_file_of_run(const tess_lab *lab, const char *run_id,
                                                  char **path);

/* Gives the path of a file beside a view, which the caller frees: TESS_VIEW_BLOCKS, its blocks as
 * points (viz/view_blocks.h), is written with it; TESS_VIEW_STATE is ParaView's. */
#define TESS_VIEW_BLOCKS ".blocks.hdf"
#define TESS_VIEW_STATE ".pvsm"
TESS_MUST_CHECK tess_status tess_view_beside(const char *view, const char *ending, char **path);
