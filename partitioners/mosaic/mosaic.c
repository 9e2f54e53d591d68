/* The mosaic partitioner: exact small blocks cut from the map itself, then annealed in groups.
 *
 * Its heart is take_best: the starts of a level are cut and annealed for a round, and the best go
 * on. docs/mosaic.md tells the algorithm. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/plan/graph.h"
#include "partitioners/bisect.h"
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/slabs.h"
#include "partitioners/mosaic/trade_off.h"
#include "partitioners/partitioner.h"
#include "partitioners/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Width of slabs over that of a ball of S elements. */
static const double SLAB_WIDTH = 0.85;

/* Seeds that give other walks. */
enum { SEED_SHIFTS = 1009 };

static const tess_option options[] = {
    TESS_CHOICE_OPTION(
        "level", "default", "quick|default|long",
        "quick: one cut, annealed once; default: the better of two; long: the best of eight"),
    TESS_CHOICE_OPTION("effort", "none", "none|0|1|2|3|4|5|6",
                       "what earlier versions called levels: quick (0, 1), default (2, 3), long"),
    TESS_REAL_OPTION(
        "shape", "1", 0, 1,
        "part of the blocks that are bricks, not pencils: more reuse, more thread colours"),
    TESS_REAL_OPTION("colours", "0", 0, 65535,
                     "widest blocks of no more thread colours in the mean; 0: any"),
    TESS_REAL_OPTION("reuse", "0", 0, 65535,
                     "narrowest blocks that reach this reuse factor; 0: as much as can be"),
    TESS_INT_OPTION("max_points", "0", 0, INT32_MAX,
                    "distinct points of a block at most (shared memory); 0: any"),
    TESS_CHOICE_OPTION("cut", "best", "best|slabs|halves",
                       "slabs of slabs, halves of halves, or the best of these and of bisection by "
                       "coordinates"),
    TESS_OPTION_SEED,
    {.key = NULL}};

/* The ways to cut a mesh, in the order in which starts take them: slabs a little thinner than a
 * ball, halves of where elements lie, slabs of whole levels, halves by the map. */
typedef enum cutting { SLABS, BISECTION, WHOLE_SLABS, HALVES, N_CUTTINGS } cutting;

/* What is asked for. */
typedef struct request {
    const mosaic_level *level;
    bool cuttings[N_CUTTINGS];
    mosaic_trade_off trade_off;
    uint64_t seed;
} request;

static bool is_given(const tess_spec *spec, const char *key) {
    for (int i = 0; i < spec->n_values; ++i)
        if (strcmp(spec->keys[i], key) == 0)
            return true;
    return false;
}

static tess_status parse_level(const tess_spec *spec, const mosaic_level **level) {
    const char *effort = tess_spec_text(spec, options, "effort");
    mosaic_level_name name = tess_spec_is(spec, options, "level", "quick")  ? MOSAIC_QUICK
                             : tess_spec_is(spec, options, "level", "long") ? MOSAIC_LONG
                                                                            : MOSAIC_DEFAULT;
    if (strcmp(effort, "none") != 0) {
        if (is_given(spec, "level"))
            FAIL(TESS_ERROR_USAGE, "mosaic: effort is the earlier word for level: give one");
        name = mosaic_level_of_effort(atoi(effort));
    }
    *level = mosaic_level_at(name);
    return TESS_OK;
}

static tess_status request_parse(const tess_partition_problem *problem, const tess_spec *spec,
                                 request *asked) {
    const bool any = tess_spec_is(spec, options, "cut", "best");
    *asked =
        (request){.trade_off = {.shape = tess_spec_real(spec, options, "shape"),
                                .colours = tess_spec_real(spec, options, "colours"),
                                .reuse = tess_spec_real(spec, options, "reuse"),
                                .max_points = (int32_t)tess_spec_int(spec, options, "max_points")},
                  .seed = tess_partitioner_seed(problem, spec, options)};
    TRY(parse_level(spec, &asked->level));
    TRY(mosaic_trade_off_check(&asked->trade_off));
    const bool plain = mosaic_trade_off_is_plain(&asked->trade_off);
    asked->cuttings[HALVES] = tess_spec_is(spec, options, "cut", "halves") || (any && plain);
    asked->cuttings[SLABS] = tess_spec_is(spec, options, "cut", "slabs") || any;
    asked->cuttings[WHOLE_SLABS] = asked->cuttings[SLABS] && plain;
    asked->cuttings[BISECTION] = any && plain && problem->coordinates && problem->dimension > 0;
    return TESS_OK;
}

