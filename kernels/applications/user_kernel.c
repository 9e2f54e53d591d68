/* A user's kernel: a C function in a header of the user's, described by a short YAML file. */
#include "kernels/applications/user_kernel.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/mesh/derive.h"
#include "kernels/devices/disk_cache.h"
#include <cyaml/cyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum start_kind {
    START_DEFAULT,
    START_ZERO,
    START_RANDOM,
    START_INDEX,
    START_XYZ
} start_kind;

typedef struct user_dat {
    char *name, *set, *type; /* set NULL: global; type NULL: real */
    char *dim;               /* as written, since libcyaml reads 1.5 as 1; as a slot */
    start_kind start;
} user_dat;

typedef struct user_arg {
    char *dat, *map; /* map NULL: direct */
    char *slot;      /* NULL: all */
    tess_access access;
} user_arg;

typedef struct tess_user_description {
    char *name, *over;
    user_dat *dats;
    unsigned n_dats;
    user_arg *args;
    unsigned n_args;
    tess_antisymmetry antisymmetry;
    bool independent_ends;
    bool apart; /* an older word for that */
} tess_user_description;

static const cyaml_strval_t starts[] = {{"zero", START_ZERO},
                                        {"random", START_RANDOM},
                                        {"index", START_INDEX},
                                        {"coordinates", START_XYZ}};

static const cyaml_strval_t accesses[] = {
    {"read", TESS_READ}, {"write", TESS_WRITE}, {"rw", TESS_RW}, {"inc", TESS_INC}};

static const cyaml_strval_t antisymmetries[] = {
    {"none", TESS_NOT_ANTISYMMETRIC}, {"opposite", TESS_OPPOSITE}, {"exchange", TESS_EXCHANGE}};

/* libcyaml's own bool takes every other word for true. */
static const cyaml_strval_t answers[] = {
    {"no", false}, {"yes", true}, {"false", false}, {"true", true}};

static const cyaml_schema_field_t dat_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, user_dat, name, 1, TESS_NAME_SIZE - 1),
    CYAML_FIELD_STRING_PTR("set", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, user_dat, set, 1,
                           TESS_NAME_SIZE - 1),
    CYAML_FIELD_STRING_PTR("type", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, user_dat, type, 1, 15),
    CYAML_FIELD_STRING_PTR("dim", CYAML_FLAG_POINTER, user_dat, dim, 1, 15),
    CYAML_FIELD_ENUM("start", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, user_dat, start, starts, 4),
    CYAML_FIELD_END};

static const cyaml_schema_field_t arg_fields[] = {
    CYAML_FIELD_STRING_PTR("dat", CYAML_FLAG_POINTER, user_arg, dat, 1, TESS_NAME_SIZE - 1),
    CYAML_FIELD_STRING_PTR("map", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, user_arg, map, 3,
                           TESS_NAME_SIZE - 1),
    CYAML_FIELD_STRING_PTR("slot", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, user_arg, slot, 1, 15),
    CYAML_FIELD_ENUM("access", CYAML_FLAG_STRICT, user_arg, access, accesses, 4), CYAML_FIELD_END};

static const cyaml_schema_value_t dat_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, user_dat, dat_fields)};
static const cyaml_schema_value_t arg_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, user_arg, arg_fields)};

enum { MOST_DATS = 64, MOST_ARGS = 64 };

static const cyaml_schema_field_t description_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, tess_user_description, name, 1,
                           TESS_NAME_SIZE - 1),
    CYAML_FIELD_STRING_PTR("over", CYAML_FLAG_POINTER, tess_user_description, over, 1,
                           TESS_NAME_SIZE - 1),
    CYAML_FIELD_SEQUENCE_COUNT("dats", CYAML_FLAG_POINTER, tess_user_description, dats, n_dats,
                               &dat_schema, 1, MOST_DATS),
    CYAML_FIELD_SEQUENCE_COUNT("args", CYAML_FLAG_POINTER, tess_user_description, args, n_args,
                               &arg_schema, 1, MOST_ARGS),
    CYAML_FIELD_ENUM("antisymmetry", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, tess_user_description,
                     antisymmetry, antisymmetries, 3),
    CYAML_FIELD_ENUM("independent_ends", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT,
                     tess_user_description, independent_ends, answers, 4),
    CYAML_FIELD_ENUM("apart", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, tess_user_description, apart,
                     answers, 4),
    CYAML_FIELD_END};

static const cyaml_schema_value_t description_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, tess_user_description, description_fields)};

