/* A shape: where the blocks of a group lie, and how far an element is from the middle of each. */
#ifndef TESS_MOSAIC_SHAPE_H
#define TESS_MOSAIC_SHAPE_H

#include "core/base/status.h"

#include <stdint.h>

enum { MOSAIC_SHAPE_BLOCKS = 64 }; /* at most */

/* A zeroed struct is empty. */
typedef struct mosaic_shape {
    float (*place)[3]; /* [n_elements] where each element lies */
    int64_t capacity;
    double sum[MOSAIC_SHAPE_BLOCKS][4];   /* of x, y, z and of their squares */
    float middle[MOSAIC_SHAPE_BLOCKS][3]; /* mean place of a block's elements */
    float inverse[MOSAIC_SHAPE_BLOCKS];   /* 1 / their mean square distance from it; 0: none */
} mosaic_shape;

/* Room for the places of n elements, which the caller fills. */
TESS_MUST_CHECK tess_status mosaic_shape_reserve(int64_t n, mosaic_shape *shape);

/* Measures n_blocks blocks of n elements: home[e] is the block of element e, size [n_blocks] >= 1.
 */
void mosaic_shape_measure(int64_t n, const uint8_t *home, int32_t n_blocks, const int32_t *size,
                          mosaic_shape *shape);

/* An element goes to another block; size[b] elements are in block b then. */
void mosaic_shape_move(int32_t element, int32_t from, int32_t to, const int32_t *size,
                       mosaic_shape *shape);

/* The square of an element's distance from the middle of a block, over the block's own mean. */
static inline float mosaic_shape_apart(const mosaic_shape *shape, int32_t element, int32_t block) {
    const float *const at = shape->place[element], *const middle = shape->middle[block];
    const float x = at[0] - middle[0], y = at[1] - middle[1], z = at[2] - middle[2];
    return (x * x + y * y + z * z) * shape->inverse[block];
}

void mosaic_shape_clear(mosaic_shape *shape);

#endif
