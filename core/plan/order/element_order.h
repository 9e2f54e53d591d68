/* An order of elements: by the positions of their points, lexicographically. */
#pragma once

#include "core/plan/incidence.h"

/* Gives the n elements of a map (new_to_old, the caller's) in the lexicographic order of their
 * points' places [map->n_points], each element's ascending; ties by element, those without points
 * last. Parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_element_order(const tess_incidence *map, int64_t n,
                                               const int32_t *position, int32_t **new_to_old);
