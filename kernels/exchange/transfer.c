/* A transfer: one exchange of one rank on its device, made again and again. */
#include "kernels/exchange/transfer.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* One side of the exchange, sent or received: its bytes on the device and on the host, and the
 * lists of rows on the device. */
typedef struct side {
    const tess_parcel_side *parcels;
    int64_t bytes;
    tess_address buffer;
    char *mail;                   /* [bytes]; NULL where the engine takes the buffer; owned */
    tess_address *row, *position; /* [n_lists] */
} side;

struct tess_transfer {
    tess_crew *crew;
    const tess_store *store;
    int n_lists;
    const tess_mover **movers;  /* [n_lists]; owned, not what it points to */
    const tess_stored **stored; /* [n_lists]; likewise */
    bool returns;
    bool packs_beside; /* the core may run meanwhile: it writes nothing that is packed */
    tess_parcels *parcels;
    side out, in;
    tess_mail mail;
    bool is_ready; /* the engine knows the mail */
};

static tess_status upload_rows(const tess_store *store, const int32_t *values, int64_t n,
                               tess_address *out) {
    TRY(store->device->alloc(store->target, "rows of a message", n * (int64_t)sizeof *values, out));
    return n > 0 ? store->device->upload(store->target, *out, values, n * (int64_t)sizeof *values)
                 : TESS_OK;
}

/* Uploads elements of a dat's set as they are stored. */
static tess_status upload_stored(const tess_store *store, const tess_stored *dat,
                                 const tess_parcel_rows *rows, tess_address *out) {
    const int32_t *order = tess_store_order(store, dat->dat->set);
    int32_t *stored = NULL;
    if (!order)
        return upload_rows(store, rows->row, rows->n, out);
    TRY(TESS_ALLOC(rows->n, &stored));
    for (int64_t i = 0; i < rows->n; i++)
        stored[i] = order[rows->row[i]];
    const tess_status status = upload_rows(store, stored, rows->n, out);
    free(stored);
    return status;
}

static tess_status open_side(const tess_transfer *transfer, const tess_parcel_side *parcels,
                             side *out) {
    const tess_store *store = transfer->store;
    const int n_lists = transfer->n_lists;
    out->parcels = parcels;
    out->bytes = parcels->offset[parcels->n_peers];
    if (!transfer->crew->engine->on_device)
        TRY(TESS_ZEROS(out->bytes, &out->mail));
    TRY(TESS_ZEROS(n_lists, &out->row));
    TRY(TESS_ZEROS(n_lists, &out->position));
    TRY(store->device->alloc(store->target, "messages", out->bytes, &out->buffer));
    for (int i = 0; i < n_lists; i++) {
        TRY(upload_stored(store, transfer->stored[i], &parcels->rows[i], &out->row[i]));
        TRY(upload_rows(store, parcels->rows[i].position, parcels->rows[i].n, &out->position[i]));
    }
    return TESS_OK;
}

static void close_side(const tess_store *store, int n_lists, side *of) {
    const tess_address *const arrays[] = {of->row, of->position};
    for (int k = 0; k < 2; k++)
        for (int i = 0; arrays[k] && i < n_lists; i++)
            if (arrays[k][i])
                store->device->free(store->target, arrays[k][i]);
    if (of->buffer)
        store->device->free(store->target, of->buffer);
    free(of->row);
    free(of->position);
    free(of->mail);
}

static tess_status find_dats(const tess_transfer_setting *setting,
                             const tess_halo_list *const *lists, tess_transfer *transfer,
                             tess_parcel_list *out) {
    for (int i = 0; i < transfer->n_lists; i++) {
        const tess_arg *arg = &setting->loop->args[lists[i]->arg];
        const tess_stored *stored = tess_store_find(setting->store, arg->dat, arg->set);
        if (!stored)
            FAIL(TESS_ERROR_USAGE, "loop %s wants %s on '%s', which the state lacks",
                 setting->loop->name, arg->dat, arg->set);
        const int type_bytes = (int)tess_type_size(stored->dat->type);
        transfer->movers[i] = setting->movers[i];
        transfer->stored[i] = stored;
        out[i] = (tess_parcel_list){.list = lists[i],
                                    .row_bytes = (int64_t)stored->dat->dim * type_bytes,
                                    .type_bytes = type_bytes};
    }
    return TESS_OK;
}

/* Whether elements of the core write what arrives at others. */
static bool writes_arrivals(const tess_loop *loop, const tess_halo_list *const *lists,
                            int n_lists) {
    for (int i = 0; i < n_lists; i++) {
        const tess_arg *arrives = &loop->args[lists[i]->arg];
        for (int a = 0; a < loop->n_args; a++)
            if (loop->args[a].access != TESS_READ && strcmp(loop->args[a].dat, arrives->dat) == 0 &&
                strcmp(loop->args[a].set, arrives->set) == 0)
                return true;
    }
    return false;
}

/* The bytes of a side, where the engine wants them. */
static char *mail_of(const side *of) {
    return of->mail ? of->mail : (char *)(uintptr_t)of->buffer;
}