/* A start: the blocks of one cut, annealed so far. It does not move: the blocks point to its pins.
 */
typedef struct start {
    int32_t *element; /* [n_elements] the problem's, in the order of the pins */
    mosaic_pins pins; /* in the order of the cut: what a block has is together in memory */
    mosaic_blocks blocks;
    mosaic_annealing annealing;
    int64_t shared; /* mosaic_measure.shared, after its first round */
} start;

static void start_clear(start *it) {
    free(it->element);
    mosaic_pins_clear(&it->pins);
    mosaic_blocks_clear(&it->blocks);
    *it = (start){.element = NULL};
}

/* What starts are made of. */
typedef struct material {
    const tess_partition_problem *problem;
    const request *asked;
    mosaic_pins pins;
    mosaic_mesh mesh; /* walked as the last start of slabs or halves was; or empty */
    double shift;     /* of that walk */
} material;

static void material_clear(material *all) {
    mosaic_pins_clear(&all->pins);
    mosaic_mesh_clear(&all->mesh);
}

/* Fills order [n_elements], the problem's elements, by where they lie. */
static tess_status order_positions(const tess_partition_problem *problem, int32_t *order) {
    const int64_t n = problem->n_elements;
    const int dimension = problem->dimension < 3 ? problem->dimension : 3;
    const tess_bisection how = {.dimension = dimension,
                                .block_size = problem->block_size,
                                .keeps_places = true}; /* they are what annealing begins with */
    tess_position *positions = NULL;
    TRY(TESS_ALLOC(n, &positions));
    for (int64_t e = 0; e < n; ++e) {
        positions[e] = (tess_position){.element = (int32_t)e};
        for (int d = 0; d < dimension; ++d) {
            const double x = problem->coordinates[e * problem->dimension + d];
            positions[e].x[d] = isfinite(x) ? x : 0;
        }
    }
    const tess_status status = tess_bisect(&how, positions, n);
    for (int64_t i = 0; i < n; ++i)
        order[i] = positions[i].element;
    free(positions);
    return status;
}

/* Fills order [n_elements] by slabs or halves: `shift` tells where walks set out. */
static tess_status order_walked(material *from, cutting how, double shift, int64_t *block_size,
                                int32_t *order, mosaic_traded *traded) {
    const int64_t n = from->problem->n_elements, size = from->problem->block_size;
    mosaic_mesh *const mesh = &from->mesh;
    if (!mesh->order || from->shift != shift) {
        mosaic_mesh_clear(mesh);
        TRY(mosaic_mesh_build(&from->pins, (int32_t)size, shift, mesh));
        from->shift = shift;
    }
    mosaic_cut cut = {.block_size = size,
                      .multiple = size,
                      .width = how == WHOLE_SLABS ? ceil(mesh->width)
                                                  : fmax(1, SLAB_WIDTH * mesh->width),
                      .halves = how == HALVES,
                      .from = shift};
    TRY(mosaic_trade_off_cut(mesh, &from->asked->trade_off, &cut, order, traded));
    *block_size = cut.block_size;
    for (int64_t i = 0; i < n; ++i)
        order[i] = mesh->order[order[i]];
    return TESS_OK;
}

