/* An exchange: elements of a pair of blocks change sides so that fewer points are in both. */
#pragma once

#include "partitioners/mosaic/blocks.h"

/* What no step that makes blocks better may do. */
typedef struct mosaic_limits {
    bool keep_sizes;     /* blocks keep their sizes; else none exceeds S */
    int32_t first_block; /* those before it are left as they are */
    int32_t max_points;  /* distinct points of a block; 0: any number */
    bool at_borders;     /* bands are the elements at shared points alone */
} mosaic_limits;

/* Two neighbouring blocks and the points that both had when they were found. */
typedef struct mosaic_contact {
    int32_t block[2];
    int32_t n_shared;
    const uint64_t *shared; /* [n_shared] the point is in the lower 32 bits; not owned */
} mosaic_contact;

/* What the exchanges of a sweep have in common. */
typedef struct mosaic_exchange {
    mosaic_blocks *blocks;
    const tess_rows
        *rows; /* of the points: a pair loads its band alone; NULL: all of both blocks */
    mosaic_limits limits;
    int32_t patience; /* moves without a gain before it gives up */
} mosaic_exchange;

/* The arrays of one thread, for any pair of some blocks. */
typedef struct mosaic_pair mosaic_pair;

/* Pairs for n threads, with room for any two of these blocks. */
TESS_MUST_CHECK tess_status mosaic_pairs_build(const mosaic_blocks *blocks, int n,
                                               mosaic_pair **pairs);
void mosaic_pairs_free(mosaic_pair *pairs, int n);

/* Exchanges elements between two blocks (Fiduccia and Mattheyses 1982): the best move of the fuller
 * side first, each element once, one element of overflow in between, back to the best state that
 * keeps the limits. In a band these are the elements at a shared point and, but at borders alone,
 * those next to them in the block; points are counted in all of both blocks. Uses the thread-th of
 * the pairs. Gives the weight of the points that are in one block less; 0 where nothing was changed
 * (it never grows). *changed tells whether an element moved. */
int64_t mosaic_exchange_pair(const mosaic_exchange *how, const mosaic_contact *contact,
                             mosaic_pair *pairs, int thread, bool *changed);
