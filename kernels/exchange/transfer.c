/* A transfer: one exchange of one rank on its device, made again and again. */
#include "kernels/exchange/transfer.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include <stdlib.h>
#include <string.h>

/* One side of the exchange, sent or received: its bytes on the device and on the host, and what is
 * moved there, lists of rows on the device. */
typedef struct side {
    const tess_parcel_side *parcels;
    int64_t bytes;
    tess_address buffer;
    char *mail;        /* [bytes]; NULL where the engine takes the buffer; owned */
    tess_moved *moved; /* [n_lists]; owned, as their lists */
} side;

struct tess_transfer {
    tess_crew *crew;
    const tess_store *store;
    const tess_mover *mover;
    int n_lists;
    const tess_stored **stored; /* [n_lists]; owned, not what it points to */
    bool returns;
    bool packs_beside; /* the core may run meanwhile: it writes nothing that is packed */
    tess_parcels *parcels;
    side out, in;
    int n_sent;
    tess_moved *sent; /* [n_sent]: out, for where the engine wants it; NULL: as `out` has it */
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
                                 const int32_t *rows, int64_t n, tess_address *out) {
    const int32_t *order = tess_store_order(store, dat->dat->set);
    int32_t *stored = NULL;
    if (!order)
        return upload_rows(store, rows, n, out);
    TRY(TESS_ALLOC(n, &stored));
    for (int64_t i = 0; i < n; i++)
        stored[i] = order[rows[i]];
    const tess_status status = upload_rows(store, stored, n, out);
    free(stored);
    return status;
}

/* The rows of a dat to pack or unpack, each with its own place. */
static tess_status open_rows(const tess_store *store, const tess_parcel_rows *rows,
                             tess_moved *out) {
    out->n = rows->n;
    TRY(upload_stored(store, out->dat, rows->row, rows->n, &out->row));
    return upload_rows(store, rows->position, rows->n, &out->position);
}

/* The rows of a dat to add: each element once, with the places of all that is added to it, in the
 * order of the peers. */
static tess_status open_sums(const tess_store *store, const tess_parcel_rows *rows,
                             tess_moved *out) {
    tess_status status = TESS_OK;
    tess_rows *of = NULL;
    int32_t *element = NULL, *begin = NULL, *position = NULL;
    int64_t at = 0, end = 0;
    for (int64_t i = 0; i < rows->n; i++)
        end = rows->row[i] < end ? end : rows->row[i] + INT64_C(1);
    CHECK(tess_rows_build(rows->row, rows->n, end, &of));
    CHECK(TESS_ALLOC(rows->n, &element));
    CHECK(TESS_ALLOC(rows->n + 1, &begin));
    CHECK(TESS_ALLOC(rows->n, &position));
    for (int64_t e = 0; e < of->n; e++) {
        if (tess_rows_size(of, e) == 0)
            continue;
        begin[out->n] = (int32_t)at;
        element[out->n++] = (int32_t)e;
        for (int64_t i = of->offset[e]; i < of->offset[e + 1]; i++)
            position[at++] = rows->position[of->item[i]];
    }
    begin[out->n] = (int32_t)at;
    CHECK(upload_stored(store, out->dat, element, out->n, &out->row));
    CHECK(upload_rows(store, begin, out->n + 1, &out->begin));
    CHECK(upload_rows(store, position, at, &out->position));
done:
    free(position);
    free(begin);
    free(element);
    tess_rows_free(of);
    return status;
}

static tess_status open_side(const tess_transfer *transfer, const tess_parcel_side *parcels,
                             bool adds, side *out) {
    const tess_store *store = transfer->store;
    out->parcels = parcels;
    out->bytes = parcels->offset[parcels->n_peers];
    if (!transfer->crew->engine->on_device)
        TRY(TESS_ZEROS(out->bytes, &out->mail));
    TRY(TESS_ZEROS(transfer->n_lists, &out->moved));
    TRY(store->device->alloc(store->target, "messages", out->bytes, &out->buffer));
    for (int i = 0; i < transfer->n_lists; i++) {
        out->moved[i] = (tess_moved){.dat = transfer->stored[i], .buffer = out->buffer};
        TRY(adds ? open_sums(store, &parcels->rows[i], &out->moved[i])
                 : open_rows(store, &parcels->rows[i], &out->moved[i]));
    }
    return TESS_OK;
}

