/* A mesh: sets, the maps between them, the dats on them, and the coordinates of its nodes. */
#include "core/mesh/mesh.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t tess_type_size(tess_type type) {
    return type == TESS_DOUBLE ? sizeof(double) : type == TESS_FLOAT ? sizeof(float) : 4;
}

const char *tess_type_name(tess_type type) {
    return type == TESS_DOUBLE ? "double" : type == TESS_FLOAT ? "float" : "int";
}

tess_status tess_type_parse(const char *name, tess_type *type) {
    for (tess_type known = TESS_INT32; known <= TESS_DOUBLE; known++) {
        if (strcmp(name, tess_type_name(known)) == 0) {
            *type = known;
            return TESS_OK;
        }
    }
    FAIL(TESS_ERROR_USAGE, "unknown type '%s': known are int, float, double", name);
}

tess_status tess_mesh_new(const char *source, int dimension, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    CHECK(TESS_ZEROS(1, &mesh));
    CHECK(tess_text_copy(source, &mesh->source));
    mesh->dimension = dimension;
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

/* Makes room for one more element at the end of *array, which holds n. */
static tess_status grow_by_one(int n, size_t element_size, void **array) {
    if (n && (n & (n - 1)))
        return TESS_OK; /* capacities are powers of two */
    int64_t capacity = n;
    return tess_array_reserve(n ? 2 * n : 1, element_size, &capacity, array);
}

tess_status tess_name_copy(char out[TESS_NAME_SIZE], const char *name) {
    if (strlen(name) >= TESS_NAME_SIZE)
        FAIL(TESS_ERROR_INPUT, "the name '%s' is longer than %d characters", name,
             TESS_NAME_SIZE - 1);
    strcpy(out, name);
    return TESS_OK;
}

tess_status tess_mesh_add_set(tess_mesh *mesh, const char *name, int64_t size, int *set) {
    if (size < 0 || size > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "set '%s' has %lld elements; at most 2147483647 are possible", name,
             (long long)size);
    if (tess_mesh_find_set(mesh, name) >= 0)
        FAIL(TESS_ERROR_INPUT, "set '%s' is stated twice", name);
    TRY(grow_by_one(mesh->n_sets, sizeof *mesh->sets, (void **)&mesh->sets));
    tess_set *added = &mesh->sets[mesh->n_sets];
    TRY(tess_name_copy(added->name, name));
    added->size = size;
    if (set)
        *set = mesh->n_sets;
    mesh->n_sets++;
    return TESS_OK;
}

static tess_status map_indices_check(const tess_map *map, int64_t n_from, const tess_set *to) {
    const int64_t n = n_from * map->arity;
    int64_t bad = n;
#pragma omp parallel for reduction(min : bad) schedule(static) if (n > 1 << 20) /* 0.5 ms */
    for (int64_t i = 0; i < n; i++) {
        const int32_t point = map->index[i];
        if (point >= to->size || point < (map->padded ? -1 : 0))
            bad = i < bad ? i : bad;
    }
    if (bad < n)
        FAIL(TESS_ERROR_INPUT, "map %s: element %lld, slot %lld refers to %s %d of %lld", map->name,
             (long long)(bad / map->arity), (long long)(bad % map->arity), to->name,
             map->index[bad], (long long)to->size);
    return TESS_OK;
}

tess_status tess_mesh_add_map(tess_mesh *mesh, const char *from, const char *to, int arity,
                              unsigned traits, int32_t *index) {
    tess_status status = TESS_OK;
    tess_map map = {.from = tess_mesh_find_set(mesh, from),
                    .to = tess_mesh_find_set(mesh, to),
                    .arity = arity,
                    .padded = traits & TESS_MAP_PADDED,
                    .derived = traits & TESS_MAP_DERIVED,
                    .pairs = traits & TESS_MAP_PAIRS,
                    .index = index};
    if (map.from < 0 || map.to < 0)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "map %s:%s needs the set '%s'", from, to,
                        map.from < 0 ? from : to));
    if (snprintf(map.name, sizeof map.name, "%s:%s", from, to) >= (int)sizeof map.name)
        CHECK(tess_fail(TESS_ERROR_INPUT, "the name %s:%s is too long", from, to));
    if (tess_mesh_find_map(mesh, map.name))
        CHECK(tess_fail(TESS_ERROR_INPUT, "map %s is stated twice", map.name));
    CHECK(map_indices_check(&map, mesh->sets[map.from].size, &mesh->sets[map.to]));
    CHECK(grow_by_one(mesh->n_maps, sizeof *mesh->maps, (void **)&mesh->maps));
    mesh->maps[mesh->n_maps++] = map;
    index = NULL;
done:
    free(index);
    return status;
}

