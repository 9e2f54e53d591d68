/* The METIS partitioner: multilevel partitioning of the graph of elements that share points. */
#include "core/base/array.h"
#include "core/base/rows.h"
#include "partitioners/graph32.h"
#include "partitioners/partitioner.h"

#include <dlfcn.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(IDXTYPEWIDTH == 32, "Debian's METIS has 32-bit indices");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("method", "kway", "kway|recursive",
                       "multilevel k-way, or multilevel recursive bisection"),
    TESS_CHOICE_OPTION("objtype", "cut", "cut|vol",
                       "what k-way minimises: the edge cut, or the total communication volume"),
    TESS_OPTION_WEIGHTS("none"),
    TESS_OPTION_L,
    TESS_OPTION_EPSILON,
    TESS_CHOICE_OPTION("imbalance", "mean", "mean|target",
                       "what the imbalance l' is of: of the blocks' mean size, so that it allows "
                       "S + epsilon, or of S', as Sulyok et al. pass it"),
    TESS_INT_OPTION(
        "parts", "30000", 2, 1e9,
        "most parts asked of one call; more take two levels (near 40000 METIS fails on some "
        "graphs)"),
    TESS_OPTION_SEED,
    {.key = NULL}};

/* How METIS is called. */
typedef struct metis_setting {
    bool recursive;
    bool of_target; /* the imbalance is of the target, not of the blocks' mean size */
    tess_block_target target;
    idx_t options[METIS_NOPTIONS];
    int32_t parts_limit; /* of one call */
} metis_setting;

/* Bits of an index of the METIS that the loader found: of 64 it fills twice the bytes. */
static int index_bits(void) {
    enum { UNTOUCHED = 7 };
    idx_t filled[2 * METIS_NOPTIONS];
    for (int i = 0; i < 2 * METIS_NOPTIONS; i++)
        filled[i] = UNTOUCHED;
    METIS_SetDefaultOptions(filled);
    return filled[METIS_NOPTIONS] == UNTOUCHED ? 32 : 64;
}

static tess_status metis_check(void) {
    Dl_info about = {.dli_fname = NULL};
    if (index_bits() == 32)
        return TESS_OK;
    dladdr((void *)(uintptr_t)METIS_SetDefaultOptions, &about);
    FAIL(TESS_ERROR_MISSING,
         "the METIS that is loaded, %s, has indices of 64 bits, not of 32: take its folder out of "
         "LD_LIBRARY_PATH, or put that of Debian's libmetis5 before it",
         about.dli_fname ? about.dli_fname : "libmetis");
}

static metis_setting setting_of(const tess_partition_problem *problem, const tess_spec *spec) {
    metis_setting setting = {.recursive = tess_spec_is(spec, options, "method", "recursive"),
                             .of_target = tess_spec_is(spec, options, "imbalance", "target")};
    setting.target = tess_block_target_of(problem->block_size, tess_spec_real(spec, options, "l"),
                                          tess_spec_real(spec, options, "epsilon"));
    setting.parts_limit = (int32_t)tess_spec_int(spec, options, "parts");
    METIS_SetDefaultOptions(setting.options);
    setting.options[METIS_OPTION_NUMBERING] = 0;
    setting.options[METIS_OPTION_SEED] =
        (idx_t)(tess_partitioner_seed(problem, spec, options) & INT32_MAX);
    if (tess_spec_is(spec, options, "objtype", "vol"))
        setting.options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
    return setting;
}

/* The imbalance to ask for of n elements in so many parts. */
static double imbalance_of(const metis_setting *setting, int64_t n, int32_t n_parts) {
    return setting->of_target ? setting->target.imbalance
                              : tess_block_target_of_mean(setting->target, n, n_parts);
}

