/* Caps: blocks with too many points are divided. */
#include "partitioners/mosaic/cap.h"
#include "core/base/array.h"
#include "partitioners/mosaic/measure.h"
#include "partitioners/mosaic/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_STEPS = 8 };

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

tess_status mosaic_cap_shrink(const mosaic_mesh *mesh, int32_t max_points, mosaic_cut *cut,
                              int32_t *order) {
    for (int step = 0; step < CAP_STEPS && cut->block_size > 1; ++step) {
        mosaic_blocks blocks = {0};
        mosaic_measure measure = {0};
        TRY(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, &blocks));
        const tess_status status = mosaic_measure_blocks(&blocks, &measure);
        double mean = 0;
        for (int32_t b = 0; b < blocks.n_blocks && status == TESS_OK; ++b)
            mean += (double)measure.points[b] / blocks.n_blocks;
        mosaic_measure_clear(&measure);
        mosaic_blocks_clear(&blocks);
        TRY(status);
        const double excess = mean / (0.95 * max_points);
        if (excess <= 1)
            break;
        const double smaller = floor((double)cut->block_size / excess);
        cut->width = fmax(1, cut->width * pow(smaller / (double)cut->block_size, 0.4));
        cut->block_size = smaller > 1 ? (int64_t)smaller : 1;
        cut->multiple = cut->block_size;
        TRY(mosaic_order_cut(mesh, cut, order));
    }
    return TESS_OK;
}
