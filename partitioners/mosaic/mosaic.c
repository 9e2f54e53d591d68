/* The mosaic partitioner: exact small blocks cut from the map itself, then refined in pairs. */
#include "core/base/array.h"
#include "core/base/rows.h"
#include "partitioners/mosaic/cap.h"
#include "partitioners/mosaic/polish.h"
#include "partitioners/mosaic/regular.h"
#include "partitioners/mosaic/target.h"
#include "partitioners/partitioner.h"
#include "partitioners/refine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A point of this many times S elements is in so many blocks that it cannot guide any of them. */
enum { CROWDED_BLOCKS = 64 };

static const tess_option options[] = {
    {.key = "effort",
     .value = "3",
     .help = "0: one linear pass; 1: exchange in pairs; 2 to 6: annealing, ever longer",
     .kind = TESS_OPTION_INT,
     .minimum = 0,
     .maximum = MOSAIC_EFFORT_LARGEST},
    {.key = "shape",
     .value = "1",
     .help = "part of the blocks that are bricks, not pencils: more reuse, more thread colours",
     .kind = TESS_OPTION_REAL,
     .minimum = 0,
     .maximum = 1},
    {.key = "colours",
     .value = "0",
     .help = "widest blocks of no more thread colours in the mean; 0: any",
     .kind = TESS_OPTION_REAL,
     .minimum = 0,
     .maximum = 65535},
    {.key = "reuse",
     .value = "0",
     .help = "narrowest blocks that reach this reuse factor; 0: as much as can be",
     .kind = TESS_OPTION_REAL,
     .minimum = 0,
     .maximum = 65535},
    {.key = "max_points",
     .value = "0",
     .help = "distinct points of a block at most (shared memory); 0: any",
     .kind = TESS_OPTION_INT,
     .minimum = 0,
     .maximum = INT32_MAX},
    {.key = "cut",
     .value = "best",
     .help = "slabs of slabs, halves of halves, or what is better on a sample of the mesh",
     .kind = TESS_OPTION_CHOICE,
     .choices = "best|slabs|halves"},
    TESS_OPTION_SEED,
    {.key = NULL}};

/* What is asked for, and with what effort. */
typedef struct request {
    mosaic_cut cut;
    mosaic_target target;
    double shape;
    int32_t max_points;
    bool tried;  /* which cut, and how wide, is found out */
    bool places; /* where these are as good as the map, they make the cut */
    mosaic_choice chosen;
    mosaic_limits limits;
    mosaic_polish polish;
    uint64_t seed;
} request;

/* True where blocks other than the best are asked for. */
static bool is_turned(const request *asked) {
    return asked->target.colours > 0 || asked->target.reuse > 0 || asked->shape < 1;
}

static tess_status request_parse(const tess_problem *problem, const tess_spec *spec,
                                 request *asked) {
    const int effort = (int)tess_spec_int(spec, options, "effort");
    const uint64_t seed = tess_partitioner_seed(problem, spec, options);
    *asked = (request){.cut = {.block_size = problem->block_size,
                               .multiple = problem->block_size,
                               .halves = tess_spec_is(spec, options, "cut", "halves"),
                               .tries = mosaic_efforts[effort].tries,
                               .passes = mosaic_efforts[effort].passes,
                               .from = (double)(seed % 1009) / 1009},
                       .target = {.colours = tess_spec_real(spec, options, "colours"),
                                  .reuse = tess_spec_real(spec, options, "reuse")},
                       .shape = tess_spec_real(spec, options, "shape"),
                       .max_points = (int32_t)tess_spec_int(spec, options, "max_points"),
                       .tried = tess_spec_is(spec, options, "cut", "best"),
                       .limits = {.keep_sizes = true},
                       .polish = mosaic_efforts[effort],
                       .seed = seed};
    const bool turned = asked->shape < 1;
    asked->places = asked->tried && asked->polish.places && !is_turned(asked) && !asked->max_points;
    if ((asked->target.colours > 0) + (asked->target.reuse > 0) + turned > 1)
        FAIL(TESS_ERROR_USAGE, "mosaic: shape, colours and reuse turn the same knob: give one");
    if (asked->max_points && is_turned(asked))
        FAIL(TESS_ERROR_USAGE, "mosaic: max_points goes with bricks alone, not with shape, colours "
                               "or reuse");
    return TESS_OK;
}

/* Fills order [n_elements] and the size of its blocks, cut->block_size; *places in that order,
 * where they made the cut. */
