/* The mosaic partitioner: exact small blocks cut from the map itself, then made better in pairs and
 * groups. docs/mosaic.md tells the algorithm; its steps are called in their order in `partition`.
 */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/plan/graph.h"
#include "partitioners/mosaic/bisect.h"
#include "partitioners/mosaic/choose.h"
#include "partitioners/mosaic/links.h"
#include "partitioners/mosaic/polish.h"
#include "partitioners/mosaic/target.h"
#include "partitioners/partitioner.h"
#include "partitioners/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tess_option options[] = {
    TESS_INT_OPTION("effort", TESS_DIGITS(MOSAIC_EFFORT), 0, MOSAIC_EFFORT_LARGEST,
                    "0: one linear pass; 1: exchange in pairs; 2 to 6: annealing, ever longer"),
    TESS_REAL_OPTION(
        "shape", "1", 0, 1,
        "part of the blocks that are bricks, not pencils: more reuse, more thread colours"),
    TESS_REAL_OPTION("colours", "0", 0, 65535,
                     "widest blocks of no more thread colours in the mean; 0: any"),
    TESS_REAL_OPTION("reuse", "0", 0, 65535,
                     "narrowest blocks that reach this reuse factor; 0: as much as can be"),
    TESS_INT_OPTION("max_points", "0", 0, INT32_MAX,
                    "distinct points of a block at most (shared memory); 0: any"),
    TESS_CHOICE_OPTION(
        "cut", "best", "best|slabs|halves",
        "slabs of slabs, halves of halves, or what is better on a sample of the mesh"),
    TESS_OPTION_SEED,
    {.key = NULL}};

/* What is asked for. */
typedef struct request {
    const mosaic_effort *effort;
    mosaic_cut cut;
    mosaic_target target;
    double shape;
    int32_t max_points;
    bool any_cut; /* which cut, and how wide, is found out */
    uint64_t seed;
} request;

/* True where blocks other than the best are asked for. */
static bool is_turned(const request *asked) {
    return asked->target.colours > 0 || asked->target.reuse > 0 || asked->shape < 1;
}

static bool is_plain(const request *asked) {
    return !is_turned(asked) && !asked->max_points;
}

static tess_status request_parse(const tess_partition_problem *problem, const tess_spec *spec,
                                 request *asked) {
    const mosaic_effort *effort = mosaic_efforts + tess_spec_int(spec, options, "effort");
    const uint64_t seed = tess_partitioner_seed(problem, spec, options);
    *asked = (request){.effort = effort,
                       .cut = {.block_size = problem->block_size,
                               .multiple = problem->block_size,
                               .halves = tess_spec_is(spec, options, "cut", "halves"),
                               .tries = effort->tries,
                               .smoothing = effort->smoothing,
                               .from = (double)(seed % SEED_SHIFTS) / SEED_SHIFTS},
                       .target = {.colours = tess_spec_real(spec, options, "colours"),
                                  .reuse = tess_spec_real(spec, options, "reuse")},
                       .shape = tess_spec_real(spec, options, "shape"),
                       .max_points = (int32_t)tess_spec_int(spec, options, "max_points"),
                       .any_cut = tess_spec_is(spec, options, "cut", "best"),
                       .seed = seed};
    const bool shaped = asked->shape < 1;
    if ((asked->target.colours > 0) + (asked->target.reuse > 0) + shaped > 1)
        FAIL(TESS_ERROR_USAGE, "mosaic: shape, colours and reuse turn the same knob: give one");
    if (asked->max_points && is_turned(asked))
        FAIL(TESS_ERROR_USAGE, "mosaic: max_points goes with bricks alone, not with shape, colours "
                               "or reuse");
    return TESS_OK;
}

/* The problem with a block size that no more than all elements can fill: what is allocated follows
 * the mesh, not the number that was asked for. */
static tess_status fit_block_size(const tess_partition_problem *given,
                                  tess_partition_problem *problem) {
    if (given->block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1",
             given->block_size);
    *problem = *given;
    if (problem->n_elements > 0 && problem->n_elements < problem->block_size)
        problem->block_size = (int32_t)problem->n_elements;
    return TESS_OK;
}

static int64_t crowd_of(const tess_partition_problem *problem) {
    return (int64_t)CROWDED_BLOCKS * problem->block_size;
}

/* An order of which every cut.block_size elements are a block. */
typedef struct ordering {
    int32_t *position;         /* [n_elements] in the walked mesh */
    mosaic_centroid *centroid; /* [n_elements] where coordinates made the cut, else NULL */
    mosaic_choice chosen;
    int32_t first_brick; /* blocks before it are pencils */
} ordering;

