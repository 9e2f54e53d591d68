/* A user's kernel: a C function in a header of the user's, described by a short YAML file. */
#include "kernels/loops/user_kernel.h"

#include "core/base/array.h"
#include "core/base/byte_order_mark.h"
#include "core/base/unknown_name.h"
#include "core/base/yaml_words.h"
#include "core/mesh/derive.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/devices/text_writer.h"
#include "kernels/loops/kernel_parts.h"
#include "kernels/loops/user_description.h"
#include "kernels/loops/user_name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_WORD = TESS_NAME_SIZE - 1, LONGEST_NUMBER = 15 };

static const user_dat *dat_of(const tess_user_description *about, const char *name) {
    for (int d = 0; d < about->n_dats; d++)
        if (strcmp(about->dats[d].name, name) == 0)
            return &about->dats[d];
    return NULL;
}

/* Reads the next dat. */
static tess_status read_dat(tess_user_description *about, const tess_yaml_node *node) {
    static const char *const keys[] = {"name", "set", "type", "dim", "start", NULL};
    static const char *const starts[] = {"zero", "random", "index", "coordinates", NULL};
    tess_yaml *yaml = about->yaml;
    user_dat dat = {.node = node};
    const char *dim = NULL;
    int start = -1;
    TRY(tess_yaml_check_map(yaml, node, "a dat", keys));
    TRY(tess_yaml_needed_word(yaml, node, "name", LONGEST_WORD, &dat.name));
    TRY(tess_yaml_needed_word(yaml, node, "dim", LONGEST_WORD, &dim));
    TRY(tess_yaml_word(yaml, node, "set", LONGEST_WORD, &dat.set));
    TRY(tess_yaml_word(yaml, node, "type", LONGEST_NUMBER, &dat.type));
    TRY(tess_yaml_choice(yaml, node, "start", starts, &start));
    TRY(tess_user_name_check(yaml, node, "dat", dat.name));
    dat.dim = tess_yaml_number(dim, TESS_MOST_DIM);
    if (dat.dim < 1)
        return tess_yaml_fail(yaml, tess_yaml_find(yaml, node, "dim"),
                              "dat '%s' has dim %s: write how many values an element has, 1 to %d",
                              dat.name, dim, TESS_MOST_DIM);
    if (dat_of(about, dat.name))
        return tess_yaml_fail(yaml, node, "dat '%s' is there twice", dat.name);
    dat.type = dat.type ? dat.type : "real";
    dat.start = (start_kind)(start + 1);
    about->dats[about->n_dats++] = dat;
    return TESS_OK;
}

static tess_status unknown_dat(const tess_user_description *about, const tess_yaml_node *node,
                               const char *name) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int d = 0; d < about->n_dats; d++)
        tess_unknown_name_add(&unknown, about->dats[d].name);
    const bool is_near = unknown.near[0] != '\0';
    return tess_yaml_fail(about->yaml, node, "arg %d is '%s', which is not among the dats%s%s%s",
                          about->n_written, name, is_near ? "; did you mean '" : "", unknown.near,
                          is_near ? "'?" : "");
}

/* Whether a map is one from `over` to `set`. */
static bool map_fits(const char *map, const char *over, const char *set) {
    const size_t length = strlen(over);
    return set && strncmp(map, over, length) == 0 && map[length] == ':' &&
           strcmp(map + length + 1, set) == 0;
}

/* Fails unless an arg is the element's own or goes through a map to its dat's set. */
static tess_status check_map(const tess_user_description *about, const tess_yaml_node *node,
                             const char *over, const tess_kernel_arg *arg) {
    const char *colon = arg->map ? strchr(arg->map, ':') : NULL;
    if (colon && arg->set && strcmp(colon + 1, arg->set) == 0 &&
        !map_fits(arg->map, over, arg->set))
        return tess_yaml_fail(about->yaml, node,
                              "arg %d ('%s') goes through '%s', but the loop is over %s: write "
                              "'over: %.*s', or a map from %s to %s",
                              about->n_written, arg->dat, arg->map, over, (int)(colon - arg->map),
                              arg->map, over, arg->set);
    if (arg->map && !map_fits(arg->map, over, arg->set))
        return tess_yaml_fail(about->yaml, node,
                              "arg %d ('%s', which is on %s) goes through '%s': write a map from "
                              "%s to %s",
                              about->n_written, arg->dat, arg->set ? arg->set : "no set", arg->map,
                              over, arg->set ? arg->set : "a set");
    if (!arg->map && arg->set && strcmp(arg->set, over) != 0)
        return tess_yaml_fail(about->yaml, node,
                              "arg %d ('%s') is on %s, but the loop is over %s: say through which "
                              "map, as in map: %s:%s",
                              about->n_written, arg->dat, arg->set, over, over, arg->set);
    return TESS_OK;
}