static tess_status order_elements(const mosaic_mesh *mesh, request *asked, int32_t *order,
                                  mosaic_place **places) {
    mosaic_cut *cut = &asked->cut;
    bool met = false;
    cut->width = mesh->ball.width;
    if (mesh->scattered)
        return mosaic_bisect(mesh, cut->block_size, order, places);
    if (asked->tried && mesh->regular)
        TRY(mosaic_regular_choose(mesh, cut, order, &asked->chosen));
    if (!is_turned(asked) && !asked->max_points)
        TRY(mosaic_regular_snake(mesh, cut, order, &asked->chosen));
    if (asked->tried && !asked->chosen.regular)
        TRY(mosaic_order_choose(mesh, cut, order, &asked->chosen.filled));
    if (asked->target.colours > 0 || asked->target.reuse > 0)
        TRY(mosaic_target_search(mesh, &asked->target, cut, order, &met));
    if (asked->shape < 1)
        TRY(mosaic_order_turn(mesh, cut, asked->shape, order, &asked->limits.first_block));
    else if (met) /* exchanges would undo what was asked for */
        asked->polish = mosaic_efforts[0];
    else if (!asked->chosen.filled)
        TRY(mosaic_order_cut(mesh, cut, order));
    if (asked->max_points)
        TRY(mosaic_cap_shrink(mesh, asked->max_points, cut, order));
    return TESS_OK;
}

/* Makes blocks better and gives the block of each element; element i of their pins is number[i]. */
static tess_status polish_all(mosaic_blocks *blocks, const mosaic_limits *limits,
                              const mosaic_polish *how, uint64_t seed, const int32_t *number,
                              int32_t *block_of) {
    TRY(mosaic_polish_blocks(blocks, limits, how, seed));
#pragma omp parallel for schedule(static) if (blocks->pins->n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < blocks->pins->n_elements; ++i)
        block_of[number[i]] = blocks->block_of[i];
    return TESS_OK;
}

/* Pins in the order of blocks: what a block's elements have is together in memory. */
static tess_status gather(const mosaic_mesh *mesh, int32_t *order, mosaic_pins *gathered) {
    TRY(mosaic_pins_permute(&mesh->pins, order, gathered));
#pragma omp parallel for schedule(static) if (mesh->pins.n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i)
        order[i] = mesh->order[order[i]];
    return TESS_OK;
}

/* Blocks of S elements from the first on, no more than problem->block_size even where S is less. */
static tess_status blocks_of(const tess_problem *problem, const request *asked,
                             const mosaic_pins *pins, mosaic_blocks *blocks) {
    tess_status status = TESS_OK;
    int32_t *block_of = NULL;
    const int64_t n = pins->n_elements, size = asked->cut.block_size;
    CHECK(TESS_ALLOC(n, &block_of));
    for (int64_t i = 0; i < n; ++i)
        block_of[i] = (int32_t)(i / size);
    CHECK(mosaic_blocks_build(pins, problem->block_size, (int32_t)((n + size - 1) / size), block_of,
                              blocks));
    if (asked->max_points)
        CHECK(mosaic_cap_points(blocks, asked->max_points));
done:
    free(block_of);
    return status;
}

/* The problem with a block size that no more than all elements can fill: what is allocated follows
 * the mesh, not the number that was asked for. */
static tess_status fit_block_size(const tess_problem *given, tess_problem *problem) {
    if (given->block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1",
             given->block_size);
    *problem = *given;
    if (problem->n_elements > 0 && problem->n_elements < problem->block_size)
        problem->block_size = (int32_t)problem->n_elements;
    return TESS_OK;
}

/* Says what is missed of a target for thread colours or reuse. */
static tess_status tell_target(const tess_problem *problem, const mosaic_target *target,
                               mosaic_blocks *blocks) {
    const tess_observer *observer = problem->observer;
    mosaic_measure measure = {0};
    char text[TESS_REMARK_SIZE] = "";
    if (!(target->colours > 0 || target->reuse > 0) || !observer || !observer->remark)
        return TESS_OK;
    TRY(mosaic_measure_blocks(blocks, &measure));
    mosaic_measure_clear(&measure);
    if (target->colours > 0 && measure.colours > target->colours)
        snprintf(text, sizeof text,
                 "mosaic: colours=%g is not met, blocks of %d need %.3f thread colours at least",
                 target->colours, problem->block_size, measure.colours);
    if (target->reuse > 0 && measure.reuse < target->reuse)
        snprintf(text, sizeof text,
                 "mosaic: reuse=%g is not met, blocks of %d reach %.3f: try more effort or larger "
                 "blocks",
                 target->reuse, problem->block_size, measure.reuse);
    if (text[0])
        observer->remark(observer->context, text);
    return TESS_OK;
}

