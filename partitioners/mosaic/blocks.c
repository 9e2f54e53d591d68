/* Blocks over the elements of some pins. */
#include "partitioners/mosaic/blocks.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

static tess_status blocks_alloc(const mosaic_pins *pins, int32_t block_size, int32_t n_blocks,
                                mosaic_blocks *blocks) {
    *blocks = (mosaic_blocks){.pins = pins, .n_blocks = n_blocks, .block_size = block_size};
    if (TESS_ALLOC((int64_t)n_blocks * block_size, &blocks->member) == TESS_OK &&
        TESS_ZEROS(n_blocks, &blocks->size) == TESS_OK &&
        TESS_ALLOC(pins->n_elements, &blocks->block_of) == TESS_OK)
        return TESS_OK;
    mosaic_blocks_clear(blocks);
    return TESS_ERROR_MEMORY;
}

tess_status mosaic_blocks_build(const mosaic_pins *pins, int32_t block_size, int32_t n_blocks,
                                const int32_t *block_of, mosaic_blocks *blocks) {
    TRY(blocks_alloc(pins, block_size, n_blocks, blocks));
    for (int64_t e = 0; e < pins->n_elements; ++e) {
        const int32_t b = block_of[e];
        if (blocks->size[b] == block_size) {
            mosaic_blocks_clear(blocks);
            FAIL(TESS_ERROR_INPUT, "block %d holds more than %d elements", b, block_size);
        }
        blocks->member[(int64_t)b * block_size + blocks->size[b]++] = (int32_t)e;
        blocks->block_of[e] = b;
    }
    return TESS_OK;
}

tess_status mosaic_blocks_chop(const mosaic_pins *pins, const int32_t *order, int32_t block_size,
                               mosaic_blocks *blocks) {
    const int64_t n = pins->n_elements;
    const int32_t n_blocks = (int32_t)((n + block_size - 1) / block_size);
    TRY(blocks_alloc(pins, block_size, n_blocks, blocks));
    memcpy(blocks->member, order, (size_t)n * sizeof *order);
    for (int32_t b = 0; b < n_blocks; ++b)
        blocks->size[b] = (int32_t)(b < n_blocks - 1 ? block_size : n - (int64_t)b * block_size);
    for (int64_t i = 0; i < n; ++i)
        blocks->block_of[order[i]] = (int32_t)(i / block_size);
    return TESS_OK;
}

tess_status mosaic_blocks_shared(const mosaic_blocks *blocks, int64_t *shared) {
    const mosaic_pins *pins = blocks->pins;
    int32_t *last = NULL; /* block + 1 that had each point last */
    TRY(TESS_ZEROS(pins->n_points, &last));
    *shared = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        const int32_t *member = blocks->member + (int64_t)b * blocks->block_size;
        for (int32_t i = 0; i < blocks->size[b]; ++i)
            for (int64_t k = mosaic_first(pins, member[i]);
                 k < mosaic_first(pins, (int64_t)member[i] + 1); ++k) {
                const int32_t point = pins->point[k];
                if (last[point] && last[point] != b + 1)
                    *shared += pins->weight ? pins->weight[point] : 1;
                last[point] = b + 1;
            }
    }
    free(last);
    return TESS_OK;
}

void mosaic_blocks_clear(mosaic_blocks *blocks) {
    free(blocks->member);
    free(blocks->size);
    free(blocks->block_of);
    *blocks = (mosaic_blocks){0};
}
