/* A user's kernel: a C function in a header of the user's, described by a short YAML file. */
#include "kernels/applications/user_kernel.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/base/unknown_name.h"
#include "core/base/yaml_file.h"
#include "core/mesh/derive.h"
#include "kernels/devices/disk_cache.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DATS = 64, MOST_ARGS = 64, LONGEST_WORD = TESS_NAME_SIZE - 1, LONGEST_NUMBER = 15 };

typedef enum start_kind {
    START_DEFAULT,
    START_ZERO,
    START_RANDOM,
    START_INDEX,
    START_XYZ
} start_kind;

/* Texts are the YAML's. */
typedef struct user_dat {
    const char *name, *set, *type; /* set NULL: global; type "real" unless said */
    int dim;
    start_kind start;
} user_dat;

/* What the YAML says; the kernel's own texts are the YAML's, too. */
typedef struct tess_user_description {
    tess_yaml *yaml;
    user_dat dats[MOST_DATS];
    int n_dats;
    tess_kernel_arg args[MOST_ARGS];
    int n_args;
} tess_user_description;

/* The word at a key of a map, NULL where there is none. */
static tess_status word_of(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                           size_t longest, const char **out) {
    const tess_yaml_node *node = tess_yaml_find(yaml, map, key);
    *out = node ? tess_yaml_text(node) : NULL;
    if (node && (!*out || !**out || strlen(*out) > longest))
        return tess_yaml_fail(yaml, node, "%s is a word of 1 to %zu letters", key, longest);
    return TESS_OK;
}

/* The same, which must be there. */
static tess_status needed_word_of(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                                  const char **out) {
    TRY(word_of(yaml, map, key, LONGEST_WORD, out));
    return *out ? TESS_OK : tess_yaml_fail(yaml, map, "'%s' is missing", key);
}

/* The place among `names` of the word at a key; *choice stays where there is none. */
static tess_status choice_of(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                             const char *const *names, int *choice) {
    const char *word = NULL;
    TRY(word_of(yaml, map, key, LONGEST_WORD, &word));
    for (int i = 0; word && names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *choice = i;
            return TESS_OK;
        }
    }
    if (!word)
        return TESS_OK;
    tess_unknown_name unknown = tess_unknown_name_of(word);
    tess_unknown_name_add_all(&unknown, names);
    const bool is_near = unknown.near[0] != '\0';
    return tess_yaml_fail(yaml, tess_yaml_find(yaml, map, key), "%s is one of %s, not '%s'%s%s%s",
                          key, unknown.known, word, is_near ? "; did you mean '" : "", unknown.near,
                          is_near ? "'?" : "");
}

/* A list of 1 to `most` items at a key. */
static tess_status list_of(tess_yaml *yaml, const tess_yaml_node *map, const char *key, int most,
                           const tess_yaml_node **list, int *n) {
    *list = tess_yaml_find(yaml, map, key);
    if (!*list)
        return tess_yaml_fail(yaml, map, "'%s' is missing", key);
    *n = tess_yaml_count(*list);
    if ((*list)->type != YAML_SEQUENCE_NODE || *n < 1 || *n > most)
        return tess_yaml_fail(yaml, *list, "%s is a list of 1 to %d items", key, most);
    return TESS_OK;
}

/* A whole number from 0 to `most`, -1 where the text is none. */
static int number_of(const char *text, int most) {
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    return end == text || *end || value < 0 || value > most ? -1 : (int)value;
}

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
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    tess_yaml *yaml = about->yaml;
    user_dat dat = {.name = NULL};
    const char *dim = NULL;
    int start = -1;
    TRY(tess_yaml_check_map(yaml, node, "a dat", keys));
    TRY(needed_word_of(yaml, node, "name", &dat.name));
    TRY(needed_word_of(yaml, node, "dim", &dim));
    TRY(word_of(yaml, node, "set", LONGEST_WORD, &dat.set));
    TRY(word_of(yaml, node, "type", LONGEST_NUMBER, &dat.type));
    TRY(choice_of(yaml, node, "start", starts, &start));
    if (dat.name[strspn(dat.name, letters)])
        return tess_yaml_fail(yaml, node,
                              "dat '%s' has no name that a compiler takes: write letters without "
                              "accents, digits and '_'",
                              dat.name);
    dat.dim = number_of(dim, TESS_MOST_DIM);
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
                          about->n_args, name, is_near ? "; did you mean '" : "", unknown.near,
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
    if (arg->map && !map_fits(arg->map, over, arg->set))
        return tess_yaml_fail(about->yaml, node,
                              "arg %d ('%s', which is on %s) goes through '%s': write a map from "
                              "%s to %s",
                              about->n_args, arg->dat, arg->set ? arg->set : "no set", arg->map,
                              over, arg->set ? arg->set : "a set");
    if (!arg->map && arg->set && strcmp(arg->set, over) != 0)
        return tess_yaml_fail(about->yaml, node,
                              "arg %d ('%s') is on %s, but the loop is over %s: say through which "
                              "map, as in map: %s:%s",
                              about->n_args, arg->dat, arg->set, over, over, arg->set);
    return TESS_OK;
}

