/* Shuffling: all elements of a mesh in random order. */
#include "data/shuffle.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include <stdlib.h>
#include <string.h>

/* A random order of n elements: the new number of each. */
static tess_status permutation_build(const tess_set *set, uint64_t seed, int32_t **out) {
    int32_t *new_of = NULL;
    uint64_t state = seed;
    for (const char *c = set->name; *c; c++)
        state = (state ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    TRY(TESS_ALLOC(set->size, &new_of));
    for (int64_t i = 0; i < set->size; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        new_of[i] = new_of[j];
        new_of[j] = (int32_t)i;
    }
    *out = new_of;
    return TESS_OK;
}

/* Moves the rows of an array to their new places; the old array is freed. */
static tess_status move_rows(int64_t n, size_t row_size, const int32_t *new_of, void **rows) {
    char *moved = NULL;
    const char *old = *rows;
    TRY(tess_array_alloc(n, row_size, (void **)&moved));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        memcpy(moved + (size_t)new_of[i] * row_size, old + (size_t)i * row_size, row_size);
    free(*rows);
    *rows = moved;
    return TESS_OK;
}

tess_status tess_mesh_shuffle(tess_mesh *mesh, uint64_t seed) {
    tess_status status = TESS_OK;
    int32_t **new_of = NULL;
    CHECK(TESS_ZEROS(mesh->n_sets, &new_of));
    for (int s = 0; s < mesh->n_sets; s++)
        CHECK(permutation_build(&mesh->sets[s], seed, &new_of[s]));
    for (int m = 0; m < mesh->n_maps; m++) {
        tess_map *map = &mesh->maps[m];
        const int64_t n = mesh->sets[map->from].size;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n * map->arity; i++)
            if (map->index[i] >= 0)
                map->index[i] = new_of[map->to][map->index[i]];
        CHECK(move_rows(n, (size_t)map->arity * sizeof *map->index, new_of[map->from],
                        (void **)&map->index));
    }
    for (int d = 0; d < mesh->n_dats; d++) {
        tess_dat *dat = &mesh->dats[d];
        CHECK(move_rows(mesh->sets[dat->set].size, (size_t)dat->dim * tess_type_size(dat->type),
                        new_of[dat->set], &dat->values));
    }
    const int nodes = tess_mesh_find_set(mesh, "nodes");
    if (nodes >= 0 && mesh->coordinates)
        CHECK(move_rows(mesh->sets[nodes].size, (size_t)mesh->dimension * sizeof *mesh->coordinates,
                        new_of[nodes], (void **)&mesh->coordinates));
    memset(mesh->shape, 0, sizeof mesh->shape);
done:
    for (int s = 0; new_of && s < mesh->n_sets; s++)
        free(new_of[s]);
    free(new_of);
    return status;
}
