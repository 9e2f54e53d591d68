/* Pins: which points each element has, all maps of a problem in one table, and its inverse. */
#ifndef TESS_MOSAIC_PINS_H
#define TESS_MOSAIC_PINS_H

#include "core/plan/partition.h"

/* Loops over fewer elements or points are not worth a team of threads. */
enum { MOSAIC_SERIAL = 50000 };

typedef struct mosaic_pins {
    int64_t n_elements, n_points, n_pins;
    int arity;       /* pins of every element; 0 where `offset` is given */
    int64_t *offset; /* [n_elements + 1] into point; NULL where arity is given */
    int32_t *point;  /* [n_pins], distinct within an element */
    int32_t *weight; /* [n_points], >= 1; NULL: all 1 */
    bool borrowed;   /* point is the problem's own array */
} mosaic_pins;

/* For each point the elements that have it. */
typedef struct mosaic_rows {
    int64_t *offset;  /* [n_points + 1] into element */
    int32_t *element; /* [n_pins], ascending within a point */
} mosaic_rows;

static inline int64_t mosaic_first(const mosaic_pins *pins, int64_t element) {
    return pins->offset ? pins->offset[element] : element * pins->arity;
}

/* The pins of a problem: its maps one after the other, without padded slots, without a point's
 * second mention in an element, and without points of more than `largest` elements (they are in so
 * many blocks that none can save one). Fails (INPUT) when all points are more than 2^31 - 1. */
TESS_MUST_CHECK tess_status mosaic_pins_build(const tess_problem *problem, int64_t largest,
                                              mosaic_pins *pins);

/* The same with elements in the order `new_to_old`, points by their first mention in it. */
TESS_MUST_CHECK tess_status mosaic_pins_permute(const mosaic_pins *pins, const int32_t *new_to_old,
                                                mosaic_pins *out);

/* The inverse of the pins; `fill` into arrays of [n_points + 2] and [n_pins]. */
void mosaic_rows_fill(const mosaic_pins *pins, mosaic_rows *rows);
TESS_MUST_CHECK tess_status mosaic_rows_build(const mosaic_pins *pins, mosaic_rows *rows);
void mosaic_pins_clear(mosaic_pins *pins);
void mosaic_rows_clear(mosaic_rows *rows);

#endif
