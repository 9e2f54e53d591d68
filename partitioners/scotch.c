/* The SCOTCH partitioner: dual recursive bisection of the graph of elements that share points, or
 * its Gibbs-Poole-Stockmeyer order, chopped. */
#include "core/base/array.h"
#include "partitioners/graph32.h"
#include "partitioners/partitioner.h"
#include "partitioners/point_order.h"

#include <scotch.h>
#include <stdlib.h>

_Static_assert(sizeof(SCOTCH_Num) == 4, "the 32-bit SCOTCH is meant");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("strategy", "default", "default|quality|speed|balance",
                       "SCOTCH's strategy: its default, quality, speed or balance"),
    TESS_CHOICE_OPTION(
        "order", "none", "none|gps",
        "gps: no bisection; points by SCOTCH's own Gibbs-Poole-Stockmeyer (as Sulyok "
        "et al. call it), elements after them, chopped"),
    TESS_OPTION_WEIGHTS("none"),
    TESS_OPTION_L,
    TESS_OPTION_EPSILON,
    TESS_OPTION_SEED,
    {.key = NULL}};

static SCOTCH_Num strategy_flags(const tess_spec *spec) {
    static const struct {
        const char *name;
        SCOTCH_Num flags;
    } strategies[] = {{"quality", SCOTCH_STRATQUALITY},
                      {"speed", SCOTCH_STRATSPEED},
                      {"balance", SCOTCH_STRATBALANCE}};
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
        if (tess_spec_is(spec, options, "strategy", strategies[i].name))
            return strategies[i].flags;
    return SCOTCH_STRATDEFAULT;
}

/* One thread and a seed of our own: several threads give another answer every time. */
static int context_set(SCOTCH_Context *context, SCOTCH_Num seed) {
    const int failed = SCOTCH_contextThreadSpawn(context, 1, NULL) ||
                       SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
                       SCOTCH_contextRandomClone(context);
    if (!failed) {
        SCOTCH_contextRandomSeed(context, seed);
        SCOTCH_contextRandomReset(context);
    }
    return failed;
}

/* Partitions with a strategy; SCOTCH says what is wrong on its standard error. */
static tess_status scotch_call(const tess_spec *spec, SCOTCH_Num seed, tess_graph32 *narrow,
                               SCOTCH_Num n_parts, double imbalance, int32_t *block_of) {
    SCOTCH_Graph graph, bound;
    SCOTCH_Strat strategy;
    SCOTCH_Context context;
    SCOTCH_contextInit(&context);
    SCOTCH_graphInit(&graph);
    SCOTCH_graphInit(&bound);
    SCOTCH_stratInit(&strategy);
    const SCOTCH_Num n = narrow->n_vertices;
    const int failed =
        context_set(&context, seed) ||
        SCOTCH_graphBuild(&graph, 0, n, narrow->offset, NULL, NULL, NULL, narrow->offset[n],
                          narrow->neighbour, narrow->weight) ||
        SCOTCH_contextBindGraph(&context, &graph, &bound) ||
        SCOTCH_stratGraphMapBuild(&strategy, strategy_flags(spec), n_parts, imbalance) ||
        SCOTCH_graphPart(&bound, n_parts, &strategy, block_of);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&graph);
    SCOTCH_contextExit(&context);
    if (failed)
        FAIL(TESS_ERROR_CHECK, "SCOTCH could not cut the graph into %d parts", n_parts);
    return TESS_OK;
}

/* SCOTCH's order "g": Gibbs-Poole-Stockmeyer. */
static tess_status gps_order(const tess_rows *rows, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    SCOTCH_Num *offset = NULL, *position = NULL, *order = NULL;
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    CHECK(tess_offsets32(rows, &offset));
    CHECK(TESS_ALLOC(rows->n, &position));
    CHECK(TESS_ALLOC(rows->n, &order));
    if (SCOTCH_graphBuild(&graph, 0, (SCOTCH_Num)rows->n, offset, NULL, NULL, NULL, offset[rows->n],
                          rows->item, NULL) ||
        SCOTCH_stratGraphOrder(&strategy, "g") ||
        SCOTCH_graphOrder(&graph, &strategy, position, order, NULL, NULL, NULL))
        CHECK(tess_fail(TESS_ERROR_CHECK, "SCOTCH could not order the graph of %lld points",
                        (long long)rows->n));
    *new_to_old = TESS_TAKE(order);
done:
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    free(offset);
    free(position);
    free(order);
    return status;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_graph32 *graph = NULL;
    if (tess_spec_is(spec, options, "order", "gps"))
        return tess_point_order_chop(problem, gps_order, block_of);
    const SCOTCH_Num seed = (SCOTCH_Num)(tess_partitioner_seed(problem, spec, options) & INT32_MAX);
    const tess_block_target target =
        tess_block_target_of(problem->block_size, tess_spec_real(spec, options, "l"),
                             tess_spec_real(spec, options, "epsilon"));
    TRY(tess_graph32_build(problem, tess_spec_is(spec, options, "weights", "shared"), &graph));
    const tess_status status =
        scotch_call(spec, seed, graph, tess_block_target_count(target, problem->n_elements),
                    target.imbalance - 1, block_of);
    tess_graph32_free(graph);
    return status;
}

const tess_partitioner tess_partitioner_scotch = {
    .name = "scotch",
    .seconds_with = (const tess_partitioner_seconds[]){{"strategy=quality", 200}, {.option = NULL}},
    .summary =
        "SCOTCH: recursive bisection; overfills some blocks a little, which the repair mends",
    .cuts_best = true,
    .expert = {"strategy=quality:weights=shared", "strategy=quality:weights=shared"},
    .reference = "Pellegrini and Roman, HPCN 1996; SCOTCH 7.0 user's guide",
    .options = options,
    .third_party = true,
    .version = "SCOTCH " TESS_VERSION_TEXT(SCOTCH_VERSION, SCOTCH_RELEASE, SCOTCH_PATCHLEVEL),
    .partition = partition,
};