/* Cuts the turn-th start of a kind, which is not annealed yet. */
static tess_status start_cut(material *from, cutting how, int turn, start *made) {
    const tess_partition_problem *problem = from->problem;
    const request *asked = from->asked;
    const uint64_t seed = asked->seed + (uint64_t)turn;
    const int32_t max_points = asked->trade_off.max_points;
    int64_t block_size = problem->block_size;
    mosaic_traded traded = {.met = false};
    TRY(TESS_ALLOC(problem->n_elements, &made->element));
    if (how == BISECTION)
        TRY(order_positions(problem, made->element));
    else
        TRY(order_walked(from, how, (double)(seed % SEED_SHIFTS) / SEED_SHIFTS, &block_size,
                         made->element, &traded));
    TRY(mosaic_pins_permute(&from->pins, made->element, &made->pins));
    TRY(mosaic_blocks_chop(&made->pins, NULL, problem->block_size, block_size, &made->blocks));
    if (max_points)
        TRY(mosaic_blocks_cap(&made->blocks, max_points));
    made->annealing = (mosaic_annealing){
        .blocks = &made->blocks,
        .limits = {.first_block = traded.first_brick, .max_points = max_points},
        .schedule = mosaic_schedule_of(&made->pins, made->blocks.n_blocks, problem->dimension),
        .seed = seed,
        .ended = traded.met};
    return tess_interrupt_check();
}

/* Anneals for a round, and measures what starts are compared by, if there are others. */
static tess_status start_try(start *it, const mosaic_level *level) {
    mosaic_measure measure;
    TRY(mosaic_anneal(&it->annealing, level, 1));
    if (level->starts < 2)
        return TESS_OK;
    TRY(mosaic_blocks_measure(&it->blocks, &measure));
    it->shared = measure.shared;
    return TESS_OK;
}

/* Times that a kind of cut is made: once where all kinds are starts enough. */
static int turns_of(const mosaic_level *level) {
    return (level->starts + N_CUTTINGS - 1) / N_CUTTINGS;
}

/* Cuts the starts of the level, kinds in turns, and anneals each for a round; the best goes on to
 * the last. *best is one of two: no more are kept at once. */
static tess_status take_best(material *from, start two[2], start **best) {
    const mosaic_level *const level = from->asked->level;
    *best = NULL;
    for (int i = 0, n_made = 0; i < N_CUTTINGS * turns_of(level) && n_made < level->starts; ++i) {
        start *const made = *best == two ? two + 1 : two;
        if (!from->asked->cuttings[i % N_CUTTINGS])
            continue;
        TRY(start_cut(from, i % N_CUTTINGS, i / N_CUTTINGS, made));
        TRY(start_try(made, level));
        start *const worse = *best && (*best)->shared <= made->shared ? made : *best;
        *best = worse == made ? *best : made;
        if (worse)
            start_clear(worse);
        ++n_made;
    }
    return mosaic_anneal(&(*best)->annealing, level, level->rounds);
}

/* Fills block_of [n_elements], by the problem's elements. */
static void start_give(const start *it, int64_t n_elements, int32_t *block_of) {
    for (int64_t i = 0; i < n_elements; ++i)
        block_of[it->element[i]] = it->blocks.block_of[i];
}

/* The problem with a block size that no more than all elements can fill: what is allocated follows
 * the mesh, not the number that was asked for. */
static tess_status fit_blocks(const tess_partition_problem *given,
                              tess_partition_problem *problem) {
    if (given->block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1",
             given->block_size);
    *problem = *given;
    if (problem->n_elements > 0 && problem->n_elements < problem->block_size)
        problem->block_size = (int32_t)problem->n_elements;
    return TESS_OK;
}

/* Numbers the pairs of a symmetric graph, in the order of their lower vertices: each neighbour in
 * `item` becomes the number of its pair. Rows ascend, so the pairs with lower neighbours, which a
 * vertex meets in their order, come first in its row. */
static tess_status number_links(tess_rows *graph, int64_t *n_links) {
    int64_t *seen = NULL; /* neighbours below the vertex that have numbered their pair with it */
    TRY(TESS_ZEROS(graph->n, &seen));
    *n_links = 0;
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t i = graph->offset[v] + seen[v]; i < graph->offset[v + 1]; i++) {
            const int32_t other = graph->item[i];
            graph->item[graph->offset[other] + seen[other]++] = (int32_t)*n_links;
            graph->item[i] = (int32_t)(*n_links)++;
        }
    free(seen);
    return TESS_OK;
}

