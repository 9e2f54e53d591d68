/* A mesh file of the lab: meshes/<digest>.hdf. */
#include "data/archive/mesh_file.h"

#include "core/base/array.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARITY = 1 << 16 };

static tess_archive_type stored_type(tess_type type) {
    return type == TESS_DOUBLE  ? TESS_ARCHIVE_DOUBLE
           : type == TESS_FLOAT ? TESS_ARCHIVE_FLOAT
                                : TESS_ARCHIVE_INT32;
}

static tess_status write_sets(const tess_mesh *mesh, tess_archive_writer *file) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    TRY(tess_archive_write_group(file, "/sets"));
    TRY(tess_archive_write_group(file, "/maps"));
    for (int i = 0; i < mesh->n_sets; i++) {
        snprintf(path, sizeof path, "/sets/%s", mesh->sets[i].name);
        TRY(tess_archive_write_group(file, path));
        TRY(tess_archive_attribute_int(file, path, "size", mesh->sets[i].size));
        TRY(tess_archive_attribute_int(file, path, "order", i));
    }
    return TESS_OK;
}

static tess_status write_maps(const tess_mesh *mesh, tess_archive_writer *file) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    for (int i = 0; i < mesh->n_maps; i++) {
        const tess_map *map = &mesh->maps[i];
        const char *from = mesh->sets[map->from].name, *to = mesh->sets[map->to].name;
        const int64_t dims[] = {mesh->sets[map->from].size, map->arity};
        snprintf(path, sizeof path, "/maps/%s_%s", from, to);
        TRY(tess_archive_write_matrix(file, path, TESS_ARCHIVE_INT32, dims, map->index));
        TRY(tess_archive_attribute_text(file, path, "from", from));
        TRY(tess_archive_attribute_text(file, path, "to", to));
        TRY(tess_archive_attribute_int(file, path, "padded", map->padded));
        TRY(tess_archive_attribute_int(file, path, "derived", map->derived + map->pairs));
        TRY(tess_archive_attribute_int(file, path, "order", i));
    }
    return TESS_OK;
}

static tess_status write_dats(const tess_mesh *mesh, tess_archive_writer *file) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    for (int i = 0; i < mesh->n_dats; i++) {
        const tess_dat *dat = &mesh->dats[i];
        const int64_t dims[] = {mesh->sets[dat->set].size, dat->dim};
        snprintf(path, sizeof path, "/dats/%s/%s", mesh->sets[dat->set].name, dat->name);
        TRY(tess_archive_write_matrix(file, path, stored_type(dat->type), dims, dat->values));
    }
    return TESS_OK;
}

/* Names, and as PATH_tags their numbers in other files. */
static tess_status write_names(tess_archive_writer *file, const char *path, int n,
                               char *const *names, const int32_t *tags) {
    char tags_path[TESS_ARCHIVE_PATH_SIZE];
    if (n == 0)
        return TESS_OK;
    snprintf(tags_path, sizeof tags_path, "%s_tags", path);
    TRY(tess_archive_write_texts(file, path, n, (const char *const *)names));
    return tess_archive_write_matrix(file, tags_path, TESS_ARCHIVE_INT32, (const int64_t[]){n, 1},
                                     tags);
}

static tess_status write_rest(const tess_mesh *mesh, const char *digest,
                              tess_archive_writer *file) {
    TRY(tess_archive_attribute_text(file, "/", "digest", digest));
    TRY(tess_archive_attribute_text(file, "/", "source", mesh->source));
    TRY(tess_archive_attribute_int(file, "/", "dimension", mesh->dimension));
    TRY(tess_archive_attribute_ints(file, "/", "shape", 3, mesh->shape));
    if (mesh->coordinates) {
        const int64_t dims[] = {tess_mesh_set_size(mesh, "nodes"), mesh->dimension};
        TRY(tess_archive_write_matrix(file, "/coordinates", TESS_ARCHIVE_DOUBLE, dims,
                                      mesh->coordinates));
    }
    TRY(write_names(file, "/markers", mesh->n_markers, mesh->markers, mesh->marker_tags));
    TRY(write_names(file, "/regions", mesh->n_regions, mesh->regions, mesh->region_tags));
    if (mesh->n_warnings)
        TRY(tess_archive_write_texts(file, "/warnings", (int)mesh->n_warnings,
                                     (const char *const *)mesh->warnings));
    return TESS_OK;
}

