/* Targets: bisection of the knob between pencils and bricks. */
#include "partitioners/mosaic/target.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { N_STEPS = 9 };

/* Cuts the mesh at a place of the knob and measures the blocks. */
static tess_status measure_knob(const mosaic_mesh *mesh, const mosaic_cut *cut, double knob,
                                int32_t *order, mosaic_measure *measure) {
    tess_status status = TESS_OK;
    mosaic_blocks blocks = {0};
    int32_t first_brick = 0;
    CHECK(mosaic_order_turn(mesh, cut, knob, order, &first_brick));
    CHECK(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, &blocks));
    CHECK(mosaic_measure_blocks(&blocks, measure));
    mosaic_measure_clear(measure);
done:
    mosaic_blocks_clear(&blocks);
    return status;
}

tess_status mosaic_target_search(const mosaic_mesh *mesh, const mosaic_target *target,
                                 const mosaic_cut *cut, int32_t *order, bool *met) {
    tess_status status = TESS_OK;
    mosaic_measure measure = {0};
    int32_t *trial = NULL;
    double low = 0, high = 1;
    const size_t bytes = (size_t)mesh->pins.n_elements * sizeof *order;
    *met = false;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    for (int step = 0; step < N_STEPS; ++step) {
        const double knob = step == 0 ? 1 : step == 1 ? 0 : (low + high) / 2;
        CHECK(measure_knob(mesh, cut, knob, trial, &measure));
        const bool fine = target->colours > 0 ? measure.colours <= target->colours
                                              : measure.reuse >= target->reuse;
        const bool raise = target->colours > 0 ? fine : !fine;
        if (step == 0 && raise)
            break;
        *met = true;
        if (fine || step == 1) /* pencils have the fewest colours that there are */
            memcpy(order, trial, bytes);
        if (step == 1 && !raise)
            break;
        if (step > 1)
            *(raise ? &low : &high) = knob;
    }
done:
    free(trial);
    return status;
}