/* Makes links, the edges of the problem's graph, the points of the problem: what blocks share are
 * then the pairs of neighbours that they cut. The problem borrows *links. */
static tess_status links_build(tess_partition_problem *problem, tess_incidence *links) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    int64_t n_links = 0;
    CHECK(tess_graph_build(problem, NULL, &graph));
    CHECK(number_links(graph, &n_links));
    *links = (tess_incidence){.index = graph->item,
                              .offset = graph->offset,
                              .owned = true,
                              .n_points = n_links,
                              .weight = 1};
    graph->item = NULL;
    graph->offset = NULL;
    problem->n_maps = 1;
    problem->maps = links;
done:
    tess_rows_free(graph);
    return status;
}

static tess_status partition(const tess_partition_problem *given, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    request asked;
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    material from = {.problem = &problem, .asked = &asked};
    start two[2] = {{.element = NULL}}, *best = NULL;
    TRY(fit_blocks(given, &problem));
    TRY(request_parse(&problem, spec, &asked));
    if (problem.n_elements == 0)
        return TESS_OK;
    if (tess_graph_is_of_map(given) && mosaic_trade_off_is_plain(&asked.trade_off))
        CHECK(links_build(&problem, &links));
    CHECK(mosaic_pins_build(&problem, &from.pins));
    CHECK(tess_interrupt_check());
    CHECK(take_best(&from, two, &best));
    CHECK(mosaic_trade_off_tell(&problem, &asked.trade_off, &best->blocks));
    start_give(best, problem.n_elements, block_of);
done:
    start_clear(two);
    start_clear(two + 1);
    material_clear(&from);
    tess_incidence_clear(&links);
    return status;
}

static const tess_partitioner_seconds seconds_with[] = {
    {"level=quick", 1.8}, {"effort=0", 1.8}, {"effort=1", 1.8}, {"level=long", 60},
    {"effort=4", 60},     {"effort=5", 60},  {"effort=6", 60},  {.option = NULL}};

const tess_partitioner tess_partitioner_mosaic = {
    .name = "mosaic",
    .seconds = 9,
    .seconds_with = seconds_with,
    .summary = "blocks of exactly S elements from the map alone: the best of several cuts, "
               "annealed in groups",
    .reference = "docs/mosaic.md",
    .cuts_best = true,
    .weighs_reads = true,
    .trade_off = "mosaic:shape=0,mosaic:shape=0.1,mosaic:shape=0.2,mosaic:shape=0.3,"
                 "mosaic:shape=0.4,mosaic:shape=0.5,mosaic:shape=0.6,mosaic:shape=0.7,"
                 "mosaic:shape=0.8,mosaic:shape=0.9,mosaic",
    .options = options,
    .partition = partition};

/* Checks the ids of n elements, which are dense from 0, and gives the number of blocks. */
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

tess_status tess_refine(const tess_partition_problem *given, int32_t *block_of, int effort) {
    tess_status status = TESS_OK;
    const mosaic_level *const level = mosaic_level_at(mosaic_level_of_effort(effort));
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    mosaic_pins all = {0}, pins = {0};
    mosaic_blocks blocks = {0};
    mosaic_annealing annealing = {.blocks = &blocks};
    int32_t n_blocks = 0;
    TRY(fit_blocks(given, &problem));
    TRY(count_blocks(problem.n_elements, block_of, &n_blocks));
    if (problem.n_elements == 0 || effort == 0)
        return TESS_OK;
    if (tess_graph_is_of_map(given))
        CHECK(links_build(&problem, &links));
    CHECK(mosaic_pins_build(&problem, &all));
    CHECK(mosaic_pins_permute(&all, NULL, &pins));
    CHECK(mosaic_blocks_build(&pins, problem.block_size, n_blocks, block_of, &blocks));
    annealing.schedule = mosaic_schedule_of(&pins, n_blocks, problem.dimension);
    CHECK(mosaic_anneal(&annealing, level, level->rounds));
    memcpy(block_of, blocks.block_of, (size_t)problem.n_elements * sizeof *block_of);
done:
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    mosaic_pins_clear(&all);
    tess_incidence_clear(&links);
    return status;
}
