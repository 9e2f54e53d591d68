/* Measures of blocks. */
#include "partitioners/mosaic/measure.h"
#include "core/base/array.h"

#include <omp.h>
#include <stdlib.h>

tess_status mosaic_measure_blocks(mosaic_blocks *blocks, mosaic_measure *measure) {
    tess_status status = TESS_OK;
    const int n_threads = omp_get_max_threads();
    mosaic_pair *pairs = NULL;
    int64_t n_points = 0, n_colours = 0;
    *measure = (mosaic_measure){0};
    CHECK(mosaic_pairs_build(blocks, n_threads, &pairs));
    CHECK(TESS_ALLOC(blocks->n_blocks, &measure->points));
#pragma omp parallel for schedule(static) reduction(+ : n_points, n_colours)
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        int32_t most = 0;
        measure->points[b] = mosaic_pair_points(blocks, b, pairs + omp_get_thread_num(), &most);
        n_points += measure->points[b];
        n_colours += most;
    }
    measure->reuse = n_points ? (double)blocks->pins->n_pins / (double)n_points : 0;
    measure->colours = blocks->n_blocks ? (double)n_colours / blocks->n_blocks : 0;
done:
    mosaic_pairs_free(pairs, n_threads);
    return status;
}

void mosaic_measure_clear(mosaic_measure *measure) {
    free(measure->points);
    measure->points = NULL;
}
