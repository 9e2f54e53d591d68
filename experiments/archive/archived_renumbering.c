/* The renumbering of a plan in its file: written, and read back. */
#include "experiments/archive/archived_renumbering.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_archived_renumbering_write(const tess_renumbering *renumbering,
                                            const tess_mesh *mesh, tess_archive_writer *file) {
    if (!renumbering || renumbering->n_sets == 0)
        return TESS_OK;
    TRY(tess_archive_write_group(file, "/renumber"));
    TRY(tess_archive_attribute_text(file, "/renumber", "method",
                                    tess_renumber_name(renumbering->method)));
    for (int i = 0; i < renumbering->n_sets; i++) {
        const tess_permutation *set = &renumbering->sets[i];
        char path[TESS_ARCHIVE_PATH_SIZE];
        snprintf(path, sizeof path, "/renumber/%s", mesh->sets[set->set].name);
        TRY(tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, set->size, set->new_to_old,
                                      "1"));
    }
    return TESS_OK;
}

/* Reads new_to_old and inverts it: a permutation, or the file is damaged. */
static tess_status read_permutation(const tess_archive_reader *file, const tess_mesh *mesh,
                                    const char *name, tess_permutation *out) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    out->set = tess_mesh_find_set(mesh, name);
    if (out->set < 0)
        return tess_archive_damaged(file, "the mesh has no set '%s' to renumber", name);
    out->size = mesh->sets[out->set].size;
    snprintf(path, sizeof path, "/renumber/%s", name);
    TRY(tess_archive_read_indices(file, path, out->size, &out->size, &out->new_to_old));
    TRY(TESS_ALLOC(out->size, &out->old_to_new));
    memset(out->old_to_new, -1, (size_t)out->size * sizeof *out->old_to_new);
    for (int64_t i = 0; i < out->size; i++) {
        if (out->old_to_new[out->new_to_old[i]] >= 0)
            return tess_archive_damaged(file, "%s is not a permutation", path);
        out->old_to_new[out->new_to_old[i]] = (int32_t)i;
    }
    return TESS_OK;
}

tess_status tess_archived_renumbering_read(const tess_archive_reader *file, const tess_mesh *mesh,
                                           tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_renumbering *renumbering = NULL;
    char **names = NULL;
    char method[TESS_NAME_SIZE];
    int n = 0;
    *out = NULL;
    if (!tess_archive_exists(file, "/renumber"))
        return TESS_OK;
    CHECK(tess_archive_names(file, "/renumber", &names, &n));
    CHECK(TESS_ZEROS(1, &renumbering));
    CHECK(TESS_ZEROS(n, &renumbering->sets));
    CHECK(tess_archive_read_attribute_into(file, "/renumber", "method", sizeof method, method));
    if (tess_renumber_parse(method, &renumbering->method) != TESS_OK)
        CHECK(tess_archive_damaged(file, "the renumbering '%s' is unknown", method));
    renumbering->n_sets = n;
    for (int i = 0; i < n; i++)
        CHECK(read_permutation(file, mesh, names[i], &renumbering->sets[i]));
    *out = TESS_TAKE(renumbering);
done:
    tess_archive_names_free(names, n);
    tess_renumbering_free(renumbering);
    return status;
}
