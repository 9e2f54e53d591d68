/* tess-ptscotch: one of the processes that cut a graph by PT-SCOTCH, which a launcher of MPI starts
 * for tess-worker.
 *
 * PT-SCOTCH and the MPI library that it was built with are opened here and by no other program: the
 * ranks of a march may have another MPI, and the worker has the sequential SCOTCH, whose names are
 * the same. */
#include "partitioners/worker/ptscotch_job.h"

#include "core/base/array.h"
#include "core/base/library.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* What we need of scotch.h and ptscotch.h 7.0, and of Open MPI's mpi.h, whose communicators are
 * pointers. */
typedef int32_t scotch_num;
typedef struct scotch_graph scotch_graph;
typedef struct scotch_strategy scotch_strategy;
typedef struct scotch_context scotch_context;

enum { DETERMINISTIC = 0 /* SCOTCH_OPTIONNUMDETERMINISTIC */, IS_FINE = 0 };

typedef struct ptscotch_library {
    void *handle, *world; /* world: Open MPI's communicator of all processes */
    int (*mpi_init)(int *argc, char ***argv);
    int (*mpi_size)(void *communicator, int *n);
    int (*mpi_rank)(void *communicator, int *rank);
    int (*mpi_abort)(void *communicator, int code);
    int (*mpi_finalize)(void);
    void (*version)(int *major, int *minor, int *patch);
    int (*number_size)(void);
    scotch_graph *(*graph_alloc)(void);
    int (*graph_init)(scotch_graph *graph, void *communicator);
    void (*graph_exit)(scotch_graph *graph);
    int (*graph_build)(scotch_graph *graph, scotch_num base, scotch_num n_vertices,
                       scotch_num most_vertices, scotch_num *offset, scotch_num *end,
                       scotch_num *vertex_weight, scotch_num *label, scotch_num n_entries,
                       scotch_num room, scotch_num *neighbour, scotch_num *ghost,
                       scotch_num *weight);
    int (*graph_part)(scotch_graph *graph, scotch_num n_parts, scotch_strategy *strategy,
                      scotch_num *part_of);
    scotch_strategy *(*strategy_alloc)(void);
    int (*strategy_init)(scotch_strategy *strategy);
    void (*strategy_exit)(scotch_strategy *strategy);
    int (*strategy_build)(scotch_strategy *strategy, scotch_num flags, scotch_num n_processes,
                          scotch_num n_parts, double imbalance);
    scotch_context *(*context_alloc)(void);
    int (*context_init)(scotch_context *context);
    void (*context_exit)(scotch_context *context);
    int (*context_threads)(scotch_context *context, int n, const int *cores);
    int (*context_set)(scotch_context *context, int option, scotch_num value);
    int (*context_clone_random)(scotch_context *context);
    void (*context_seed)(scotch_context *context, scotch_num seed);
    void (*context_reset)(scotch_context *context);
    int (*context_bind)(scotch_context *context, const scotch_graph *graph, scotch_graph *bound);
} ptscotch_library;

/* The slice of the graph that a process has, in numbers of the library. */
typedef struct graph_slice {
    int64_t first, n, n_entries;
    scotch_num *offset;    /* [n + 1], from 0 on */
    scotch_num *neighbour; /* [n_entries], of the whole graph */
    scotch_num *weight;    /* beside, or NULL */
    scotch_num *part_of;   /* [n] */
} graph_slice;

/* --- the library ------------------------------------------------------------------------------ */

