/* The PT-SCOTCH partitioner: dual recursive bisection of the graph of elements that share points,
 * by several processes on MPI, each of which has a part of the graph. */
#include "partitioners/ptscotch.h"
#include "core/base/own_file.h"
#include "core/plan/graph.h"
#include "partitioners/graph32.h"
#include "partitioners/partitioner.h"
#include "partitioners/worker/ptscotch_job.h"
#include "partitioners/worker/worker.h"
#include "partitioners/worker/worker_request.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const launchers[] = {"mpiexec.openmpi", "mpirun", NULL};

enum { NOT_STARTED = 127 /* the exit code of a child that became no launcher */ };

/* As scotch.h numbers them. */
static const struct {
    const char *name;
    int32_t flags;
} strategies[] = {
    {"default", 0}, {"quality", 1}, {"speed", 2}, {"balance", 4}, {"scalability", 0x10}};

static const tess_option options[] = {
    TESS_INT_OPTION("processes", "2", 1, 1024,
                    "of this machine; another number gives another answer"),
    TESS_CHOICE_OPTION("strategy", "default", "default|quality|speed|balance|scalability",
                       "SCOTCH's strategy: its default, quality, speed, balance or scalability"),
    TESS_OPTION_WEIGHTS("none"),
    TESS_OPTION_L,
    TESS_OPTION_EPSILON,
    TESS_OPTION_SEED,
    {.key = NULL}};

tess_status tess_ptscotch_path(char path[PATH_MAX]) {
    char folder[PATH_MAX];
    tess_own_folder(folder);
    if (snprintf(path, PATH_MAX, "%s/tess-ptscotch", folder) < PATH_MAX && access(path, X_OK) == 0)
        return TESS_OK;
    FAIL(TESS_ERROR_MISSING,
         "the program tess-ptscotch is not beside tess-worker in %s: build it (target "
         "tess-ptscotch)",
         folder);
}

/* A launcher of MPI would take our processes for more of its own ranks, Slurm's for its tasks. */
static void forget_launcher(void) {
    static const char *const starts[] = {"OMPI_", "PMIX_", "PMI_", "SLURM_", "HYDRA_", "PRTE_"};
    char **kept = environ;
    for (char **one = environ; *one; one++) {
        size_t i = 0;
        while (i < sizeof starts / sizeof *starts &&
               strncmp(*one, starts[i], strlen(starts[i])) != 0)
            i++;
        if (i == sizeof starts / sizeof *starts)
            *kept++ = *one;
    }
    *kept = NULL;
}

/* The launcher's and the library's files go to the folder that tess removes. */
static void set_environment(const char *folder) {
    forget_launcher();
    if (folder[0]) {
        setenv("OMPI_MCA_orte_tmpdir_base", folder, 1);
        setenv("OMPI_MCA_btl_vader_backing_directory", folder, 1);
        setenv("PMIX_MCA_gds", "hash", 1); /* keeps nothing in shared memory */
    }
    setenv("OMPI_MCA_orte_execute_quiet", "1", 1); /* what fails is told by us */
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 1); /* the same in 5 */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1); /* whoever runs us as root has decided that */
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("HWLOC_COMPONENTS", "-gl", 0); /* no display is asked for GPUs */
}

/* In the child: becomes the launcher. */
static void become_launcher(const char *program, int n_processes, const char *job,
                            const char *folder) {
    const char *said = getenv("TESS_PTSCOTCH_LAUNCHER");
    char number[16];
    snprintf(number, sizeof number, "%d", n_processes);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_environment(folder);
    const char *const chosen[] = {said, NULL};
    const char *const *names = said && said[0] ? chosen : launchers;
    for (int i = 0; names[i]; i++)
        execlp(names[i], names[i], "-n", number, program, job, (char *)NULL);
    fprintf(stderr, "%s", strerror(errno));
    _exit(NOT_STARTED);
}

/* Has the job done by processes of its own, and waits. */
static tess_status launch(tess_ptscotch_job *job, int fd, const char *folder) {
    char program[PATH_MAX], path[64];
    int ended = 0;
    TRY(tess_ptscotch_path(program));
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become_launcher(program, job->n_processes, path, folder);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (job->n_failed > 0)
        FAIL(job->status, "%s", job->message);
    if (child < 0 || (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_STARTED))
        FAIL(TESS_ERROR_MISSING,
             "no launcher of Open MPI starts PT-SCOTCH: apt-get install openmpi-bin, or name it in "
             "TESS_PTSCOTCH_LAUNCHER");
    if (job->n_done != job->n_processes)
        FAIL(TESS_ERROR_CHECK, "%d of %d processes of PT-SCOTCH have ended without an answer",
             job->n_processes - job->n_done, job->n_processes);
    return TESS_OK;
}

static int32_t flags_of(const tess_spec *spec) {
    size_t i = 0;
    while (!tess_spec_is(spec, options, "strategy", strategies[i].name))
        i++;
    return strategies[i].flags;
}

static tess_status cut(const tess_partition_problem *problem, const tess_spec *spec,
                       const tess_ptscotch_job *header, int32_t *block_of) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    int32_t *weight = NULL;
    tess_ptscotch_job *job = NULL;
    tess_worker_request *request = NULL;
    int fd = -1;
    const bool weighted = tess_spec_is(spec, options, "weights", "shared");
    CHECK(tess_worker_request_open(dup(TESS_WORKER_FD), &request));
    CHECK(tess_graph_build(problem, weighted ? &weight : NULL, &graph));
    if (graph->offset[graph->n] > INT32_MAX)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "the graph of %lld elements has %lld entries; PT-SCOTCH of 32-bit numbers "
                        "counts to %d",
                        (long long)graph->n, (long long)graph->offset[graph->n], INT32_MAX));
    CHECK(tess_ptscotch_job_new(header, graph, weight, &fd, &job));
    CHECK(launch(job, fd, request->folder));
    memcpy(block_of, tess_ptscotch_part_of(job), (size_t)graph->n * sizeof *block_of);
done:
    if (fd >= 0)
        close(fd);
    tess_ptscotch_job_free(job);
    tess_worker_request_free(request);
    free(weight);
    tess_rows_free(graph);
    return status;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    const int64_t n = problem->n_elements;
    const tess_block_target target =
        tess_block_target_of(problem->block_size, tess_spec_real(spec, options, "l"),
                             tess_spec_real(spec, options, "epsilon"));
    const int32_t n_parts = tess_block_target_count(target, n);
    if (n_parts == 1 || n_parts >= n) { /* nothing to decide */
        for (int64_t e = 0; e < n; e++)
            block_of[e] = n_parts == 1 ? 0 : (int32_t)e;
        return TESS_OK;
    }
    const int64_t processes = tess_spec_int(spec, options, "processes");
    const tess_ptscotch_job header = {
        .n_parts = n_parts,
        .n_processes = (int32_t)(processes < n ? processes : n),
        .flags = flags_of(spec),
        .seed = (int32_t)(tess_partitioner_seed(problem, spec, options) & INT32_MAX),
        .imbalance = target.imbalance - 1};
    return cut(problem, spec, &header, block_of);
}

const tess_partitioner tess_partitioner_ptscotch = {
    .name = "ptscotch",
    .summary = "PT-SCOTCH: recursive bisection by several processes on MPI; for ranks, blocks of "
               "any size",
    .reference = "Chevalier and Pellegrini, Parallel Computing 2008, doi "
                 "10.1016/j.parco.2007.12.001; PT-SCOTCH 7.0 user's guide",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .partition = partition,
};
