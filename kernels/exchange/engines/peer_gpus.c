/* The engine peer: a rank a process and a GPU of one host; a message is packed straight into the
 * memory of the other GPU. MPI carries all that is small. */
#include "kernels/exchange/engine.h"

#include "core/base/array.h"
#include "kernels/exchange/peer_memory.h"
#include <stdlib.h>

enum { N_FLAGS = 1 << 19 };

/* What a mail knows of the ranks that it goes to. */
typedef struct peer_mail {
    int64_t flag;         /* the first of its flags, on every rank */
    tess_address *opened; /* [out.n_peers]: their buffers; owned */
    tess_address in;      /* once it is released: this rank's buffer; owned */
    struct peer_mail *next;
} peer_mail;

typedef struct peer_crew {
    tess_crew crew;
    tess_peer_memory memory;
    const tess_device *device;
    tess_target *target;
    tess_address flags; /* [N_FLAGS] of 32 bits, those of a mail side by side: of each rank whether
                           it has room for a message, then whether its message is here */
    tess_address *others; /* [n_ranks]: theirs; of this one its own; owned */
    int64_t n_flags;      /* in use */
    peer_mail *released;  /* whose buffers other ranks may have mapped yet */
} peer_crew;

/* After all ranks have met: memory that another one has mapped must not be freed. */
static void free_released(peer_crew *own) {
    for (peer_mail *of = own->released; of; of = own->released) {
        own->released = of->next;
        own->device->free(own->target, of->in);
        free(of);
    }
}

static void peer_close(tess_crew *crew) {
    peer_crew *own = (peer_crew *)crew;
    if (!own)
        return;
    for (int32_t r = 0; own->others && r < crew->n_ranks; r++)
        if (r != crew->first && own->others[r])
            own->memory.close(own->others[r]);
    if (own->flags && tess_crew_meet(crew) == TESS_OK) {
        free_released(own);
        own->device->free(own->target, own->flags);
    }
    if (own->device && own->device->unlock)
        own->device->unlock(own->target);
    if (crew->mpi)
        crew->mpi->engine->close(crew->mpi);
    free(own->others);
    free(own);
}

static tess_status peer_open(int32_t n_ranks, tess_crew **out) {
    tess_status status = TESS_OK;
    peer_crew *own = NULL;
    CHECK(TESS_ZEROS(1, &own));
    CHECK(tess_peer_memory_open(&own->memory));
    CHECK(tess_crew_open_with_mpi(n_ranks, &own->crew));
    *out = &TESS_TAKE(own)->crew;
done:
    peer_close((tess_crew *)own);
    return status;
}

/* Lets every rank write the flags of every other. */
static tess_status share_flags(peer_crew *own) {
    tess_status status = TESS_OK;
    tess_shared_memory mine, *all = NULL;
    uint32_t *zeros = NULL;
    const int64_t bytes = N_FLAGS * (int64_t)sizeof *zeros;
    CHECK(TESS_ZEROS(own->crew.n_ranks, &own->others));
    CHECK(TESS_ALLOC(own->crew.n_ranks, &all));
    CHECK(TESS_ZEROS(N_FLAGS, &zeros));
    CHECK(own->device->alloc(own->target, "flags of messages", bytes, &own->flags));
    CHECK(own->device->upload(own->target, own->flags, zeros, bytes));
    CHECK(tess_peer_memory_share(&own->memory, own->flags, &mine));
    CHECK(tess_crew_gather(&own->crew, &mine, all, sizeof mine));
    for (int32_t r = 0; r < own->crew.n_ranks; r++)
        if (r == own->crew.first)
            own->others[r] = own->flags;
        else
            CHECK(tess_peer_memory_reach(&own->memory, &all[r], &own->others[r]));
done:
    free(zeros);
    free(all);
    return status;
}

static tess_status peer_take_device(tess_crew *crew, const tess_device *device,
                                    tess_target *target) {
    peer_crew *own = (peer_crew *)crew;
    if (!device->queue || !device->beside_start)
        FAIL(TESS_ERROR_USAGE, "engine peer carries between GPUs: --device cuda");
    own->device = device;
    own->target = target;
    TRY(tess_crew_lock_devices(crew, device, target));
    TRY(share_flags(own));
    return tess_crew_meet(crew);
}

/* --- mails ------------------------------------------------------------------------------------ */

/* What a rank tells all others of a mail: its buffer, and where in it the message of each belongs;
 * -1: nowhere. */
typedef struct invitation {
    tess_shared_memory in;
    int64_t offset[];
} invitation;

static size_t invitation_bytes(const tess_crew *crew) {
    return sizeof(invitation) + (size_t)crew->n_ranks * sizeof(int64_t);
}

static tess_status invite(peer_crew *own, const tess_mail *mail, invitation *mine, char *all) {
    const tess_parcel_side *in = &mail->parcels->in;
    for (int32_t r = 0; r < own->crew.n_ranks; r++)
        mine->offset[r] = -1;
    for (int k = 0; k < in->n_peers; k++)
        mine->offset[in->peers[k]] = in->offset[k];
    if (in->n_peers > 0)
        TRY(tess_peer_memory_share(&own->memory, (tess_address)(uintptr_t)mail->in, &mine->in));
    return tess_crew_gather(&own->crew, mine, all, (int)invitation_bytes(&own->crew));
}

