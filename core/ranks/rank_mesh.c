/* A rank's mesh: its part of a mesh with the elements of others that it needs. */
#include "core/ranks/rank_mesh.h"

#include "core/base/array.h"
#include "core/mesh/centroid.h"
#include <stdlib.h>
#include <string.h>

/* Appends a row's elements, those of one owner after those of another. */
static tess_status add_imports(const int32_t *rank_of, int32_t n_ranks, const tess_rows *imports,
                               int32_t rank, tess_rank_set *set) {
    const int32_t *row = imports->item + imports->offset[rank];
    const int64_t n = tess_rows_size(imports, rank);
    tess_rows *by_owner = NULL;
    TRY(tess_rows_build_of(row, rank_of, n, n_ranks, &by_owner));
    for (int64_t i = 0; i < n; i++)
        set->global[set->n++] = by_owner->item[i];
    tess_rows_free(by_owner);
    return TESS_OK;
}

static tess_status fill_set(const tess_ranking *ranking, const tess_halo *halo, int s, int32_t rank,
                            tess_rank_set *set) {
    const tess_owners *owners = ranking->owners;
    const tess_halo_set *imports = &halo->sets[s];
    const tess_rows *owned = owners->owned[s];
    TRY(TESS_ALLOC(tess_rows_size(owned, rank) + tess_rows_size(imports->executed, rank) +
                       tess_rows_size(imports->reached, rank),
                   &set->global));
    for (int border = 0; border < 2; border++) {
        for (int64_t i = owned->offset[rank]; i < owned->offset[rank + 1]; i++)
            if (imports->border[owned->item[i]] == border)
                set->global[set->n++] = owned->item[i];
        *(border ? &set->n_owned : &set->n_core) = set->n;
    }
    TRY(add_imports(owners->rank_of[s], owners->n_ranks, imports->executed, rank, set));
    set->n_executed = set->n;
    return add_imports(owners->rank_of[s], owners->n_ranks, imports->reached, rank, set);
}

tess_status tess_rank_mesh_locate(const tess_rank_mesh *rank_mesh, int set, int64_t size,
                                  int32_t **out) {
    const tess_rank_set *local = &rank_mesh->sets[set];
    TRY(TESS_ALLOC(size, out));
    memset(*out, 0xff, (size_t)size * sizeof **out);
    for (int64_t i = 0; i < local->n; i++)
        (*out)[local->global[i]] = (int32_t)i;
    return TESS_OK;
}

static tess_status add_map(const tess_ranking *ranking, tess_rank_mesh *rank_mesh,
                           const tess_map *map) {
    tess_status status = TESS_OK;
    const tess_rank_set *from = &rank_mesh->sets[map->from];
    const int arity = map->arity;
    int32_t *local = NULL, *index = NULL;
    const int64_t n = map->pairs ? from->n : from->n_executed; /* blocks own pairs by their rows */
    bool padded = map->padded;
    CHECK(tess_rank_mesh_locate(rank_mesh, map->to, ranking->mesh->sets[map->to].size, &local));
    CHECK(TESS_ALLOC(from->n * arity, &index));
    for (int64_t i = 0; i < from->n * arity; i++) {
        const int64_t e = i / arity;
        const int32_t p = e < n ? map->index[from->global[e] * arity + i % arity] : -1;
        index[i] = p < 0 ? -1 : local[p];
        padded |= index[i] < 0;
    }
    CHECK(tess_mesh_add_map(rank_mesh->mesh, ranking->mesh->sets[map->from].name,
                            ranking->mesh->sets[map->to].name, arity,
                            (padded ? TESS_MAP_PADDED : 0) | (map->pairs ? TESS_MAP_PAIRS : 0),
                            TESS_TAKE(index)));
done:
    free(index);
    free(local);
    return status;
}

static bool names(const tess_loop *loop, const char *map) {
    for (int a = 0; a < loop->n_args; a++)
        if (strcmp(loop->args[a].map, map) == 0)
            return true;
    return false;
}