/* Reads which components of its dat an arg is: consecutive ones; all where none are named. */
static tess_status read_components(const tess_user_description *about, const tess_yaml_node *node,
                                   const user_dat *dat, tess_kernel_arg *arg) {
    tess_yaml *yaml = about->yaml;
    const tess_yaml_node *list = NULL;
    int n = 0;
    if (!tess_yaml_find(yaml, node, "components"))
        return TESS_OK;
    TRY(list_of(yaml, node, "components", TESS_MOST_DIM, &list, &n));
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *item = tess_yaml_item(yaml, list, i);
        const char *text = tess_yaml_text(item);
        const int component = number_of(text ? text : "", TESS_MOST_DIM);
        if (component < 0 || component >= dat->dim)
            return tess_yaml_fail(yaml, item,
                                  "arg %d ('%s') has component %s: write numbers from 0 to %d",
                                  about->n_args, dat->name, text ? text : "?", dat->dim - 1);
        arg->first = i == 0 ? component : arg->first;
        if (component != arg->first + i)
            return tess_yaml_fail(yaml, item,
                                  "arg %d ('%s'): component %d does not follow %d: components are "
                                  "consecutive",
                                  about->n_args, dat->name, component, arg->first + i - 1);
    }
    arg->dim = n;
    arg->of = dat->dim;
    return TESS_OK;
}

/* Reads the next arg. */
static tess_status read_arg(tess_user_description *about, const tess_yaml_node *node,
                            const char *over) {
    static const char *const keys[] = {"dat", "map", "slot", "components", "access", NULL};
    static const char *const accesses[] = {"read", "write", "rw", "inc", NULL};
    tess_yaml *yaml = about->yaml;
    const char *name = NULL, *map = NULL, *slot = NULL;
    int access = -1;
    TRY(tess_yaml_check_map(yaml, node, "an arg", keys));
    TRY(needed_word_of(yaml, node, "dat", &name));
    TRY(word_of(yaml, node, "map", LONGEST_WORD, &map));
    TRY(word_of(yaml, node, "slot", LONGEST_NUMBER, &slot));
    TRY(choice_of(yaml, node, "access", accesses, &access));
    if (access < 0)
        return tess_yaml_fail(yaml, node, "'access' is missing");
    const user_dat *dat = dat_of(about, name);
    if (!dat)
        return unknown_dat(about, node, name);
    tess_kernel_arg arg = {.dat = dat->name,
                           .set = dat->set,
                           .map = map,
                           .slot = slot  ? number_of(slot, INT32_MAX)
                                   : map ? -1
                                         : 0,
                           .dim = dat->dim,
                           .type = dat->type,
                           .access = (tess_access)access};
    TRY(read_components(about, node, dat, &arg));
    TRY(check_map(about, node, over, &arg));
    if (slot && (arg.slot < 0 || !map))
        return tess_yaml_fail(yaml, tess_yaml_find(yaml, node, "slot"),
                              "arg %d ('%s') has slot %s: write a slot of a map, from 0 on",
                              about->n_args, name, slot);
    about->args[about->n_args++] = arg;
    return TESS_OK;
}

/* Reads the description and fills the kernel but for its text. *is_old: it has the word "apart",
 * which independent_ends was called before. */
static tess_status read_description(const char *path, tess_user_description *about,
                                    tess_kernel *kernel, bool *is_old) {
    static const char *const keys[] = {
        "name", "over", "dats", "args", "antisymmetry", "independent_ends", "apart", NULL};
    static const char *const antisymmetries[] = {"none", "opposite", "exchange", "alike", NULL};
    static const char *const answers[] = {"no", "yes", "false", "true", NULL};
    TRY(tess_yaml_read(path, &about->yaml));
    tess_yaml *yaml = about->yaml;
    const tess_yaml_node *root = tess_yaml_root(yaml), *list = NULL;
    int n = 0, antisymmetry = TESS_NOT_ANTISYMMETRIC, independent = 0, apart = 0;
    if (!root)
        FAIL(TESS_ERROR_INPUT, "%s describes no loop: it is empty", path);
    TRY(tess_yaml_check_map(yaml, root, "the description of a loop", keys));
    TRY(needed_word_of(yaml, root, "name", &kernel->name));
    TRY(needed_word_of(yaml, root, "over", &kernel->set));
    TRY(choice_of(yaml, root, "antisymmetry", antisymmetries, &antisymmetry));
    TRY(choice_of(yaml, root, "independent_ends", answers, &independent));
    TRY(choice_of(yaml, root, "apart", answers, &apart));
    TRY(list_of(yaml, root, "dats", MOST_DATS, &list, &n));
    for (int i = 0; i < n; i++)
        TRY(read_dat(about, tess_yaml_item(yaml, list, i)));
    TRY(list_of(yaml, root, "args", MOST_ARGS, &list, &n));
    for (int i = 0; i < n; i++)
        TRY(read_arg(about, tess_yaml_item(yaml, list, i), kernel->set));
    kernel->n_args = about->n_args;
    kernel->args = about->args;
    kernel->antisymmetry = (tess_antisymmetry)antisymmetry;
    kernel->independent_ends = independent % 2 == 1 || apart % 2 == 1;
    *is_old = apart % 2 == 1;
    return TESS_OK;
}

