/* The inverse of an incidence: for each point the elements that have it. */
#ifndef TESS_INVERSE_H
#define TESS_INVERSE_H

#include "core/plan/problem.h"

typedef struct tess_inverse {
    int64_t n_points;
    int64_t *offset;  /* [n_points + 1] */
    int32_t *element; /* [offset[n_points]], ascending and distinct for each point */
} tess_inverse;

/* Gives the inverse of a map of n_elements elements; an element that has a point twice is listed
 * once. Parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_inverse_build(const tess_incidence *map, int64_t n_elements,
                                               tess_inverse **out);
void tess_inverse_free(tess_inverse *inverse);

#endif