/* True where nothing follows the cut: nothing is asked for, or all blocks are as good as balls. */
static bool stays(const request *asked) {
    const bool settled = asked->chosen.settled && asked->polish.probed;
    return !is_turned(asked) && !asked->max_points && (settled || !asked->polish.sweeps.sweeps);
}

/* The blocks of an order as they are cut. */
static void order_gives(const mosaic_mesh *mesh, const int32_t *order, int64_t block_size,
                        int32_t *block_of) {
#pragma omp parallel for schedule(static) if (mesh->pins.n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i)
        block_of[mesh->order[order[i]]] = (int32_t)(i / block_size);
}

static tess_status partition(const tess_problem *given, const tess_spec *spec, int32_t *block_of) {
    tess_status status = TESS_OK;
    mosaic_mesh mesh = {0};
    mosaic_pins pins = {0};
    mosaic_blocks blocks = {0};
    int32_t *order = NULL;
    mosaic_place *places = NULL;
    request asked;
    tess_problem fitted;
    const tess_problem *problem = &fitted;
    TRY(fit_block_size(given, &fitted));
    TRY(request_parse(problem, spec, &asked));
    if (problem->n_elements == 0)
        return TESS_OK;
    const int64_t crowd = (int64_t)CROWDED_BLOCKS * problem->block_size;
    CHECK(mosaic_mesh_build(problem, asked.max_points ? INT64_MAX : crowd, asked.cut.from,
                            asked.places, &mesh));
    CHECK(TESS_ALLOC(problem->n_elements, &order));
    CHECK(order_elements(&mesh, &asked, order, &places));
    if (stays(&asked)) {
        order_gives(&mesh, order, asked.cut.block_size, block_of);
        goto done;
    }
    CHECK(gather(&mesh, order, &pins));
    mosaic_mesh_clear(&mesh);
    CHECK(blocks_of(problem, &asked, &pins, &blocks));
    blocks.regular = asked.chosen.regular;
    blocks.place = places;
    blocks.dimension = problem->dimension;
    asked.limits.max_points = asked.max_points;
    asked.limits.keep_sizes = !asked.max_points;
    CHECK(polish_all(&blocks, &asked.limits, &asked.polish, asked.seed, order, block_of));
    CHECK(tell_target(problem, &asked.target, &blocks));
done:
    free(order);
    free(places);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    mosaic_mesh_clear(&mesh);
    return status;
}

const tess_partitioner tess_partitioner_mosaic = {
    .name = "mosaic",
    .summary = "blocks of exactly S elements from the map alone: flat fronts, then exchange "
               "in pairs and annealing",
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

tess_status tess_refine(const tess_problem *given, int32_t *block_of, int effort) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = false};
    const int level = effort < 0                       ? 0
                      : effort > MOSAIC_EFFORT_LARGEST ? MOSAIC_EFFORT_LARGEST
                                                       : effort;
    mosaic_pins pins = {0}, gathered = {0};
    mosaic_blocks blocks = {0};
    tess_rows *rows = NULL;
    int32_t n_blocks = 0, *sorted = NULL;
    tess_problem fitted;
    const tess_problem *problem = &fitted;
    TRY(fit_block_size(given, &fitted));
    const int64_t crowd = (int64_t)CROWDED_BLOCKS * problem->block_size;
    CHECK(count_blocks(problem->n_elements, block_of, &n_blocks));
    if (problem->n_elements == 0)
        return TESS_OK;
    CHECK(tess_rows_build(block_of, problem->n_elements, n_blocks, &rows));
    CHECK(TESS_ALLOC(problem->n_elements, &sorted));
    for (int64_t i = 0; i < problem->n_elements; ++i)
        sorted[i] = block_of[rows->item[i]];
    CHECK(mosaic_pins_build(problem, crowd, &pins));
    CHECK(mosaic_pins_permute(&pins, rows->item, &gathered));
    CHECK(mosaic_blocks_build(&gathered, problem->block_size, n_blocks, sorted, &blocks));
    CHECK(polish_all(&blocks, &limits, &mosaic_efforts[level], 0, rows->item, block_of));
done:
    free(sorted);
    tess_rows_free(rows);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&gathered);
    mosaic_pins_clear(&pins);
    return status;
}
