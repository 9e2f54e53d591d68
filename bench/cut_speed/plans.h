/* Plans of the edges of a square of cells, made and updated on a device and on the host. */
#pragma once

#include "kernels/cut/cut_kernels.h"

/* Order, points, local indices and colours in rcb's blocks, then what is renumbered by them. */
TESS_MUST_CHECK tess_status time_plan(tess_cut_kernels *k, int64_t n_cells);

/* A plan as it was, then where blocks that changed, of a share of all edges, are planned anew. */
TESS_MUST_CHECK tess_status time_replan(tess_cut_kernels *k, int64_t n_cells, double share);
