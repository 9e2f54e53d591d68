/* A mesh as it is named on a command line: a file or a generator, and how it is changed. */
#include "data/mesh_open.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include "core/mesh/cells.h"
#include "data/formats/reader.h"
#include "data/generators/generator.h"
#include "data/merge_nodes.h"
#include "data/order_mesh.h"
#include "data/part_mesh.h"
#include "data/refine_mesh.h"
#include "data/shipped.h"
#include "data/shuffle.h"
#include "data/turn_cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const tess_option tess_mesh_options[] = {
    TESS_INT_OPTION("refine", "0", 0, 30, "how often every cell is cut into smaller ones"),
    TESS_INT_OPTION("shuffle", "-1", -1, 1e15,
                    "seed of a random numbering of all elements (-1: as it is)"),
    TESS_TEXT_OPTION("reader", "auto",
                     "of the file, whatever its name and content say ('tess list readers')"),
    TESS_TEXT_OPTION("base", "first", "of a CGNS file that holds several meshes, by name"),
    TESS_CHOICE_OPTION("periodic", "apart", "apart|join",
                       "sides that the file says to be the same: their nodes stay as they are, or "
                       "become one"),
    TESS_REAL_OPTION("merge", "-1", -1, 1e30,
                     "how near nodes lie that become one (0: at the same place; -1: none do)"),
    TESS_CHOICE_OPTION("order", "none", "none|rcm|gps|hilbert|levels|canonical",
                       "nodes along the mesh or by their places, cells after them; levels: cells "
                       "over their sides, nodes after them"),
    TESS_INT_OPTION("part", "0", 0, INT32_MAX,
                    "so many cells of one side of it are all that stays; 0: all stay"),
    TESS_INT_OPTION(
        "align", "0", 0, 32,
        "so many consecutive cells are turned to have nodes in the same slots, as lanes "
        "of a warp that sum up first like to have them; 0: as they are"),
    {NULL},
};

enum { MOST_OPTIONS = 64 };

/* The generator's options, where there is one, and those that every mesh has. */
static void all_options(const tess_generator *generator, tess_option options[MOST_OPTIONS]) {
    int n = 0;
    for (const tess_option *option = generator ? generator->options : NULL;
         option && option->key && n < MOST_OPTIONS / 2; option++)
        options[n++] = *option;
    const int n_own = n;
    for (const tess_option *common = tess_mesh_options; common->key; common++) {
        int own = 0; /* a generator's `periodic` is another one than a file's */
        while (own < n_own && strcmp(options[own].key, common->key) != 0)
            own++;
        if (own == n_own)
            options[n++] = *common;
    }
    options[n] = (tess_option){.key = NULL};
}

static bool exists(const char *path) {
    struct stat file;
    return stat(path, &file) == 0;
}

/* Fails on a mesh that would have too many cells in the end, before the first of many steps. */
static tess_status levels_check(const tess_mesh *mesh, int64_t levels) {
    tess_cells cells = {.dimension = 0};
    TRY(tess_cells_build(mesh, &cells));
    const double growth = cells.dimension == 2 ? 4 : 8;
    const double n = (double)cells.n_cells * pow(growth, (double)levels);
    tess_cells_release(&cells);
    if (n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT,
             "%s, refined %lld times, would have %.3g cells; at most 2147483647 are possible",
             mesh->source, (long long)levels, n);
    return TESS_OK;
}

