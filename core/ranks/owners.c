/* Owners: the rank of each element of each set of a mesh. */
#include "core/ranks/owners.h"

#include "core/base/array.h"
#include "core/base/row_pairs.h"
#include <stdlib.h>

/* Mixes the bits of a number (Mueller's finaliser). */
static uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

/* Elements of the map's from-set follow one of their points. */
static tess_status follow(const tess_mesh *mesh, const tess_map *map, tess_owners *owners) {
    const int64_t n = mesh->sets[map->from].size;
    const int32_t *rank_of = owners->rank_of[map->to];
    TRY(TESS_ALLOC(n, &owners->rank_of[map->from]));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++) {
        const int32_t *row = &map->index[e * map->arity];
        const uint32_t hash = mix((uint32_t)e);
        int used = map->arity;
        while (used > 0 && row[used - 1] < 0)
            used--;
        owners->rank_of[map->from][e] = used > 0 ? rank_of[row[hash % (uint32_t)used]]
                                                 : (int32_t)(hash % (uint32_t)owners->n_ranks);
    }
    return TESS_OK;
}

/* One of the ranks of a row, ascending: by their hash. */
static int32_t rank_of_meeting(const int32_t *ranks, int64_t n) {
    uint32_t hash = 9;
    for (int64_t i = 0; i < n; i++)
        hash = mix(hash * 31 + (uint32_t)ranks[i]);
    return ranks[hash % (uint64_t)n];
}

/* The rank of each point that one rank alone has, and -1 where none or several do; these are put
 * into `meeting` as pairs of a point and a rank. */
static tess_status find_meetings(const tess_mesh *mesh, const tess_map *map,
                                 const int32_t *from_rank, int32_t *only, tess_row_pairs *meeting) {
    enum { NOBODY = -1, SEVERAL = -2 };
    const int64_t n = mesh->sets[map->from].size, n_points = mesh->sets[map->to].size;
    for (int64_t p = 0; p < n_points; p++)
        only[p] = NOBODY;
    for (int64_t i = 0; i < n * map->arity; i++) {
        const int32_t p = map->index[i], rank = from_rank[i / map->arity];
        if (p >= 0 && only[p] != rank)
            only[p] = only[p] == NOBODY ? rank : SEVERAL;
    }
    for (int64_t i = 0; i < n * map->arity; i++)
        if (map->index[i] >= 0 && only[map->index[i]] == SEVERAL)
            TRY(tess_row_pairs_add(meeting, map->index[i], from_rank[i / map->arity]));
    return TESS_OK;
}

/* Points of the map's to-set go to one of the ranks that meet there. */
static tess_status meet(const tess_mesh *mesh, const tess_map *map, tess_owners *owners) {
    tess_status status = TESS_OK;
    tess_row_pairs meeting = {.n = 0};
    tess_rows *ranks = NULL;
    const int64_t n_points = mesh->sets[map->to].size;
    CHECK(TESS_ALLOC(n_points, &owners->rank_of[map->to]));
    int32_t *rank_of = owners->rank_of[map->to];
    CHECK(find_meetings(mesh, map, owners->rank_of[map->from], rank_of, &meeting));
    CHECK(tess_row_pairs_rows(&meeting, n_points, &ranks));
    for (int64_t p = 0; p < n_points; p++)
        if (tess_rows_size(ranks, p) > 0)
            rank_of[p] = rank_of_meeting(ranks->item + ranks->offset[p], tess_rows_size(ranks, p));
        else if (rank_of[p] < 0)
            rank_of[p] = (int32_t)(mix((uint32_t)p) % (uint32_t)owners->n_ranks);
done:
    tess_rows_free(ranks);
    tess_row_pairs_clear(&meeting);
    return status;
}

/* Takes each set that a map joins to those that have owners; *grown: there was one. */
static tess_status spread(const tess_mesh *mesh, tess_owners *owners, bool *grown) {
    tess_status status = TESS_OK;
    bool *had = NULL;
    *grown = false;
    CHECK(TESS_ALLOC(mesh->n_sets, &had));
    for (int s = 0; s < mesh->n_sets; s++)
        had[s] = owners->rank_of[s] != NULL;
    for (int m = 0; m < mesh->n_maps; m++) {
        const tess_map *map = &mesh->maps[m];
        if (had[map->to] && !owners->rank_of[map->from])
            CHECK(follow(mesh, map, owners));
        else if (had[map->from] && !owners->rank_of[map->to])
            CHECK(meet(mesh, map, owners));
        else
            continue;
        *grown = true;
    }
done:
    free(had);
    return status;
}

/* Equal runs of a set that nothing joins to the others. */
static tess_status divide(const tess_mesh *mesh, int set, tess_owners *owners) {
    const int64_t n = mesh->sets[set].size;
    TRY(TESS_ALLOC(n, &owners->rank_of[set]));
    for (int64_t e = 0; e < n; e++)
        owners->rank_of[set][e] = (int32_t)(e * owners->n_ranks / n);
    return TESS_OK;
}

static tess_status check_ranks(const tess_mesh *mesh, int set, int32_t n_ranks,
                               const int32_t *rank_of) {
    if (n_ranks < 1)
        FAIL(TESS_ERROR_USAGE, "%d ranks: there is at least one", n_ranks);
    for (int64_t e = 0; e < mesh->sets[set].size; e++)
        if (rank_of[e] < 0 || rank_of[e] >= n_ranks)
            FAIL(TESS_ERROR_INPUT, "%s: element %lld has rank %d, of %d ranks",
                 mesh->sets[set].name, (long long)e, rank_of[e], n_ranks);
    return TESS_OK;
}

tess_status tess_owners_build(const tess_mesh *mesh, int set, int32_t n_ranks,
                              const int32_t *rank_of, tess_owners **out) {
    tess_status status = TESS_OK;
    tess_owners *owners = NULL;
    CHECK(check_ranks(mesh, set, n_ranks, rank_of));
    CHECK(TESS_ZEROS(1, &owners));
    *owners = (tess_owners){.n_ranks = n_ranks, .n_sets = mesh->n_sets};
    CHECK(TESS_ZEROS(mesh->n_sets, &owners->rank_of));
    CHECK(TESS_ZEROS(mesh->n_sets, &owners->owned));
    CHECK(TESS_COPY(mesh->sets[set].size, rank_of, &owners->rank_of[set]));
    for (bool grown = true; grown;)
        CHECK(spread(mesh, owners, &grown));
    for (int s = 0; s < mesh->n_sets; s++) {
        if (!owners->rank_of[s])
            CHECK(divide(mesh, s, owners));
        CHECK(tess_rows_build(owners->rank_of[s], mesh->sets[s].size, n_ranks, &owners->owned[s]));
    }
    *out = TESS_TAKE(owners);
done:
    tess_owners_free(owners);
    return status;
}

void tess_owners_free(tess_owners *owners) {
    if (!owners)
        return;
    for (int s = 0; s < owners->n_sets; s++) {
        if (owners->rank_of)
            free(owners->rank_of[s]);
        if (owners->owned)
            tess_rows_free(owners->owned[s]);
    }
    free(owners->rank_of);
    free(owners->owned);
    free(owners);
}
