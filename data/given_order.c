/* A given order: permutations of a mesh's sets that a file states. */
#include "data/given_order.h"

#include "core/base/array.h"
#include "data/array_file.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Adds the permutation of an array, each number of the set once. */
static tess_status take_permutation(const char *path, const tess_mesh *mesh,
                                    const tess_named_array *array, tess_renumbering *renumbering) {
    tess_status status = TESS_OK;
    char name[sizeof array->name];
    int32_t *order = NULL;
    bool *seen = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(array->name) - strlen(TESS_NEW_TO_OLD)),
             array->name);
    const int set = tess_mesh_find_set(mesh, name);
    if (set < 0 || mesh->sets[set].size != array->n)
        FAIL(TESS_ERROR_INPUT,
             "%s: is of another mesh: it renumbers %" PRId64 " %s, and %s has %" PRId64, path,
             array->n, name, mesh->source, set < 0 ? 0 : mesh->sets[set].size);
    if (tess_renumbering_of(renumbering, set))
        FAIL(TESS_ERROR_INPUT, "%s: renumbers %s twice", path, name);
    CHECK(TESS_ALLOC(array->n, &order));
    CHECK(TESS_ZEROS(array->n, &seen));
    for (int64_t i = 0; i < array->n; i++) {
        const int64_t old = ((const int64_t *)array->values)[i];
        if (old < 0 || old >= array->n || seen[old])
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "%s: %s is no permutation: number %" PRId64 " is %" PRId64 ", which %s",
                            path, array->name, i, old,
                            old < 0 || old >= array->n ? "does not exist" : "was there before"));
        seen[old] = true;
        order[i] = (int32_t)old;
    }
    CHECK(tess_renumbering_add(mesh, set, TESS_TAKE(order), renumbering));
done:
    free(order);
    free(seen);
    return status;
}

tess_status tess_given_order_read(const char *path, const tess_mesh *mesh, tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_named_array *arrays = NULL;
    tess_renumbering *renumbering = NULL;
    int n = 0;
    CHECK(tess_array_file_read(path, &arrays, &n));
    CHECK(TESS_ZEROS(1, &renumbering));
    for (int i = 0; i < n; i++)
        if (tess_text_ends(arrays[i].name, TESS_NEW_TO_OLD))
            CHECK(take_permutation(path, mesh, &arrays[i], renumbering));
    if (renumbering->n_sets == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: renumbers no set: it has no SET" TESS_NEW_TO_OLD,
                        path));
    *out = TESS_TAKE(renumbering);
done:
    tess_array_file_free(arrays, n);
    tess_renumbering_free(renumbering);
    return status;
}