tess_status tess_mesh_file_write(const tess_mesh *mesh, const char *digest, const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    CHECK(tess_archive_create("mesh", &file));
    CHECK(write_sets(mesh, file));
    CHECK(write_maps(mesh, file));
    CHECK(write_dats(mesh, file));
    CHECK(write_rest(mesh, digest, file));
    CHECK(tess_archive_commit(file, path));
done:
    tess_archive_writer_free(file);
    return status;
}

/* Gives the objects of a group in the order of their attribute `order`, which are 0 ... n - 1. */
static tess_status names_in_order(const tess_archive_reader *file, const char *group, char **names,
                                  int n, char **ordered) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    memset(ordered, 0, (size_t)n * sizeof *ordered);
    for (int i = 0; i < n; i++) {
        int64_t order = -1;
        if (snprintf(path, sizeof path, "%s/%s", group, names[i]) >= (int)sizeof path)
            return tess_archive_damaged(file, "a name in %s is too long", group);
        TRY(tess_archive_read_attribute_int(file, path, "order", &order));
        if (order < 0 || order >= n || ordered[order])
            return tess_archive_damaged(file, "%s has no place in its order", path);
        ordered[order] = names[i];
    }
    return TESS_OK;
}

/* Calls `read` for each object of a group, in order. */
static tess_status read_group(const tess_archive_reader *file, const char *group, tess_mesh *mesh,
                              tess_status (*read)(const tess_archive_reader *file, const char *name,
                                                  tess_mesh *mesh)) {
    tess_status status = TESS_OK;
    char **names = NULL, **ordered = NULL;
    int n = 0;
    CHECK(tess_archive_names(file, group, &names, &n));
    CHECK(TESS_ALLOC(n, &ordered));
    CHECK(names_in_order(file, group, names, n, ordered));
    for (int i = 0; i < n; i++)
        CHECK(read(file, ordered[i], mesh));
done:
    free(ordered);
    tess_archive_names_free(names, n);
    return status;
}

static tess_status read_set(const tess_archive_reader *file, const char *name, tess_mesh *mesh) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    int64_t size = 0;
    snprintf(path, sizeof path, "/sets/%s", name);
    TRY(tess_archive_read_attribute_int(file, path, "size", &size));
    return tess_mesh_add_set(mesh, name, size, NULL);
}

static tess_status read_map(const tess_archive_reader *file, const char *name, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    char path[TESS_ARCHIVE_PATH_SIZE];
    char *from = NULL, *to = NULL;
    void *index = NULL;
    int64_t padded = 0, derived = 0;
    snprintf(path, sizeof path, "/maps/%s", name);
    CHECK(tess_archive_read_attribute_text(file, path, "from", &from));
    CHECK(tess_archive_read_attribute_text(file, path, "to", &to));
    CHECK(tess_archive_read_attribute_int(file, path, "padded", &padded));
    CHECK(tess_archive_read_attribute_int(file, path, "derived", &derived));
    if (tess_mesh_find_set(mesh, from) < 0 || tess_mesh_find_set(mesh, to) < 0)
        CHECK(tess_archive_damaged(file, "%s joins sets that are not there", path));
    int64_t dims[] = {tess_mesh_set_size(mesh, from), -1};
    CHECK(tess_archive_read_array(file, path, TESS_ARCHIVE_INT32, 2, dims, &index));
    if (dims[1] > MAX_ARITY)
        CHECK(tess_archive_damaged(file, "%s has %lld slots", path, (long long)dims[1]));
    CHECK(tess_mesh_add_map(mesh, from, to, (int)dims[1],
                            (padded ? TESS_MAP_PADDED : 0) | (derived ? TESS_MAP_DERIVED : 0) |
                                (derived > 1 && dims[1] == 2 ? TESS_MAP_PAIRS : 0),
                            TESS_TAKE(index)));
done:
    free(index);
    free(from);
    free(to);
    return status;
}