static bool is_named(const tess_ranking *ranking, const char *map) {
    for (int l = 0; l < ranking->n_loops; l++) {
        const tess_chain *chain = ranking->loops[l].chain;
        bool found = names(ranking->loops[l].loop, map);
        for (int k = 0; chain && k < chain->n_loops; k++)
            found |= names(chain->loops[k].loop, map);
        if (found)
            return true;
    }
    return false;
}

static tess_status add_coordinates(const tess_mesh *mesh, tess_rank_mesh *rank_mesh) {
    const int nodes = tess_mesh_find_set(mesh, "nodes"), dimension = mesh->dimension;
    if (nodes < 0 || !mesh->coordinates)
        return TESS_OK;
    const tess_rank_set *set = &rank_mesh->sets[nodes];
    TRY(TESS_ALLOC(set->n * dimension, &rank_mesh->mesh->coordinates));
    for (int64_t i = 0; i < set->n * dimension; i++)
        rank_mesh->mesh->coordinates[i] =
            mesh->coordinates[set->global[i / dimension] * dimension + i % dimension];
    return TESS_OK;
}

/* States where the elements of a set lie: the rank has not all of their nodes. */
static tess_status add_centroids(const tess_mesh *mesh, int s, tess_rank_mesh *rank_mesh) {
    tess_status status = TESS_OK;
    const tess_rank_set *set = &rank_mesh->sets[s];
    const int dimension = mesh->dimension;
    double *whole = NULL, *part = NULL;
    CHECK(tess_centroids_build(mesh, s, &whole));
    if (!whole)
        return TESS_OK;
    CHECK(TESS_ALLOC(set->n * dimension, &part));
    for (int64_t i = 0; i < set->n * dimension; i++)
        part[i] = whole[set->global[i / dimension] * dimension + i % dimension];
    CHECK(tess_mesh_add_dat(rank_mesh->mesh, TESS_CENTROID_DAT, mesh->sets[s].name, dimension,
                            TESS_DOUBLE, TESS_TAKE(part)));
done:
    free(part);
    free(whole);
    return status;
}

tess_status tess_rank_mesh_build(const tess_ranking *ranking, const tess_halo *halo, int32_t rank,
                                 tess_rank_mesh **out) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = ranking->mesh;
    tess_rank_mesh *rank_mesh = NULL;
    CHECK(TESS_ZEROS(1, &rank_mesh));
    *rank_mesh = (tess_rank_mesh){.rank = rank, .n_sets = mesh->n_sets};
    CHECK(tess_mesh_new(mesh->source, mesh->dimension, &rank_mesh->mesh));
    CHECK(TESS_ZEROS(mesh->n_sets, &rank_mesh->sets));
    for (int s = 0; s < mesh->n_sets; s++) {
        CHECK(fill_set(ranking, halo, s, rank, &rank_mesh->sets[s]));
        CHECK(tess_mesh_add_set(rank_mesh->mesh, mesh->sets[s].name, rank_mesh->sets[s].n, NULL));
    }
    for (int m = 0; m < mesh->n_maps; m++)
        if (is_named(ranking, mesh->maps[m].name) || mesh->maps[m].pairs)
            CHECK(add_map(ranking, rank_mesh, &mesh->maps[m]));
    CHECK(add_coordinates(mesh, rank_mesh));
    for (int s = 0; s < mesh->n_sets; s++)
        CHECK(add_centroids(mesh, s, rank_mesh));
    *out = TESS_TAKE(rank_mesh);
done:
    tess_rank_mesh_free(rank_mesh);
    return status;
}

void tess_rank_mesh_free(tess_rank_mesh *rank_mesh) {
    if (!rank_mesh)
        return;
    for (int s = 0; rank_mesh->sets && s < rank_mesh->n_sets; s++)
        free(rank_mesh->sets[s].global);
    free(rank_mesh->sets);
    tess_mesh_free(rank_mesh->mesh);
    free(rank_mesh);
}
