/* The elements that blocks execute which own points: those of all their points. */
#pragma once

#include "core/base/rows.h"
#include "core/plan/incidence.h"

/* Gives the elements of each block from the points of each block and the elements of each point:
 * ascending in a block, in several blocks where several own points of it. */
TESS_MUST_CHECK tess_status tess_owned_elements_list(const tess_rows *points,
                                                     const tess_incidence *elements_of,
                                                     tess_rows **out);

/* How many all blocks execute of n elements, from the points of each and the block of each point.
 */
int64_t tess_owned_elements_count(const tess_incidence *points_of, int64_t n,
                                  const int32_t *block_of);
