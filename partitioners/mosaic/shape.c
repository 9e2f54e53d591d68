/* Shapes: means and mean squares of the places of a block's elements, kept up to date. */
#include "partitioners/mosaic/shape.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

tess_status mosaic_shape_reserve(int64_t n, mosaic_shape *shape) {
    return TESS_RESERVE(n, &shape->capacity, &shape->place);
}

static void add_place(const float *place, double sign, double *sum) {
    for (int d = 0; d < 3; ++d) {
        sum[d] += sign * place[d];
        sum[3] += sign * place[d] * place[d];
    }
}

static void find_middle(int32_t block, int32_t size, mosaic_shape *shape) {
    const double *const sum = shape->sum[block], part = 1.0 / size;
    double variance = sum[3] * part;
    for (int d = 0; d < 3; ++d) {
        const double mean = sum[d] * part;
        shape->middle[block][d] = (float)mean;
        variance -= mean * mean;
    }
    shape->inverse[block] = variance > 1e-12 * sum[3] * part ? (float)(1 / variance) : 0;
}

void mosaic_shape_measure(int64_t n, const uint8_t *home, int32_t n_blocks, const int32_t *size,
                          mosaic_shape *shape) {
    memset(shape->sum, 0, sizeof shape->sum);
    for (int64_t e = 0; e < n; ++e)
        add_place(shape->place[e], 1, shape->sum[home[e]]);
    for (int32_t b = 0; b < n_blocks; ++b)
        find_middle(b, size[b], shape);
}

void mosaic_shape_move(int32_t element, int32_t from, int32_t to, const int32_t *size,
                       mosaic_shape *shape) {
    add_place(shape->place[element], -1, shape->sum[from]);
    add_place(shape->place[element], 1, shape->sum[to]);
    find_middle(from, size[from], shape);
    find_middle(to, size[to], shape);
}

void mosaic_shape_clear(mosaic_shape *shape) {
    free(shape->place);
    *shape = (mosaic_shape){0};
}