/* Keeps libcyaml's words, the last of which say where it was. */
static void keep_words(cyaml_log_t level, void *context, const char *format, va_list args) {
    (void)level;
    char *words = context;
    const size_t used = strlen(words);
    if (used < 500)
        vsnprintf(words + used, 512 - used, format, args);
}

static const cyaml_config_t *config_of(char *words) {
    static _Thread_local cyaml_config_t config;
    config = (cyaml_config_t){.log_fn = keep_words,
                              .log_ctx = words,
                              .mem_fn = cyaml_mem,
                              .log_level = CYAML_LOG_WARNING};
    return &config;
}

static tess_status read_text(const char *path, char **out, size_t *size) {
    TRY(tess_cache_read(path, out, size));
    if (!*out)
        FAIL(TESS_ERROR_INPUT, "%s cannot be read: is there such a file?", path);
    return TESS_OK;
}

static tess_status read_description(const char *path, tess_user_description **out) {
    tess_status status = TESS_OK;
    char *text = NULL, words[512] = "";
    size_t size = 0;
    CHECK(read_text(path, &text, &size));
    const cyaml_err_t error = cyaml_load_data((const uint8_t *)text, size, config_of(words),
                                              &description_schema, (cyaml_data_t **)out, NULL);
    if (error != CYAML_OK)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s describes no loop: %s\n%s", path,
                        cyaml_strerror(error), words));
    if (!*out) /* nothing but comments */
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s describes no loop: it is empty", path));
done:
    free(text);
    return status;
}

static const user_dat *dat_of(const tess_user_description *about, const char *name) {
    for (unsigned d = 0; d < about->n_dats; d++)
        if (strcmp(about->dats[d].name, name) == 0)
            return &about->dats[d];
    return NULL;
}

static const char NAME_LETTERS[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* A whole number from 0 to `most`, -1 where the text is none. */
static int number_of(const char *text, int most) {
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    return end == text || *end || value < 0 || value > most ? -1 : (int)value;
}

static int dim_of(const user_dat *dat) {
    return number_of(dat->dim, TESS_MOST_DIM);
}

static tess_status check_dats(const char *path, const tess_user_description *about) {
    for (unsigned d = 0; d < about->n_dats; d++) {
        const user_dat *dat = &about->dats[d];
        if (dat->name[strspn(dat->name, NAME_LETTERS)])
            FAIL(TESS_ERROR_INPUT,
                 "%s: dat '%s' has no name that a compiler takes: write letters without accents, "
                 "digits and '_'",
                 path, dat->name);
        if (dim_of(dat) < 1)
            FAIL(TESS_ERROR_INPUT,
                 "%s: dat '%s' has dim %s: write how many values an element has, 1 to %d", path,
                 dat->name, dat->dim, TESS_MOST_DIM);
        if (dat_of(about, dat->name) != dat)
            FAIL(TESS_ERROR_INPUT, "%s: dat '%s' is there twice", path, dat->name);
    }
    return TESS_OK;
}

static tess_status unknown_dat(const char *path, const tess_user_description *about, unsigned a) {
    tess_unknown_name unknown = tess_unknown_name_of(about->args[a].dat);
    for (unsigned d = 0; d < about->n_dats; d++)
        tess_unknown_name_add(&unknown, about->dats[d].name);
    const bool is_near = unknown.near[0] != '\0';
    FAIL(TESS_ERROR_INPUT, "%s: arg %u is '%s', which is not among the dats%s%s%s", path, a,
         about->args[a].dat, is_near ? "; did you mean '" : "", unknown.near, is_near ? "'?" : "");
}

/* Checks an arg and fills the kernel's. */
static tess_status arg_of(const char *path, const tess_user_description *about, unsigned a,
                          tess_kernel_arg *out) {
    const user_arg *arg = &about->args[a];
    const user_dat *dat = dat_of(about, arg->dat);
    if (!dat)
        return unknown_dat(path, about, a);
    const char *colon = arg->map ? strchr(arg->map, ':') : NULL;
    if (arg->map && (!colon || !dat->set || strcmp(colon + 1, dat->set) != 0 ||
                     strncmp(arg->map, about->over, strlen(about->over)) != 0 ||
                     arg->map[strlen(about->over)] != ':'))
        FAIL(TESS_ERROR_INPUT,
             "%s: arg %u ('%s', which is on %s) goes through '%s': write a map "
             "from %s to %s",
             path, a, arg->dat, dat->set ? dat->set : "no set", arg->map, about->over,
             dat->set ? dat->set : "a set");
    if (!arg->map && dat->set && strcmp(dat->set, about->over) != 0)
        FAIL(TESS_ERROR_INPUT,
             "%s: arg %u ('%s') is on %s, but the loop is over %s: say through "
             "which map, as in map: %s:%s",
             path, a, arg->dat, dat->set, about->over, about->over, dat->set);
    const int slot = arg->slot ? number_of(arg->slot, INT32_MAX) : arg->map ? -1 : 0;
    if (arg->slot && (slot < 0 || !arg->map))
        FAIL(TESS_ERROR_INPUT, "%s: arg %u ('%s') has slot %s: write a slot of a map, from 0 on",
             path, a, arg->dat, arg->slot);
    *out = (tess_kernel_arg){.dat = dat->name,
                             .set = dat->set,
                             .map = arg->map,
                             .slot = slot,
                             .dim = dim_of(dat),
                             .type = dat->type ? dat->type : "real",
                             .access = arg->access};
    return TESS_OK;
}

tess_status tess_user_kernel_read(const char *header, const char *path, tess_user_kernel **out) {
    tess_status status = TESS_OK;
    tess_user_kernel *user = NULL;
    size_t size = 0;
    CHECK(TESS_ZEROS(1, &user));
    CHECK(read_text(header, &user->text, &size));
    CHECK(read_description(path, &user->description));
    const tess_user_description *about = user->description;
    CHECK(TESS_ZEROS(about->n_args, &user->args));
    CHECK(check_dats(path, about));
    for (unsigned a = 0; a < about->n_args; a++)
        CHECK(arg_of(path, about, a, &user->args[a]));
    if (!strstr(user->text, about->name))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: the function '%s' is not in %s", path, about->name,
                        header));
    if (strstr(user->text, "#include"))
        CHECK(tess_fail(
            TESS_ERROR_INPUT,
            "%s includes a file: a GPU's compiler has none; the functions of <math.h> are "
            "there as they are",
            header));
    user->kernel = (tess_kernel){.name = about->name,
                                 .set = about->over,
                                 .n_args = (int)about->n_args,
                                 .args = user->args,
                                 .text = user->text,
                                 .antisymmetry = about->antisymmetry,
                                 .independent_ends = about->independent_ends || about->apart};
    if (about->apart)
        user->note = "'apart' is called 'independent_ends' now";
    *out = user;
    user = NULL;
