/* Block colours: numbers such that blocks which increment a common point differ, as few as we find.
 */
#ifndef TESS_BLOCK_COLOUR_H
#define TESS_BLOCK_COLOUR_H

#include "core/graph.h"

/* Takes colours away from a colouring of the graph's vertices, one after the other, while the
 * others can take over its vertices: tabu search (Hertz and de Werra 1987, Using tabu search
 * techniques for graph coloring), with tenures after Galinier and Hao (1999). On entry colour
 * [n_vertices] is a colouring with *n_colours; it never gets more, and none below `bound` is tried.
 * The same on every machine; time is bounded by the edges and some 30 n_vertices moves a colour. */
TESS_MUST_CHECK tess_status tess_block_colours_reduce(const tess_graph *graph, int32_t bound,
                                                      int32_t *colour, int32_t *n_colours);

#endif
