/* The engine mpi: a rank a process, started by mpiexec or srun; persistent messages of any MPI. */
#include "kernels/exchange/engine.h"

#include "core/base/array.h"
#include "kernels/exchange/mpi_library.h"
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct mpi_crew {
    tess_crew crew;
    tess_mpi_library mpi;
    bool is_spread; /* over several hosts */
} mpi_crew;

static tess_status refuse(const mpi_crew *own, int result, const char *what) {
    if (result == 0)
        return TESS_OK;
    FAIL(TESS_ERROR_CHECK, "rank %d: MPI's %s failed (%d)", own->crew.first, what, result);
}

/* A library that is not the launcher's starts as one process by itself, many times over. */
static tess_status check_size(const mpi_crew *own, int size, int32_t wanted) {
    const char *family = NULL;
    const int launched = tess_mpi_launched(&family);
    if (launched > 0 && launched != size)
        FAIL(TESS_ERROR_MISSING,
             "the launcher (of %s) has started %d processes, but %s sees %d: take the mpiexec of "
             "that library, or name another library in TESS_MPI",
             family, launched, own->mpi.name, size);
    if (wanted > 0 && wanted != size)
        FAIL(TESS_ERROR_USAGE, "--ranks %d, but there are %d processes: mpiexec -n %d tess ...",
             wanted, size, wanted);
    return TESS_OK;
}

static tess_status mpi_gather(tess_crew *crew, const void *mine, void *gathered, int bytes) {
    const mpi_crew *own = (const mpi_crew *)crew;
    return refuse(own,
                  own->mpi.allgather(mine, bytes, own->mpi.byte_type, gathered, bytes,
                                     own->mpi.byte_type, own->mpi.world),
                  "MPI_Allgather");
}

/* Where a process runs. */
typedef struct seat {
    char host[64];
    cpu_set_t processors;
} seat;

/* Processes that run on the same processors share them: were there a thread for each processor in
 * every process, they would wait for each other. */
static void share_processors(const seat *seats, int32_t n, const seat *own) {
    const char *chosen = getenv("OMP_NUM_THREADS");
    int n_sharing = 0;
    for (int32_t r = 0; r < n; r++)
        n_sharing += memcmp(&seats[r], own, sizeof *own) == 0;
    const int threads = omp_get_num_procs() / n_sharing;
    if (!(chosen && chosen[0]))
        omp_set_num_threads(threads > 1 ? threads : 1);
}

/* Counts the processes of this host before this one, and notes whether there are other hosts. */
static tess_status find_hosts(mpi_crew *own) {
    tess_status status = TESS_OK;
    seat mine = {.host = ""}, *seats = NULL;
    gethostname(mine.host, sizeof mine.host - 1);
    sched_getaffinity(0, sizeof mine.processors, &mine.processors);
    CHECK(TESS_ZEROS(own->crew.n_ranks, &seats));
    CHECK(mpi_gather(&own->crew, &mine, seats, sizeof mine));
    for (int32_t r = 0; r < own->crew.first; r++)
        own->crew.local += strcmp(seats[r].host, mine.host) == 0;
    for (int32_t r = 0; r < own->crew.n_ranks; r++)
        own->is_spread |= strcmp(seats[r].host, mine.host) != 0;
    share_processors(seats, own->crew.n_ranks, &mine);
done:
    free(seats);
    return status;
}

static tess_status mpi_open(int32_t n_ranks, tess_crew **out) {
    tess_status status = TESS_OK;
    mpi_crew *own = NULL;
    int provided = 0, rank = 0, size = 0;
    CHECK(TESS_ZEROS(1, &own));
    CHECK(tess_mpi_library_open(&own->mpi));
    CHECK(refuse(own, own->mpi.init(NULL, NULL, 0, &provided), "MPI_Init_thread"));
    CHECK(refuse(own, own->mpi.rank(own->mpi.world, &rank), "MPI_Comm_rank"));
    CHECK(refuse(own, own->mpi.size(own->mpi.world, &size), "MPI_Comm_size"));
    own->crew = (tess_crew){.n_ranks = size, .first = rank, .n_here = 1, .self = own->mpi.self};
    tess_mpi_library_name(&own->mpi, own->crew.carriers);
    status = check_size(own, size, n_ranks);
    if (status == TESS_OK)
        status = find_hosts(own);
    if (status != TESS_OK)
        own->mpi.finalize();
    else
        *out = &TESS_TAKE(own)->crew;
done:
    free(own);
    return status;
}

