/* The Hilbert curve: where points of the plane or of space lie along it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

enum { TESS_HILBERT_BITS_2D = 31, TESS_HILBERT_BITS_3D = 21 }; /* of a coordinate: a key has 64 */

/* The square or cube around points, through which a curve goes. All is halved, so that no
 * difference of finite numbers overflows. The dimension is 2 or 3; of 1, the curve is a line. */
typedef struct tess_hilbert_box {
    int dimension;
    double low[3], side; /* the lowest corner; the longest side, 0 where the points coincide */
} tess_hilbert_box;

tess_hilbert_box tess_hilbert_box_of(const double *coordinates, int64_t n, int dimension);

/* Fills key [n]: the place along the curve of each point, coordinates [n][dimension], in a box (J.
 * Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004). */
void tess_hilbert_keys_in(const tess_hilbert_box *box, const double *coordinates, int64_t n,
                          uint64_t *key);

/* In the box around these points; by all threads. */
void tess_hilbert_keys(const double *coordinates, int64_t n, int dimension, uint64_t *key);

/* Gives the points in the order of these keys, [n], that the caller frees; points at one place keep
 * their order. */
TESS_MUST_CHECK tess_status tess_hilbert_order(const double *coordinates, int64_t n, int dimension,
                                               int32_t **order);