/* Reads which components of its dat an arg is; all where none are named. */
static tess_status read_components(tess_user_description *about, const tess_yaml_node *node,
                                   const user_dat *dat, tess_kernel_arg *arg) {
    const tess_yaml_node *list = tess_yaml_find(about->yaml, node, "components");
    int **components = &about->components[about->n_written];
    char what[3 * TESS_NAME_SIZE];
    if (!list)
        return TESS_OK;
    snprintf(what, sizeof what, "arg %d ('%s') has component", about->n_written, dat->name);
    TRY(TESS_ALLOC(dat->dim, components));
    TRY(tess_yaml_numbers(about->yaml, list, what, dat->dim, *components, &arg->dim));
    arg->components = *components;
    arg->of = dat->dim;
    return TESS_OK;
}

/* An arg of one of a matrix's two dats. */
static tess_kernel_arg matrix_arg(const tess_matrix_view *view, bool is_diagonal) {
    const tess_user_matrix *matrix = view->matrix;
    return (tess_kernel_arg){.dat = is_diagonal ? matrix->diagonal : matrix->others,
                             .set = is_diagonal ? matrix->rows : matrix->pairs,
                             .map = is_diagonal ? view->map : view->pairs_map,
                             .slot = -1,
                             .dim = view->n_entries,
                             .type = is_diagonal ? matrix->diagonal_type : matrix->others_type,
                             .access = TESS_INC,
                             .of = matrix->n_kept,
                             .components = view->positions};
}

/* Reads the next arg, which is a matrix. */
static tess_status read_matrix_arg(tess_user_description *about, const tess_yaml_node *node,
                                   const char *over) {
    const int number = about->n_written++;
    const char *name = NULL;
    int m = 0;
    TRY(tess_yaml_needed_word(about->yaml, node, "matrix", LONGEST_WORD, &name));
    while (m < about->n_matrices && strcmp(about->matrices[m].name, name) != 0)
        m++;
    if (m == about->n_matrices)
        return tess_yaml_fail(about->yaml, node, "arg %d is '%s', which is not among the matrices",
                              number, name);
    TRY(TESS_ZEROS(1, &about->views[number]));
    tess_matrix_view *view = about->views[number];
    view->matrix = &about->matrices[m];
    TRY(tess_matrix_view_read(about->yaml, node, number, over, view));
    about->written[number] = matrix_arg(view, true);
    about->written[number].dat = name;
    about->written[number].type = view->type;
    about->written[number].is_matrix = true;
    about->nodes[about->n_args] = about->nodes[about->n_args + 1] = node;
    about->args[about->n_args++] = matrix_arg(view, true);
    about->args[about->n_args++] = matrix_arg(view, false);
    return TESS_OK;
}

/* Reads the next matrix, and adds its dats. */
static tess_status read_matrix(tess_user_description *about, const tess_yaml_node *node) {
    tess_user_matrix *matrix = &about->matrices[about->n_matrices];
    TRY(tess_user_matrix_read(about->yaml, node, matrix));
    if (dat_of(about, matrix->name))
        return tess_yaml_fail(about->yaml, node, "'%s' is a dat: give the matrix another name",
                              matrix->name);
    const user_dat dats[] = {{.name = matrix->diagonal,
                              .set = matrix->rows,
                              .type = matrix->diagonal_type,
                              .dim = matrix->n_kept},
                             {.name = matrix->others,
                              .set = matrix->pairs,
                              .type = matrix->others_type,
                              .dim = matrix->n_kept}};
    for (int d = 0; d < 2; d++) {
        if (dat_of(about, dats[d].name))
            return tess_yaml_fail(about->yaml, node,
                                  "matrix %s makes the dat '%s', which is there twice",
                                  matrix->name, dats[d].name);
        about->dats[about->n_dats++] = dats[d];
    }
    about->n_matrices++;
    return TESS_OK;
}

