/* A graph in compressed rows, and G_M, the paper's graph of elements that share points. */
#ifndef TESS_GRAPH_H
#define TESS_GRAPH_H

#include "core/plan/inverse.h"

typedef struct tess_graph {
    int64_t n_vertices;
    int64_t *offset;    /* [n_vertices + 1] */
    int32_t *neighbour; /* [offset[n_vertices]], ascending in each row, no loops, symmetric */
    int32_t *weight;    /* beside neighbour: number of shared points; NULL unless asked for */
} tess_graph;

/* G_M (paper, section 2.3.2): vertices are the elements of the problem, an edge where two of them
 * share a point. Parallel, the same on any number of threads, memory linear in the result. Fails
 * (INPUT) where points are shared by so many elements that the graph would be hundreds of times
 * larger than the mesh. */
TESS_MUST_CHECK tess_status tess_graph_build(const tess_problem *problem, bool weighted,
                                             tess_graph **out);
/* The graph of points that share an element: for GPS and RCM (paper, section 2.3.1). Vertices are
 * the points of map 0. */
TESS_MUST_CHECK tess_status tess_graph_build_points(const tess_problem *problem, tess_graph **out);
void tess_graph_free(tess_graph *graph);

#endif
