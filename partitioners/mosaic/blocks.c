/* Blocks: built, measured. */
#include "partitioners/mosaic/blocks.h"
#include "core/base/array.h"

#include <omp.h>
#include <stdlib.h>

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
        mosaic_block(blocks, b)[blocks->size[b]++] = (int32_t)e;
        blocks->block_of[e] = b;
    }
    return TESS_OK;
}

tess_status mosaic_blocks_chop(const mosaic_pins *pins, const int32_t *order, int32_t block_size,
                               int64_t size, mosaic_blocks *blocks) {
    const int64_t n = pins->n_elements;
    TRY(blocks_alloc(pins, block_size, (int32_t)((n + size - 1) / size), blocks));
    for (int64_t i = 0; i < n; ++i) {
        const int32_t b = (int32_t)(i / size), e = order ? order[i] : (int32_t)i;
        mosaic_block(blocks, b)[blocks->size[b]++] = e;
        blocks->block_of[e] = b;
    }
    return TESS_OK;
}

/* Who had a point last: block + 1, and how often. */
typedef struct holder {
    int32_t block, n;
} holder;

/* Adds the distinct points of a block, their weight, and elements at the most frequent of them. */
static void count_points(const mosaic_blocks *blocks, int32_t block, holder *last,
                         int64_t *n_points, int64_t *weight, int64_t *colours) {
    const mosaic_pins *pins = blocks->pins;
    const int32_t *member = mosaic_block(blocks, block);
    int32_t most = 0;
    for (int32_t i = 0; i < blocks->size[block]; ++i)
        for (int64_t k = mosaic_first(pins, member[i]); k < mosaic_end(pins, member[i]); ++k) {
            holder *const by = last + pins->point[k];
            if (by->block != block + 1) {
                *by = (holder){.block = block + 1};
                *weight += mosaic_weight(pins, pins->point[k]);
                ++*n_points;
            }
            most = ++by->n > most ? by->n : most;
        }
    *colours += most;
}

/* The weight of all points, each once. */
static int64_t weight_of(const mosaic_pins *pins) {
    int64_t weight = pins->n_points;
    for (int64_t p = 0; pins->weight && p < pins->n_points; ++p)
        weight += pins->weight[p] - 1;
    return weight;
}

tess_status mosaic_blocks_measure(const mosaic_blocks *blocks, mosaic_measure *measure) {
    const int64_t n = blocks->pins->n_points;
    const bool parallel = blocks->pins->n_elements > MOSAIC_SERIAL;
    const double n_blocks = blocks->n_blocks;
    int64_t n_points = 0, weight = 0, colours = 0;
    holder *last = NULL;
    TRY(TESS_ZEROS(n * (parallel ? omp_get_max_threads() : 1), &last));
#pragma omp parallel for schedule(static) reduction(+ : n_points, weight, colours) if (parallel)
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        count_points(blocks, b, last + n * omp_get_thread_num(), &n_points, &weight, &colours);
    free(last);
    *measure =
        (mosaic_measure){.reuse = n_points ? (double)blocks->pins->n_pins / (double)n_points : 0,
                         .colours = n_blocks > 0 ? (double)colours / n_blocks : 0,
                         .points = n_blocks > 0 ? (double)n_points / n_blocks : 0,
                         .shared = weight - weight_of(blocks->pins)};
    return TESS_OK;
}

void mosaic_blocks_clear(mosaic_blocks *blocks) {
    free(blocks->member);
    free(blocks->size);
    free(blocks->block_of);
    *blocks = (mosaic_blocks){0};
}