static const char *const answers[] = {"no", "yes", "false", "true", NULL};

/* Reads the next arg. */
static tess_status read_arg(tess_user_description *about, const tess_yaml_node *node,
                            const char *over) {
    static const char *const keys[] = {"dat",    "map",     "slot", "components",
                                       "access", "cleared", NULL};
    static const char *const accesses[] = {TESS_ACCESS_NAMES, NULL};
    tess_yaml *yaml = about->yaml;
    const char *name = NULL, *map = NULL, *slot = NULL;
    int access = -1, cleared = 0;
    if (tess_yaml_find(yaml, node, "matrix"))
        return read_matrix_arg(about, node, over);
    TRY(tess_yaml_check_map(yaml, node, "an arg", keys));
    TRY(tess_yaml_needed_word(yaml, node, "dat", LONGEST_WORD, &name));
    TRY(tess_yaml_word(yaml, node, "map", LONGEST_WORD, &map));
    TRY(tess_yaml_word(yaml, node, "slot", LONGEST_NUMBER, &slot));
    TRY(tess_yaml_choice(yaml, node, "access", accesses, &access));
    TRY(tess_yaml_choice(yaml, node, "cleared", answers, &cleared));
    if (access < 0)
        return tess_yaml_fail(yaml, node, "'access' is missing");
    const user_dat *dat = dat_of(about, name);
    if (!dat)
        return unknown_dat(about, node, name);
    tess_kernel_arg arg = {.dat = dat->name,
                           .set = dat->set,
                           .map = map,
                           .slot = slot  ? tess_yaml_number(slot, INT32_MAX)
                                   : map ? -1
                                         : 0,
                           .dim = dat->dim,
                           .type = dat->type,
                           .access = (tess_access)access,
                           .cleared = cleared % 2 == 1};
    TRY(read_components(about, node, dat, &arg));
    TRY(check_map(about, node, over, &arg));
    if (slot && (arg.slot < 0 || !map))
        return tess_yaml_fail(yaml, tess_yaml_find(yaml, node, "slot"),
                              "arg %d ('%s') has slot %s: write a slot of a map, from 0 on",
                              about->n_written, name, slot);
    about->nodes[about->n_args] = node;
    about->args[about->n_args++] = arg;
    about->written[about->n_written++] = arg;
    return TESS_OK;
}

/* Reads the parts: what an instance makes has the type of the array that the whole function gets.
 */
static tess_status read_parts(tess_user_description *about, tess_kernel *kernel) {
    tess_user_parts *parts = &about->parts;
    TRY(tess_user_parts_read(about->yaml, kernel, parts));
    for (int p = 0; p < parts->n_parts; p++) {
        tess_kernel_part *part = &parts->parts[p];
        if (part->n_adds > 0)
            part->made = about->args[part->adds[0]].type;
        for (int w = 0; w < about->n_written && tess_part_is_of_matrix(part); w++)
            if (about->views[w] && part->n_adds > 0 &&
                strcmp(about->views[w]->matrix->diagonal, about->args[part->adds[0]].dat) == 0)
                part->made = about->views[w]->type;
    }
    kernel->n_between = parts->n_between;
    kernel->between = parts->between;
    kernel->n_parts = parts->n_parts;
    kernel->parts = parts->parts;
    tess_parts_fault fault;
    const tess_status status = tess_parts_check(kernel, &fault);
    if (status == TESS_OK)
        return TESS_OK;
    const tess_yaml_node *list = tess_yaml_find(about->yaml, tess_yaml_root(about->yaml), "parts");
    return tess_yaml_fail_at(status, about->yaml,
                             fault.arg >= 0    ? about->nodes[fault.arg]
                             : fault.part >= 0 ? tess_yaml_item(about->yaml, list, fault.part)
                                               : list);
}

/* What a loop is called, is over and declares. *is_old: it has the word "apart", which
 * independent_ends was called before. */
