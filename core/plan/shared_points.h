/* Shared points: those that several blocks have, and how they are told from the others. */
#pragma once

#include "core/base/buckets.h"
#include "core/plan/incidence.h"

typedef struct tess_shared_points {
    int64_t n_single; /* points that one block has */
    int32_t *row_of;  /* [n_points]: the row of each shared point; -1: one block has it, -2: none */
    int32_t *point;   /* of each row, ascending */
    tess_buckets rows; /* a word for each element that has the point: its block and itself in 32
                          bits each, ascending */
} tess_shared_points;

/* Finds them in a map of n elements, in blocks block_of [n]; NULL: each is a block. Where points
 * are elements all that are reached count as shared: not each is accessed. The same on any number
 * of threads. The caller clears them, whatever failed. */
TESS_MUST_CHECK tess_status tess_shared_points_find(const tess_incidence *map,
                                                    const int32_t *block_of, int64_t n,
                                                    tess_shared_points *shared);
void tess_shared_points_clear(tess_shared_points *shared);
