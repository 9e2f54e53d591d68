/* A piece: some elements of the pins with points numbered anew, small enough for a core's cache. */
#ifndef TESS_MOSAIC_PIECE_H
#define TESS_MOSAIC_PIECE_H

#include "partitioners/mosaic/walk.h"

typedef struct mosaic_piece {
    mosaic_pins pins;
    mosaic_rows rows;
    mosaic_walk walk;
    int64_t *offset; /* [n_elements + 1] that of the pins, where elements differ in arity */
    int32_t *table;  /* [table_size] hashed: local number of a point, or -1 */
    int32_t *key;    /* [table_size]: the point */
    int64_t table_size;
    int32_t *direct; /* [n_direct] instead of both: local number + base of a point, or less */
    int64_t n_direct;
    int32_t base;
    int64_t capacity_elements, capacity_pins, capacity_points, capacity_table, capacity_weights;
} mosaic_piece;

/* Fills the piece with n elements of `pins`: list[0 ... n), or first ... first + n - 1 where list
 * is NULL. A zeroed struct is empty; arrays of an earlier use are used again. */
TESS_MUST_CHECK tess_status mosaic_piece_fill(const mosaic_pins *pins, const int32_t *list,
                                              int64_t first, int64_t n, mosaic_piece *piece);
/* The same without the walk. Instead of hashing it keeps 4 bytes for every point of the pins: for
 * many pieces of the same pins, one after the other. */
TESS_MUST_CHECK tess_status mosaic_piece_copy(const mosaic_pins *pins, const int32_t *list,
                                              int64_t n, mosaic_piece *piece);
void mosaic_piece_clear(mosaic_piece *piece);

#endif
