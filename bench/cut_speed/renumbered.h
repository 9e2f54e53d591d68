/* Meshes renumbered on a device by the plan of their elements. */
#pragma once

#include "bench/cut_speed/planned_edges.h"

/* Edges, cells and nodes by a plan of the edges; renumbers the mesh here, when a plan of it is made
 * no more. */
TESS_MUST_CHECK tess_status time_renumbering(tess_cut_kernels *k, cut_edges *of,
                                             const tess_plan *plan, tess_device_plan *there);

/* Cells are cut, all sets renumbered by their blocks, and sides planned in these. */
TESS_MUST_CHECK tess_status time_cells(tess_cut_kernels *k, const tess_mesh *mesh);

/* So the cells of quads, or of tets that are numbered so. */
TESS_MUST_CHECK tess_status time_cells_of(tess_cut_kernels *k, int64_t n_cells, const char *tets);
