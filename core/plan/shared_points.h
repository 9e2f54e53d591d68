/* Shared points: those that several blocks have, and how they are told from the others. */
#pragma once

#include "core/plan/incidence.h"

typedef struct tess_shared_points {
    int64_t n, n_single; /* shared points; those that one block has */
    int32_t *row_of; /* [n_points]: the row of each shared point; -1: one block has it, -2: none */
    int32_t *point;  /* [n]: of each row, ascending */
    tess_rows *blocks; /* of each row, ascending */
} tess_shared_points;

/* Finds them in the points of n blocks, each once in a block. The same on any number of threads.
 * The caller clears them, whatever failed. */
TESS_MUST_CHECK tess_status tess_shared_points_find(const tess_incidence *points, int64_t n_blocks,
                                                    tess_shared_points *shared);
void tess_shared_points_clear(tess_shared_points *shared);
