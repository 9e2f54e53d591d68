/* What ranks leave in a record beside their values: who they are, and what they have of the mesh.
 */
#pragma once

#include "experiments/archive/record.h"
#include "experiments/bench/ranked_march.h"

/* Adds to a record how many ranks there are, what carries between them, and which rank each element
 * of the mesh's set that was cut belongs to, where it has up to a million. */
TESS_MUST_CHECK tess_status tess_record_ranks(const tess_mesh *mesh, const tess_ranked_march *march,
                                              tess_record *record);
