/* The points of a refined mesh: the old nodes, and the middles of edges, faces and cells. */
#ifndef TESS_REFINE_POINTS_H
#define TESS_REFINE_POINTS_H

#include "core/base/buckets.h"
#include "core/mesh/cells.h"
#include "data/refine_table.h"

typedef struct tess_refine_points {
    const tess_cells *cells;
    int64_t n_nodes, n_edges, n_quads, n_centres; /* points are numbered in this order */
    int64_t first_centre[TESS_CELL_TYPES];        /* of each block's cells; -1: they have none */
    int32_t *edges;                               /* [n_edges][2] */
    int32_t *quads;        /* [n_quads][4]: quadrilateral faces, ascending nodes */
    tess_buckets edges_at; /* by lower node: (higher node, edge) */
    tess_buckets quads_at; /* by lowest node: quad */
} tess_refine_points;

/* Finds the edges and faces; the cells outlive it. */
TESS_MUST_CHECK tess_status tess_refine_points_build(const tess_cells *cells,
                                                     tess_refine_points *points);
void tess_refine_points_release(tess_refine_points *points);

int64_t tess_refine_points_count(const tess_refine_points *points);

/* The point in the middle of an edge or a quadrilateral face, -1 where there is no such one. */
int32_t tess_refine_points_of_edge(const tess_refine_points *points, int32_t a, int32_t b);
int32_t tess_refine_points_of_quad(const tess_refine_points *points, const int32_t nodes[4]);

/* Fills the local points of a cell; false where one is missing: the cell repeats a node. */
bool tess_refine_points_of_cell(const tess_refine_points *points, int block, int64_t row,
                                int32_t out[TESS_REFINE_POINTS_MAX]);

/* Fills the coordinates [count][dimension] of all points from those of the nodes. */
void tess_refine_points_place(const tess_refine_points *points, int dimension, const double *nodes,
                              double *out);

#endif
