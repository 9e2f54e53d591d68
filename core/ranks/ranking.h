/* A ranking: a mesh whose elements have owners, and the loops of a time step as its ranks execute
 * them. */
#pragma once

#include "core/plan/chain.h"
#include "core/ranks/owners.h"

/* Who computes what is added to a point of another rank. */
typedef enum tess_halo_mode {
    TESS_HALO_REDUNDANT,   /* the point's owner executes the element as well (OP2) */
    TESS_HALO_PARTIAL_SUMS /* the element's owner sends the sum, the point's owner adds it */
} tess_halo_mode;

#define TESS_HALO_NAMES                                                                            \
    [TESS_HALO_REDUNDANT] = "redundant", [TESS_HALO_PARTIAL_SUMS] = "partial-sums"

typedef struct tess_ranked_loop {
    const tess_loop *loop;
    tess_halo_mode mode; /* TESS_HALO_REDUNDANT where the loop increments nothing through maps */
    bool *arrives;       /* [n_args]: the time step changes the dat that this arg reads, so that its
                            values at elements of other ranks arrive before the loop; owned */
    const tess_chain *chain; /* that the loop stands for: over its owner, with an arg, direct and
                                without a map, for each of its dats; NULL: none */
} tess_ranked_loop;

/* All that is pointed to outlives the ranking. */
typedef struct tess_ranking {
    const tess_mesh *mesh;
    const tess_owners *owners;
    int n_loops;
    const tess_ranked_loop *loops; /* the distinct ones of the step */
} tess_ranking;
