/* Cuts: by hilbert and rcb, again where a part has changed, and refined. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/cut/cut_kernels.h"

/* What cuts places along the longest extent. */
tess_cut by_rcb(int64_t n, int dimension, const double *places);

/* Times both rules, a row each. */
TESS_MUST_CHECK tess_status time_size(tess_cut_kernels *k, int dimension, int64_t n);

/* Elements in a corner of a square, a share of all, have become others: cut anew, here and there.
 */
TESS_MUST_CHECK tess_status time_recut(tess_cut_kernels *k, int64_t n, double share);

/* Edges of quads by rcb, whose blocks swap elements then. */
TESS_MUST_CHECK tess_status time_refined(tess_cut_kernels *k, int64_t n_cells);
