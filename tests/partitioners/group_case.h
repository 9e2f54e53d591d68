/* Groups for mosaic's tests: what their blocks have. */
#pragma once

#include "partitioners/mosaic/group.h"

static inline int64_t points_of_all(const mosaic_group *group) {
    int64_t n = 0;
    for (int32_t b = 0; b < group->n_blocks; b++)
        n += group->points_of[b];
    return n;
}