tess_status tess_user_kernel_read(const char *header, const char *path, tess_user_kernel **out) {
    tess_status status = TESS_OK;
    tess_user_kernel *user = NULL;
    size_t size = 0;
    bool is_old = false;
    CHECK(TESS_ZEROS(1, &user));
    CHECK(TESS_ZEROS(1, &user->description));
    CHECK(tess_cache_read(header, &user->text, &size));
    if (!user->text)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s cannot be read: is there such a file?", header));
    CHECK(read_description(path, user->description, &user->kernel, &is_old));
    user->note = is_old ? "'apart' is called 'independent_ends' now" : NULL;
    if (!strstr(user->text, user->kernel.name))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: the function '%s' is not in %s", path,
                        user->kernel.name, header));
    if (strstr(user->text, "#include"))
        CHECK(tess_fail(
            TESS_ERROR_INPUT,
            "%s includes a file: a GPU's compiler has none; the functions of <math.h> are "
            "there as they are",
            header));
    user->kernel.text = user->text;
    *out = TESS_TAKE(user);
done:
    tess_user_kernel_free(user);
    return status;
}

void tess_user_kernel_free(tess_user_kernel *user) {
    if (!user)
        return;
    if (user->description)
        tess_yaml_free(user->description->yaml);
    free(user->description);
    free(user->text);
    free(user);
}

tess_status tess_user_kernel_bind(const tess_user_kernel *user, tess_mesh *mesh) {
    for (int a = 0; a < user->kernel.n_args; a++) {
        const char *map = user->kernel.args[a].map;
        if (!map || tess_mesh_find_map(mesh, map))
            continue;
        if (tess_mesh_derive(mesh, map) != TESS_OK)
            return tess_fail_at(TESS_ERROR_INPUT, "arg %d ('%s') of %s", a,
                                user->kernel.args[a].dat, user->kernel.name);
    }
    return TESS_OK;
}

/* A number in [0, 1) from its place. */
static double random_value(uint64_t place) {
    uint64_t state = place * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(tess_random_next(&state) >> 11) * 0x1p-53;
}

static bool is_read(const tess_user_kernel *user, const char *dat) {
    for (int a = 0; a < user->kernel.n_args; a++)
        if (strcmp(user->kernel.args[a].dat, dat) == 0 &&
            (user->kernel.args[a].access == TESS_READ || user->kernel.args[a].access == TESS_RW))
            return true;
    return false;
}

static tess_status fill(const tess_user_kernel *user, const user_dat *about, int d,
                        const tess_state *state, tess_dat *dat) {
    const tess_mesh *mesh = state->mesh;
    start_kind start = about->start;
    if (start == START_DEFAULT)
        start = is_read(user, about->name) ? START_RANDOM : START_ZERO;
    if (start == START_XYZ &&
        (dat->dim != mesh->dimension || !about->set || strcmp(about->set, "nodes") != 0))
        FAIL(TESS_ERROR_INPUT, "dat '%s' starts from coordinates: it must be on nodes, dim %d",
             about->name, mesh->dimension);
    const int64_t n = tess_state_size(state, dat) * dat->dim;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t place = (uint64_t)i + (uint64_t)d * UINT64_C(0x10000000);
        double value = 0;
        if (start == START_RANDOM)
            value = dat->type == TESS_INT32 ? (double)(int64_t)(8 * random_value(place))
                                            : 0.5 + random_value(place);
        else if (start == START_INDEX)
            value = (double)(i / dat->dim);
        else if (start == START_XYZ)
            value = mesh->coordinates[i];
        tess_dat_set(dat, i, value);
    }
    return TESS_OK;
}

tess_status tess_user_kernel_start(const tess_user_kernel *user, const tess_mesh *mesh,
                                   tess_type real, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    const tess_user_description *about = user->description;
    CHECK(tess_state_new(mesh, real, &state));
    for (int d = 0; d < about->n_dats; d++) {
        const user_dat *dat = &about->dats[d];
        CHECK(tess_state_add(state, dat->name, dat->set, dat->dim, dat->type));
        CHECK(fill(user, dat, d, state, &state->dats[state->n_dats - 1]));
    }
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}
