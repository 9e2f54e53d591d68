/* The engine local: all ranks in this process, one after another, in lockstep. It is to MPI what
 * the emulator is to CUDA: a message of the wrong size, or one that nobody sends, is found. */
#include "kernels/exchange/engine.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

typedef struct local_crew {
    tess_crew crew;
    int64_t n_mails, capacity;
    tess_mail **mails; /* that are ready; owned, not what it points to */
} local_crew;

/* What a mail counts: messages that lie in `in`. */
typedef struct delivered {
    int n;
} delivered;

static void local_close(tess_crew *crew) {
    local_crew *own = (local_crew *)crew;
    if (own)
        free(own->mails);
    free(own);
}

static tess_status local_open(int32_t n_ranks, tess_crew **out) {
    local_crew *own = NULL;
    TRY(TESS_ZEROS(1, &own));
    own->crew = (tess_crew){.n_ranks = n_ranks, .n_here = n_ranks};
    *out = &own->crew;
    return TESS_OK;
}

static tess_status local_prepare(tess_crew *crew, tess_mail *mail) {
    local_crew *own = (local_crew *)crew;
    delivered *count = NULL;
    TRY(TESS_RESERVE(own->n_mails + 1, &own->capacity, &own->mails));
    TRY(TESS_ZEROS(1, &count));
    mail->engine_data = count;
    own->mails[own->n_mails++] = mail;
    return TESS_OK;
}

static void local_release(tess_crew *crew, tess_mail *mail) {
    local_crew *own = (local_crew *)crew;
    for (int64_t i = 0; i < own->n_mails; i++)
        if (own->mails[i] == mail)
            own->mails[i--] = own->mails[--own->n_mails];
    free(mail->engine_data);
    mail->engine_data = NULL;
}

/* Puts message k of a mail into the mail of its peer. */
static tess_status deliver(const local_crew *own, const tess_mail *mail, int k) {
    const tess_parcel_side *out = &mail->parcels->out;
    const int64_t bytes = out->offset[k + 1] - out->offset[k];
    for (int64_t i = 0; i < own->n_mails; i++) {
        const tess_mail *to = own->mails[i];
        const tess_parcel_side *in = &to->parcels->in;
        if (to->rank != out->peers[k] || to->tag != mail->tag)
            continue;
        for (int j = 0; j < in->n_peers; j++) {
            if (in->peers[j] != mail->rank)
                continue;
            if (in->offset[j + 1] - in->offset[j] != bytes)
                FAIL(TESS_ERROR_INTERNAL, "rank %d sends %lld bytes to rank %d, which expects %lld",
                     mail->rank, (long long)bytes, to->rank,
                     (long long)(in->offset[j + 1] - in->offset[j]));
            memcpy(to->in + in->offset[j], mail->out + out->offset[k], (size_t)bytes);
            ((delivered *)to->engine_data)->n++;
            return TESS_OK;
        }
    }
    FAIL(TESS_ERROR_INTERNAL, "rank %d sends to rank %d, which expects nothing", mail->rank,
         out->peers[k]);
}

static tess_status local_start(tess_crew *crew, tess_mail *mail) {
    for (int k = 0; k < mail->parcels->out.n_peers; k++)
        TRY(deliver((const local_crew *)crew, mail, k));
    return TESS_OK;
}

static tess_status local_finish(tess_crew *crew, tess_mail *mail) {
    (void)crew;
    delivered *count = mail->engine_data;
    if (count->n != mail->parcels->in.n_peers)
        FAIL(TESS_ERROR_INTERNAL, "rank %d has %d of %d messages", mail->rank, count->n,
             mail->parcels->in.n_peers);
    count->n = 0;
    return TESS_OK;
}

static tess_status local_sum(tess_crew *crew, double *values, int64_t n) {
    (void)crew, (void)values, (void)n; /* one process */
    return TESS_OK;
}

static tess_status local_gather(tess_crew *crew, const void *mine, void *gathered, int bytes) {
    (void)crew;
    memcpy(gathered, mine, (size_t)bytes);
    return TESS_OK;
}

const tess_engine tess_engine_local = {
    .name = "local",
    .summary = "all ranks in this process, in lockstep: a checker",
    .open = local_open,
    .close = local_close,
    .prepare = local_prepare,
    .release = local_release,
    .start = local_start,
    .finish = local_finish,
    .sum = local_sum,
    .gather = local_gather,
};
