/* The elements that blocks execute which own points: those of all their points. */
#pragma once

#include "core/base/rows.h"
#include "core/plan/incidence.h"

/* Gives the elements of each block from the points of each block and the elements of each point:
 * ascending in a block, in several blocks where several own points of it. */
TESS_MUST_CHECK tess_status tess_owned_elements_list(const tess_rows *points,
                                                     const tess_incidence *elements_of,
                                                     tess_rows **out);
