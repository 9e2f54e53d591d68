/* A pair: two neighbouring blocks, loaded for an exchange. */
#ifndef TESS_MOSAIC_PAIR_H
#define TESS_MOSAIC_PAIR_H

#include "partitioners/mosaic/blocks.h"

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
    int32_t *mark;          /* [elements of the pins] turn in which it was loaded in a band */
    int32_t turn;
    int32_t (*outside)[2]; /* [n_points] of count, what is not loaded; debug builds */
    int32_t size[2];       /* of the blocks */
    int32_t points_of[2];  /* distinct points on each side */
} mosaic_pair;

/* Pairs for n threads, with room for any two blocks of these. */
TESS_MUST_CHECK tess_status mosaic_pairs_build(const mosaic_blocks *blocks, int n,
                                               mosaic_pair **pairs);
void mosaic_pairs_free(mosaic_pair *pairs, int n);

/* The distinct points of one block; *most: elements that its most frequent point has in it. */
int32_t mosaic_pair_points(const mosaic_blocks *blocks, int32_t block, mosaic_pair *pair,
                           int32_t *most);

/* Two blocks and the points that both had when they were found. */
typedef struct mosaic_contact {
    int32_t block[2];
    int32_t n_shared;
    const uint64_t *shared; /* [n_shared] the point is in the lower 32 bits; not owned */
} mosaic_contact;

/* Loads both blocks, or where `rows` are given their band: elements at a shared point and those
 * next to them in the block. Counts are of all elements of the blocks. */
void mosaic_pair_load(const mosaic_blocks *blocks, const mosaic_rows *rows,
                      const mosaic_contact *contact, mosaic_pair *pair);

#endif
