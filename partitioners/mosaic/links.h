/* Links: pairs of neighbours as the points of a problem whose elements were points themselves. */
#pragma once

#include "core/plan/partition_problem.h"

/* Makes links, the edges of the problem's graph (core/plan/graph.h), the points of the problem:
 * what blocks share are then the pairs of neighbours that they cut. The problem borrows *links,
 * which the caller clears after it. */
TESS_MUST_CHECK tess_status mosaic_links_build(tess_partition_problem *problem,
                                               tess_incidence *links);