/* Fills the order, and the size of its blocks. */
static tess_status order_elements(const mosaic_mesh *mesh, request *asked, ordering *order) {
    mosaic_cut *const cut = &asked->cut;
    int32_t *const position = order->position;
    bool met = false;
    if (mesh->by_coordinates)
        return mosaic_bisect(mesh, cut->block_size, position, &order->centroid);
    TRY(mosaic_choose(mesh, asked->any_cut, is_plain(asked), cut, position, &order->chosen));
    if (asked->target.colours > 0 || asked->target.reuse > 0)
        TRY(mosaic_target_search(mesh, &asked->target, cut, position, &met));
    if (asked->shape < 1)
        TRY(mosaic_order_turn(mesh, cut, asked->shape, position, &order->first_brick));
    else if (met) /* exchanges would undo what was asked for */
        asked->effort = mosaic_efforts;
    else if (!order->chosen.filled)
        TRY(mosaic_order_cut(mesh, cut, position));
    return asked->max_points ? mosaic_cap_shrink(mesh, asked->max_points, cut, position) : TESS_OK;
}

/* True where nothing follows the cut: nothing is asked for, or all blocks are as good as balls. */
static bool stays(const request *asked, const mosaic_choice *chosen) {
    const bool settled = chosen->settled && asked->effort->probes;
    return is_plain(asked) && (settled || !asked->effort->sweeps.n);
}

/* The blocks of an order as they are cut. */
static void give_order(const mosaic_mesh *mesh, const int32_t *position, int64_t block_size,
                       int32_t *block_of) {
#pragma omp parallel for schedule(static) if (mesh->pins.n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i)
        block_of[mesh->order[position[i]]] = (int32_t)(i / block_size);
}

/* The block of each element; element i of their pins is element[i]. */
static void give_blocks(const mosaic_blocks *blocks, const int32_t *element, int32_t *block_of) {
#pragma omp parallel for schedule(static) if (blocks->pins->n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < blocks->pins->n_elements; ++i)
        block_of[element[i]] = blocks->block_of[i];
}

/* Pins in the order of blocks: what a block's elements have is together in memory. Positions become
 * the problem's elements. */
static tess_status gather(const mosaic_mesh *mesh, int32_t *position, mosaic_pins *gathered) {
    TRY(mosaic_pins_permute(&mesh->pins, position, gathered));
#pragma omp parallel for schedule(static) if (mesh->pins.n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i)
        position[i] = mesh->order[position[i]];
    return TESS_OK;
}