static tess_status refine_and_number(const tess_spec *spec, const tess_option *options,
                                     tess_mesh **mesh) {
    const double tolerance = tess_spec_real(spec, options, "merge");
    if (tolerance < 0 && tolerance != -1)
        FAIL(TESS_ERROR_USAGE, "merge=%g: a distance of 0 or more, or -1 for none", tolerance);
    if (tolerance >= 0)
        TRY(tess_mesh_merge_nodes(*mesh, tolerance));
    const int64_t levels = tess_spec_int(spec, options, "refine");
    TRY(levels_check(*mesh, levels));
    for (int64_t level = 0; level < levels; level++) {
        tess_mesh *fine = NULL;
        TRY(tess_mesh_refine(*mesh, &fine));
        tess_mesh_free(*mesh);
        *mesh = fine;
    }
    const int64_t seed = tess_spec_int(spec, options, "shuffle");
    if (seed >= 0)
        TRY(tess_mesh_shuffle(*mesh, (uint64_t)seed));
    const char *order = tess_spec_text(spec, options, "order");
    if (strcmp(order, "none") != 0)
        TRY(tess_mesh_order(*mesh, order));
    const int64_t n_cells = tess_spec_int(spec, options, "part");
    if (n_cells > 0)
        TRY(tess_mesh_take_part(*mesh, n_cells));
    const int64_t window = tess_spec_int(spec, options, "align");
    return window > 0 ? tess_mesh_turn_cells(*mesh, window) : TESS_OK;
}

static tess_status generate(const tess_generator *generator, const tess_spec *spec,
                            tess_mesh **out) {
    tess_progress_begin("generating %s", spec->name);
    const tess_status status = tess_generator_make(generator, spec, out);
    tess_progress_end();
    return status;
}

/* Reads the file of a name; if it is not here, the shipped mesh of that name. */
static tess_status read_file(const tess_reading *reading, const char *name, tess_mesh **out) {
    char shipped[4096];
    const bool ships =
        !exists(name) && !strchr(name, '/') && tess_shipped_mesh(name, shipped) == TESS_OK;
    const char *path = ships ? shipped : name;
    return tess_mesh_read_as(reading, path, out);
}

/* Reads the file of a spec as its options say. */
static tess_status read_spec(const tess_spec *spec, const tess_option *options, tess_mesh **out) {
    const char *reader = tess_spec_text(spec, options, "reader");
    const char *base = tess_spec_text(spec, options, "base");
    const tess_reading reading = {
        .reader = strcmp(reader, "auto") == 0 ? NULL : reader,
        .base = strcmp(base, "first") == 0 ? NULL : base,
        .joins_periodic = strcmp(tess_spec_text(spec, options, "periodic"), "join") == 0};
    return read_file(&reading, spec->name, out);
}

static tess_status open_spec(const tess_spec *spec, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    tess_option options[MOST_OPTIONS];
    const tess_generator *generator = tess_generator_of_name(spec->name);
    if (!generator && !exists(spec->name) && !strpbrk(spec->name, "./"))
        return tess_generator_lacks(spec->name); /* a file has a slash or a dot */
    all_options(generator, options);
    CHECK(tess_spec_check(spec, options));
    if (generator)
        CHECK(generate(generator, spec, &mesh));
    else
        CHECK(read_spec(spec, options, &mesh));
    tess_progress_begin("refining and numbering");
    status = refine_and_number(spec, options, &mesh);
    tess_progress_end();
    CHECK(status);
    free(TESS_TAKE(mesh->source));
    CHECK(tess_spec_print(spec, options, &mesh->source));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

/* Quotes the path of a file that is there, whose name has a colon or a comma, before its options;
 * gives NULL for any other text. */
static tess_status quote_path(const char *text, char **out) {
    tess_status status = TESS_OK;
    char *path = NULL;
    *out = NULL;
    if (text[0] == '"')
        return TESS_OK;
    CHECK(tess_text_copy(text, &path));
    for (char *colon; !*out && (colon = strrchr(path, ':'));) {
        *colon = '\0';
        if (strpbrk(path, ":,") && !strpbrk(path, "\"\\") && exists(path))
            CHECK(tess_text_print(out, "\"%s\"%s", path, text + (colon - path)));
    }
done:
    free(path);
    return status;
}

tess_status tess_mesh_open(const char *text, tess_mesh **out) {
    if (exists(text) && !tess_generator_of_name(text))
        return tess_mesh_read(text, out);
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    char *quoted = NULL;
    int n = 0;
    CHECK(quote_path(text, &quoted));
    CHECK(tess_spec_list_parse(quoted ? quoted : text, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "'%s' names %d meshes where one is asked for", text, n));
    CHECK(open_spec(&specs[0], out));
done:
    free(quoted);
    tess_spec_list_free(specs, n);
    return status;
}
