/* Probes: runs of blocks copied out and exchanged. */
#include "partitioners/mosaic/probe.h"
#include "core/base/array.h"
#include "partitioners/mosaic/piece.h"
#include "partitioners/mosaic/rounds.h"

#include <stdlib.h>

/* Blocks of a run, and runs: so many, or on small meshes so many that they are this part of it. */
enum { RUN_BLOCKS = 16, RUNS_PART = 2, PATIENCE = 16 };

/* What runs had and saved, in the weight of points. */
typedef struct sums {
    double shared, saved;  /* that its blocks have in common; less of it after a sweep */
    double points, blocks; /* of all its blocks; how many they are */
} sums;

/* Adds what blocks first ... first + n - 1 save among each other. */
static tess_status add_run(const mosaic_blocks *blocks, int32_t first, int32_t n,
                           mosaic_piece *piece, sums *all) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = true};
    const mosaic_effort once = {.sweeps = 1, .first_patience = PATIENCE};
    mosaic_blocks run = {0};
    int32_t *list = NULL, *block_of = NULL;
    int64_t n_elements = 0, shared = 0, saved = 0, at = 0;
    for (int32_t b = first; b < first + n; ++b)
        n_elements += blocks->size[b];
    CHECK(TESS_ALLOC(n_elements, &list));
    CHECK(TESS_ALLOC(n_elements, &block_of));
    for (int32_t b = first; b < first + n; ++b)
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            list[at] = blocks->member[(int64_t)b * blocks->block_size + i];
            block_of[at++] = b - first;
        }
    CHECK(mosaic_piece_fill(blocks->pins, list, 0, n_elements, piece));
    CHECK(mosaic_blocks_build(&piece->pins, blocks->block_size, n, block_of, &run));
    CHECK(mosaic_blocks_shared(&run, &shared));
    CHECK(mosaic_sweep(&run, &limits, &once, &saved));
    int64_t weight = 0;
    for (int64_t p = 0; p < piece->pins.n_points; ++p)
        weight += piece->pins.weight ? piece->pins.weight[p] : 1;
    all->shared += (double)shared;
    all->saved += (double)saved;
    all->points += (double)(weight + shared);
    all->blocks += n;
done:
    free(list);
    free(block_of);
    mosaic_blocks_clear(&run);
    return status;
}

tess_status mosaic_probe_take(const mosaic_blocks *blocks, int32_t first_block, int32_t most_runs,
                              mosaic_probe *probe) {
    tess_status status = TESS_OK;
    mosaic_piece piece = {0};
    sums all = {0};
    const int32_t n_blocks = blocks->n_blocks - first_block;
    const int32_t n = n_blocks < RUN_BLOCKS ? n_blocks : RUN_BLOCKS;
    const int32_t wanted = n_blocks / (RUN_BLOCKS * RUNS_PART);
    const int32_t n_runs = wanted < 1 ? 1 : wanted < most_runs ? wanted : most_runs;
    for (int32_t r = 0; r < n_runs; ++r) {
        const int64_t gap = n_blocks - n;
        const int32_t first = first_block + (int32_t)(gap * (2 * r + 1) / (2 * n_runs));
        CHECK(add_run(blocks, first, n, &piece, &all));
    }
    double weight = 0; /* of all points, each once */
    const mosaic_pins *pins = blocks->pins;
    for (int64_t p = 0; p < pins->n_points; ++p)
        weight += pins->weight ? pins->weight[p] : 1;
    const double points = all.points * blocks->n_blocks / all.blocks;
    probe->ragged = all.shared > 0 ? all.saved / all.shared : 0;
    probe->gain = points > weight ? probe->ragged * (points - weight) / points : 0;
done:
    mosaic_piece_clear(&piece);
    return status;
}
