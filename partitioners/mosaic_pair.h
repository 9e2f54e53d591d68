/* A pair: two blocks between which elements are exchanged so that fewer points are in both. */
#ifndef TESS_MOSAIC_PAIR_H
#define TESS_MOSAIC_PAIR_H

#include "partitioners/mosaic_blocks.h"

/* What an exchange may not do, and how long it may look. */
typedef struct mosaic_limits {
    bool keep_sizes;     /* blocks keep their sizes; else none exceeds S */
    int32_t first_block; /* those before it are left as they are */
    int32_t max_points;  /* distinct points of a block; 0: any number */
    int32_t patience;    /* moves without a gain before it gives up */
} mosaic_limits;

/* Arrays of one thread, for any pair; a zeroed struct is empty. Elements and points have numbers of
 * their own in it: elements [0, n_first) are the first block's. */
typedef struct mosaic_pair {
    int32_t n_first, n_elements, n_points;
    int64_t n_elements_all; /* of the pins */
    int32_t *element;       /* [n_elements] the pins' number */
    int32_t *pin_first;     /* [n_elements + 1] into pin */
    int32_t *pin;           /* [n_pins] points */
    int32_t *row_first;     /* [n_points + 2] into row */
    int32_t *row;           /* [n_pins] elements of each point */
    int32_t (*count)[2];    /* [n_points] elements that it has on each side */
    int32_t *weight;        /* [n_points] */
    int32_t *key;           /* [n_elements] what moving it to the other side gains */
    int16_t *rank;          /* [n_elements] the key in 16 bits, INT16_MIN where it is locked */
    uint8_t *side;          /* [n_elements] 0 or 1 */
    int32_t *moved;         /* [n_elements] in the order of the moves */
    int32_t *number;        /* [points of the pins] own number + base where it is of this pair */
    int32_t base;           /* numbers below it are of earlier pairs */
    int32_t points_of[2];   /* distinct points on each side */
} mosaic_pair;

/* Pairs for n threads, with room for any two blocks of these. */
TESS_MUST_CHECK tess_status mosaic_pairs_build(const mosaic_blocks *blocks, int n,
                                               mosaic_pair **pairs);
void mosaic_pairs_free(mosaic_pair *pairs, int n);

/* The distinct points of one block; *most: elements that its most frequent point has in it. */
int32_t mosaic_pair_points(const mosaic_blocks *blocks, int32_t block, mosaic_pair *pair,
                           int32_t *most);

/* Exchanges elements between blocks a and b (Fiduccia and Mattheyses 1982, restricted to two
 * blocks): the best move of the fuller side first, each element once, one element of overflow in
 * between, back to the best state that keeps the limits. Gives the weight of the points that are in
 * one block less; 0 where nothing was changed (it never grows). *changed tells whether an element
 * moved. */
int64_t mosaic_pair_exchange(mosaic_blocks *blocks, const mosaic_limits *limits, int32_t a,
                             int32_t b, mosaic_pair *pair, bool *changed);

#endif
