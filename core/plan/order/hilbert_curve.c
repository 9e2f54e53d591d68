/* The Hilbert curve: where points of the plane or of space lie along it. */
#include "core/plan/order/hilbert_curve.h"

#include <math.h>

enum { BITS_2D = 31, BITS_3D = 21 }; /* of a grid coordinate: a key has 64 */

/* Moves bit b of a coordinate to bit `dimension` * b of a key (for 2D and 3D by doubling steps). */
static uint64_t spread(uint64_t x, int dimension) {
    if (dimension == 3) {
        x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
        x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
        x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
        x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
        return (x | x << 2) & UINT64_C(0x1249249249249249);
    }
    if (dimension == 2) {
        x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
        x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
        x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        x = (x | x << 2) & UINT64_C(0x3333333333333333);
        return (x | x << 1) & UINT64_C(0x5555555555555555);
    }
    return x;
}

/* The place along the curve of a grid point of `dimension` coordinates of `bits` bits each, by
 * J. Skilling, "Programming the Hilbert curve", 2004: undo the rotations from the top bit down,
 * then Gray-decode; the key's bits are those of the coordinates, interleaved. */
static inline uint64_t hilbert_key(uint32_t *x, int dimension, int bits) {
    const uint32_t top = UINT32_C(1) << (bits - 1);
    for (uint32_t bit = top; bit > 1; bit >>= 1) {
        const uint32_t below = bit - 1;
        for (int d = 0; d < dimension; d++) {
            /* where the bit is set, invert the first coordinate; else swap it with this one */
            const uint32_t set = 0U - ((x[d] & bit) != 0);
            const uint32_t swapped = (x[0] ^ x[d]) & below & ~set;
            x[0] ^= swapped ^ (below & set);
            x[d] ^= d > 0 ? swapped : 0; /* the first with itself: nothing */
        }
    }
    for (int d = 1; d < dimension; d++)
        x[d] ^= x[d - 1];
    uint32_t flips = x[dimension - 1] >> 1; /* each bit: the parity of the bits above it */
    for (int shift = 1; shift < 32; shift *= 2)
        flips ^= flips >> shift;
    uint64_t key = 0;
    for (int d = 0; d < dimension; d++)
        key |= spread(x[d] ^ flips, dimension) << (dimension - 1 - d);
    return key;
}

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
    const int bits = dimension == 3 ? BITS_3D : BITS_2D;
    const half_box box = box_of(coordinates, n, dimension);
    const double cells = ldexp(1, bits) - 1;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        uint32_t x[3] = {0, 0, 0};
        for (int d = 0; d < dimension && box.side > 0; d++) {
            const double along = 0.5 * coordinates[i * dimension + d] - box.low[d];
            x[d] = (uint32_t)(along / box.side * cells);
        }
        key[i] = hilbert_key(x, dimension, bits);
    }
}
