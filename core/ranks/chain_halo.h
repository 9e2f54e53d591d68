/* A chain's halo: what the ranks of a mesh need of each other for a chain of loops: as many rings
 * of points as it computes again, what is loaded around them, and the elements that add to them. */
#pragma once

#include "core/base/row_pairs.h"
#include "core/ranks/ranking.h"

/* A chain while its halo is found; all is the caller's, who closes the rows, by rank. */
typedef struct tess_chain_halo {
    const tess_mesh *mesh;
    const tess_owners *owners;
    const tess_ranked_loop *ranked;     /* that stands for it */
    tess_row_pairs *executes, *reached; /* [n_sets]: what each rank computes of others, and what it
                                           reaches besides, of all loops */
    tess_row_pairs *executed;           /* of the owner's set, by this chain */
    tess_row_pairs *lists;              /* [dats of the chain]: what arrives before it */
} tess_chain_halo;

/* Adds what the chain needs to the pairs of `executes`, `reached`, `executed` and `lists`. */
TESS_MUST_CHECK tess_status tess_chain_halo_find(const tess_chain_halo *of);
