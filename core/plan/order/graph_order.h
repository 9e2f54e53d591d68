/* An order of a graph's vertices in which neighbours are near: reverse Cuthill-McKee and
 * Gibbs-Poole-Stockmeyer. */
#pragma once

#include "core/plan/graph.h"

/* Each gives new_to_old [n_vertices], which the caller frees. Components follow each other by their
 * lowest vertex. Time is linear but for the sorting of rows; the result depends on the graph alone.
 *
 * RCM: breadth first from a pseudo-peripheral vertex, neighbours by degree, reversed (George and
 * Liu, 1981). GPS: the level structures of two ends of a pseudo-diameter combined into one of small
 * width, numbered level by level (Gibbs, Poole, Stockmeyer, 1976; at most eight vertices of a last
 * level are tried as the other end, those of least degree). */
TESS_MUST_CHECK tess_status tess_order_rcm(const tess_rows *graph, int32_t **new_to_old);
/* Likewise of vertices with the neighbours of each, [n][arity], -1 being none, of which some are
 * there twice or are itself; takes these over, and needs two numbers a vertex beside them. */
TESS_MUST_CHECK tess_status tess_order_rcm_of(int32_t *neighbours, int arity, int64_t n,
                                              int32_t **new_to_old);
TESS_MUST_CHECK tess_status tess_order_gps(const tess_rows *graph, int32_t **new_to_old);