tess_status tess_mesh_add_dat(tess_mesh *mesh, const char *name, const char *set, int dim,
                              tess_type type, void *values) {
    tess_status status = TESS_OK;
    tess_dat dat = {
        .set = tess_mesh_find_set(mesh, set), .dim = dim, .type = type, .values = values};
    if (dat.set < 0)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "dat '%s' needs the set '%s'", name, set));
    if (tess_mesh_find_dat(mesh, name, set))
        CHECK(tess_fail(TESS_ERROR_INPUT, "dat '%s' on %s is stated twice", name, set));
    CHECK(tess_name_copy(dat.name, name));
    CHECK(grow_by_one(mesh->n_dats, sizeof *mesh->dats, (void **)&mesh->dats));
    mesh->dats[mesh->n_dats++] = dat;
    values = NULL;
done:
    free(values);
    return status;
}

/* Appends a copy of `text` to an array of texts. */
static tess_status append_text(char ***texts, int n, const char *text) {
    TRY(grow_by_one(n, sizeof **texts, (void **)texts));
    return tess_text_copy(text, &(*texts)[n]);
}

/* Names with a tag each. */
typedef struct tagged_names {
    char ***names;
    int32_t **tags;
    int *n;
} tagged_names;

/* Finds a name, or appends it with its tag. */
static tess_status add_tagged(const tagged_names *to, const char *name, int32_t tag, int *at) {
    for (*at = 0; *at < *to->n; (*at)++)
        if (strcmp((*to->names)[*at], name) == 0)
            return TESS_OK;
    TRY(grow_by_one(*to->n, sizeof **to->tags, (void **)to->tags));
    (*to->tags)[*to->n] = tag;
    TRY(append_text(to->names, *to->n, name));
    (*to->n)++;
    return TESS_OK;
}

tess_status tess_mesh_add_marker(tess_mesh *mesh, const char *name, int *marker) {
    return add_tagged(&(tagged_names){&mesh->markers, &mesh->marker_tags, &mesh->n_markers}, name,
                      0, marker);
}

tess_status tess_mesh_add_region(tess_mesh *mesh, const char *name, int32_t tag, int *region) {
    return add_tagged(&(tagged_names){&mesh->regions, &mesh->region_tags, &mesh->n_regions}, name,
                      tag, region);
}

const int32_t *tess_mesh_regions(const tess_mesh *mesh) {
    const tess_dat *dat = tess_mesh_find_dat(mesh, "region", "cells");
    return dat && dat->type == TESS_INT32 && dat->dim == 1 && mesh->n_regions ? dat->values : NULL;
}

tess_status tess_mesh_warn(tess_mesh *mesh, const char *format, ...) {
    char words[512];
    TESS_PRINT_ARGS(words, format);
    TRY(append_text(&mesh->warnings, (int)mesh->n_warnings, words));
    mesh->n_warnings++;
    return TESS_OK;
}

tess_status tess_mesh_tie(tess_mesh *mesh, const char *what) {
    return mesh->tied ? TESS_OK : tess_text_copy(what, &mesh->tied);
}

tess_status tess_mesh_pass_over(tess_mesh *mesh, const char *names) {
    return mesh->passed_over ? TESS_OK : tess_text_copy(names, &mesh->passed_over);
}

int tess_mesh_find_set(const tess_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->n_sets; i++)
        if (strcmp(mesh->sets[i].name, name) == 0)
            return i;
    return -1;
}

const tess_map *tess_mesh_find_map(const tess_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->n_maps; i++)
        if (strcmp(mesh->maps[i].name, name) == 0)
            return &mesh->maps[i];
    return NULL;
}

const tess_map *tess_mesh_find_map_between(const tess_mesh *mesh, const char *from,
                                           const char *to) {
    char name[2 * TESS_NAME_SIZE];
    snprintf(name, sizeof name, "%s:%s", from, to);
    return tess_mesh_find_map(mesh, name);
}

const tess_dat *tess_mesh_find_dat(const tess_mesh *mesh, const char *name, const char *set) {
    for (int i = 0; i < mesh->n_dats; i++)
        if (strcmp(mesh->dats[i].name, name) == 0 &&
            strcmp(mesh->sets[mesh->dats[i].set].name, set) == 0)
            return &mesh->dats[i];
    return NULL;
}

int64_t tess_mesh_set_size(const tess_mesh *mesh, const char *name) {
    const int set = tess_mesh_find_set(mesh, name);
    return set < 0 ? 0 : mesh->sets[set].size;
}

void tess_mesh_free(tess_mesh *mesh) {
    if (!mesh)
        return;
    for (int i = 0; i < mesh->n_maps; i++)
        free(mesh->maps[i].index);
    for (int i = 0; i < mesh->n_dats; i++)
        free(mesh->dats[i].values);
    for (int i = 0; i < mesh->n_markers; i++)
        free(mesh->markers[i]);
    for (int i = 0; i < mesh->n_regions; i++)
        free(mesh->regions[i]);
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        free(mesh->warnings[i]);
    free(mesh->source);
    free(mesh->tied);
    free(mesh->passed_over);
    free(mesh->sets);
    free(mesh->maps);
    free(mesh->dats);
    free(mesh->markers);
    free(mesh->marker_tags);
    free(mesh->regions);
    free(mesh->region_tags);
    free(mesh->warnings);
    free(mesh->coordinates);
    free(mesh);
}
