/* Caps: blocks with too many points are divided. */
#include "partitioners/mosaic_cap.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

/* Numbers blocks anew in block_of such that each has at most max_points; gives their number. */
static tess_status divide(const mosaic_blocks *blocks, int32_t max_points, int32_t *seen,
                          int32_t *block_of, int32_t *n_blocks) {
    const mosaic_pins *pins = blocks->pins;
    int32_t number = -1, n_points = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        const int32_t *member = blocks->member + (int64_t)b * blocks->block_size;
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            const int64_t first = mosaic_first(pins, member[i]);
            const int64_t end = mosaic_first(pins, (int64_t)member[i] + 1);
            int32_t fresh = 0;
            for (int64_t k = first; k < end; ++k)
                fresh += seen[pins->point[k]] != number;
            if (end - first > max_points)
                FAIL(TESS_ERROR_INPUT,
                     "an element has %lld points, no block may have more than %d: raise max_points",
                     (long long)(end - first), max_points);
            if (i == 0 || n_points + fresh > max_points) {
                ++number;
                n_points = 0;
                fresh = (int32_t)(end - first);
            }
            for (int64_t k = first; k < end; ++k)
                seen[pins->point[k]] = number;
            n_points += fresh;
            block_of[member[i]] = number;
        }
    }
    *n_blocks = number + 1;
    return TESS_OK;
}

tess_status mosaic_cap_points(mosaic_blocks *blocks, int32_t max_points) {
    tess_status status = TESS_OK;
    mosaic_blocks divided = {0};
    int32_t *seen = NULL, *block_of = NULL, n_blocks = 0;
    CHECK(TESS_ALLOC(blocks->pins->n_points, &seen));
    memset(seen, -1, (size_t)blocks->pins->n_points * sizeof *seen);
    CHECK(TESS_ALLOC(blocks->pins->n_elements, &block_of));
    CHECK(divide(blocks, max_points, seen, block_of, &n_blocks));
    CHECK(mosaic_blocks_build(blocks->pins, blocks->block_size, n_blocks, block_of, &divided));
    mosaic_blocks_clear(blocks);
    *blocks = divided;
done:
    free(seen);
    free(block_of);
    return status;
}
