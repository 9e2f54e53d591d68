/* Permuting: the elements of a mesh under new numbers. */
#pragma once

#include "core/plan/order/renumber.h"

/* Gives the elements of each set new numbers: new_of [sets][size of the set], NULL for a set that
 * keeps its own. Maps, dats and coordinates follow, each in its own array; the shape of a
 * box is lost. On failure the mesh is of no use but to be freed. */
TESS_MUST_CHECK tess_status tess_mesh_permute(tess_mesh *mesh, int32_t *const *new_of);

/* Gives some of the sets the numbers of a renumbering, likewise. */
TESS_MUST_CHECK tess_status tess_mesh_renumber(tess_mesh *mesh,
                                               const tess_renumbering *renumbering);
