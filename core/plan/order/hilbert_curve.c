/* The Hilbert curve: where points of the plane or of space lie along it. */
#include "core/plan/order/hilbert_curve.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/order/hilbert_key.h"
#include <math.h>
#include <stdlib.h>

/* The box around all points: its lowest corner and its longest side, 0 where they coincide. All
 * is halved, so that no difference of finite numbers overflows. */
typedef struct half_box {
    double low[3], side;
} half_box;

static half_box box_of(const double *coordinates, int64_t n, int dimension) {
    half_box box = {.side = 0};
    for (int d = 0; d < dimension; d++) {
        double low = INFINITY, high = -INFINITY;
#pragma omp parallel for reduction(min : low) reduction(max : high)
        for (int64_t i = 0; i < n; i++) {
            const double x = 0.5 * coordinates[i * dimension + d];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        box.low[d] = low;
        if (high - low > box.side)
            box.side = high - low;
    }
    return box;
}

void tess_hilbert_keys(const double *coordinates, int64_t n, int dimension, uint64_t *key) {
    const int bits = dimension == 3 ? TESS_HILBERT_BITS_3D : TESS_HILBERT_BITS_2D;
    const half_box box = box_of(coordinates, n, dimension);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        unsigned x[3] = {0, 0, 0};
        for (int d = 0; d < dimension && box.side > 0; d++)
            x[d] = hilbert_cell(coordinates[i * dimension + d], box.low[d], box.side, bits);
        key[i] = dimension == 3 ? hilbert_key(x, 3, TESS_HILBERT_BITS_3D) /* unrolled */
                                : hilbert_key(x, dimension, bits);
    }
}

tess_status tess_hilbert_order(const double *coordinates, int64_t n, int dimension,
                               int32_t **order) {
    uint64_t *keys = NULL;
    TRY(TESS_ALLOC(n, &keys));
    tess_hilbert_keys(coordinates, n, dimension, keys);
    const tess_status status = tess_key_order(keys, n, order);
    free(keys);
    return status;
}
