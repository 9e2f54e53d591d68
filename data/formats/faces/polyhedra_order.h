/* The order of faces: those between two cells first. */
#pragma once

#include "core/base/status.h"
#include "data/formats/faces/faces.h"

/* Orders faces that stand in any order, in place, for they are most of the mesh: those that have a
 * neighbour first, each kind as it stood; leaves out those whose owner is negative. neighbour and
 * marker have [faces.n] entries before, negative without a marker; sets n_inner. */
TESS_MUST_CHECK tess_status tess_polyhedra_order(tess_polyhedra *polyhedra);