/* Which of the types of dats an array has. */
static tess_status read_dat_values(const tess_archive_reader *file, const char *path, int64_t *dims,
                                   tess_type *type, void **values) {
    tess_archive_type stored;
    TRY(tess_archive_type_of(file, path, &stored));
    *type = stored == TESS_ARCHIVE_DOUBLE  ? TESS_DOUBLE
            : stored == TESS_ARCHIVE_FLOAT ? TESS_FLOAT
                                           : TESS_INT32;
    return tess_archive_read_array(file, path, stored_type(*type), 2, dims, values);
}

static tess_status read_dat(const tess_archive_reader *file, const char *set, const char *name,
                            tess_mesh *mesh) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    tess_type type;
    void *values = NULL;
    int64_t dims[] = {tess_mesh_set_size(mesh, set), -1};
    snprintf(path, sizeof path, "/dats/%s/%s", set, name);
    TRY(read_dat_values(file, path, dims, &type, &values));
    if (dims[1] > MAX_ARITY) {
        free(values);
        return tess_archive_damaged(file, "%s has %lld components", path, (long long)dims[1]);
    }
    return tess_mesh_add_dat(mesh, name, set, (int)dims[1], type, values);
}

static tess_status read_dats_on(const tess_archive_reader *file, const char *set, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    char path[TESS_ARCHIVE_PATH_SIZE];
    char **names = NULL;
    int n = 0;
    snprintf(path, sizeof path, "/dats/%s", set);
    CHECK(tess_archive_names(file, path, &names, &n));
    for (int i = 0; i < n; i++)
        CHECK(read_dat(file, set, names[i], mesh));
done:
    tess_archive_names_free(names, n);
    return status;
}

static tess_status read_coordinates(const tess_archive_reader *file, tess_mesh *mesh) {
    if (!tess_archive_exists(file, "/coordinates"))
        return TESS_OK;
    int64_t dims[] = {tess_mesh_set_size(mesh, "nodes"), mesh->dimension};
    TRY(tess_archive_read_array(file, "/coordinates", TESS_ARCHIVE_DOUBLE, 2, dims,
                                (void **)&mesh->coordinates));
    for (int64_t i = 0; i < dims[0] * dims[1]; i++)
        if (!isfinite(mesh->coordinates[i]))
            return tess_archive_damaged(file, "node %lld has no finite coordinates",
                                        (long long)(i / dims[1]));
    return TESS_OK;
}

static tess_status add_marker(const tess_archive_reader *file, const char *name, tess_mesh *mesh) {
    const int expected = mesh->n_markers;
    int marker = -1;
    TRY(tess_mesh_add_marker(mesh, name, &marker));
    return marker == expected ? TESS_OK
                              : tess_archive_damaged(file, "the marker '%s' is there twice", name);
}

static tess_status add_region(const tess_archive_reader *file, const char *name, tess_mesh *mesh) {
    const int expected = mesh->n_regions;
    int region = -1;
    TRY(tess_mesh_add_region(mesh, name, 0, &region));
    return region == expected ? TESS_OK
                              : tess_archive_damaged(file, "the region '%s' is there twice", name);
}

/* Reads n tags, which files of older versions lack. */
static tess_status read_tags(const tess_archive_reader *file, const char *path, int n,
                             int32_t *tags) {
    void *values = NULL;
    int64_t dims[] = {n, 1};
    if (n == 0 || !tess_archive_exists(file, path))
        return TESS_OK;
    TRY(tess_archive_read_array(file, path, TESS_ARCHIVE_INT32, 2, dims, &values));
    memcpy(tags, values, (size_t)n * sizeof *tags);
    free(values);
    return TESS_OK;
}

static tess_status add_warning(const tess_archive_reader *file, const char *text, tess_mesh *mesh) {
    (void)file;
    return tess_mesh_warn(mesh, "%s", text);
}

