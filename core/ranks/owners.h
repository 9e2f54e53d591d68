/* Owners: the rank of each element of each set of a mesh.
 *
 * One set is cut (the cells); the others follow it through the mesh's maps, after OP2: every value
 * is computed by the rank that owns its element. */
#pragma once

#include "core/base/rows.h"
#include "core/mesh/mesh.h"

typedef struct tess_owners {
    int32_t n_ranks;
    int n_sets;
    int32_t **rank_of; /* [n_sets][size of the set], each in [0, n_ranks) */
    tess_rows **owned; /* [n_sets]: by rank, its elements, ascending */
} tess_owners;

/* Gives owners of all sets from those of one, `rank_of` [size of the set], each in [0, n_ranks);
 * fails (INPUT) by the first that is not.
 *
 * An element of a set with a map to one that has owners (edges:cells) follows one of its points,
 * chosen by a hash. A point of a set to which such a map leads (cells:nodes) goes to one of the
 * ranks that meet there, chosen by a hash of these ranks together: so an interface goes to one of
 * its sides, whole, and the interfaces of a rank in turn to it and to its neighbours (which halves
 * what both would execute). Sets that no map joins to the others are divided into equal runs. */
TESS_MUST_CHECK tess_status tess_owners_build(const tess_mesh *mesh, int set, int32_t n_ranks,
                                              const int32_t *rank_of, tess_owners **out);
void tess_owners_free(tess_owners *owners);