/* What is sent, message by message, to where the engine wants each. */
static tess_status open_sent(tess_transfer *transfer) {
    const tess_parcel_side *parcels = transfer->out.parcels;
    if (!transfer->mail.to)
        return TESS_OK;
    TRY(TESS_ALLOC(transfer->n_lists * (int64_t)parcels->n_peers, &transfer->sent));
    for (int k = 0; k < parcels->n_peers; k++)
        for (int i = 0; i < transfer->n_lists; i++) {
            const int64_t *first = &parcels->rows[i].first[k];
            tess_moved *sent = &transfer->sent[transfer->n_sent++];
            *sent = transfer->out.moved[i];
            sent->buffer = transfer->mail.to[k] - (tess_address)parcels->offset[k];
            sent->first = first[0];
            sent->n = first[1] - first[0];
        }
    return TESS_OK;
}

static void close_side(const tess_store *store, int n_lists, side *of) {
    for (int i = 0; of->moved && i < n_lists; i++) {
        const tess_address lists[] = {of->moved[i].row, of->moved[i].position, of->moved[i].begin};
        for (int k = 0; k < 3; k++)
            if (lists[k])
                store->device->free(store->target, lists[k]);
    }
    if (of->buffer)
        store->device->free(store->target, of->buffer);
    free(of->moved);
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
                                .mover = setting->mover,
                                .n_lists = n_lists,
                                .returns = returns,
                                .packs_beside = returns || setting->writes_elsewhere ||
                                                !writes_arrivals(setting->loop, lists, n_lists)};
    CHECK(TESS_ZEROS(n_lists, &transfer->stored));
    CHECK(find_dats(setting, lists, transfer, dats));
    CHECK(tess_parcels_build(setting->ranking, setting->rank_mesh, dats, n_lists, returns,
                             &transfer->parcels));
    CHECK(open_side(transfer, &transfer->parcels->out, false, &transfer->out));
    CHECK(open_side(transfer, &transfer->parcels->in, returns, &transfer->in));
    transfer->mail = (tess_mail){.rank = setting->rank_mesh->rank,
                                 .tag = tag,
                                 .parcels = transfer->parcels,
                                 .out = mail_of(&transfer->out),
                                 .in = mail_of(&transfer->in)};
    CHECK(setting->crew->engine->prepare(setting->crew, &transfer->mail));
    transfer->is_ready = true;
    CHECK(open_sent(transfer));
    *out = TESS_TAKE(transfer);
done:
    free(dats);
    tess_transfer_close(transfer);
    return status;
}

void tess_transfer_close(tess_transfer *transfer) {
    if (!transfer)
        return;
    if (transfer->is_ready) {
        transfer->crew->engine->release(transfer->crew, &transfer->mail);
        if (transfer->crew->engine->on_device && !transfer->mail.in)
            transfer->in.buffer = 0;
    }
    close_side(transfer->store, transfer->n_lists, &transfer->out);
    close_side(transfer->store, transfer->n_lists, &transfer->in);
    tess_parcels_free(transfer->parcels);
    free(transfer->sent);
    free(transfer->stored);
    free(transfer);
}

static tess_status pack(const tess_transfer *transfer) {
    const side *out = &transfer->out;
    TRY(tess_mover_move(transfer->mover, TESS_PACK, out->moved, transfer->n_lists));
    return out->mail && out->bytes > 0
               ? transfer->store->device->download(transfer->store->target, out->mail, out->buffer,
                                                   out->bytes)
               : TESS_OK;
}

/* Packs to where the engine wants the messages, when there is room. */
static tess_status pack_to_peers(tess_transfer *transfer) {
    const tess_engine *engine = transfer->crew->engine;
    if (!engine->await_room)
        return pack(transfer);
    TRY(engine->await_room(transfer->crew, &transfer->mail));
    return tess_mover_move(transfer->mover, TESS_PACK, transfer->sent, transfer->n_sent);
}

static tess_status unpack(const tess_transfer *transfer) {
    const side *in = &transfer->in;
    if (in->mail && in->bytes > 0)
        TRY(transfer->store->device->upload(transfer->store->target, in->buffer, in->mail,
                                            in->bytes));
    return tess_mover_move(transfer->mover, transfer->returns ? TESS_ADD : TESS_UNPACK, in->moved,
                           transfer->n_lists);
}

/* All but the additions, which the core also makes, runs beside what follows. */
static tess_status start_on_device(tess_transfer *transfer) {
    const tess_store *store = transfer->store;
    if (!transfer->packs_beside)
        TRY(pack_to_peers(transfer));
    TRY(store->device->beside_start(store->target));
    if (transfer->packs_beside)
        TRY(pack_to_peers(transfer));
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
