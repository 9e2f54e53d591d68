/* The mesh of a sweep's point: where its file is. */
#include "core/base/array.h"
#include "core/base/spec.h"
#include "data/generators/generator.h"
#include "data/shipped.h"
#include "experiments/campaign/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives "folder/name" where there is such a file, else NULL. */
static tess_status candidate(const char *base, const char *folder, const char *name, char **out) {
    char *path = NULL;
    *out = NULL;
    const bool absolute = folder[0] == '/';
    if (asprintf(&path, "%s%s%s/%s", absolute ? "" : base, absolute ? "" : "/", folder, name) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a path");
    if (access(path, R_OK) == 0)
        *out = path;
    else
        free(path);
    return TESS_OK;
}

/* Gives the path of a mesh file, or NULL for what is no file's name. Fails (MISSING) where a file
 * is in none of the folders. */
static tess_status find_file(const tess_recipe *recipe, const char *name, char **out) {
    const char *path = recipe->yaml->path;
    const char *slash = strrchr(path, '/');
    char base[4096];
    *out = NULL;
    snprintf(base, sizeof base, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    for (int i = 0; i < recipe->n_mesh_folders && !*out; i++)
        TRY(candidate(".", recipe->mesh_folders[i], name, out));
    if (!*out)
        TRY(candidate(base, ".", name, out));
    const int n = recipe->folders ? tess_yaml_count(recipe->folders) : 0;
    for (int i = 0; i < n && !*out; i++)
        TRY(candidate(base, tess_yaml_text(tess_yaml_item(recipe->yaml, recipe->folders, i)), name,
                      out));
    char shipped[4096];
    if (!*out && tess_shipped_mesh(name, shipped) == TESS_OK)
        TRY(tess_text_copy(shipped, out));
    if (!*out && strpbrk(name, "./"))
        FAIL(TESS_ERROR_MISSING,
             "%s is not here: say with --meshes DIR in which folder it is (looked for here, beside "
             "%s, in its folders and among the shipped meshes)",
             name, path);
    return TESS_OK;
}

tess_status tess_sweep_mesh(const tess_recipe *recipe, const tess_sweep_point *point, char **out) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    char *file = NULL;
    int n = 0;
    const char *text = point->value[TESS_FIELD_mesh];
    *out = NULL;
    if (access(text, R_OK) == 0)
        return tess_text_copy(text, out);
    CHECK(tess_spec_list_parse(text, &specs, &n));
    const char *name = specs[0].name;
    if (n == 1 && !tess_generator_of_name(name) && name[0] != '/' && access(name, R_OK) != 0) {
        CHECK(find_file(recipe, name, &file));
        if (!file && point->kind != TESS_TIMING && tess_generator_lacks(name) != TESS_OK)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: mesh: %s", recipe->yaml->path, tess_message()));
    }
    if (!file) {
        status = tess_text_copy(text, out);
    } else if (specs[0].n_values == 0) {
        *out = TESS_TAKE(file);
    } else if (asprintf(out, "\"%s\"%s", file, strchr(text, ':')) < 0) {
        *out = NULL;
        status = tess_fail(TESS_ERROR_MEMORY, "out of memory for a path");
    }
done:
    free(file);
    tess_spec_list_free(specs, n);
    return status;
}
