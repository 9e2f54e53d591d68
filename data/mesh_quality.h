/* Quality of a mesh: the sizes and shapes of its cells. */
#pragma once

#include "core/mesh/cells.h"

enum { TESS_QUALITY_BINS = 10 };

/* The cells of one type. */
typedef struct tess_cell_quality {
    const tess_cell_type *type;
    char set[TESS_NAME_SIZE];        /* that `worst` counts in: "cells" where all are of the type */
    int64_t n, n_inverted;           /* whose nodes go the other way round than VTK orders them */
    double least_size, largest_size; /* without sign */
    double least, mean;              /* shapes (data/cell_measure.h) */
    int64_t worst;                   /* the first with the least shape */
    int64_t count[TESS_QUALITY_BINS]; /* by tenths: [0, 0.1), ... [0.9, 1] */
} tess_cell_quality;

typedef struct tess_mesh_quality {
    int n; /* types */
    tess_cell_quality types[TESS_CELL_TYPES];
} tess_mesh_quality;

/* Measures all cells. `shape`, where not NULL: gives the shape of each cell [cells], the caller's;
 * NULL where the mesh has no cells known by their nodes. Parallel, and the same on any number of
 * threads but for the last bits of means. */
TESS_MUST_CHECK tess_status tess_mesh_quality_measure(const tess_mesh *mesh, tess_mesh_quality *out,
                                                      float **shape);
