/* Blocks over the elements of some pins. */
#include "partitioners/mosaic_blocks.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

tess_status mosaic_blocks_build(const mosaic_pins *pins, int32_t block_size, int32_t n_blocks,
                                const int32_t *block_of, mosaic_blocks *blocks) {
    tess_status status = TESS_OK;
    *blocks = (mosaic_blocks){.pins = pins, .n_blocks = n_blocks, .block_size = block_size};
    CHECK(TESS_ALLOC((int64_t)n_blocks * block_size, &blocks->member));
    CHECK(TESS_ZEROS(n_blocks, &blocks->size));
    CHECK(TESS_ALLOC(pins->n_elements, &blocks->block_of));
    for (int64_t e = 0; e < pins->n_elements; ++e) {
        const int32_t b = block_of[e];
        if (blocks->size[b] == block_size)
            CHECK(
                tess_fail(TESS_ERROR_INPUT, "block %d holds more than %d elements", b, block_size));
        blocks->member[(int64_t)b * block_size + blocks->size[b]++] = (int32_t)e;
        blocks->block_of[e] = b;
    }
done:
    if (status != TESS_OK)
        mosaic_blocks_clear(blocks);
    return status;
}

void mosaic_blocks_clear(mosaic_blocks *blocks) {
    free(blocks->member);
    free(blocks->size);
    free(blocks->block_of);
    *blocks = (mosaic_blocks){0};
}
