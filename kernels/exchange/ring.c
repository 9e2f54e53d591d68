/* A ring: each rank sends to the rank before it and to the one after it. */
#include "kernels/exchange/ring.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PEERS = 2, WARM_UPS = 2 };

/* One exchange of the ring, as engines see it. */
typedef struct ring_mail {
    int32_t peers[MOST_PEERS];
    int64_t offset[MOST_PEERS + 1];
    tess_parcels parcels;
    tess_mail mail;
    char *values;                /* on the host; owned */
    tess_address sent, received; /* on the device, where the engine wants them; 0: on the host */
    int64_t bytes;               /* of all messages */
} ring_mail;

int tess_ring_messages(const tess_ring *ring) {
    return ring->crew->n_ranks < 3 ? ring->crew->n_ranks - 1 : MOST_PEERS;
}

static void choose_peers(const tess_crew *crew, int n_peers, int32_t *peers) {
    const int32_t n = crew->n_ranks, before = (crew->first + n - 1) % n,
                  after = (crew->first + 1) % n;
    peers[0] = n_peers < 2 || before < after ? before : after;
    peers[1] = before < after ? after : before;
}

/* What a rank sends. */
static char mark_of(int32_t rank) {
    return (char)(1 + rank % 100);
}

static tess_status place_messages(const tess_ring *ring, ring_mail *m) {
    TRY(TESS_ALLOC(2 * m->bytes, &m->values));
    memset(m->values, mark_of(ring->crew->first), (size_t)m->bytes);
    memset(m->values + m->bytes, 0, (size_t)m->bytes);
    m->mail.out = m->values;
    m->mail.in = m->values + m->bytes;
    if (!ring->crew->engine->on_device)
        return TESS_OK;
    TRY(ring->device->alloc(ring->target, "messages", m->bytes, &m->sent));
    TRY(ring->device->alloc(ring->target, "messages", m->bytes, &m->received));
    TRY(ring->device->upload(ring->target, m->sent, m->values, m->bytes));
    m->mail.out = (char *)(uintptr_t)m->sent;
    m->mail.in = (char *)(uintptr_t)m->received;
    return TESS_OK;
}

static void drop_messages(const tess_ring *ring, ring_mail *m) {
    if (m->sent)
        ring->device->free(ring->target, m->sent);
    if (m->received)
        ring->device->free(ring->target, m->received);
    free(m->values);
}

static tess_status check_received(const tess_ring *ring, ring_mail *m) {
    char *received = m->values + m->bytes;
    if (m->received)
        TRY(ring->device->download(ring->target, received, m->received, m->bytes));
    for (int k = 0; k < m->parcels.in.n_peers; k++)
        for (int64_t i = m->offset[k]; i < m->offset[k + 1]; i++)
            if (received[i] != mark_of(m->peers[k]))
                FAIL(TESS_ERROR_CHECK, "rank %d: byte %lld of a message of rank %d is wrong",
                     ring->crew->first, (long long)(i - m->offset[k]), m->peers[k]);
    return TESS_OK;
}

static tess_status exchange(const tess_ring *ring, ring_mail *m, int n) {
    const tess_engine *engine = ring->crew->engine;
    for (int i = 0; i < n; i++) {
        TRY(engine->start(ring->crew, &m->mail));
        TRY(engine->finish(ring->crew, &m->mail));
    }
    return TESS_OK;
}

static tess_status time_exchanges(const tess_ring *ring, ring_mail *m, int n, double *seconds) {
    tess_crew *crew = ring->crew;
    TRY(exchange(ring, m, WARM_UPS));
    TRY(tess_crew_meet(crew)); /* all begin together */
    TRY(ring->device->timer_start(ring->target));
    TRY(exchange(ring, m, n));
    TRY(ring->device->timer_stop(ring->target, seconds));
    *seconds /= n;
    TRY(tess_crew_sum(crew, seconds, 1));
    *seconds /= crew->n_ranks;
    return TESS_OK;
}

tess_status tess_ring_time(const tess_ring *ring, int64_t bytes, int n, double *seconds) {
    tess_status status = TESS_OK;
    tess_crew *crew = ring->crew;
    const int n_peers = tess_ring_messages(ring);
    ring_mail m = {.bytes = n_peers * bytes};
    bool ready = false;
    choose_peers(crew, n_peers, m.peers);
    for (int k = 0; k <= n_peers; k++)
        m.offset[k] = k * bytes;
    const tess_parcel_side side = {.n_peers = n_peers, .peers = m.peers, .offset = m.offset};
    m.parcels = (tess_parcels){.out = side, .in = side};
    m.mail = (tess_mail){.rank = crew->first, .parcels = &m.parcels};
    CHECK(place_messages(ring, &m));
    CHECK(crew->engine->prepare(crew, &m.mail));
    ready = true;
    CHECK(time_exchanges(ring, &m, n, seconds));
    CHECK(check_received(ring, &m));
done:
    if (ready) {
        crew->engine->release(crew, &m.mail);
        m.received = m.mail.in ? m.received : 0;
    }
    drop_messages(ring, &m);
    return status;
}
