/* Edges that are cut and planned on a device. */
#pragma once

#include "core/plan/partition.h"
#include "kernels/cut/device_plan.h"

/* Blocks of a square of cells' edges, cut by rcb on the device. */
typedef struct cut_edges {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    double *places;
    tess_partition partition;
    double seconds; /* of the device */
} cut_edges;
TESS_MUST_CHECK tess_status cut_edges_open(tess_cut_kernels *k, int64_t n_cells, cut_edges *of);
void cut_edges_close(cut_edges *of);

/* A plan there, the least seconds of it, and whether it is the host's. */
TESS_MUST_CHECK tess_status time_planning(tess_cut_kernels *k, const tess_device_change *change,
                                          const tess_device_plan *here, double *least, bool *same);
