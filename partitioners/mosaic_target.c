/* Targets: bisection of the width of slabs. */
#include "partitioners/mosaic_target.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

enum { N_STEPS = 8 };

/* Cuts the mesh into slabs of a width and measures the blocks. */
static tess_status measure_width(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                                 mosaic_measure *measure) {
    tess_status status = TESS_OK;
    mosaic_blocks blocks = {0};
    CHECK(mosaic_order_cut(mesh, cut, order));
    CHECK(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, &blocks));
    CHECK(mosaic_measure_blocks(&blocks, measure));
    mosaic_measure_clear(measure);
done:
    mosaic_blocks_clear(&blocks);
    return status;
}

tess_status mosaic_target_search(const mosaic_mesh *mesh, const mosaic_target *target,
                                 mosaic_cut *cut, int32_t *order, bool *met) {
    tess_status status = TESS_OK;
    mosaic_cut tried = *cut;
    mosaic_measure measure = {0};
    int32_t *trial = NULL;
    double narrow = 1, wide = cut->width;
    const size_t bytes = (size_t)mesh->pins.n_elements * sizeof *order;
    tried.halves = false;
    *met = false;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    for (int step = 0; step < N_STEPS; ++step) {
        tried.width = step == 0 ? wide : step == 1 ? narrow : (narrow + wide) / 2;
        CHECK(measure_width(mesh, &tried, trial, &measure));
        const bool fine = target->colours > 0 ? measure.colours <= target->colours
                                              : measure.reuse >= target->reuse;
        const bool widen = target->colours > 0 ? fine : !fine;
        if (step == 0 && widen)
            break;
        *met = true;
        if (fine || step == 1) { /* the narrowest has the fewest colours that there are */
            memcpy(order, trial, bytes);
            cut->width = tried.width;
        }
        if (step == 1 && fine != widen)
            break;
        narrow = step > 1 && widen ? tried.width : narrow;
        wide = step > 1 && !widen ? tried.width : wide;
    }
done:
    free(trial);
    return status;
}
