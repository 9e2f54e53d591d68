/* The Zoltan partitioner: PHG, the parallel hypergraph partitioner of Zoltan, on one rank. As PaToH
 * it bisects the hypergraph whose nets are the points again and again; Mt-KaHyPar searches k ways.
 *
 * The library is opened where it is asked for, in the worker's process, with the MPI library that
 * it brings; no other part of the program knows either. */
#include "core/base/array.h"
#include "core/base/library.h"
#include "partitioners/graph32.h"
#include "partitioners/nets.h"
#include "partitioners/partitioner.h"

#include <dlfcn.h>
#include <stdlib.h>

/* What we need of zoltan.h and of Open MPI's mpi.h, whose communicators are pointers. */
typedef unsigned zoltan_id;
typedef struct Zoltan_Struct zoltan_context;

enum { ZOLTAN_COMPRESSED_EDGE = 1, ZOLTAN_WARN = 1, ZOLTAN_MEMERR = -2, MPI_IS_FINE = 0 };

/* The answer: parts of all elements, which Zoltan frees. */
typedef struct zoltan_parts {
    int n, *process, *part;
    zoltan_id *global, *local;
} zoltan_parts;

typedef int set_function(zoltan_context *context, void (*function)(void), void *data);

typedef struct zoltan_library {
    void *handle, *world; /* world: Open MPI's communicator of all ranks */
    int (*mpi_init)(int *argc, char ***argv);
    int (*mpi_finalize)(void);
    int (*initialise)(int argc, char **argv, float *version);
    zoltan_context *(*create)(void *communicator);
    void (*destroy)(zoltan_context **context);
    int (*set_parameter)(zoltan_context *context, const char *name, const char *value);
    set_function *set_n_objects, *set_objects, *set_sizes, *set_nets, *set_n_weights, *set_weights;
    int (*partition)(zoltan_context *context, int *changes, int *n_global, int *n_local,
                     int *n_imports, zoltan_id **import_global, zoltan_id **import_local,
                     int **import_process, int **import_part, int *n_exports,
                     zoltan_id **export_global, zoltan_id **export_local, int **export_process,
                     int **export_part);
    int (*free_parts)(zoltan_id **global, zoltan_id **local, int **process, int **part);
} zoltan_library;

static const tess_option options[] = {
    TESS_CHOICE_OPTION("objective", "km1", "km1|cut",
                       "what it minimises: the bytes that blocks repeat, or those of points that "
                       "several blocks have"),
    TESS_REAL_OPTION("l", "1.03", 1, 2,
                     "load imbalance: blocks of S' = floor(S / l) are asked for"),
    TESS_OPTION_EPSILON,
    TESS_OPTION_SEED,
    {.key = NULL}};

/* --- the library ------------------------------------------------------------------------------ */

