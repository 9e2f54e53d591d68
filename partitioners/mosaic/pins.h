/* Pins: which points each element has, all maps of a problem in one table; and its inverse.
 *
 * Two elements are neighbours where they share a point. What blocks are made for is that their
 * elements share many: mosaic saves points, each weighed by its bytes. */
#pragma once

#include "core/base/rows.h"
#include "core/plan/partition_problem.h"

enum {
    /* Elements or points: a loop over fewer is not worth a team of threads. */
    MOSAIC_SERIAL = 50000,
    /* Blocks: a point of so many times S elements is in as many blocks whatever is done. */
    MOSAIC_FREQUENT = 64
};

typedef struct mosaic_pins {
    int64_t n_elements, n_points, n_pins;
    int arity;       /* pins of every element; 0 where `offset` is given */
    int64_t *offset; /* [n_elements + 1] into point; NULL where arity is given */
    int32_t *point;  /* [n_pins], distinct within an element */
    int32_t *weight; /* [n_points], >= 1; NULL: all 1 */
} mosaic_pins;

static inline int64_t mosaic_first(const mosaic_pins *pins, int64_t element) {
    return pins->offset ? pins->offset[element] : element * pins->arity;
}

static inline int64_t mosaic_end(const mosaic_pins *pins, int64_t element) {
    return mosaic_first(pins, element + 1);
}

static inline int32_t mosaic_weight(const mosaic_pins *pins, int32_t point) {
    return pins->weight ? pins->weight[point] : 1;
}

/* The pins of a problem: its maps one after the other, without padded slots, without a point's
 * second mention in an element, and without points of more than MOSAIC_FREQUENT * S elements.
 * Fails (INPUT) when all points are more than 2^31 - 1. */
TESS_MUST_CHECK tess_status mosaic_pins_build(const tess_partition_problem *problem,
                                              mosaic_pins *pins);

/* Gives them with elements in the order `new_to_old`, or in their own (NULL), points by their first
 * mention in it, and no others: what is together in the mesh is together in memory. */
TESS_MUST_CHECK tess_status mosaic_pins_permute(const mosaic_pins *pins, const int32_t *new_to_old,
                                                mosaic_pins *out);
void mosaic_pins_clear(mosaic_pins *pins);

/* The elements of each point, ascending. */
TESS_MUST_CHECK tess_status mosaic_rows_build(const mosaic_pins *pins, tess_rows **out);

/* Elements of some pins: n of a list, or where that is NULL, of the numbering from `first` on. */
typedef struct mosaic_part {
    const int32_t *list;
    int64_t first, n;
} mosaic_part;

/* A part copied out, with points numbered anew by first mention: small enough for a core's cache.
 * A zeroed struct is empty; arrays of an earlier use are used again. */
typedef struct mosaic_piece {
    mosaic_pins pins;
    tess_rows rows;
    int32_t *number; /* [points of the pins] of each point + base, or less: not of this piece */
    int64_t n_numbers;
    int32_t base;
    int64_t capacity_offset, capacity_pins, capacity_weights, capacity_rows, capacity_items;
} mosaic_piece;

TESS_MUST_CHECK tess_status mosaic_piece_copy(const mosaic_pins *pins, mosaic_part part,
                                              mosaic_piece *piece);
void mosaic_piece_clear(mosaic_piece *piece);
