/* A halo: what the ranks of a mesh execute and read of each other's elements, found from the owners
 * and the loops alone, after OP2 (Giles et al., slides on OP2's MPI back end).
 *
 * By TESS_HALO_REDUNDANT the owner of a point executes every element that adds to it, those of
 * other ranks, too: the exec halo. What it adds to points of others is thrown away, for their
 * owners do the same. By TESS_HALO_PARTIAL_SUMS a rank executes its own elements only, and what it
 * adds to points of others travels to their owners. */
#pragma once

#include "core/ranks/ranking.h"

/* The elements of other ranks whose values of one dat a loop receives, or gives sums for. */
typedef struct tess_halo_list {
    int arg;         /* the loop's first that names the dat */
    int set;         /* of the dat, an index into mesh->sets */
    tess_rows *rows; /* by rank, ascending; owned */
} tess_halo_list;

typedef struct tess_halo_loop {
    tess_rows *executed; /* by rank: elements of others that it executes, ascending; owned */
    int n_arrivals, n_returns;
    tess_halo_list *arrivals; /* one a dat that arrives before the loop; owned */
    tess_halo_list *returns;  /* by SUMS, one a dat: points of others that a rank adds to; owned */
} tess_halo_loop;

/* A set's elements of other ranks that a rank has a copy of, because of any loop. */
typedef struct tess_halo_set {
    tess_rows *executed; /* by rank: those that it executes, ascending; owned */
    tess_rows *reached;  /* by rank: the others that its elements reach, ascending; owned */
    bool *border;        /* [size]: its rank cannot execute it before all has arrived: it reads what
                            arrives, or adds to a point of another rank by SUMS; owned */
} tess_halo_set;

typedef struct tess_halo {
    int n_loops, n_sets;
    tess_halo_loop *loops;
    tess_halo_set *sets;
} tess_halo;

/* Gives the halo of a ranking. Memory beyond the mesh's own is a byte an element
 * and what lies at interfaces. Fails (USAGE) where a loop writes at points otherwise than by
 * increments: which rank writes last is not defined. */
TESS_MUST_CHECK tess_status tess_halo_build(const tess_ranking *ranking, tess_halo **out);

/* Fills n_copies [size of the set]: how many ranks beside its own have a copy of each element. */
void tess_halo_count_copies(const tess_halo *halo, int set, int64_t size, int32_t *n_copies);
void tess_halo_free(tess_halo *halo);
