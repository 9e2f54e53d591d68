/* A view file of the lab: views/<plan>.hdf, a plan over its mesh as ParaView opens it. Derived from
 * the plan and disposable: it is written again when it is missing. */
#ifndef TESS_VIEW_FILE_H
#define TESS_VIEW_FILE_H

#include "experiments/lab.h"

/* Writes the view of a plan unless it is there, and gives its path, which the caller frees. The
 * plan's mesh has the maps that its view needs (viz/view_shape.h); lab meshes have all. */
TESS_MUST_CHECK tess_status tess_view_file_write(const tess_lab *lab,
                                                 const tess_plan_content *content,
                                                 const char *plan_digest, char **path);

/* The same for the plan of a stored run; what is missing is read from the lab. */
TESS_MUST_CHECK tess_status tess_view_file_of_run(const tess_lab *lab, const char *run_id,
                                                  char **path);

#endif
