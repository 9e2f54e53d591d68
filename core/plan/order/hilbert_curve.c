/* The Hilbert curve: where points of the plane or of space lie along it. */
#include "core/plan/order/hilbert_curve.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/order/hilbert_key.h"
#include <math.h>
#include <stdlib.h>

tess_hilbert_box tess_hilbert_box_of(const double *coordinates, int64_t n, int dimension) {
    tess_hilbert_box box = {.dimension = dimension};
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

/* Points whose bits are turned together. */
typedef struct batch {
    unsigned x[3][128];
} batch;

static int64_t batch_at(int64_t i, int64_t n) {
    const int64_t most = sizeof(batch) / sizeof(unsigned[3]);
    return n - i < most ? n - i : most;
}

static void turn_batch(int dimension, int bits, int n, batch *points) {
    for (unsigned bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
        for (int i = 0; i < n; i++)
            hilbert_turn_first(bit, &points->x[0][i]);
        for (int d = 1; d < dimension; d++)
            for (int i = 0; i < n; i++)
                hilbert_turn(bit, &points->x[0][i], &points->x[d][i]);
    }
}

/* The keys of a batch. */
static void fill_keys(const tess_hilbert_box *box, const double *coordinates, int n,
                      uint64_t *key) {
    const int dimension = box->dimension;
    const int bits = dimension == 3 ? TESS_HILBERT_BITS_3D : TESS_HILBERT_BITS_2D;
    batch points = {.x = {{0}}};
    for (int i = 0; i < n; i++)
        for (int d = 0; d < dimension && box->side > 0; d++)
            points.x[d][i] =
                hilbert_cell(coordinates[i * dimension + d], box->low[d], box->side, bits);
    turn_batch(dimension, bits, n, &points);
    for (int i = 0; i < n; i++) {
        unsigned x[3] = {points.x[0][i], points.x[1][i], points.x[2][i]};
        key[i] =
            dimension == 3 ? hilbert_decode(x, 3) : hilbert_decode(x, dimension); /* unrolled */
    }
}

void tess_hilbert_keys_in(const tess_hilbert_box *box, const double *coordinates, int64_t n,
                          uint64_t *key) {
    for (int64_t i = 0; i < n; i += batch_at(i, n))
        fill_keys(box, coordinates + i * box->dimension, (int)batch_at(i, n), key + i);
}

void tess_hilbert_keys(const double *coordinates, int64_t n, int dimension, uint64_t *key) {
    const tess_hilbert_box box = tess_hilbert_box_of(coordinates, n, dimension);
    const int64_t of_thread = 4096;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i += of_thread)
        tess_hilbert_keys_in(&box, coordinates + i * dimension,
                             n - i < of_thread ? n - i : of_thread, key + i);
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
