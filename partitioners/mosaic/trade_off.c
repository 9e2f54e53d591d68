/* Trade-offs: the shape searched by halving, smaller blocks cut, blocks divided. */
#include "partitioners/mosaic/trade_off.h"
#include "core/base/array.h"
#include "core/plan/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Cuts that a target takes: both ends of the shape, then halvings of it down to 1/128. */
    TARGET_CUTS = 9,
    /* Cuts of ever smaller blocks that a cap takes at most. */
    CAP_CUTS = 8
};

/* Part of the cap that the mean of the blocks' points keeps to: some have more than the mean. */
static const double CAP_MEAN = 0.95;

tess_status mosaic_trade_off_check(const mosaic_trade_off *asked) {
    const int n = (asked->colours > 0) + (asked->reuse > 0) + (asked->shape < 1);
    if (n > 1)
        FAIL(TESS_ERROR_USAGE, "mosaic: shape, colours and reuse are one trade-off: give one");
    if (asked->max_points && n)
        FAIL(TESS_ERROR_USAGE, "mosaic: max_points goes with bricks alone, not with shape, colours "
                               "or reuse");
    return TESS_OK;
}

bool mosaic_trade_off_is_plain(const mosaic_trade_off *asked) {
    return !(asked->colours > 0 || asked->reuse > 0 || asked->shape < 1 || asked->max_points);
}

/* Measures blocks of consecutive elements of an order. */
static tess_status measure_order(const mosaic_mesh *mesh, int64_t block_size, const int32_t *order,
                                 mosaic_measure *measure) {
    mosaic_blocks blocks = {0};
    TRY(mosaic_blocks_chop(&mesh->pins, order, (int32_t)block_size, block_size, &blocks));
    const tess_status status = mosaic_blocks_measure(&blocks, measure);
    mosaic_blocks_clear(&blocks);
    return status;
}

/* Searches the highest shape that keeps to the colours, or the lowest that reaches the reuse. Fills
 * no order where even bricks have no more colours, or less reuse: *met is false then. */
static tess_status search_shape(const mosaic_mesh *mesh, const mosaic_trade_off *asked,
                                const mosaic_cut *cut, int32_t *order, bool *met) {
    tess_status status = TESS_OK;
    mosaic_measure measure;
    int32_t *trial = NULL, first_brick = 0;
    double low = 0, high = 1;
    *met = false;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    for (int step = 0; step < TARGET_CUTS; ++step) {
        const double shape = step == 0 ? 1 : step == 1 ? 0 : (low + high) / 2;
        CHECK(mosaic_slabs_cut(mesh, cut, shape, trial, &first_brick));
        CHECK(measure_order(mesh, cut->block_size, trial, &measure));
        const bool fine =
            asked->colours > 0 ? measure.colours <= asked->colours : measure.reuse >= asked->reuse;
        const bool raise = asked->colours > 0 ? fine : !fine;
        if (step == 0 && raise)
            break;
        *met = true;
        if (fine || step == 1) /* pencils have the fewest colours that there are */
            memcpy(order, trial, (size_t)mesh->pins.n_elements * sizeof *order);
        if (step == 1 && !raise)
            break;
        if (step > 1)
            *(raise ? &low : &high) = shape;
    }
done:
    free(trial);
    return status;
}

/* Cuts smaller blocks, and slabs as much narrower as a ball is, until the mean of their points
 * keeps to the cap. */
static tess_status shrink(const mosaic_mesh *mesh, int32_t max_points, mosaic_cut *cut,
                          int32_t *order) {
    for (int step = 0; step < CAP_CUTS && cut->block_size > 1; ++step) {
        mosaic_measure measure;
        int32_t first_brick = 0;
        TRY(measure_order(mesh, cut->block_size, order, &measure));
        const double excess = measure.points / (CAP_MEAN * max_points);
        if (excess <= 1)
            break;
        cut->width = fmax(1, cut->width / cbrt(excess));
        cut->block_size = (int64_t)fmax(1, floor((double)cut->block_size / excess));
        cut->multiple = cut->block_size;
        TRY(mosaic_slabs_cut(mesh, cut, 1, order, &first_brick));
    }
    return TESS_OK;
}

tess_status mosaic_trade_off_cut(const mosaic_mesh *mesh, const mosaic_trade_off *asked,
                                 mosaic_cut *cut, int32_t *order, mosaic_traded *traded) {
    *traded = (mosaic_traded){.met = false};
    if (asked->colours > 0 || asked->reuse > 0)
        TRY(search_shape(mesh, asked, cut, order, &traded->met));
    if (!traded->met)
        TRY(mosaic_slabs_cut(mesh, cut, asked->shape, order, &traded->first_brick));
    return asked->max_points ? shrink(mesh, asked->max_points, cut, order) : TESS_OK;
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

tess_status mosaic_blocks_cap(mosaic_blocks *blocks, int32_t max_points) {
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

tess_status mosaic_trade_off_tell(const tess_partition_problem *problem,
                                  const mosaic_trade_off *asked, const mosaic_blocks *blocks) {
    const tess_observer *observer = problem->observer;
    mosaic_measure measure;
    char text[TESS_REMARK_SIZE] = "";
    if (!(asked->colours > 0 || asked->reuse > 0) || !observer || !observer->remark)
        return TESS_OK;
    TRY(mosaic_blocks_measure(blocks, &measure));
    if (asked->colours > 0 && measure.colours > asked->colours)
        snprintf(text, sizeof text,
                 "mosaic: colours=%g is not met, blocks of %d need %.3f thread colours at least",
                 asked->colours, problem->block_size, measure.colours);
    if (asked->reuse > 0 && measure.reuse < asked->reuse)
        snprintf(text, sizeof text,
                 "mosaic: reuse=%g is not met, blocks of %d reach %.3f: try level=long or larger "
                 "blocks",
                 asked->reuse, problem->block_size, measure.reuse);
    if (text[0])
        observer->remark(observer->context, text);
    return TESS_OK;
}
