/* Rows that are kept: some elements of a set are left out of a mesh. */
#include "data/keep_rows.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* Moves the rows that are kept to the front. */
static void pack_rows(void *values, size_t row_bytes, int64_t n, const bool *keep) {
    char *to = values;
    for (int64_t i = 0; i < n; i++)
        if (keep[i]) {
            memmove(to, (const char *)values + (size_t)i * row_bytes, row_bytes);
            to += row_bytes;
        }
}

tess_status tess_mesh_keep_rows(tess_mesh *mesh, int set, const bool *keep) {
    const int64_t n = mesh->sets[set].size;
    int64_t n_kept = 0;
    int32_t *new_of = NULL;
    TRY(TESS_ALLOC(n, &new_of));
    for (int64_t i = 0; i < n; i++)
        new_of[i] = keep[i] ? (int32_t)n_kept++ : -1;
    for (int m = 0; m < mesh->n_maps; m++) {
        tess_map *map = &mesh->maps[m];
        if (map->from == set)
            pack_rows(map->index, (size_t)map->arity * sizeof *map->index, n, keep);
        const int64_t n_index =
            (map->from == set ? n_kept : mesh->sets[map->from].size) * map->arity;
        for (int64_t i = 0; i < n_index && map->to == set; i++)
            map->index[i] = map->index[i] < 0 ? -1 : new_of[map->index[i]];
    }
    for (int d = 0; d < mesh->n_dats; d++) {
        const tess_dat *dat = &mesh->dats[d];
        if (dat->set == set)
            pack_rows(dat->values, (size_t)dat->dim * tess_type_size(dat->type), n, keep);
    }
    mesh->sets[set].size = n_kept;
    free(new_of);
    return TESS_OK;
}