static tess_status open_library(zoltan_library *out) {
    static const char *const names[] = {"libtrilinos_zoltan.so", "libtrilinos_zoltan.so.13.2",
                                        "libzoltan.so", NULL};
    const char *said = getenv("TESS_ZOLTAN");
    const char *const stated[] = {said, NULL};
    void *handle = tess_library_open(said && said[0] ? stated : names, RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        FAIL(
            TESS_ERROR_MISSING,
            "Zoltan is not there (%s): apt-get install libtrilinos-zoltan-dev, or name the library "
            "in TESS_ZOLTAN",
            dlerror());
    const tess_library_symbol symbols[] = {{"ompi_mpi_comm_world", &out->world},
                                           {"MPI_Init", &out->mpi_init},
                                           {"MPI_Finalize", &out->mpi_finalize},
                                           {"Zoltan_Initialize", &out->initialise},
                                           {"Zoltan_Create", &out->create},
                                           {"Zoltan_Destroy", &out->destroy},
                                           {"Zoltan_Set_Param", &out->set_parameter},
                                           {"Zoltan_Set_Num_Obj_Fn", &out->set_n_objects},
                                           {"Zoltan_Set_Obj_List_Fn", &out->set_objects},
                                           {"Zoltan_Set_HG_Size_CS_Fn", &out->set_sizes},
                                           {"Zoltan_Set_HG_CS_Fn", &out->set_nets},
                                           {"Zoltan_Set_HG_Size_Edge_Wts_Fn", &out->set_n_weights},
                                           {"Zoltan_Set_HG_Edge_Wts_Fn", &out->set_weights},
                                           {"Zoltan_LB_Partition", &out->partition},
                                           {"Zoltan_LB_Free_Part", &out->free_parts}};
    TRY(TESS_LIBRARY_FIND(handle, symbols, "this Zoltan",
                          "one with Open MPI, as Debian's libtrilinos-zoltan-dev,"));
    out->handle = handle;
    return TESS_OK;
}

/* --- the hypergraph --------------------------------------------------------------------------- */

/* What it is called with. */
typedef struct hypergraph {
    const tess_partition_problem *problem;
    tess_nets nets;
} hypergraph;

static tess_status hypergraph_build(const tess_partition_problem *problem, hypergraph *out) {
    *out = (hypergraph){.problem = problem};
    TRY(tess_nets_find(problem, &out->nets));
    if (out->nets.n_pins > INT32_MAX || problem->n_elements > INT32_MAX)
        FAIL(TESS_ERROR_USAGE, "Zoltan counts to 2^31, and here are %lld pins of nets",
             (long long)out->nets.n_pins);
    return TESS_OK;
}

/* What Zoltan asks for, as its user's guide names the functions. */

static int tell_n_objects(void *data, int *error) {
    *error = 0;
    return (int)((const hypergraph *)data)->problem->n_elements;
}

static void tell_objects(void *data, int n_global, int n_local, zoltan_id *global, zoltan_id *local,
                         int n_weights, float *weights, int *error) {
    const hypergraph *graph = data;
    (void)n_global, (void)n_local, (void)n_weights, (void)weights;
    for (zoltan_id e = 0; e < (zoltan_id)graph->problem->n_elements; e++)
        global[e] = local[e] = e;
    *error = 0;
}

static void tell_sizes(void *data, int *n_lists, int *n_pins, int *format, int *error) {
    const hypergraph *graph = data;
    *n_lists = (int)graph->nets.n;
    *n_pins = (int)graph->nets.n_pins;
    *format = ZOLTAN_COMPRESSED_EDGE;
    *error = 0;
}

static void tell_nets(void *data, int n_global, int n_lists, int n_pins, int format, zoltan_id *net,
                      int *first, zoltan_id *pin, int *error) {
    const tess_nets *nets = &((const hypergraph *)data)->nets;
    (void)n_global, (void)n_lists, (void)n_pins, (void)format;
    for (int64_t n = 0; n < nets->n; n++) {
        net[n] = (zoltan_id)n;
        first[n] = (int)nets->first[n];
    }
    for (int64_t i = 0; i < nets->n_pins; i++)
        pin[i] = (zoltan_id)nets->pin[i];
    *error = 0;
}

static void tell_n_weights(void *data, int *n, int *error) {
    *n = (int)((const hypergraph *)data)->nets.n;
    *error = 0;
}

static void tell_weights(void *data, int n_global, int n_local, int n_nets, int n_weights,
                         zoltan_id *global, zoltan_id *local, float *weights, int *error) {
    const tess_nets *nets = &((const hypergraph *)data)->nets;
    (void)n_global, (void)n_local, (void)n_nets, (void)n_weights, (void)local;
    for (int64_t n = 0; n < nets->n; n++) {
        global[n] = (zoltan_id)n;
        weights[n] = (float)nets->weight[n];
    }
    *error = 0;
}

/* --- the call --------------------------------------------------------------------------------- */

static tess_status set_parameters(const zoltan_library *zoltan, zoltan_context *context,
                                  const tess_partition_problem *problem, const tess_spec *spec) {
    const tess_block_target target =
        tess_block_target_of(problem->block_size, tess_spec_real(spec, options, "l"),
                             tess_spec_real(spec, options, "epsilon"));
    const int32_t n_parts = tess_block_target_count(target, problem->n_elements);
    char parts[16], imbalance[32], seed[24];
    snprintf(parts, sizeof parts, "%d", n_parts);
    snprintf(imbalance, sizeof imbalance, "%.9g",
             tess_block_target_of_mean(target, problem->n_elements, n_parts));
    snprintf(seed, sizeof seed, "%u",
             (unsigned)(tess_partitioner_seed(problem, spec, options) & INT32_MAX));
    const bool cut = tess_spec_is(spec, options, "objective", "cut");
    const char *const parameters[][2] = {
        {"DEBUG_LEVEL", "0"},
        {"LB_METHOD", "HYPERGRAPH"},
        {"HYPERGRAPH_PACKAGE", "PHG"},
        {"LB_APPROACH", "PARTITION"},
        {"NUM_GLOBAL_PARTS", parts},
        {"IMBALANCE_TOL", imbalance},
        {"SEED", seed},
        {"RETURN_LISTS", "PARTS"},
        {"NUM_GID_ENTRIES", "1"},
        {"NUM_LID_ENTRIES", "1"},
        {"OBJ_WEIGHT_DIM", "0"},
        {"EDGE_WEIGHT_DIM", "1"},
        {"PHG_EDGE_SIZE_THRESHOLD", "1.0"}, /* no net is too large to count */
        {"PHG_CUT_OBJECTIVE", cut ? "HYPEREDGES" : "CONNECTIVITY"}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (zoltan->set_parameter(context, parameters[i][0], parameters[i][1]) > ZOLTAN_WARN)
            FAIL(TESS_ERROR_CHECK, "Zoltan refuses %s = %s", parameters[i][0], parameters[i][1]);
    return TESS_OK;
}

static void set_functions(const zoltan_library *zoltan, zoltan_context *context,
                          hypergraph *graph) {
    zoltan->set_n_objects(context, (void (*)(void))tell_n_objects, graph);
    zoltan->set_objects(context, (void (*)(void))tell_objects, graph);
    zoltan->set_sizes(context, (void (*)(void))tell_sizes, graph);
    zoltan->set_nets(context, (void (*)(void))tell_nets, graph);
    zoltan->set_n_weights(context, (void (*)(void))tell_n_weights, graph);
    zoltan->set_weights(context, (void (*)(void))tell_weights, graph);
}

static tess_status call(const zoltan_library *zoltan, zoltan_context *context, int64_t n_elements,
                        int32_t *block_of) {
    zoltan_parts in = {.n = 0}, out = {.n = 0};
    int changes = 0, n_global = 0, n_local = 0;
    const int code = zoltan->partition(context, &changes, &n_global, &n_local, &in.n, &in.global,
                                       &in.local, &in.process, &in.part, &out.n, &out.global,
                                       &out.local, &out.process, &out.part);
    for (int i = 0; i < out.n && code >= 0; i++)
        block_of[out.global[i]] = out.part[i];
    zoltan->free_parts(&in.global, &in.local, &in.process, &in.part);
    zoltan->free_parts(&out.global, &out.local, &out.process, &out.part);
    if (code == ZOLTAN_MEMERR)
        FAIL(TESS_ERROR_MEMORY, "Zoltan is out of memory");
    if (code < 0 || out.n != n_elements)
        FAIL(TESS_ERROR_CHECK, "Zoltan gave parts to %d of %lld elements (code %d)", out.n,
             (long long)n_elements, code);
    return TESS_OK;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    zoltan_library zoltan = {.handle = NULL};
    zoltan_context *context = NULL;
    hypergraph graph = {.problem = problem};
    float version = 0;
    CHECK(hypergraph_build(problem, &graph));
    if (graph.nets.n == 0 || problem->block_size == 1 ||
        problem->n_elements <= problem->block_size) { /* any blocks do */
        for (int64_t e = 0; e < problem->n_elements; e++)
            block_of[e] = (int32_t)(e / problem->block_size);
        goto done;
    }
    CHECK(open_library(&zoltan));
    if (zoltan.mpi_init(NULL, NULL) != MPI_IS_FINE || zoltan.initialise(0, NULL, &version) != 0)
        CHECK(tess_fail(TESS_ERROR_CHECK, "Zoltan's MPI library does not start on one rank"));
    context = zoltan.create(zoltan.world);
    if (!context)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "Zoltan is out of memory"));
    CHECK(set_parameters(&zoltan, context, problem, spec));
    set_functions(&zoltan, context, &graph);
    CHECK(call(&zoltan, context, problem->n_elements, block_of));
done:
    if (context)
        zoltan.destroy(&context);
    if (zoltan.handle)
        zoltan.mpi_finalize();
    tess_nets_clear(&graph.nets);
    return status;
}

const tess_partitioner tess_partitioner_zoltan = {
    .name = "zoltan",
    .summary = "Zoltan's PHG: recursive bisection of the hypergraph of points, as PaToH's",
    .reference = "Devine et al., IPDPS 2006, doi 10.1109/IPDPS.2006.1639359",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .partition = partition,
};