static tess_status read_words(tess_yaml *yaml, const tess_yaml_node *node, tess_kernel *kernel,
                              bool *is_old) {
    static const char *const antisymmetries[] = {TESS_ANTISYMMETRY_NAMES, NULL};
    int antisymmetry = TESS_NOT_ANTISYMMETRIC, independent = 0, apart = 0;
    TRY(tess_yaml_needed_word(yaml, node, "name", LONGEST_WORD, &kernel->name));
    TRY(tess_yaml_needed_word(yaml, node, "over", LONGEST_WORD, &kernel->set));
    TRY(tess_yaml_choice(yaml, node, "antisymmetry", antisymmetries, &antisymmetry));
    TRY(tess_yaml_choice(yaml, node, "independent_ends", answers, &independent));
    TRY(tess_yaml_choice(yaml, node, "apart", answers, &apart));
    kernel->antisymmetry = (tess_antisymmetry)antisymmetry;
    kernel->independent_ends = independent % 2 == 1 || apart % 2 == 1;
    *is_old = apart % 2 == 1;
    return TESS_OK;
}

static tess_status read_dats(tess_user_description *about, const tess_yaml_node *root) {
    const tess_yaml_node *list = NULL;
    int n = 0;
    TRY(tess_yaml_list(about->yaml, root, "dats", MOST_DATS, &list, &n));
    for (int i = 0; i < n; i++)
        TRY(read_dat(about, tess_yaml_item(about->yaml, list, i)));
    return TESS_OK;
}

static tess_status read_args(tess_user_description *about, const tess_yaml_node *node,
                             tess_kernel *kernel) {
    const tess_yaml_node *list = NULL;
    int n = 0;
    TRY(tess_yaml_list(about->yaml, node, "args", MOST_ARGS, &list, &n));
    for (int i = 0; i < n; i++)
        TRY(read_arg(about, tess_yaml_item(about->yaml, list, i), kernel->set));
    kernel->n_args = about->n_args;
    kernel->args = about->args;
    return TESS_OK;
}

/* Reads loop `number` of a step, whose dats are all loops'. */
static tess_status read_loop(tess_user_description *about, int number, tess_kernel *kernel) {
    static const char *const keys[] = {"name", "over", "args", "antisymmetry", "independent_ends",
                                       NULL};
    tess_yaml *yaml = about->yaml;
    const tess_yaml_node *root = tess_yaml_root(yaml);
    const tess_yaml_node *node = tess_yaml_item(yaml, tess_yaml_find(yaml, root, "loops"), number);
    bool is_old = false;
    TRY(tess_yaml_check_map(yaml, node, "a loop of a step", keys));
    TRY(read_words(yaml, node, kernel, &is_old));
    TRY(read_dats(about, root));
    return read_args(about, node, kernel);
}

/* Reads the description and fills the kernel but for its text. */
static tess_status read_description(const char *path, tess_user_description *about,
                                    tess_kernel *kernel, bool *is_old) {
    static const char *const keys[] = {
        "apart",   "name",  "over",  "dats",         "matrices",         "args",
        "between", "parts", "whole", "antisymmetry", "independent_ends", NULL};
    tess_yaml *yaml = about->yaml;
    const tess_yaml_node *root = tess_yaml_root(yaml), *list = NULL;
    int n = 0;
    if (tess_yaml_find(yaml, root, "loops"))
        FAIL(TESS_ERROR_INPUT, "%s describes a step of several loops: say --kernel %s alone", path,
             path);
    const bool has_old = tess_yaml_find(yaml, root, "apart"); /* else nobody is told of the word */
    TRY(tess_yaml_check_map(yaml, root, "the description of a loop", keys + !has_old));
    TRY(read_words(yaml, root, kernel, is_old));
    TRY(read_dats(about, root));
    if (tess_yaml_find(yaml, root, "matrices")) {
        TRY(tess_yaml_list(yaml, root, "matrices", MOST_MATRICES, &list, &n));
        TRY(TESS_ZEROS(n, &about->matrices));
        for (int i = 0; i < n; i++)
            TRY(read_matrix(about, tess_yaml_item(yaml, list, i)));
    }
    TRY(read_args(about, root, kernel));
    return read_parts(about, kernel);
}