static tess_status accept_invitations(const peer_crew *own, tess_mail *mail, const char *all,
                                      peer_mail *out) {
    const tess_parcel_side *side = &mail->parcels->out;
    TRY(TESS_ZEROS(side->n_peers, &out->opened));
    TRY(TESS_ZEROS(side->n_peers, &mail->to));
    for (int k = 0; k < side->n_peers; k++) {
        const invitation *of =
            (const invitation *)(all + (size_t)side->peers[k] * invitation_bytes(&own->crew));
        const int64_t offset = of->offset[own->crew.first];
        if (offset < 0)
            FAIL(TESS_ERROR_CHECK, "rank %d sends to rank %d, which expects nothing",
                 own->crew.first, side->peers[k]);
        TRY(tess_peer_memory_reach(&own->memory, &of->in, &out->opened[k]));
        mail->to[k] = out->opened[k] + (tess_address)offset;
    }
    return TESS_OK;
}

/* Gives what is known of a mail, without the others' buffers. */
static peer_mail *take_back(const peer_crew *own, tess_mail *mail) {
    peer_mail *of = mail->engine_data;
    mail->engine_data = NULL;
    for (int k = 0; of->opened && k < mail->parcels->out.n_peers; k++)
        if (of->opened[k])
            own->memory.close(of->opened[k]);
    free(of->opened);
    free(mail->to);
    mail->to = NULL;
    return of;
}

static void peer_release(tess_crew *crew, tess_mail *mail) {
    peer_crew *own = (peer_crew *)crew;
    peer_mail *of = take_back(own, mail);
    *of = (peer_mail){.in = (tess_address)(uintptr_t)mail->in, .next = own->released};
    own->released = of;
    mail->in = NULL;
}

static tess_status peer_prepare(tess_crew *crew, tess_mail *mail) {
    peer_crew *own = (peer_crew *)crew;
    tess_status status = TESS_OK;
    invitation *mine = NULL;
    char *all = NULL;
    peer_mail *of = NULL;
    const int64_t n_flags = 2 * (int64_t)crew->n_ranks;
    if (own->n_flags + n_flags > N_FLAGS)
        FAIL(TESS_ERROR_USAGE, "more exchanges than --engine peer has flags for");
    TRY(TESS_ZEROS(1, &of));
    mail->engine_data = of;
    of->flag = own->n_flags;
    own->n_flags += n_flags;
    CHECK(tess_array_zeros(1, invitation_bytes(crew), (void **)&mine));
    CHECK(tess_array_zeros(crew->n_ranks, invitation_bytes(crew), (void **)&all));
    CHECK(invite(own, mail, mine, all));
    CHECK(accept_invitations(own, mail, all, of));
    CHECK(tess_crew_meet(crew));
    free_released(own);
done:
    free(mine);
    free(all);
    if (status != TESS_OK)
        free(take_back(own, mail));
    return status;
}

/* The flag that `about` keeps on `on`: that it has room, or that its message is there. */
static tess_address flag_at(const peer_crew *own, const tess_mail *mail, int32_t on, int32_t about,
                            bool is_here) {
    const peer_mail *of = mail->engine_data;
    const int64_t flag = of->flag + (is_here ? own->crew.n_ranks : 0) + about;
    return own->others[on] + (tess_address)flag * sizeof(uint32_t);
}

/* Waits for a flag of this rank, and lowers it for the next time. */
static tess_status await(const peer_crew *own, const tess_mail *mail, int32_t about, bool is_here,
                         tess_flag_batch *batch) {
    const tess_address flag = flag_at(own, mail, own->crew.first, about, is_here);
    TRY(tess_peer_memory_await(&own->memory, batch, flag));
    return tess_peer_memory_put(&own->memory, batch, flag, false);
}

/* Raises a flag of this rank on some ranks, and awaits theirs of others, in one batch. */
static tess_status raise_and_await(const peer_crew *own, const tess_mail *mail, bool is_here,
                                   const tess_parcel_side *on, const tess_parcel_side *of) {
    tess_flag_batch batch = {.stream = own->device->queue(own->target)};
    for (int k = 0; k < on->n_peers; k++)
        TRY(tess_peer_memory_put(&own->memory, &batch,
                                 flag_at(own, mail, on->peers[k], own->crew.first, is_here), true));
    for (int k = 0; k < of->n_peers; k++)
        TRY(await(own, mail, of->peers[k], is_here, &batch));
    return tess_peer_memory_send(&own->memory, &batch);
}

/* Tells the others that there is room here, for what came before on the queue has read what lies in
 * `in`, and waits until they have some. */
static tess_status peer_await_room(tess_crew *crew, tess_mail *mail) {
    return raise_and_await((const peer_crew *)crew, mail, false, &mail->parcels->in,
                           &mail->parcels->out);
}

/* Tells the others that their messages are there, and waits for theirs. */
static tess_status peer_start(tess_crew *crew, tess_mail *mail) {
    return raise_and_await((const peer_crew *)crew, mail, true, &mail->parcels->out,
                           &mail->parcels->in);
}

static tess_status peer_finish(tess_crew *crew, tess_mail *mail) {
    (void)crew, (void)mail;
    return TESS_OK;
}

const tess_engine tess_engine_peer = {
    .name = "peer",
    .summary = "as nccl on the GPUs of one host: messages are packed into the others' memory",
    .on_device = true,
    .open = peer_open,
    .close = peer_close,
    .take_device = peer_take_device,
    .prepare = peer_prepare,
    .release = peer_release,
    .await_room = peer_await_room,
    .start = peer_start,
    .finish = peer_finish,
};
