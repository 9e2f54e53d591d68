/* Faces: the points around each, and the cells on both sides. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Rows of different length: row i is value[start[i]] to value[start[i + 1]]. */
typedef struct tess_jagged_array {
    int64_t n;
    int64_t *start; /* [n + 1]; owned */
    int32_t *value; /* owned */
} tess_jagged_array;

/* Adds a row of n values behind the others; capacity[2] is of start and of value, 0 at first. */
TESS_MUST_CHECK tess_status tess_jagged_array_append(tess_jagged_array *array, int64_t capacity[2],
                                                     int64_t n, const int32_t *values);

typedef struct tess_polyhedra {
    int dimension;             /* of the cells: 3, or 2, where "faces" are edges of two points */
    int64_t n_points, n_inner; /* the first n_inner faces have a neighbour */
    double *points;            /* [n_points][dimension of the mesh]; owned */
    tess_jagged_array faces;   /* the points around each; the normal leaves the owner */
    int32_t *owner;            /* [faces.n]: a cell, below faces.n; owned */
    int32_t *neighbour;        /* [n_inner]: another cell, below faces.n; owned */
    int32_t *marker;           /* [faces.n - n_inner]: of mesh->markers; -1: none; owned */
    int32_t *inner_marker;     /* [n_inner]: likewise; NULL: none of them has one; owned */
} tess_polyhedra;

void tess_polyhedra_clear(tess_polyhedra *polyhedra);