/* Prints the loops over a matrix's local array m and the two dats' a, of arg `k` of the text. */
static void print_blocks(tess_text_writer *page, const tess_matrix_view *view, int number, int k) {
    const tess_user_matrix *matrix = view->matrix;
    char n[2 * TESS_NAME_SIZE];
    snprintf(n, sizeof n, "%.*s_%s_ARITY", (int)strcspn(view->map, ":"), view->map, matrix->rows);
    tess_text_writer_print(
        page,
        "    UNROLL for (int i = 0; i < %s; i++)\n"
        "        UNROLL for (int j = 0; j < %s; j++)\n"
        "            UNROLL for (int v = 0; v < %d; v++) {\n"
        "                const %s value = m%d[%d * (%s * i + j) + v];\n"
        "                if (i == j)\n"
        "                    a%d[%d * i + v] += (%s)value;\n"
        "                else\n"
        "                    a%d[%d * ((%s - 1) * i + j - (j > i)) + v] += (%s)value;\n"
        "            }\n",
        n, n, view->n_entries, view->type, number, view->n_entries, n, k, view->n_entries,
        matrix->diagonal_type, k + 1, view->n_entries, n, matrix->others_type);
}

/* Prints the function's arrays for matrices, zeroed, and its call of the user's. */
static void print_call(tess_text_writer *page, const tess_user_description *about,
                       const char *name) {
    for (int w = 0; w < about->n_written; w++) {
        const tess_matrix_view *view = about->views[w];
        char size[4 * TESS_NAME_SIZE];
        if (!view)
            continue;
        const int length = (int)strcspn(view->map, ":");
        snprintf(size, sizeof size, "%.*s_%s_ARITY * %.*s_%s_ARITY * %d", length, view->map,
                 view->matrix->rows, length, view->map, view->matrix->rows, view->n_entries);
        tess_text_writer_print(page,
                               "    %s m%d[%s];\n    UNROLL for (int v = 0; v < %s; v++)\n"
                               "        m%d[v] = 0;\n",
                               view->type, w, size, size, w);
    }
    tess_text_writer_print(page, "    %s(", name);
    for (int w = 0, k = 0; w < about->n_written; w++) {
        tess_text_writer_print(page, "%s%c%d", w ? ", " : "", about->views[w] ? 'm' : 'a',
                               about->views[w] ? w : k);
        k += about->views[w] ? 2 : 1;
    }
    tess_text_writer_print(page, ");\n");
}

/* Prints the function of dats alone that calls the user's, `name`. */
static void print_function(tess_text_writer *page, const tess_user_description *about,
                           const char *name) {
    tess_function_print_head(page, "Puts what is added to matrices into their dats.",
                             about->function, about->args, about->n_args);
    print_call(page, about, name);
    for (int w = 0, k = 0; w < about->n_written; w++) {
        if (about->views[w])
            print_blocks(page, about->views[w], w, k);
        k += about->views[w] ? 2 : 1;
    }
    tess_text_writer_print(page, "}\n");
}

/* Prints behind the user's text a function of dats alone: of all parts, unless there is a whole, or
 * around a function of matrices. */
static tess_status add_function(tess_user_kernel *user) {
    tess_user_description *about = user->description;
    tess_kernel *kernel = &user->kernel;
    tess_text_writer page = {.text = NULL};
    const bool is_whole = user->is_whole = kernel->n_parts == 0 || about->parts.whole;
    user->written.function = kernel->function = about->parts.whole;
    if (is_whole && about->n_args == about->n_written)
        return TESS_OK;
    TRY(tess_text_print(&about->function, "tess_%s", kernel->name));
    tess_text_writer_print(&page, "%s", user->text);
    if (is_whole)
        print_function(&page, about, tess_kernel_function(kernel));
    else
        tess_parts_print_whole(&page, kernel, TESS_USE_THREAD | TESS_USE_SLOTS, about->function,
                               NULL);
    TRY(tess_text_writer_finish(&page));
    free(user->text);
    user->text = page.text;
    kernel->function = about->function;
    return TESS_OK;
}

/* Whether a text has a word. */
static bool has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !tess_user_name_takes(at[-1])) && !tess_user_name_takes(at[length]))
            return true;
    return false;
}

/* The functions that the description names are in the header. */
static tess_status check_names(const tess_user_kernel *user, const char *header, const char *path) {
    const tess_user_parts *parts = &user->description->parts;
    const char *whole = parts->whole ? parts->whole : user->kernel.name;
    const bool is_whole = parts->n_parts == 0 || parts->whole;
    for (int p = is_whole ? -1 : 0; p < parts->n_parts; p++) {
        const char *name = p < 0 ? whole : parts->parts[p].name;
        if (!has_word(user->text, name))
            FAIL(TESS_ERROR_INPUT, "%s: the function '%s' is not in %s", path, name, header);
    }
    return TESS_OK;
}

