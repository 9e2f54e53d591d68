/* A numbering in the making: vertices of a graph put in order, neighbours by degree. */
#pragma once

#include "core/plan/graph.h"

/* Vertices by degree, then number. */
typedef struct tess_degree_order {
    int32_t *position; /* [n_vertices]: of each vertex */
    int32_t *vertex;   /* [n_vertices]: at each place */
} tess_degree_order;

/* The order of the n vertices that are numbered. */
typedef struct tess_numbering {
    const tess_rows *graph;
    tess_degree_order by_degree;
    bool *numbered; /* [n_vertices] */
    int32_t *order; /* [n_vertices] */
    int64_t n;
} tess_numbering;

/* Vertices of equal degree are told apart by their numbers, or where they stand in `order`. */
TESS_MUST_CHECK tess_status tess_numbering_new(const tess_rows *graph, const int32_t *order,
                                               tess_numbering *numbering);
void tess_numbering_free(tess_numbering *numbering);

void tess_numbering_add(tess_numbering *numbering, int32_t v);

/* Adds the neighbours of v that are not numbered yet, by degree; only those of `wanted` level where
 * `level` is not NULL. */
void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted);
