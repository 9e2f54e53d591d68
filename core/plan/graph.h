/* A graph: the neighbours of each vertex, one row a vertex, ascending, no loops, symmetric; and
 * G_M, the paper's graph of elements that share points.
 *
 * Where elements are the points of the one map themselves (tess_incidence.points_are_elements), the
 * graph is that of the map: an edge where one of two elements reaches the other. */
#pragma once

#include "core/plan/partition_problem.h"

/* G_M (paper, section 2.3.2): vertices are the elements of the problem, an edge where two of them
 * share a point. Parallel, the same on any number of threads, memory linear in the result. Fails
 * (INPUT) where points are shared by so many elements that the graph would be hundreds of times
 * larger than the mesh. `weight`, where not NULL: gives beside each neighbour the number of points
 * shared with it (1 or 2, how many reach each other, where elements are points), the caller's. */
TESS_MUST_CHECK tess_status tess_graph_build(const tess_partition_problem *problem,
                                             int32_t **weight, tess_rows **out);
/* The graph of points that share an element: for GPS and RCM (paper, section 2.3.1). Vertices are
 * the points of problem->order_map. */
TESS_MUST_CHECK tess_status tess_graph_build_points(const tess_partition_problem *problem,
                                                    tess_rows **out);

/* Whether elements are the points of the one map of the problem. */
bool tess_graph_is_of_map(const tess_partition_problem *problem);
