/* Colours by tabu search: fewer than a colouring has, of vertices whose neighbours differ. */
#pragma once

#include "core/plan/graph.h"

/* Takes colours away from a colouring of the graph's vertices, one after the other, while the
 * others can take over its vertices: tabu search (Hertz and de Werra 1987, Using tabu search
 * techniques for graph coloring), with tenures after Galinier and Hao (1999). On entry colour
 * [n_vertices] is a colouring with *n_colours; it never gets more, and none below `bound` is tried.
 * A colour is given up on after `patience` moves that did not bring fewer clashes than ever. The
 * same on every machine. */
TESS_MUST_CHECK tess_status tess_colour_reduce(const tess_rows *graph, int32_t bound,
                                               int64_t patience, int32_t *colour,
                                               int32_t *n_colours);

/* The same of elements that share points of one of the maps; none below the largest number of
 * elements at one point is tried. */
TESS_MUST_CHECK tess_status tess_colour_reduce_of_maps(tess_incidence *maps, int n_maps, int64_t n,
                                                       int64_t patience, int32_t *colour,
                                                       int32_t *n_colours);