/* Adds each text of an array, which may be missing. */
static tess_status read_texts(const tess_archive_reader *file, const char *path, tess_mesh *mesh,
                              tess_status (*add)(const tess_archive_reader *file, const char *text,
                                                 tess_mesh *mesh)) {
    tess_status status = TESS_OK;
    char **texts = NULL;
    int n = 0;
    if (!tess_archive_exists(file, path))
        return TESS_OK;
    CHECK(tess_archive_read_texts(file, path, &texts, &n));
    for (int i = 0; i < n; i++)
        CHECK(add(file, texts[i], mesh));
done:
    tess_archive_names_free(texts, n);
    return status;
}

/* Fails where a cell has a region that has no name. */
static tess_status check_regions(const tess_archive_reader *file, const tess_mesh *mesh) {
    const int32_t *region = tess_mesh_regions(mesh);
    for (int64_t cell = 0; region && cell < tess_mesh_set_size(mesh, "cells"); cell++)
        if (region[cell] < -1 || region[cell] >= mesh->n_regions)
            return tess_archive_damaged(file, "cell %lld has the region %d of %d", (long long)cell,
                                        region[cell], mesh->n_regions);
    return TESS_OK;
}

/* Fails where a side has a marker that has no name, -1 apart: it is not marked. */
static tess_status check_markers(const tess_archive_reader *file, const tess_mesh *mesh) {
    for (int d = 0; d < mesh->n_dats; d++) {
        const tess_dat *dat = &mesh->dats[d];
        const char *set = mesh->sets[dat->set].name;
        if (strcmp(dat->name, "marker") != 0)
            continue;
        if (dat->type != TESS_INT32 || dat->dim != 1)
            return tess_archive_damaged(file, "the markers of %s are not one integer each", set);
        for (int64_t i = 0; i < mesh->sets[dat->set].size; i++) {
            const int32_t of = ((const int32_t *)dat->values)[i];
            if (of < -1 || of >= mesh->n_markers)
                return tess_archive_damaged(file, "element %lld of %s has the marker %d of %d",
                                            (long long)i, set, of, mesh->n_markers);
        }
    }
    return TESS_OK;
}

static tess_status read_head(const tess_archive_reader *file, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    char *source = NULL;
    int64_t dimension = 0;
    CHECK(tess_archive_read_attribute_text(file, "/", "source", &source));
    CHECK(tess_archive_read_attribute_int(file, "/", "dimension", &dimension));
    if (dimension != 2 && dimension != 3)
        CHECK(tess_archive_damaged(file, "a mesh of dimension %lld", (long long)dimension));
    CHECK(tess_mesh_new(source, (int)dimension, &mesh));
    CHECK(tess_archive_read_attribute_ints(file, "/", "shape", 3, mesh->shape));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    free(source);
    return status;
}

tess_status tess_mesh_file_read(const char *path, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_mesh *mesh = NULL;
    TRY(tess_archive_open(path, "mesh", &file));
    CHECK(read_head(file, &mesh));
    CHECK(read_group(file, "/sets", mesh, read_set));
    CHECK(read_group(file, "/maps", mesh, read_map));
    for (int i = 0; i < mesh->n_sets; i++)
        CHECK(read_dats_on(file, mesh->sets[i].name, mesh));
    CHECK(read_coordinates(file, mesh));
    CHECK(read_texts(file, "/markers", mesh, add_marker));
    CHECK(read_tags(file, "/markers_tags", mesh->n_markers, mesh->marker_tags));
    CHECK(read_texts(file, "/regions", mesh, add_region));
    CHECK(read_tags(file, "/regions_tags", mesh->n_regions, mesh->region_tags));
    CHECK(check_markers(file, mesh));
    CHECK(check_regions(file, mesh));
    CHECK(read_texts(file, "/warnings", mesh, add_warning));
    *out = TESS_TAKE(mesh);
done:
    if (status == TESS_ERROR_INPUT && !strstr(tess_message(), path))
        status = tess_fail_at(status, "%s", path);
    tess_mesh_free(mesh);
    tess_archive_reader_free(file);
    return status;
}