/* Blocks of S elements from the first on, no more than problem->block_size even where S is less. */
static tess_status blocks_of(const tess_partition_problem *problem, const request *asked,
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

/* How a problem is cut: by the guesses of the algorithm, as an irregular mesh whatever balls say,
 * by halves, or by coordinates. */
typedef enum cutting { GUESSED, IRREGULAR, HALVED, BISECTED } cutting;

/* What came of a cut by guesses: the mesh is regular in places only; many blocks are in pieces, or
 * worse than balls though the mesh was not taken as regular; coordinates cut it better; so does its
 * own numbering. */
typedef struct outcome {
    bool patchy, torn, rival, natural;
} outcome;

/* What an order that was judged tells about the guesses. */
static outcome outcome_of(const mosaic_mesh *mesh, const mosaic_cut *cut,
                          const mosaic_choice *chosen) {
    const bool as_regular = chosen->regular || mesh->round;
    const bool by_heights = cut->halves && !cut->coordinates;
    const bool near =
        fabs(chosen->points - mesh->ball.points) <
        REGULAR_SETTLED * mesh->ball.points; /* flat fronts: nothing is left to gain */
    const bool doubtful = chosen->regular ? chosen->torn && !near : chosen->torn || chosen->patchy;
    return (outcome){.patchy = chosen->patchy && as_regular,
                     .torn = doubtful && !by_heights && !mesh->by_coordinates,
                     .rival = chosen->rival,
                     .natural = mesh->natural < chosen->points};
}

/* Cuts and polishes. */
static tess_status cut_and_polish(const tess_partition_problem *problem, request asked, cutting how,
                                  int32_t *block_of, outcome *came) {
    tess_status status = TESS_OK;
    mosaic_mesh mesh = {0};
    mosaic_pins pins = {0};
    mosaic_blocks blocks = {0};
    ordering order = {0};
    asked.any_cut = asked.any_cut && how != HALVED;
    asked.cut.halves = asked.cut.halves || how == HALVED;
    const mosaic_walking walking = {.largest = asked.max_points ? INT64_MAX : crowd_of(problem),
                                    .shift = asked.cut.from,
                                    .irregular = how == IRREGULAR,
                                    .trusted = asked.any_cut && asked.effort->coordinates &&
                                               is_plain(&asked)};
    CHECK(mosaic_mesh_build(problem, &walking, &mesh));
    CHECK(tess_interrupt_check());
    CHECK(TESS_ALLOC(problem->n_elements, &order.position));
    CHECK(how == BISECTED ? mosaic_bisect(&mesh, problem->block_size, order.position, NULL)
                          : order_elements(&mesh, &asked, &order));
    CHECK(tess_interrupt_check());
    const bool judged = how == GUESSED && asked.any_cut && is_plain(&asked);
    const bool located = mesh.by_coordinates;
    const double ball = mesh.ball.points;
    if (judged)
        CHECK(mosaic_choose_judge(&mesh, problem->block_size, order.position, &order.chosen));
    *came = outcome_of(&mesh, &asked.cut, &order.chosen);
    if (stays(&asked, &order.chosen)) {
        give_order(&mesh, order.position, asked.cut.block_size, block_of);
        goto done;
    }
    CHECK(gather(&mesh, order.position, &pins));
    mosaic_mesh_clear(&mesh);
    CHECK(blocks_of(problem, &asked, &pins, &blocks));
    blocks.regular = order.chosen.regular;
    blocks.centroid = order.centroid;
    blocks.dimension = problem->dimension;
    const mosaic_limits limits = {.keep_sizes = !asked.max_points,
                                  .first_block = order.first_brick,
                                  .max_points = asked.max_points};
    CHECK(mosaic_polish(&blocks, &limits, asked.effort, asked.seed));
    give_blocks(&blocks, order.position, block_of);
    if (judged && located)
        CHECK(mosaic_choose_doubt(&blocks, ball, &came->torn));
    CHECK(mosaic_target_tell(problem, &asked.target, &blocks));
done:
    free(order.position);
    free(order.centroid);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    mosaic_mesh_clear(&mesh);
    return status;
}

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

/* Polishes blocks that others made. */
static tess_status polish_given(const tess_partition_problem *problem, const mosaic_limits *limits,
                                const mosaic_effort *effort, uint64_t seed, int32_t *block_of) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0}, gathered = {0};
    mosaic_blocks blocks = {0};
    tess_rows *rows = NULL;
    int32_t n_blocks = 0, *sorted = NULL;
    TRY(count_blocks(problem->n_elements, block_of, &n_blocks));
    CHECK(tess_rows_build(block_of, problem->n_elements, n_blocks, &rows));
    CHECK(TESS_ALLOC(problem->n_elements, &sorted));
    for (int64_t i = 0; i < problem->n_elements; ++i)
        sorted[i] = block_of[rows->item[i]];
    CHECK(mosaic_pins_build(problem, crowd_of(problem), &pins));
    CHECK(mosaic_pins_permute(&pins, rows->item, &gathered));
    CHECK(mosaic_blocks_build(&gathered, problem->block_size, n_blocks, sorted, &blocks));
    CHECK(mosaic_polish(&blocks, limits, effort, seed));
    give_blocks(&blocks, rows->item, block_of);
done:
    free(sorted);
    tess_rows_free(rows);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&gathered);
    mosaic_pins_clear(&pins);
    return status;
}

/* The weight of the distinct points of all blocks. */
static tess_status weigh_blocks(const tess_partition_problem *problem, const mosaic_pins *pins,
                                const int32_t *block_of, double *points) {
    tess_status status = TESS_OK;
    mosaic_walk walk = {.pins = pins};
    mosaic_tally sum = {0};
    tess_rows *rows = NULL;
    int32_t n_blocks = 0;
    CHECK(count_blocks(problem->n_elements, block_of, &n_blocks));
    CHECK(tess_rows_build(block_of, problem->n_elements, n_blocks, &rows));
    CHECK(TESS_ZEROS(pins->n_points, &walk.seen));
    for (int32_t b = 0; b < n_blocks; ++b) {
        const int64_t first = rows->offset[b], n = rows->offset[b + 1] - first;
        mosaic_walk_tally(&walk, rows->item + first, n, problem->block_size, &sum);
    }
    *points = sum.points;
done:
    free(walk.seen);
    tess_rows_free(rows);
    return status;
}

/* Blocks are those of the trial where these have fewer points. */
static tess_status keep_better(const tess_partition_problem *problem, const int32_t *trial,
                               int32_t *block_of) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0};
    double tried = 0, kept = 0;
    CHECK(mosaic_pins_build(problem, crowd_of(problem), &pins));
    CHECK(weigh_blocks(problem, &pins, trial, &tried));
    CHECK(weigh_blocks(problem, &pins, block_of, &kept));
    if (tried < kept)
        memcpy(block_of, trial, (size_t)problem->n_elements * sizeof *block_of);
