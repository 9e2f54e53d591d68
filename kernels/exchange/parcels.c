/* Parcels: which values a rank sends to and receives from each other rank in one exchange. */
#include "kernels/exchange/parcels.h"

#include "core/base/array.h"
#include "core/base/row_pairs.h"
#include <stdlib.h>

enum { ALIGNMENT = 8 };

/* The rows of a dat by peer, elements of the whole mesh: what the rank imports from each, or what
 * each imports from it. */
static tess_status rows_by_peer(const tess_ranking *ranking, const tess_halo_list *list,
                                int32_t rank, bool imports, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_row_pairs pairs = {.n = 0};
    const int32_t *rank_of = ranking->owners->rank_of[list->set];
    const tess_rows *rows = list->rows;
    if (imports)
        for (int64_t i = rows->offset[rank]; i < rows->offset[rank + 1]; i++)
            CHECK(tess_row_pairs_add(&pairs, rank_of[rows->item[i]], rows->item[i]));
    for (int32_t r = 0; r < ranking->owners->n_ranks && !imports; r++)
        for (int64_t i = rows->offset[r]; i < rows->offset[r + 1]; i++)
            if (rank_of[rows->item[i]] == rank)
                CHECK(tess_row_pairs_add(&pairs, r, rows->item[i]));
    CHECK(tess_row_pairs_rows(&pairs, ranking->owners->n_ranks, out));
done:
    tess_row_pairs_clear(&pairs);
    return status;
}

/* The peers that any dat has rows of. */
static tess_status find_peers(tess_rows *const *by_peer, int n_lists, int32_t n_ranks,
                              tess_parcel_side *side) {
    TRY(TESS_ALLOC(n_ranks, &side->peers));
    for (int32_t r = 0; r < n_ranks; r++) {
        bool any = false;
        for (int i = 0; i < n_lists; i++)
            any |= tess_rows_size(by_peer[i], r) > 0;
        if (any)
            side->peers[side->n_peers++] = r;
    }
    return TESS_ZEROS(side->n_peers + INT64_C(1), &side->offset);
}

/* Gives each row its place: peer by peer, dat by dat. */
static tess_status place_rows(tess_rows *const *by_peer, const tess_parcel_list *lists, int n_lists,
                              tess_parcel_side *side) {
    int64_t at = 0;
    for (int k = 0; k < side->n_peers; k++) {
        side->offset[k] = at;
        for (int i = 0; i < n_lists; i++) {
            tess_parcel_rows *rows = &side->rows[i];
            const int64_t n = tess_rows_size(by_peer[i], side->peers[k]);
            const int64_t values = lists[i].row_bytes / lists[i].type_bytes;
            rows->first[k] = rows->n;
            for (int64_t j = 0; j < n; j++)
                rows->position[rows->n + j] = (int32_t)(at / lists[i].type_bytes + j * values);
            for (int64_t j = 0; j < n; j++)
                rows->row[rows->n + j] = by_peer[i]->item[by_peer[i]->offset[side->peers[k]] + j];
            rows->n += n;
            rows->first[k + 1] = rows->n;
            at = (at + n * lists[i].row_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
    }
    side->offset[side->n_peers] = at;
    if (at > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "a rank's messages of one exchange hold %lld bytes, over 2^31",
             (long long)at);
    return TESS_OK;
}

/* From elements of the whole mesh to those of the rank's. */
static tess_status localise(const tess_ranking *ranking, const tess_rank_mesh *rank_mesh, int set,
                            tess_parcel_rows *rows) {
    int32_t *local = NULL;
    TRY(tess_rank_mesh_locate(rank_mesh, set, ranking->mesh->sets[set].size, &local));
    for (int64_t i = 0; i < rows->n; i++)
        rows->row[i] = local[rows->row[i]];
    free(local);
    return TESS_OK;
}

static tess_status build_side(const tess_ranking *ranking, const tess_rank_mesh *rank_mesh,
                              const tess_parcel_list *lists, int n_lists, bool imports,
                              tess_parcel_side *side) {
    tess_status status = TESS_OK;
    tess_rows **by_peer = NULL;
    CHECK(TESS_ZEROS(n_lists, &by_peer));
    CHECK(TESS_ZEROS(n_lists, &side->rows));
    for (int i = 0; i < n_lists; i++)
        CHECK(rows_by_peer(ranking, lists[i].list, rank_mesh->rank, imports, &by_peer[i]));
    CHECK(find_peers(by_peer, n_lists, ranking->owners->n_ranks, side));
    for (int i = 0; i < n_lists; i++) {
        const int64_t n = by_peer[i]->offset[by_peer[i]->n];
        CHECK(TESS_ZEROS(side->n_peers + INT64_C(1), &side->rows[i].first));
        CHECK(TESS_ALLOC(n, &side->rows[i].row));
        CHECK(TESS_ALLOC(n, &side->rows[i].position));
    }
    CHECK(place_rows(by_peer, lists, n_lists, side));
    for (int i = 0; i < n_lists; i++)
        CHECK(localise(ranking, rank_mesh, lists[i].list->set, &side->rows[i]));
done:
    for (int i = 0; by_peer && i < n_lists; i++)
        tess_rows_free(by_peer[i]);
    free(by_peer);
    return status;
}

tess_status tess_parcels_build(const tess_ranking *ranking, const tess_rank_mesh *rank_mesh,
                               const tess_parcel_list *lists, int n_lists, bool returns,
                               tess_parcels **out) {
    tess_status status = TESS_OK;
    tess_parcels *parcels = NULL;
    CHECK(TESS_ZEROS(1, &parcels));
    parcels->n_lists = n_lists;
    CHECK(build_side(ranking, rank_mesh, lists, n_lists, returns, &parcels->out));
    CHECK(build_side(ranking, rank_mesh, lists, n_lists, !returns, &parcels->in));
    *out = TESS_TAKE(parcels);
done:
    tess_parcels_free(parcels);
    return status;
}

static void clear_side(tess_parcel_side *side, int n_lists) {
    for (int i = 0; side->rows && i < n_lists; i++) {
        free(side->rows[i].first);
        free(side->rows[i].row);
        free(side->rows[i].position);
    }
    free(side->rows);
    free(side->peers);
    free(side->offset);
}

void tess_parcels_free(tess_parcels *parcels) {
    if (!parcels)
        return;
    clear_side(&parcels->out, parcels->n_lists);
    clear_side(&parcels->in, parcels->n_lists);
    free(parcels);
}