tess_status tess_transfer_open(const tess_transfer_setting *setting,
                               const tess_halo_list *const *lists, int n_lists, bool returns,
                               int tag, tess_transfer **out) {
    tess_status status = TESS_OK;
    tess_transfer *transfer = NULL;
    tess_parcel_list *dats = NULL;
    CHECK(TESS_ALLOC(n_lists, &dats));
    CHECK(TESS_ZEROS(1, &transfer));
    *transfer = (tess_transfer){.crew = setting->crew,
                                .store = setting->store,
                                .n_lists = n_lists,
                                .returns = returns,
                                .packs_beside = returns || setting->writes_elsewhere ||
                                                !writes_arrivals(setting->loop, lists, n_lists)};
    CHECK(TESS_ZEROS(n_lists, &transfer->movers));
    CHECK(TESS_ZEROS(n_lists, &transfer->stored));
    CHECK(find_dats(setting, lists, transfer, dats));
    CHECK(tess_parcels_build(setting->ranking, setting->rank_mesh, dats, n_lists, returns,
                             &transfer->parcels));
    CHECK(open_side(transfer, &transfer->parcels->out, &transfer->out));
    CHECK(open_side(transfer, &transfer->parcels->in, &transfer->in));
    transfer->mail = (tess_mail){.rank = setting->rank_mesh->rank,
                                 .tag = tag,
                                 .parcels = transfer->parcels,
                                 .out = mail_of(&transfer->out),
                                 .in = mail_of(&transfer->in)};
    CHECK(setting->crew->engine->prepare(setting->crew, &transfer->mail));
    transfer->is_ready = true;
    *out = TESS_TAKE(transfer);
done:
    free(dats);
    tess_transfer_close(transfer);
    return status;
}

void tess_transfer_close(tess_transfer *transfer) {
    if (!transfer)
        return;
    if (transfer->is_ready)
        transfer->crew->engine->release(transfer->crew, &transfer->mail);
    close_side(transfer->store, transfer->n_lists, &transfer->out);
    close_side(transfer->store, transfer->n_lists, &transfer->in);
    tess_parcels_free(transfer->parcels);
    free(transfer->movers);
    free(transfer->stored);
    free(transfer);
}

/* Carries the rows of some peers. */
static tess_status move(const tess_transfer *transfer, const side *of, tess_motion motion,
                        int first_peer, int end_peer) {
    for (int i = 0; i < transfer->n_lists; i++) {
        const tess_parcel_rows *rows = &of->parcels->rows[i];
        const tess_moved moved = {.dat = transfer->stored[i],
                                  .buffer = of->buffer,
                                  .row = of->row[i],
                                  .position = of->position[i],
                                  .first = rows->first[first_peer],
                                  .n = rows->first[end_peer] - rows->first[first_peer]};
        TRY(tess_mover_move(transfer->movers[i], motion, &moved));
    }
    return TESS_OK;
}

static tess_status pack(const tess_transfer *transfer) {
    const side *out = &transfer->out;
    TRY(move(transfer, out, TESS_PACK, 0, out->parcels->n_peers));
    return out->mail && out->bytes > 0
               ? transfer->store->device->download(transfer->store->target, out->mail, out->buffer,
                                                   out->bytes)
               : TESS_OK;
}

static tess_status unpack(const tess_transfer *transfer) {
    const side *in = &transfer->in;
    if (in->mail && in->bytes > 0)
        TRY(transfer->store->device->upload(transfer->store->target, in->buffer, in->mail,
                                            in->bytes));
    if (!transfer->returns)
        return move(transfer, in, TESS_UNPACK, 0, in->parcels->n_peers);
    for (int k = 0; k < in->parcels->n_peers; k++)
        TRY(move(transfer, in, TESS_ADD, k, k + 1));
    return TESS_OK;
}

/* All but the additions, which the core also makes, runs beside what follows. */
static tess_status start_on_device(tess_transfer *transfer) {
    const tess_store *store = transfer->store;
    if (!transfer->packs_beside)
        TRY(pack(transfer));
    TRY(store->device->beside_start(store->target));
    if (transfer->packs_beside)
        TRY(pack(transfer));
    TRY(transfer->crew->engine->start(transfer->crew, &transfer->mail));
    if (!transfer->returns)
        TRY(unpack(transfer));
    return store->device->beside_stop(store->target);
}

static tess_status finish_on_device(tess_transfer *transfer) {
    const tess_store *store = transfer->store;
    TRY(transfer->crew->engine->finish(transfer->crew, &transfer->mail));
    TRY(store->device->beside_wait(store->target));
    return transfer->returns ? unpack(transfer) : TESS_OK;
}

tess_status tess_transfer_start(tess_transfer *transfer) {
    if (transfer->crew->engine->on_device)
        return start_on_device(transfer);
    TRY(pack(transfer));
    return transfer->crew->engine->start(transfer->crew, &transfer->mail);
}

tess_status tess_transfer_finish(tess_transfer *transfer) {
    if (transfer->crew->engine->on_device)
        return finish_on_device(transfer);
    TRY(transfer->crew->engine->finish(transfer->crew, &transfer->mail));
    return unpack(transfer);
}

tess_status tess_transfer_pack(const tess_transfer *transfer) {
    TRY(pack(transfer));
    return unpack(transfer);
}

int64_t tess_transfer_bytes(const tess_transfer *transfer) {
    return transfer->in.bytes;
}

int tess_transfer_messages(const tess_transfer *transfer) {
    return transfer->in.parcels->n_peers;
}