done:
    mosaic_pins_clear(&pins);
    return status;
}

/* Cuts and polishes the other ways where these may be better; keeps the best blocks. */
static tess_status try_other_ways(const tess_partition_problem *problem, const request *asked,
                                  const outcome *came, int32_t *block_of) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = true};
    outcome other;
    int32_t *trial = NULL;
    CHECK(TESS_ALLOC(problem->n_elements, &trial));
    if (came->patchy) {
        CHECK(cut_and_polish(problem, *asked, IRREGULAR, trial, &other));
        CHECK(keep_better(problem, trial, block_of));
    }
    if (came->torn) {
        CHECK(cut_and_polish(problem, *asked, HALVED, trial, &other));
        CHECK(keep_better(problem, trial, block_of));
    }
    if (came->rival) {
        CHECK(cut_and_polish(problem, *asked, BISECTED, trial, &other));
        CHECK(keep_better(problem, trial, block_of));
    }
    if (came->natural) {
        for (int64_t i = 0; i < problem->n_elements; ++i)
            trial[i] = (int32_t)(i / problem->block_size);
        CHECK(polish_given(problem, &limits, asked->effort, asked->seed, trial));
        CHECK(keep_better(problem, trial, block_of));
    }
done:
    free(trial);
    return status;
}

static tess_status take_best_way(const tess_partition_problem *problem, const request *asked,
                                 int32_t *block_of) {
    outcome came;
    TRY(cut_and_polish(problem, *asked, GUESSED, block_of, &came));
    came.torn = came.torn && asked->effort->by_map.rounds > 0; /* lower efforts are quick */
    const bool doubted = came.patchy || came.torn || came.rival || came.natural;
    return asked->any_cut && is_plain(asked) && doubted
               ? try_other_ways(problem, asked, &came, block_of)
               : TESS_OK;
}

/* The lowest effort that those above it try, too, so that more effort is never worse: long
 * annealing starts from another cut, and of few blocks chance decides. */
static int lowest_tried(const tess_partition_problem *problem) {
    const bool few = problem->n_elements <= (int64_t)EFFORTS_FEW * problem->block_size;
    return few ? MOSAIC_EFFORT - 1 : MOSAIC_EFFORT;
}

/* Blocks of the best of the lower efforts, where these are better. */
static tess_status try_lower_efforts(const tess_partition_problem *problem, request asked,
                                     int32_t *block_of) {
    tess_status status = TESS_OK;
    const mosaic_effort *const given = asked.effort;
    int32_t *trial = NULL;
    CHECK(TESS_ALLOC(problem->n_elements, &trial));
    for (asked.effort = mosaic_efforts + lowest_tried(problem); asked.effort < given;
         ++asked.effort) {
        asked.cut.tries = asked.effort->tries;
        asked.cut.smoothing = asked.effort->smoothing;
        CHECK(take_best_way(problem, &asked, trial));
        CHECK(keep_better(problem, trial, block_of));
    }
done:
    free(trial);
    return status;
}

static tess_status partition(const tess_partition_problem *given, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    request asked;
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    TRY(fit_block_size(given, &problem));
    TRY(request_parse(&problem, spec, &asked));
    if (problem.n_elements == 0)
        return TESS_OK;
    if (tess_graph_is_of_map(given) && is_plain(&asked))
        CHECK(mosaic_links_build(&problem, &links));
    CHECK(take_best_way(&problem, &asked, block_of));
    if (is_plain(&asked) && asked.effort > mosaic_efforts + lowest_tried(&problem))
        CHECK(try_lower_efforts(&problem, asked, block_of));
done:
    mosaic_links_clear(&links);
    return status;
}

const tess_partitioner tess_partitioner_mosaic = {
    .name = "mosaic",
    .summary = "blocks of exactly S elements from the map alone: flat fronts, then exchange "
               "in pairs and annealing",
    .reference = "docs/mosaic.md",
    .options = options,
    .partition = partition};

tess_status tess_refine(const tess_partition_problem *given, int32_t *block_of, int effort) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = false};
    const int level = effort < 0                       ? 0
                      : effort > MOSAIC_EFFORT_LARGEST ? MOSAIC_EFFORT_LARGEST
                                                       : effort;
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    TRY(fit_block_size(given, &problem));
    if (problem.n_elements == 0)
        return TESS_OK;
    if (tess_graph_is_of_map(given))
        CHECK(mosaic_links_build(&problem, &links));
    CHECK(polish_given(&problem, &limits, mosaic_efforts + level, 0, block_of));
done:
    mosaic_links_clear(&links);
    return status;
}
