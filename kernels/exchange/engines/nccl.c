/* The engine nccl: a rank a process and a GPU; NCCL carries from GPU to GPU, MPI all that is small.
 */
#include "kernels/exchange/engine.h"

#include "core/base/array.h"
#include "kernels/exchange/nccl_library.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct nccl_crew {
    tess_crew crew;
    tess_nccl_library nccl;
    nccl_communicator communicator; /* NULL until there is a device */
    const tess_device *device;
    tess_target *target;
} nccl_crew;

static tess_status refuse(const nccl_crew *own, int result, const char *what) {
    if (result == 0)
        return TESS_OK;
    FAIL(TESS_ERROR_CHECK, "NCCL's %s failed (%d): %s", what, result,
         own->nccl.error_string(result));
}

static void nccl_close(tess_crew *crew) {
    nccl_crew *own = (nccl_crew *)crew;
    if (!own)
        return;
    if (own->communicator)
        own->nccl.communicator_close(own->communicator);
    if (own->device && own->device->unlock)
        own->device->unlock(own->target);
    if (crew->mpi)
        crew->mpi->engine->close(crew->mpi);
    free(own);
}

static tess_status nccl_open(int32_t n_ranks, tess_crew **out) {
    tess_status status = TESS_OK;
    nccl_crew *own = NULL;
    CHECK(TESS_ZEROS(1, &own));
    CHECK(tess_nccl_library_open(&own->nccl));
    CHECK(tess_crew_open_with_mpi(n_ranks, &own->crew));
    snprintf(own->crew.carriers, sizeof own->crew.carriers,
             "NCCL %d.%d.%d, NCCL_NVLS_ENABLE=%.8s, NCCL_MAX_CTAS=%.8s; %.200s", own->nccl.major,
             own->nccl.minor, own->nccl.patch, getenv("NCCL_NVLS_ENABLE"), getenv("NCCL_MAX_CTAS"),
             own->crew.mpi->carriers);
    *out = &TESS_TAKE(own)->crew;
done:
    nccl_close((tess_crew *)own);
    return status;
}

static tess_status nccl_take_device(tess_crew *crew, const tess_device *device,
                                    tess_target *target) {
    nccl_crew *own = (nccl_crew *)crew;
    tess_status status = TESS_OK;
    nccl_id *ids = NULL, id = {.bytes = {0}};
    if (!device->queue || !device->beside_start)
        FAIL(TESS_ERROR_USAGE, "engine nccl carries between GPUs: --device cuda");
    own->device = device;
    own->target = target;
    CHECK(tess_crew_lock_devices(crew, device, target));
    CHECK(TESS_ZEROS(crew->n_ranks, &ids));
    if (crew->first == 0)
        CHECK(refuse(own, own->nccl.make_id(&id), "ncclGetUniqueId"));
    CHECK(tess_crew_gather(crew, &id, ids, sizeof id));
    CHECK(refuse(
        own, own->nccl.communicator_open(&own->communicator, crew->n_ranks, ids[0], crew->first),
        "ncclCommInitRank"));
done:
    free(ids);
    return status;
}

static void nccl_release(tess_crew *crew, tess_mail *mail) {
    (void)crew, (void)mail;
}

static size_t message_bytes(const tess_parcel_side *side, int k) {
    return (size_t)(side->offset[k + 1] - side->offset[k]);
}

/* Between the start and the end of a group. */
static tess_status put_messages(const nccl_crew *own, const tess_mail *mail) {
    const tess_parcel_side *in = &mail->parcels->in, *out = &mail->parcels->out;
    void *stream = own->device->queue(own->target);
    for (int k = 0; k < out->n_peers; k++)
        TRY(refuse(own,
                   own->nccl.send(mail->out + out->offset[k], message_bytes(out, k), NCCL_BYTE,
                                  out->peers[k], own->communicator, stream),
                   "ncclSend"));
    for (int k = 0; k < in->n_peers; k++)
        TRY(refuse(own,
                   own->nccl.receive(mail->in + in->offset[k], message_bytes(in, k), NCCL_BYTE,
                                     in->peers[k], own->communicator, stream),
                   "ncclRecv"));
    return TESS_OK;
}

static tess_status nccl_start(tess_crew *crew, tess_mail *mail) {
    const nccl_crew *own = (const nccl_crew *)crew;
    if (mail->parcels->in.n_peers + mail->parcels->out.n_peers == 0)
        return TESS_OK;
    TRY(refuse(own, own->nccl.group_start(), "ncclGroupStart"));
    const tess_status put = put_messages(own, mail);
    const int ended = own->nccl.group_end();
    return put != TESS_OK ? put : refuse(own, ended, "ncclGroupEnd");
}

/* Ranks meet here once: NCCL connects two ranks at their first message, for a tenth of a second,
 * which no step shall pay. What the mail holds yet is thrown away. */
static tess_status nccl_prepare(tess_crew *crew, tess_mail *mail) {
    const nccl_crew *own = (const nccl_crew *)crew;
    TRY(own->device->beside_start(own->target));
    const tess_status started = nccl_start(crew, mail);
    TRY(own->device->beside_stop(own->target));
    return started != TESS_OK ? started : own->device->beside_wait(own->target);
}

static tess_status nccl_finish(tess_crew *crew, tess_mail *mail) {
    (void)mail;
    const nccl_crew *own = (const nccl_crew *)crew;
    int error = 0;
    TRY(refuse(own, own->nccl.error_so_far(own->communicator, &error), "ncclCommGetAsyncError"));
    return refuse(own, error, "exchange");
}

const tess_engine tess_engine_nccl = {
    .name = "nccl",
    .summary = "a rank a process and a GPU: values go from GPU to GPU; started as mpi",
    .on_device = true,
    .open = nccl_open,
    .close = nccl_close,
    .take_device = nccl_take_device,
    .prepare = nccl_prepare,
    .release = nccl_release,
    .start = nccl_start,
    .finish = nccl_finish,
};