static int n_requests(const tess_mail *mail) {
    return mail->parcels->in.n_peers + mail->parcels->out.n_peers;
}

static tess_status mpi_prepare(tess_crew *crew, tess_mail *mail) {
    mpi_crew *own = (mpi_crew *)crew;
    const tess_parcel_side *in = &mail->parcels->in, *out = &mail->parcels->out;
    char *requests = NULL;
    TRY(tess_array_zeros(n_requests(mail), own->mpi.request_size, (void **)&requests));
    mail->engine_data = requests;
    for (int k = 0; k < in->n_peers; k++, requests += own->mpi.request_size)
        TRY(refuse(own,
                   own->mpi.receive_init(
                       mail->in + in->offset[k], (int)(in->offset[k + 1] - in->offset[k]),
                       own->mpi.byte_type, in->peers[k], mail->tag, own->mpi.world, requests),
                   "MPI_Recv_init"));
    for (int k = 0; k < out->n_peers; k++, requests += own->mpi.request_size)
        TRY(refuse(own,
                   own->mpi.send_init(
                       mail->out + out->offset[k], (int)(out->offset[k + 1] - out->offset[k]),
                       own->mpi.byte_type, out->peers[k], mail->tag, own->mpi.world, requests),
                   "MPI_Send_init"));
    return TESS_OK;
}

static void mpi_release(tess_crew *crew, tess_mail *mail) {
    mpi_crew *own = (mpi_crew *)crew;
    for (int i = 0; i < n_requests(mail); i++)
        own->mpi.request_free((char *)mail->engine_data + (size_t)i * own->mpi.request_size);
    free(mail->engine_data);
    mail->engine_data = NULL;
}

static tess_status mpi_start(tess_crew *crew, tess_mail *mail) {
    const mpi_crew *own = (const mpi_crew *)crew;
    return refuse(own, own->mpi.start_all(n_requests(mail), mail->engine_data), "MPI_Startall");
}

static tess_status mpi_finish(tess_crew *crew, tess_mail *mail) {
    const mpi_crew *own = (const mpi_crew *)crew;
    return refuse(own,
                  own->mpi.wait_all(n_requests(mail), mail->engine_data, own->mpi.statuses_ignore),
                  "MPI_Waitall");
}

static tess_status mpi_sum(tess_crew *crew, double *values, int64_t n) {
    enum { PIECE = 1 << 20 };
    const mpi_crew *own = (const mpi_crew *)crew;
    for (int64_t at = 0; at < n; at += PIECE)
        TRY(refuse(own,
                   own->mpi.allreduce(own->mpi.in_place, values + at,
                                      (int)(n - at < PIECE ? n - at : PIECE), own->mpi.double_type,
                                      own->mpi.sum, own->mpi.world),
                   "MPI_Allreduce"));
    return TESS_OK;
}

/* Sees to it that no rank is inside MPI when the first one finalizes it. MPICH flushes the
 * connections then, over UCX's TCP until the other end has answered. A rank that still waits for
 * the end of a collective answers, and finds nobody who answers to it when it finalizes in turn. */
static void step_out(tess_crew *crew) {
    static const struct timespec while_ranks_step_out = {.tv_sec = 1};
    const mpi_crew *own = (const mpi_crew *)crew;
    double nothing = 0;
    if (own->is_spread && strcmp(own->mpi.family, "MPICH") == 0 &&
        mpi_sum(crew, &nothing, 1) == TESS_OK)
        nanosleep(&while_ranks_step_out, NULL);
}

static void mpi_close(tess_crew *crew) {
    mpi_crew *own = (mpi_crew *)crew;
    step_out(crew);
    own->mpi.finalize();
    free(own);
}

const tess_engine tess_engine_mpi = {
    .name = "mpi",
    .summary = "a rank a process, started by mpiexec or srun, on any MPI library",
    .open = mpi_open,
    .close = mpi_close,
    .prepare = mpi_prepare,
    .release = mpi_release,
    .start = mpi_start,
    .finish = mpi_finish,
    .sum = mpi_sum,
    .gather = mpi_gather,
};
