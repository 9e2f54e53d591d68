/* Shuffling: all elements of a mesh in random order, as meshes that were numbered badly have it. */
#pragma once

#include "core/mesh/mesh.h"

/* Renumbers the elements of every set of the mesh at random: maps, dats and coordinates follow. The
 * same seed gives the same numbers, for each set by its name. The shape of a box is lost. On
 * failure the mesh is of no use but to be freed. */
TESS_MUST_CHECK tess_status tess_mesh_shuffle(tess_mesh *mesh, uint64_t seed);
