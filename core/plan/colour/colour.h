/* Colours: numbers such that elements which share a point differ. */
#pragma once

#include "core/plan/partition_problem.h"

typedef enum tess_colouring {
    TESS_COLOUR_FEWEST, /* nearest the lower bound: threads by tess_colour_fewest, blocks alike */
    TESS_COLOUR_DSATUR, /* fewest choices left first: near the lower bound */
    TESS_COLOUR_GREEDY, /* first fit in order, as OP2 does */
    TESS_COLOUR_SULYOK  /* threads smallest last, blocks the least used: Sulyok et al. 2019 */
} tess_colouring;

/* Colours n elements by first fit in their order: each takes the least colour that no earlier
 * element with a common point has. Fills colour [n] and *n_colours. Points of
 * different maps are different points.
 * Any number of colours; time and memory linear in the maps where points have few colours, and
 * bounded by theirs where a point is shared by all. */
TESS_MUST_CHECK tess_status tess_colour_first_fit(const tess_incidence *maps, int n_maps, int64_t n,
                                                  int32_t *colour, int32_t *n_colours);

/* As first fit, but each takes the colour with fewest elements so far among those that are free,
 * the least of these, so that colours come out even: the blocks, and the elements of global
 * colours, of Sulyok et al. 2019 (their code: colouring.hpp and mesh.hpp of bgd54/cuda_fot). */
TESS_MUST_CHECK tess_status tess_colour_least_used(const tess_incidence *maps, int n_maps,
                                                   int64_t n, int32_t *colour, int32_t *n_colours);

/* Smallest last (Matula, Marble and Isaacson 1972): the element with fewest neighbours is put aside
 * until none is left, the last of these where several have as few, a neighbour counted once a
 * shared point; then first fit in the opposite order. The threads of Sulyok et al. 2019 (their
 * code: colouring.cu). At times with more colours than first fit. */
TESS_MUST_CHECK tess_status tess_colour_smallest_last(const tess_incidence *map, int64_t n,
                                                      int32_t *colour, int32_t *n_colours);

/* A number of colours below which there are none: the largest number of elements at one point (one
 * where there are elements at all). at_point [map->n_points] is scratch. */
int32_t tess_colour_bound(const tess_incidence *map, int64_t n, int32_t *at_point);

/* First fit of one map, and the bound of its colours: where better colourings start. */
TESS_MUST_CHECK tess_status tess_colour_start(const tess_incidence *map, int64_t n, int32_t *colour,
                                              int32_t *n_colours, int32_t *bound);

/* Colours by DSATUR, never with more colours than first fit: first fit's are kept where DSATUR
 * finds no better. */
TESS_MUST_CHECK tess_status tess_colour_dsatur(const tess_incidence *map, int64_t n,
                                               int32_t *colour, int32_t *n_colours);
/* Colours by DSATUR where first fit's colours are there. */
TESS_MUST_CHECK tess_status tess_colour_improve(const tess_incidence *map, int64_t n,
                                                int32_t *colour, int32_t *n_colours);

/* The fewest colours that we find: first fit's, or DSATUR's; and of as many elements as a block has
 * those of a search from the bound on (core/plan/colour/backtrack_colour.h), which nearly always
 * finds as many as the bound. Never more than DSATUR's. Time is linear but for the search, whose
 * tries are bounded. */
TESS_MUST_CHECK tess_status tess_colour_fewest(const tess_incidence *map, int64_t n,
                                               int32_t *colour, int32_t *n_colours);
