/* A cutter: what cuts elements by where they lie in another place than the host, as on a device. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tess_cut_rule {
    TESS_CUT_HILBERT,  /* along the Hilbert curve (core/plan/order/hilbert_curve.h) */
    TESS_CUT_LONGEST,  /* bisected across the longest axis of each part */
    TESS_CUT_IN_TURNS, /* bisected across each axis in turn */
    TESS_CUT_SLABS,    /* in slabs along diagonals (partitioners/slab_key.h), or thicker ones */
    TESS_CUT_THICK_SLABS
} tess_cut_rule;

typedef struct tess_cut {
    tess_cut_rule rule;
    int64_t n;
    int dimension;
    const double *places; /* [n][dimension], all numbers */
    bool unchecked;       /* ... unless nobody has looked yet: they are refused then */
    int32_t block_size;
    int n_rounds; /* in which blocks swap elements then (partitioners/swap.h); 0: none */
    int n_slots;
    const int32_t
        *map; /* [n][n_slots]: the points of each, for these rounds; distinct, below 0: none */
} tess_cut;

enum { TESS_PLACE_SIZE = 64 };

/* Where it was cut, and the seconds that it took there, without what travelled. */
typedef struct tess_cut_cost {
    char place[TESS_PLACE_SIZE]; /* a GPU's name, say, or that of a device */
    double seconds;
} tess_cut_cost;

typedef struct tess_cutter {
    void *context;
    int64_t least; /* fewer elements are left to the host */
    /* Fills block_of [n] as the host would, element for element; on any thread. Fails (MEMORY,
     * MISSING) where the host is to do it. */
    tess_status (*cut)(void *context, const tess_cut *what, int32_t *block_of, tess_cut_cost *cost);
} tess_cutter;
