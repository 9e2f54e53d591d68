/* A point order: points renumbered along their graph, elements after their points, chopped. */
#pragma once

#include "core/plan/graph.h"

/* An order of a graph's vertices, as in core/plan/order/graph_order.h. */
typedef tess_status tess_graph_order(const tess_rows *graph, int32_t **new_to_old);

/* Fills block_of [n_elements] as in Sulyok et al. 2019, section 2.3.1: the points of map 0 are
 * renumbered by `order` of the graph of points that share an element; elements are put in the
 * lexicographic order of their points' new numbers, each element's ascending (ties by element,
 * those without points last), and chopped at the block size. */
TESS_MUST_CHECK tess_status tess_point_order_chop(const tess_partition_problem *problem,
                                                  tess_graph_order *order, int32_t *block_of);