/* One call of METIS. Of one part it dies with SIGFPE, so that is not asked of it. */
static tess_status metis_call(const metis_setting *setting, tess_graph32 *graph, idx_t n_parts,
                              double imbalance, idx_t *part_of) {
    if (n_parts == 1) {
        memset(part_of, 0, (size_t)graph->n_vertices * sizeof *part_of);
        return TESS_OK;
    }
    idx_t n = graph->n_vertices, n_constraints = 1, objective = 0;
    real_t tolerance = (real_t)imbalance;
    idx_t call_options[METIS_NOPTIONS];
    for (int i = 0; i < METIS_NOPTIONS; i++)
        call_options[i] = setting->options[i];
    const int code = (setting->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &n, &n_constraints, graph->offset, graph->neighbour, NULL, NULL, graph->weight, &n_parts,
        NULL, &tolerance, call_options, &objective, part_of);
    if (code == METIS_ERROR_MEMORY)
        FAIL(TESS_ERROR_MEMORY, "METIS is out of memory");
    if (code != METIS_OK)
        FAIL(TESS_ERROR_CHECK, "METIS could not cut the graph into %d parts (code %d)", n_parts,
             code);
    return TESS_OK;
}

/* Blocks in the making: their number so far, and the one of each element. */
typedef struct metis_blocks {
    int32_t n, *block_of;
} metis_blocks;

/* Cuts the elements of one super part into blocks; `number` is scratch of tess_graph32_part. */
static tess_status super_part_cut(const metis_setting *setting, const tess_graph32 *graph,
                                  const int32_t *vertices, int32_t n, int32_t *number,
                                  metis_blocks *blocks) {
    tess_status status = TESS_OK;
    tess_graph32 *part = NULL;
    idx_t *part_of = NULL;
    const int32_t n_parts = tess_block_target_count(setting->target, n);
    CHECK(tess_graph32_part(graph, vertices, n, number, &part));
    CHECK(TESS_ALLOC(n, &part_of));
    CHECK(metis_call(setting, part, n_parts, imbalance_of(setting, n, n_parts), part_of));
    for (int32_t i = 0; i < n; i++)
        blocks->block_of[vertices[i]] = blocks->n + part_of[i];
    blocks->n += n_parts;
done:
    tess_graph32_free(part);
    free(part_of);
    return status;
}

/* First as many super parts as calls are needed, of nearly equal size, then blocks in each. */
static tess_status cut_in_two_levels(const metis_setting *setting, tess_graph32 *graph,
                                     int32_t n_parts, int32_t *block_of) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    int32_t *super_of = NULL; /* of each vertex; behind it scratch of super_part_cut */
    const int32_t n_supers = (n_parts + setting->parts_limit - 1) / setting->parts_limit;
    CHECK(TESS_ALLOC(2 * (int64_t)graph->n_vertices, &super_of));
    int32_t *number = super_of + graph->n_vertices;
    memset(number, -1, (size_t)graph->n_vertices * sizeof *number);
    CHECK(metis_call(setting, graph, n_supers, 1.001, super_of));
    CHECK(tess_rows_build(super_of, graph->n_vertices, n_supers, &rows));
    metis_blocks blocks = {0, block_of};
    for (int32_t s = 0; s < n_supers; s++)
        if (tess_rows_size(rows, s) > 0)
            CHECK(super_part_cut(setting, graph, rows->item + rows->offset[s],
                                 (int32_t)tess_rows_size(rows, s), number, &blocks));
done:
    tess_rows_free(rows);
    free(super_of);
    return status;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_graph32 *graph = NULL;
    TRY(metis_check());
    const metis_setting setting = setting_of(problem, spec);
    const int32_t n_parts = tess_block_target_count(setting.target, problem->n_elements);
    if (setting.target.block_size == 1) { /* nothing to cut */
        for (int64_t e = 0; e < problem->n_elements; e++)
            block_of[e] = (int32_t)e;
        return TESS_OK;
    }
    TRY(tess_graph32_build(problem, tess_spec_is(spec, options, "weights", "shared"), &graph));
    const tess_status status =
        n_parts > setting.parts_limit
            ? cut_in_two_levels(&setting, graph, n_parts, block_of)
            : metis_call(&setting, graph, n_parts,
                         imbalance_of(&setting, graph->n_vertices, n_parts), block_of);
    tess_graph32_free(graph);
    return status;
}

const tess_partitioner tess_partitioner_metis = {
    .name = "metis",
    .seconds = 20,
    .summary = "METIS: multilevel k-way or recursive, of the graph of elements that share points",
    .cuts_best = true,
    .expert = {"objtype=vol", "method=recursive:weights=shared"},
    .reference = "Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998); Sulyok et al. 2019, 2.3.2",
    .options = options,
    .third_party = true,
    .version = "METIS " TESS_VERSION_TEXT(METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR),
    .check = metis_check,
    .partition = partition,
};
