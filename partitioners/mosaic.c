/* The mosaic partitioner: exact small blocks cut from the map itself, then refined in pairs. */
#include "core/array.h"
#include "core/block_rows.h"
#include "partitioners/mosaic_order.h"
#include "partitioners/mosaic_rounds.h"
#include "partitioners/partitioner.h"
#include "partitioners/refine.h"

#include <stdlib.h>

/* A point of this many times S elements is in so many blocks that it cannot guide any of them. */
enum { CROWDED_BLOCKS = 64 };

static const tess_option options[] = {
    {.key = "effort",
     .value = "3",
     .help = "sweeps of refinement at most; 0: one linear pass without any",
     .kind = TESS_OPTION_INT,
     .minimum = 0,
     .maximum = 100},
    {.key = "shape",
     .value = "1",
     .help = "width of slabs over that of a ball of S elements: small is pencils, 1 is bricks",
     .kind = TESS_OPTION_REAL,
     .minimum = 0,
     .maximum = 4},
    {.key = "cut",
     .value = "best",
     .help = "how a slab is cut: into slabs of slabs, into halves, or what is best for one of them",
     .kind = TESS_OPTION_CHOICE,
     .choices = "best|slabs|halves"},
    {.key = NULL}};

static tess_status pins_of(const tess_problem *problem, mosaic_pins *pins) {
    if (problem->block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1",
             problem->block_size);
    return mosaic_pins_build(problem, (int64_t)CROWDED_BLOCKS * problem->block_size, pins);
}

/* Sweeps over blocks of elements that are scattered in `pins`: puts blocks together first. */
static tess_status refine(const mosaic_pins *pins, const int32_t *order, int32_t block_size,
                          int32_t n_blocks, const mosaic_limits *limits, int sweeps,
                          int32_t *block_of) {
    tess_status status = TESS_OK;
    mosaic_pins sorted = {0};
    mosaic_blocks blocks = {0};
    int32_t *ordered = NULL;
    int64_t saved = 0;
    CHECK(TESS_ALLOC(pins->n_elements, &ordered));
    for (int64_t i = 0; i < pins->n_elements; ++i)
        ordered[i] = block_of[order[i]];
    CHECK(mosaic_pins_permute(pins, order, &sorted));
    CHECK(mosaic_blocks_build(&sorted, block_size, n_blocks, ordered, &blocks));
    CHECK(mosaic_sweep(&blocks, limits, sweeps, 1e-4, &saved));
    for (int64_t i = 0; i < pins->n_elements; ++i)
        block_of[order[i]] = blocks.block_of[i];
done:
    free(ordered);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&sorted);
    return status;
}

static tess_status partition(const tess_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    const int sweeps = (int)tess_spec_int(spec, options, "effort");
    const mosaic_cut cut = {.block_size = problem->block_size,
                            .width = tess_spec_real(spec, options, "shape"),
                            .tries = 3,
                            .passes = 3};
    const mosaic_shape shape = tess_spec_is(spec, options, "cut", "halves")  ? MOSAIC_HALVES
                               : tess_spec_is(spec, options, "cut", "slabs") ? MOSAIC_SLABS
                                                                             : MOSAIC_TRIED;
    const mosaic_limits limits = {.keep_sizes = true, .patience = 16};
    mosaic_pins pins = {0};
    int32_t *order = NULL;
    if (problem->n_elements == 0)
        return TESS_OK;
    CHECK(pins_of(problem, &pins));
    CHECK(mosaic_order_build(&pins, &cut, shape, &order));
    for (int64_t i = 0; i < pins.n_elements; ++i)
        block_of[order[i]] = (int32_t)(i / problem->block_size);
    const int64_t n_blocks = (pins.n_elements + problem->block_size - 1) / problem->block_size;
    if (sweeps > 0)
        CHECK(refine(&pins, order, problem->block_size, (int32_t)n_blocks, &limits, sweeps,
                     block_of));
done:
    free(order);
    mosaic_pins_clear(&pins);
    return status;
}

const tess_partitioner tess_partitioner_mosaic = {
    .name = "mosaic",
    .summary = "blocks of exactly S elements from the map alone: flat fronts, then pairwise "
               "exchange",
    .reference = "partitioners/mosaic.md",
    .options = options,
    .partition = partition};

/* Checks ids, which are dense from 0, and gives their number. */
static tess_status count_blocks(int64_t n, const int32_t *block_of, int32_t *n_blocks) {
    int32_t largest = -1;
    for (int64_t e = 0; e < n; ++e) {
        if (block_of[e] < 0 || block_of[e] >= n)
            FAIL(TESS_ERROR_INPUT, "element %lld is in block %d: ids are dense from 0",
                 (long long)e, block_of[e]);
        largest = block_of[e] > largest ? block_of[e] : largest;
    }
    *n_blocks = largest + 1;
    return TESS_OK;
}

tess_status tess_refine(const tess_problem *problem, int32_t *block_of, int effort) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = false, .patience = 16};
    mosaic_pins pins = {0};
    tess_block_rows *rows = NULL;
    int32_t n_blocks = 0;
    if (problem->n_elements == 0)
        return TESS_OK;
    CHECK(count_blocks(problem->n_elements, block_of, &n_blocks));
    CHECK(tess_block_rows_build(block_of, problem->n_elements, n_blocks, &rows));
    CHECK(pins_of(problem, &pins));
    CHECK(refine(&pins, rows->element, problem->block_size, n_blocks, &limits, effort, block_of));
done:
    tess_block_rows_free(rows);
    mosaic_pins_clear(&pins);
    return status;
}