/* Opens the first of the libraries whose numbers have 32 bits; $LIB is the loader's. */
static tess_status open_library(ptscotch_library *out) {
    static const char *const usual[] = {"/usr/$LIB/scotch-int32/libptscotch.so",
                                        "/usr/$LIB/scotch-int32/libptscotch-7.0.so",
                                        "libptscotch.so", "libptscotch-7.0.so", NULL};
    const char *said = getenv("TESS_PTSCOTCH");
    const char *const stated[] = {said, NULL};
    void *handle = tess_library_open(said && said[0] ? stated : usual, RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        FAIL(TESS_ERROR_MISSING,
             "PT-SCOTCH is not there (%s): apt-get install libptscotch-dev openmpi-bin, or name "
             "the library in TESS_PTSCOTCH",
             dlerror());
    const tess_library_symbol symbols[] = {
        {"ompi_mpi_comm_world", &out->world},
        {"MPI_Init", &out->mpi_init},
        {"MPI_Comm_size", &out->mpi_size},
        {"MPI_Comm_rank", &out->mpi_rank},
        {"MPI_Abort", &out->mpi_abort},
        {"MPI_Finalize", &out->mpi_finalize},
        {"SCOTCH_version", &out->version},
        {"SCOTCH_numSizeof", &out->number_size},
        {"SCOTCH_dgraphAlloc", &out->graph_alloc},
        {"SCOTCH_dgraphInit", &out->graph_init},
        {"SCOTCH_dgraphExit", &out->graph_exit},
        {"SCOTCH_dgraphBuild", &out->graph_build},
        {"SCOTCH_dgraphPart", &out->graph_part},
        {"SCOTCH_stratAlloc", &out->strategy_alloc},
        {"SCOTCH_stratInit", &out->strategy_init},
        {"SCOTCH_stratExit", &out->strategy_exit},
        {"SCOTCH_stratDgraphMapBuild", &out->strategy_build},
        {"SCOTCH_contextAlloc", &out->context_alloc},
        {"SCOTCH_contextInit", &out->context_init},
        {"SCOTCH_contextExit", &out->context_exit},
        {"SCOTCH_contextThreadSpawn", &out->context_threads},
        {"SCOTCH_contextOptionSetNum", &out->context_set},
        {"SCOTCH_contextRandomClone", &out->context_clone_random},
        {"SCOTCH_contextRandomSeed", &out->context_seed},
        {"SCOTCH_contextRandomReset", &out->context_reset},
        {"SCOTCH_contextBindDgraph", &out->context_bind}};
    TRY(TESS_LIBRARY_FIND(handle, symbols, "this PT-SCOTCH",
                          "one of version 7 with Open MPI, as Debian's libptscotch-dev,"));
    if (out->number_size() != (int)sizeof(scotch_num))
        FAIL(TESS_ERROR_MISSING,
             "this PT-SCOTCH has numbers of %d bytes, and 4 are meant: name that library in "
             "TESS_PTSCOTCH",
             out->number_size());
    out->handle = handle;
    return TESS_OK;
}

/* --- the call --------------------------------------------------------------------------------- */

static void slice_free(graph_slice *slice) {
    free(slice->offset);
    free(slice->neighbour);
    free(slice->weight);
    free(slice->part_of);
}

/* Takes the vertices of one of n processes, whose numbers differ by one at most. */
static tess_status slice_take(tess_ptscotch_job *job, int rank, graph_slice *out) {
    const int64_t *offset = tess_ptscotch_offset(job);
    const int64_t first = job->n_vertices * rank / job->n_processes;
    const int64_t end = job->n_vertices * (rank + 1) / job->n_processes;
    *out =
        (graph_slice){.first = first, .n = end - first, .n_entries = offset[end] - offset[first]};
    TRY(TESS_ALLOC(out->n + 1, &out->offset));
    TRY(TESS_ALLOC(out->n, &out->part_of));
    for (int64_t v = 0; v <= out->n; v++)
        out->offset[v] = (scotch_num)(offset[first + v] - offset[first]);
    TRY(TESS_COPY(out->n_entries, tess_ptscotch_neighbour(job) + offset[first], &out->neighbour));
    if (job->weighted)
        TRY(TESS_COPY(out->n_entries, tess_ptscotch_weight(job) + offset[first], &out->weight));
    return TESS_OK;
}

/* One thread and a seed of our own: the same processes give the same answer every time. */
static int context_prepare(const ptscotch_library *scotch, scotch_context *context,
                           scotch_num seed) {
    const int failed = scotch->context_init(context) || scotch->context_threads(context, 1, NULL) ||
                       scotch->context_set(context, DETERMINISTIC, 1) ||
                       scotch->context_clone_random(context);
    if (!failed) {
        scotch->context_seed(context, seed);
        scotch->context_reset(context);
    }
    return failed;
}

/* PT-SCOTCH says what is wrong on its standard error. */
static tess_status slice_cut(const ptscotch_library *scotch, const tess_ptscotch_job *job,
                             graph_slice *slice) {
    scotch_graph *graph = scotch->graph_alloc(), *bound = scotch->graph_alloc();
    scotch_strategy *strategy = scotch->strategy_alloc();
    scotch_context *context = scotch->context_alloc();
    if (!graph || !bound || !strategy || !context)
        FAIL(TESS_ERROR_MEMORY, "PT-SCOTCH is out of memory");
    const scotch_num n = (scotch_num)slice->n, n_entries = (scotch_num)slice->n_entries;
    const int failed =
        context_prepare(scotch, context, job->seed) || scotch->graph_init(graph, scotch->world) ||
        scotch->graph_init(bound, scotch->world) ||
        scotch->graph_build(graph, 0, n, n, slice->offset, slice->offset + 1, NULL, NULL, n_entries,
                            n_entries, slice->neighbour, NULL, slice->weight) ||
        scotch->context_bind(context, graph, bound) || scotch->strategy_init(strategy) ||
        scotch->strategy_build(strategy, job->flags, job->n_processes, job->n_parts,
                               job->imbalance) ||
        scotch->graph_part(bound, job->n_parts, strategy, slice->part_of);
    if (failed)
        FAIL(TESS_ERROR_CHECK, "PT-SCOTCH could not cut the graph into %d parts", job->n_parts);
    scotch->strategy_exit(strategy);
    scotch->graph_exit(bound);
    scotch->graph_exit(graph);
    scotch->context_exit(context);
    free(strategy);
    free(bound);
    free(graph);
    free(context);
    return TESS_OK;
}

/* Cuts together with the other processes; *started: MPI is to be left. */
static tess_status cut(const ptscotch_library *scotch, tess_ptscotch_job *job, bool *started) {
    graph_slice slice = {.n = 0};
    int n_processes = 0, rank = 0;
    if (scotch->mpi_init(NULL, NULL) != IS_FINE)
        FAIL(TESS_ERROR_CHECK, "PT-SCOTCH's MPI library does not start");
    *started = true;
    scotch->mpi_size(scotch->world, &n_processes);
    scotch->mpi_rank(scotch->world, &rank);
    if (n_processes != job->n_processes)
        FAIL(TESS_ERROR_MISSING,
             "the launcher has started %d processes that are each alone: name one of Open MPI, as "
             "PT-SCOTCH's library is, in TESS_PTSCOTCH_LAUNCHER",
             job->n_processes);
    tess_status status = slice_take(job, rank, &slice);
    if (status == TESS_OK)
        status = slice_cut(scotch, job, &slice);
    if (status == TESS_OK)
        memcpy(tess_ptscotch_part_of(job) + slice.first, slice.part_of,
               (size_t)slice.n * sizeof *slice.part_of);
    slice_free(&slice);
    return status;
}

/* Keeps the first failure of all processes. */
static void report(tess_ptscotch_job *job, tess_status status) {
    if (status == TESS_OK)
        atomic_fetch_add(&job->n_done, 1);
    else if (atomic_fetch_add(&job->n_failed, 1) == 0) {
        snprintf(job->message, sizeof job->message, "%s", tess_message());
        job->status = status;
    }
}

static int print_version(void) {
    ptscotch_library scotch;
    int version[3] = {0, 0, 0};
    if (open_library(&scotch) != TESS_OK) {
        puts(tess_message());
        return tess_status_exit_code(TESS_ERROR_MISSING);
    }
    scotch.version(&version[0], &version[1], &version[2]);
    printf("PT-SCOTCH %d.%d.%d\n", version[0], version[1], version[2]);
    return 0;
}

int main(int argc, char **argv) {
    ptscotch_library scotch;
    tess_ptscotch_job *job = NULL;
    bool started = false;
    if (argc != 2) {
        fputs("tess-ptscotch is started by tess-worker, with a job\n", stderr);
        return tess_status_exit_code(TESS_ERROR_USAGE);
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for an answer any more */
    tess_status status = tess_ptscotch_job_open(argv[1], &job);
    if (status != TESS_OK) {
        fprintf(stderr, "%s\n", tess_message());
        return tess_status_exit_code(status);
    }
    status = open_library(&scotch);
    if (status == TESS_OK)
        status = cut(&scotch, job, &started);
    report(job, status);
    if (started && status != TESS_OK)
        scotch.mpi_abort(scotch.world, tess_status_exit_code(status));
    if (started)
        scotch.mpi_finalize();
    tess_ptscotch_job_free(job);
    return tess_status_exit_code(status);
}