static tess_status check_header(const char *header, const char *path) {
    struct stat about;
    const char *end = strrchr(path, '.'), *header_end = strrchr(header, '.');
    if (end && header_end && strcmp(end, ".h") == 0 && strcmp(header_end, ".yaml") == 0)
        FAIL(TESS_ERROR_INPUT,
             "the header is %s and its description %s: write --kernel %s --loop %s", path, header,
             path, header);
    if (stat(header, &about) != 0 || access(header, R_OK) != 0)
        FAIL(TESS_ERROR_INPUT, "%s cannot be read: %s (the header that %s describes)", header,
             strerror(errno), path);
    if (!S_ISREG(about.st_mode))
        FAIL(TESS_ERROR_INPUT, "%s is no file: a kernel is a C header, as %s describes it", header,
             path);
    return TESS_OK;
}

/* Reads the YAML's only loop (`number` -1), or one of its step. */
static tess_status read_kernel(const char *header, const char *path, int number,
                               tess_user_kernel **out) {
    tess_status status = TESS_OK;
    tess_user_kernel *user = NULL;
    size_t size = 0;
    bool is_old = false;
    CHECK(TESS_ZEROS(1, &user));
    CHECK(TESS_ZEROS(1, &user->description));
    CHECK(check_header(header, path));
    CHECK(tess_cache_read(header, &user->text, &size));
    if (!user->text)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s cannot be read: it has just gone", header));
    memset(user->text, ' ', tess_byte_order_mark(user->text)); /* compilers take it for a word */
    CHECK(tess_yaml_read(path, &user->description->yaml));
    CHECK(number < 0 ? read_description(path, user->description, &user->kernel, &is_old)
                     : read_loop(user->description, number, &user->kernel));
    user->note = is_old ? "'apart' is called 'independent_ends' now" : NULL;
    CHECK(check_names(user, header, path));
    if (strstr(user->text, "#include"))
        CHECK(tess_fail(
            TESS_ERROR_INPUT,
            "%s includes a file: a GPU's compiler has none; the functions of <math.h> are "
            "there as they are",
            header));
    user->written = user->kernel;
    user->written.args = user->description->written;
    user->written.n_args = user->description->n_written;
    CHECK(add_function(user));
    user->kernel.text = user->written.text = user->text;
    *out = TESS_TAKE(user);
done:
    tess_user_kernel_free(user);
    return status;
}

tess_status tess_user_kernel_read(const char *header, const char *path, tess_user_kernel **out) {
    return read_kernel(header, path, -1, out);
}

tess_status tess_user_kernel_read_loop(const char *header, const char *path, int number,
                                       tess_user_kernel **out) {
    return read_kernel(header, path, number, out);
}

static void description_free(tess_user_description *about) {
    if (!about)
        return;
    tess_yaml_free(about->yaml);
    for (int a = 0; a < MOST_ARGS; a++) {
        free(about->views[a]);
        free(about->components[a]);
    }
    free(about->matrices);
    free(about->function);
    free(about);
}

void tess_user_kernel_free(tess_user_kernel *user) {
    if (!user)
        return;
    description_free(user->description);
    free(user->text);
    free(user);
}

tess_status tess_user_kernel_bind(const tess_user_kernel *user, tess_mesh *mesh) {
    const tess_user_description *about = user->description;
    for (int m = 0; m < about->n_matrices; m++)
        TRY(tess_user_matrix_bind(&about->matrices[m], about->yaml, mesh));
    for (int a = 0; a < about->n_written; a++)
        if (about->views[a])
            TRY(tess_matrix_view_bind(about->views[a], about->yaml, mesh));
    for (int a = 0; a < user->kernel.n_args; a++) {
        const char *map = user->kernel.args[a].map;
        if (!map || tess_mesh_find_map(mesh, map))
            continue;
        if (tess_mesh_derive(mesh, map) != TESS_OK)
            return tess_yaml_fail(about->yaml, about->nodes[a], "arg %d ('%s') of %s: %s", a,
                                  user->kernel.args[a].dat, user->kernel.name, tess_message());
    }
    return TESS_OK;
}
