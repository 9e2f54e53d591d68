/* A centroid: where an element lies, the mean of its nodes. */
#include "core/mesh/centroid.h"

#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "core/mesh/polytopes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* centroid = mean of the points of a row; zeros where it is padded throughout. */
static inline void mean_of_row(const int32_t *row, int arity, int dimension, const double *points,
                               double *centroid) {
    double sum[3] = {0, 0, 0};
    int n = 0;
    for (int s = 0; s < arity; s++) {
        if (row[s] < 0)
            continue;
        n++;
        for (int d = 0; d < dimension; d++)
            sum[d] += points[(int64_t)row[s] * dimension + d];
    }
    const bool is_power = (n & (n - 1)) == 0; /* of two: a product is the same, and sooner there */
    const double share = n ? 1.0 / n : 0;
    for (int d = 0; d < dimension; d++)
        centroid[d] = is_power ? sum[d] * share : sum[d] / n;
}

static void mean_of_points(const tess_map *map, int64_t e, int dimension, const double *points,
                           double *centroid) {
    mean_of_row(map->index + e * map->arity, map->arity, dimension, points, centroid);
}

void tess_centroids_fill(const tess_centroids *centroids, const int32_t *elements, int64_t first,
                         int64_t n, double *out) {
    const int arity = centroids->arity, dimension = centroids->dimension;
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = elements ? elements[i] : first + i;
        const int32_t *row = centroids->nodes + e * arity;
        if (elements)
            __builtin_prefetch(centroids->nodes +
                               (int64_t)elements[i + 16 < n ? i + 16 : n - 1] * arity);
        if (dimension == 3) /* unrolled */
            mean_of_row(row, arity, 3, centroids->points, out + i * 3);
        else
            mean_of_row(row, arity, dimension, centroids->points, out + i * dimension);
    }
}

static tess_status means_build(const tess_mesh *mesh, const tess_map *map, const double *points,
                               double **out) {
    const int64_t n = mesh->sets[map->from].size;
    const tess_centroids means = {
        .dimension = mesh->dimension, .arity = map->arity, .nodes = map->index, .points = points};
    TRY(TESS_ALLOC(n * mesh->dimension, out));
    double *centroids = *out;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e += TESS_CENTROIDS_AT_ONCE)
        tess_centroids_fill(&means, NULL, e, tess_centroids_batch(e, n),
                            centroids + e * mesh->dimension);
    return TESS_OK;
}

/* Centroids of a set whose elements are those of the cell types, by TYPE:set and TYPE:nodes. */
static tess_status mixed_build(const tess_mesh *mesh, int set, double **out) {
    const char *name = mesh->sets[set].name;
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const tess_map *position = tess_mesh_find_map_between(mesh, tess_cell_types[t].set, name);
        const tess_map *nodes = tess_mesh_find_map_between(mesh, tess_cell_types[t].set, "nodes");
        if (!position || position->arity != 1 || !nodes)
            continue;
        if (!*out)
            TRY(TESS_ZEROS(mesh->sets[set].size * mesh->dimension, out));
        double *centroids = *out;
        for (int64_t e = 0; e < mesh->sets[nodes->from].size; e++)
            mean_of_points(nodes, e, mesh->dimension, mesh->coordinates,
                           centroids + (int64_t)position->index[e] * mesh->dimension);
    }
    return TESS_OK;
}

/* Centroids of polygons and polyhedra, by the nodes of their sides; NULL where there are none. */
static tess_status polytopes_build(const tess_mesh *mesh, double **out) {
    tess_status status = TESS_OK;
    tess_polytopes polytopes = {.dimension = 0};
    tess_rows *nodes = NULL;
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (!polytopes.dimension)
        goto done;
    CHECK(tess_polytope_nodes(&polytopes, &nodes));
    CHECK(TESS_ALLOC(polytopes.n_cells * mesh->dimension, out));
    double *centroids = *out;
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < polytopes.n_cells; cell++) {
        const tess_map of_cell = {.index = nodes->item + nodes->offset[cell],
                                  .arity = (int)tess_rows_size(nodes, cell)};
        mean_of_points(&of_cell, 0, mesh->dimension, mesh->coordinates,
                       centroids + cell * mesh->dimension);
    }
done:
    tess_rows_free(nodes);
    tess_polytopes_release(&polytopes);
    return status;
}

/* Centroids of a set that is made of nodes; NULL where it is not. */
static tess_status direct_build(const tess_mesh *mesh, int set, double **out) {
    const char *name = mesh->sets[set].name;
    if (strcmp(name, "nodes") == 0)
        return TESS_COPY(mesh->sets[set].size * mesh->dimension, mesh->coordinates, out);
    const tess_map *nodes = tess_mesh_find_map_between(mesh, name, "nodes");
    if (nodes)
        return means_build(mesh, nodes, mesh->coordinates, out);
    TRY(mixed_build(mesh, set, out));
    return *out || strcmp(name, "cells") != 0 ? TESS_OK : polytopes_build(mesh, out);
}

/* Centroids that the mesh states; NULL where it states none. */
static tess_status stated_build(const tess_mesh *mesh, int set, double **out) {
    const tess_dat *stated = tess_mesh_find_dat(mesh, TESS_CENTROID_DAT, mesh->sets[set].name);
    if (!stated)
        return TESS_OK;
    return TESS_COPY(mesh->sets[set].size * mesh->dimension, (const double *)stated->values, out);
}

tess_status tess_centroids_build(const tess_mesh *mesh, int set, double **out) {
    tess_status status = TESS_OK;
    double *points = NULL, *centroids = NULL;
    *out = NULL;
    if (!mesh->coordinates)
        return TESS_OK;
    CHECK(stated_build(mesh, set, &centroids));
    if (!centroids)
        CHECK(direct_build(mesh, set, &centroids));
    for (int m = 0; m < mesh->n_maps && !centroids; m++) {
        if (mesh->maps[m].from != set)
            continue;
        CHECK(direct_build(mesh, mesh->maps[m].to, &points));
        if (points)
            CHECK(means_build(mesh, &mesh->maps[m], points, &centroids));
    }
    *out = TESS_TAKE(centroids);
done:
    free(points);
    free(centroids);
    return status;
}

/* The box around the first n centroids. */
static void find_box(int64_t n, tess_centroids *all) {
    const int dimension = all->dimension;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t e = 0; e < n; e += TESS_CENTROIDS_AT_ONCE) {
        double centroids[3 * TESS_CENTROIDS_AT_ONCE];
        const int64_t n_here = tess_centroids_batch(e, n);
        tess_centroids_fill(all, NULL, e, n_here, centroids);
        for (int64_t i = 0; i < n_here * dimension; i++) {
            const int d = (int)(i % dimension);
            low[d] = centroids[i] < low[d] ? centroids[i] : low[d];
            high[d] = centroids[i] > high[d] ? centroids[i] : high[d];
        }
    }
    memcpy(all->low, low, sizeof low);
    memcpy(all->high, high, sizeof high);
}

tess_centroids tess_centroids_of(const tess_mesh *mesh, int set) {
    const char *name = mesh->sets[set].name;
    const tess_map *nodes = tess_mesh_find_map_between(mesh, name, "nodes");
    tess_centroids centroids = {.dimension = mesh->dimension, .points = mesh->coordinates};
    if (!mesh->coordinates || !nodes || strcmp(name, "nodes") == 0 ||
        tess_mesh_find_dat(mesh, TESS_CENTROID_DAT, name))
        return centroids;
    centroids.arity = nodes->arity;
    centroids.nodes = nodes->index;
    find_box(mesh->sets[set].size, &centroids);
    return centroids;
}
