/* Targets: bisection of the knob between pencils and bricks; blocks with too many points divided.
 */
#include "partitioners/mosaic/target.h"
#include "core/base/array.h"
#include "core/plan/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts the mesh at a position of the knob and measures the blocks. */
static tess_status measure_knob(const mosaic_mesh *mesh, const mosaic_cut *cut, double knob,
                                int32_t *order, mosaic_measure *measure) {
    tess_status status = TESS_OK;
    mosaic_blocks blocks = {0};
    int32_t first_brick = 0;
    CHECK(mosaic_order_turn(mesh, cut, knob, order, &first_brick));
    CHECK(
        mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, cut->block_size, &blocks));
    CHECK(mosaic_blocks_measure(&blocks, measure));
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
    for (int step = 0; step < TARGET_CUTS; ++step) {
        const double knob = step == 0 ? 1 : step == 1 ? 0 : (low + high) / 2;
        mosaic_measure_clear(&measure);
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
    mosaic_measure_clear(&measure);
    free(trial);
    return status;
}

tess_status mosaic_target_tell(const tess_partition_problem *problem, const mosaic_target *target,
                               const mosaic_blocks *blocks) {
    const tess_observer *observer = problem->observer;
    mosaic_measure measure = {0};
    char text[TESS_REMARK_SIZE] = "";
    if (!(target->colours > 0 || target->reuse > 0) || !observer || !observer->remark)
        return TESS_OK;
    TRY(mosaic_blocks_measure(blocks, &measure));
    if (target->colours > 0 && measure.colours > target->colours)
        snprintf(text, sizeof text,
                 "mosaic: colours=%g is not met, blocks of %d need %.3f thread colours at least",
                 target->colours, problem->block_size, measure.colours);
    if (target->reuse > 0 && measure.reuse < target->reuse)
        snprintf(text, sizeof text,
                 "mosaic: reuse=%g is not met, blocks of %d reach %.3f: try more effort or larger "
                 "blocks",
                 target->reuse, problem->block_size, measure.reuse);
    mosaic_measure_clear(&measure);
    if (text[0])
        observer->remark(observer->context, text);
    return TESS_OK;
}

/* Numbers blocks anew in block_of such that each has at most max_points; gives their number. */
static tess_status divide(const mosaic_blocks *blocks, int32_t max_points, int32_t *seen,
                          int32_t *block_of, int32_t *n_blocks) {
    const mosaic_pins *pins = blocks->pins;
    int32_t number = -1, n_points = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        const int32_t *member = mosaic_block(blocks, b);
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            const int64_t first = mosaic_first(pins, member[i]), end = mosaic_end(pins, member[i]);
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
    for (int step = 0; step < CAP_CUTS && cut->block_size > 1; ++step) {
        mosaic_blocks blocks = {0};
        mosaic_measure measure = {0};
        TRY(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, cut->block_size,
                               &blocks));
        const tess_status status = mosaic_blocks_measure(&blocks, &measure);
        double mean = 0;
        for (int32_t b = 0; b < blocks.n_blocks && status == TESS_OK; ++b)
            mean += (double)measure.points[b] / blocks.n_blocks;
        mosaic_measure_clear(&measure);
        mosaic_blocks_clear(&blocks);
        TRY(status);
        const double excess = mean / (CAP_MEAN * max_points);
        if (excess <= 1)
            break;
        const double smaller = floor((double)cut->block_size / excess);
        cut->width = fmax(1, cut->width * pow(smaller / (double)cut->block_size, CAP_WIDTH_POWER));
        cut->block_size = smaller > 1 ? (int64_t)smaller : 1;
        cut->multiple = cut->block_size;
        TRY(mosaic_order_cut(mesh, cut, order));
    }
    return TESS_OK;
}
