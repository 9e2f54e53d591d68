/* A piece: some elements of the pins with points numbered anew, small enough for a core's cache. */
#pragma once

#include "partitioners/mosaic/walk.h"

/* Elements of some pins: n of a list, or where that is NULL, of the numbering from `first` on. */
typedef struct mosaic_part {
    const int32_t *list;
    int64_t first, n;
} mosaic_part;

typedef struct mosaic_piece {
    mosaic_pins pins;
    tess_rows rows;
    mosaic_walk walk;
    int64_t *offset; /* [n_elements + 1] that of the pins, where elements differ in arity */
    int32_t *number; /* [n_numbers] of each point of the pins + base, or less: not of this piece */
    int64_t n_numbers;
    int32_t base;
    int64_t capacity_elements, capacity_pins, capacity_points, capacity_weights, capacity_items;
} mosaic_piece;

/* Copies a part of `pins` and its rows, with the walk for `fill`. A zeroed struct is empty; arrays
 * of an earlier use are used again, 4 bytes for every point of the pins among them. */
TESS_MUST_CHECK tess_status mosaic_piece_copy(const mosaic_pins *pins, mosaic_part part,
                                              mosaic_piece *piece);
TESS_MUST_CHECK tess_status mosaic_piece_fill(const mosaic_pins *pins, mosaic_part part,
                                              mosaic_piece *piece);
/* Rows and walk of all pins, which are not copied and outlive them: the piece has none. */
TESS_MUST_CHECK tess_status mosaic_piece_span(const mosaic_pins *pins, mosaic_piece *piece);
/* Frees all but the pins. */
void mosaic_piece_strip(mosaic_piece *piece);
void mosaic_piece_clear(mosaic_piece *piece);
