/* Permuting: the elements of a mesh under new numbers. */
#include "data/permute_mesh.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* Moves the rows of an array to their new places, if they have any: a word of all rows after the
 * other, so that no array is there twice. */
static tess_status move_rows(int64_t n, size_t row_size, const int32_t *new_of, void *rows) {
    uint32_t *word = NULL; /* [n] */
    if (!new_of)
        return TESS_OK;
    TRY(TESS_ALLOC(n, &word));
    for (char *first = rows; first < (char *)rows + row_size; first += sizeof *word) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            memcpy(&word[i], first + (size_t)i * row_size, sizeof *word);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            memcpy(first + (size_t)new_of[i] * row_size, &word[i], sizeof *word);
    }
    free(word);
    return TESS_OK;
}

tess_status tess_mesh_permute(tess_mesh *mesh, int32_t *const *new_of) {
    for (int m = 0; m < mesh->n_maps; m++) {
        tess_map *map = &mesh->maps[m];
        const int64_t n = mesh->sets[map->from].size;
        const int32_t *new_to = new_of[map->to];
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n * map->arity; i++)
            if (new_to && map->index[i] >= 0)
                map->index[i] = new_to[map->index[i]];
        TRY(move_rows(n, (size_t)map->arity * sizeof *map->index, new_of[map->from], map->index));
    }
    for (int d = 0; d < mesh->n_dats; d++) {
        tess_dat *dat = &mesh->dats[d];
        TRY(move_rows(mesh->sets[dat->set].size, (size_t)dat->dim * tess_type_size(dat->type),
                      new_of[dat->set], dat->values));
    }
    const int nodes = tess_mesh_find_set(mesh, "nodes");
    if (nodes >= 0 && mesh->coordinates)
        TRY(move_rows(mesh->sets[nodes].size, (size_t)mesh->dimension * sizeof *mesh->coordinates,
                      new_of[nodes], mesh->coordinates));
    memset(mesh->shape, 0, sizeof mesh->shape);
    return TESS_OK;
}

tess_status tess_mesh_renumber(tess_mesh *mesh, const tess_renumbering *renumbering) {
    int32_t **new_of = NULL;
    TRY(TESS_ZEROS(mesh->n_sets, &new_of));
    for (int i = 0; i < renumbering->n_sets; i++)
        new_of[renumbering->sets[i].set] = renumbering->sets[i].old_to_new;
    const tess_status status = tess_mesh_permute(mesh, new_of);
    free(new_of);
    return status;
}
