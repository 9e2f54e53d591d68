/* Colours by tabu search: fewer than a colouring has, of vertices whose neighbours differ. */
#pragma once

#include "core/plan/graph.h"

/* Takes colours away from a colouring of the graph's vertices, one after the other, while the
 * others can take over its vertices: tabu search (Hertz and de Werra 1987, Using tabu search
 * techniques for graph coloring), with tenures after Galinier and Hao (1999). On entry colour
 * [n_vertices] is a colouring with *n_colours; it never gets more, and none below `bound` is tried.
 * A colour is given up on after `patience` moves that did not bring fewer conflicts than ever. The
 * same on every machine. */
TESS_MUST_CHECK tess_status tess_colour_reduce(const tess_rows *graph, int32_t bound,
                                               int64_t patience, int32_t *colour,
                                               int32_t *n_colours);

/* Reduces where some edges may have one colour at both ends: from colours [n_vertices] below
 * n_colours + 1, which gives the vertices of the rarest one other colours and searches on until
 * `patience` moves did not bring fewer conflicts, the weight of such edges together. Fills the
 * colours, all below n_colours, that had fewest. weight [graph->offset[n_vertices]]: of each edge,
 * >= 1, alike from both ends. Vertices that have n_colours only are searched on. */
TESS_MUST_CHECK tess_status tess_colour_squeeze(const tess_rows *graph, const int32_t *weight,
                                                int32_t n_colours, int64_t patience,
                                                int32_t *colour, int64_t *n_conflicts);
