/* What mosaic's tests cut: meshes of every kind, at every level. */
#pragma once

#include "tests/partitioners/mosaic_case.h"

static const char *const levels[] = {"mosaic:level=quick", "mosaic", "mosaic:level=long"};
enum { N_LEVELS = sizeof levels / sizeof levels[0] };

/* Meshes of every kind, a few thousand elements each. */
static const struct {
    const char *mesh, *map;
    int32_t block_size;
    bool irregular; /* so that no bisection by coordinates is near the best */
} meshes[] = {
    {"irregular:nx=30:ny=30", "edges:cells", 32, true},
    {"irregular:nx=30:ny=30:shuffle=3", "cells:nodes", 64, true},
    {"quads:nx=40:ny=30", "edges:cells", 64, false},
    {"quads:nx=40:ny=30:periodic=xy:shuffle=2", "cells:nodes", 48, false},
    {"ogrid:ni=60:nj=20:stretch=1e4", "edges:nodes", 128, false},
    {"tris:nx=30:ny=20:periodic=x", "edges:nodes", 64, false},
    {"tets:nx=8:ny=7:nz=6:shuffle=3", "faces:cells", 64, true},
    {"tets:nx=8:ny=8:nz=8", "cells:nodes", 128, true},
    {"hexes:nx=13:ny=12:nz=11", "faces:cells", 64, false},
    {"hexes:nx=12:ny=12:nz=12:periodic=xyz", "edges:nodes", 128, false},
    {"prisms:nx=9:ny=9:nz=9", "cells:nodes", 64, false},
    {"layers:base=regular:nx=9:ny=9:prisms=6:tets=4", "faces:cells", 100, false},
};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

static inline small_problem mesh_at(int i) {
    return mesh_problem(meshes[i].mesh, meshes[i].map, meshes[i].block_size);
}

static inline void assert_full(const tess_partition_problem *problem, const cost *sum,
                               const char *text) {
    const int64_t n = problem->n_elements, size = problem->block_size;
    if (sum->n_blocks != (n + size - 1) / size || sum->n_full < n / size || sum->largest > size)
        fail_msg("%s: %d of %d blocks are full", text, sum->n_full, sum->n_blocks);
}
