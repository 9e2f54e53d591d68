/* Halo metrics: what ranks compute twice, keep copies of and exchange in a time step. */
#include "kernels/exchange/halo_metrics.h"

#include "core/base/array.h"
#include <stdlib.h>

/* What is counted rank by rank. */
typedef struct counting {
    const tess_schedule *schedule;
    const tess_ranking *ranking;
    const tess_halo *halo;
    int64_t *bytes;      /* [n_ranks]: received in a step; owned */
    int32_t *seen;       /* [n_ranks]: the last rank that met this one, in a step ... */
    int32_t *seen_now;   /* ... and in the exchange being counted; owned */
    int32_t *neighbours; /* [n_ranks]; owned */
    int64_t messages;
} counting;

/* Bytes of one element's values of a list's dat. */
static int64_t row_bytes(const counting *c, int loop, const tess_halo_list *list) {
    const tess_arg *arg = &c->schedule->bare[loop]->args[list->arg];
    if (c->schedule->loops[loop].chain)
        return (int64_t)tess_type_size(arg->type) * arg->dim;
    return (int64_t)tess_type_size(arg->type) *
           tess_kernel_arg_row(&c->schedule->kernels[loop]->args[list->arg]);
}

/* Notes that two ranks meet in this exchange. */
static void note_message(counting *c, int32_t rank, int32_t peer) {
    if (c->seen_now[peer] != rank) {
        c->seen_now[peer] = rank;
        c->messages++;
    }
}

/* Counts what a list brings to each rank, or takes from it. */
static void count_list(counting *c, int loop, const tess_halo_list *list, int32_t rank,
                       bool returns) {
    const int32_t *rank_of = c->ranking->owners->rank_of[list->set];
    const int64_t bytes = row_bytes(c, loop, list);
    for (int64_t i = list->rows->offset[rank]; i < list->rows->offset[rank + 1]; i++) {
        const int32_t owner = rank_of[list->rows->item[i]];
        note_message(c, rank, owner);
        c->bytes[returns ? owner : rank] += bytes;
    }
}

/* One exchange: the lists of a loop that `arrives` names, or its returns. */
static void count_exchange(counting *c, int loop, const bool *arrives) {
    const tess_halo_loop *halo = &c->halo->loops[loop];
    const int32_t n_ranks = c->ranking->owners->n_ranks;
    const int n_lists = arrives ? halo->n_arrivals : halo->n_returns;
    const tess_halo_list *lists = arrives ? halo->arrivals : halo->returns;
    for (int32_t r = 0; r < n_ranks; r++)
        c->seen_now[r] = -1;
    for (int32_t r = 0; r < n_ranks; r++)
        for (int i = 0; i < n_lists; i++)
            if (!arrives || arrives[lists[i].arg])
                count_list(c, loop, &lists[i], r, !arrives);
}

/* Ranks that each rank has anything of, in some loop of the step. */
static void count_neighbours(counting *c) {
    const int32_t n_ranks = c->ranking->owners->n_ranks;
    for (int32_t r = 0; r < n_ranks; r++)
        c->seen[r] = -1;
    for (int32_t r = 0; r < n_ranks; r++)
        for (int p = 0; p < c->schedule->n_parts; p++) {
            const tess_schedule_part *part = &c->schedule->parts[p];
            const tess_halo_loop *halo = &c->halo->loops[part->loop];
            for (int i = 0; i < halo->n_arrivals; i++) {
                const tess_halo_list *list = &halo->arrivals[i];
                for (int64_t k = list->rows->offset[r];
                     part->arrives[list->arg] && k < list->rows->offset[r + 1]; k++) {
                    const int32_t owner =
                        c->ranking->owners->rank_of[list->set][list->rows->item[k]];
                    c->neighbours[r] += c->seen[owner] != r;
                    c->seen[owner] = r;
                }
            }
        }
}

static void count_exchanges(counting *c, tess_halo_metrics *out) {
    for (int p = 0; p < c->schedule->n_parts; p++) {
        const tess_schedule_part *part = &c->schedule->parts[p];
        const tess_halo_loop *halo = &c->halo->loops[part->loop];
        if (part->exchanges) {
            count_exchange(c, part->loop, part->arrives);
            out->exchanges++;
            for (int i = 0; i < halo->n_arrivals; i++)
                out->arriving_dats += part->arrives[halo->arrivals[i].arg];
        }
        if (halo->n_returns > 0) {
            out->returned_dats += halo->n_returns;
            count_exchange(c, part->loop, NULL);
            out->exchanges++;
            out->returns++;
        }
    }
    count_neighbours(c);
    out->exchange_messages = c->messages;
    for (int32_t r = 0; r < out->n_ranks; r++) {
        out->exchange_bytes += c->bytes[r];
        if ((double)c->bytes[r] > out->bytes_max)
            out->bytes_max = (double)c->bytes[r];
        out->neighbours_mean += (double)c->neighbours[r] / out->n_ranks;
        if (c->neighbours[r] > out->neighbours_max)
            out->neighbours_max = c->neighbours[r];
    }
}

static void count_shares(const counting *c, int set, int loop, tess_halo_metrics *out) {
    const tess_mesh *mesh = c->ranking->mesh;
    const tess_rows *owned = c->ranking->owners->owned[set];
    int64_t all = 0, read = 0, border = 0;
    out->elements = (double)mesh->sets[set].size / out->n_ranks;
    out->rank_imbalance = out->elements > 0 ? (double)tess_rows_longest(owned) / out->elements : 0;
    const int over = tess_mesh_find_set(mesh, c->schedule->bare[loop]->set);
    const int64_t size = mesh->sets[over].size;
    for (int64_t e = 0; e < size; e++)
        border += c->halo->sets[over].border[e];
    const tess_rows *executed = c->halo->loops[loop].executed;
    out->core_share = size > 0 ? 1 - (double)border / (double)size : 0;
    out->exec_share = size > 0 ? (double)executed->offset[executed->n] / (double)size : 0;
    for (int s = 0; s < c->halo->n_sets; s++) {
        const tess_rows *reached = c->halo->sets[s].reached;
        all += mesh->sets[s].size;
        read += reached ? reached->offset[reached->n] : 0;
    }
    out->read_share = all > 0 ? (double)read / (double)all : 0;
}

tess_status tess_halo_metrics_count(const tess_schedule *schedule, const tess_ranking *ranking,
                                    const tess_halo *halo, int set, int loop,
                                    tess_halo_metrics *out) {
    tess_status status = TESS_OK;
    const int32_t n_ranks = ranking->owners->n_ranks;
    counting c = {.schedule = schedule, .ranking = ranking, .halo = halo};
    *out = (tess_halo_metrics){.n_ranks = n_ranks};
    CHECK(TESS_ZEROS(n_ranks, &c.bytes));
    CHECK(TESS_ZEROS(n_ranks, &c.seen));
    CHECK(TESS_ZEROS(n_ranks, &c.seen_now));
    CHECK(TESS_ZEROS(n_ranks, &c.neighbours));
    count_shares(&c, set, loop, out);
    count_exchanges(&c, out);
done:
    free(c.bytes);
    free(c.seen);
    free(c.seen_now);
    free(c.neighbours);
    return status;
}
