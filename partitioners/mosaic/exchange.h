/* An exchange: elements of a pair of blocks change sides so that fewer points are in both. */
#ifndef TESS_MOSAIC_EXCHANGE_H
#define TESS_MOSAIC_EXCHANGE_H

#include "partitioners/mosaic/pair.h"

/* What an exchange may not do, and how long it may look. */
typedef struct mosaic_limits {
    bool keep_sizes;     /* blocks keep their sizes; else none exceeds S */
    int32_t first_block; /* those before it are left as they are */
    int32_t max_points;  /* distinct points of a block; 0: any number */
    int32_t patience;    /* moves without a gain before it gives up */
} mosaic_limits;

/* Exchanges elements between two blocks (Fiduccia and Mattheyses 1982, restricted to what is
 * loaded of two blocks, see mosaic_pair_load): the best move of the fuller side first, each element
 * once, one element of overflow in between, back to the best state that keeps the limits. Gives the
 * weight of the points that are in one block less; 0 where nothing was changed (it never grows).
 * *changed tells whether an element moved. */
int64_t mosaic_pair_exchange(mosaic_blocks *blocks, const mosaic_rows *rows,
                             const mosaic_limits *limits, const mosaic_contact *contact,
                             mosaic_pair *pair, bool *changed);

#endif
