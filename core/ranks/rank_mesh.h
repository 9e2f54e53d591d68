/* A rank's mesh: its part of a mesh with the elements of others that it needs, an ordinary mesh, so
 * that plans, strategies and devices know nothing of ranks.
 *
 * It has the sets of the whole mesh, in the same order. Each lies as
 *
 *   core | border | exec import | read import
 *
 * The rank owns the first two; it executes the core while values travel, the border after they have
 * arrived, with the exec import. Imports are grouped by owner; inside a segment (and an owner)
 * elements keep the order of the whole mesh. */
#pragma once

#include "core/ranks/halo.h"

typedef struct tess_rank_set {
    int64_t n_core, n_owned, n_executed, n; /* where each segment ends */
    int64_t *global;                        /* [n]: the element in the whole mesh; owned */
} tess_rank_set;

typedef struct tess_rank_mesh {
    int32_t rank;
    int n_sets;
    tess_mesh *mesh; /* with the maps that the loops name and centroids; rows past n_executed hold
                        -1, and so do slots to points that no loop reaches; owned */
    tess_rank_set *sets; /* [n_sets]; owned */
} tess_rank_mesh;

/* Builds that of one rank, by the halos of the step's loops, from the whole mesh, which it does not
 * need afterwards. */
TESS_MUST_CHECK tess_status tess_rank_mesh_build(const tess_ranking *ranking, const tess_halo *halo,
                                                 int32_t rank, tess_rank_mesh **out);
void tess_rank_mesh_free(tess_rank_mesh *rank_mesh);

/* Gives where the rank has each element of a set of the whole mesh, [size] elements; -1: nowhere.
 */
TESS_MUST_CHECK tess_status tess_rank_mesh_locate(const tess_rank_mesh *rank_mesh, int set,
                                                  int64_t size, int32_t **out);