done:
    tess_user_kernel_free(user);
    return status;
}

void tess_user_kernel_free(tess_user_kernel *user) {
    if (!user)
        return;
    char words[512] = "";
    if (user->description)
        cyaml_free(config_of(words), &description_schema, user->description, 0);
    free(user->args);
    free(user->text);
    free(user);
}

tess_status tess_user_kernel_bind(const tess_user_kernel *user, tess_mesh *mesh) {
    for (int a = 0; a < user->kernel.n_args; a++) {
        const char *map = user->args[a].map;
        if (!map || tess_mesh_find_map(mesh, map))
            continue;
        if (tess_mesh_derive(mesh, map) != TESS_OK)
            return tess_fail_at(TESS_ERROR_INPUT, "arg %d ('%s') of %s", a, user->args[a].dat,
                                user->kernel.name);
    }
    return TESS_OK;
}

/* A number in [0, 1) from its place, by splitmix64. */
static double random_value(uint64_t seed) {
    uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static bool is_read(const tess_user_kernel *user, const char *dat) {
    for (int a = 0; a < user->kernel.n_args; a++)
        if (strcmp(user->args[a].dat, dat) == 0 &&
            (user->args[a].access == TESS_READ || user->args[a].access == TESS_RW))
            return true;
    return false;
}

static tess_status fill(const tess_user_kernel *user, const user_dat *about, unsigned d,
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
        double value = 0;
        if (start == START_RANDOM)
            value =
                dat->type == TESS_INT32
                    ? (double)(int64_t)(8 * random_value((uint64_t)i + d * UINT64_C(0x10000000)))
                    : 0.5 + random_value((uint64_t)i + d * UINT64_C(0x10000000));
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
    for (unsigned d = 0; d < about->n_dats; d++) {
        CHECK(tess_state_add(state, about->dats[d].name, about->dats[d].set,
                             dim_of(&about->dats[d]),
                             about->dats[d].type ? about->dats[d].type : "real", NULL));
        CHECK(fill(user, &about->dats[d], d, state, &state->dats[state->n_dats - 1]));
    }
    *out = state;
    state = NULL;
done:
    tess_state_free(state);
    return status;
}
