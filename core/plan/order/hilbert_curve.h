/* The Hilbert curve: where points of the plane or of space lie along it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

enum { TESS_HILBERT_BITS_2D = 31, TESS_HILBERT_BITS_3D = 21 }; /* of a coordinate: a key has 64 */

/* Fills key [n]: the place along the curve of each point, coordinates [n][dimension], through the
 * square or cube around all of them (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc.
 * 707, 2004). The dimension is 2 or 3. */
void tess_hilbert_keys(const double *coordinates, int64_t n, int dimension, uint64_t *key);

/* Gives the points in the order of these keys, [n], that the caller frees; points at one place keep
 * their order. */
TESS_MUST_CHECK tess_status tess_hilbert_order(const double *coordinates, int64_t n, int dimension,
                                               int32_t **order);
