/* Orders of elements by the positions of their points, lexicographically; and of points by first
 * use.
 */
#pragma once

#include "core/plan/incidence.h"

/* Gives the n elements of a map (new_to_old, the caller's) in the lexicographic order of the
 * position [map->n_points] of their points, each element's ascending; ties by element, those
 * without points last. Parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_element_order(const tess_incidence *map, int64_t n,
                                               const int32_t *position, int32_t **new_to_old);

/* Gives the points of a map's n elements (new_to_old, the caller's), these taken in the order
 * `elements`, NULL: their own, each where it comes first; those that no element has come last. */
TESS_MUST_CHECK tess_status tess_first_use_order(const tess_incidence *map, int64_t n,
                                                 const int32_t *elements, int32_t **new_to_old);
