/* A part of a mesh: some of its cells, side by side, with the nodes that they have. */
#include "data/part_mesh.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which elements of each set stay. */
typedef struct part {
    tess_mesh *mesh;
    tess_cells cells;
    int cell_set, node_set;
    int64_t n;         /* cells that stay */
    bool **stays;      /* [sets][elements] */
    int32_t **new_of;  /* [sets][elements]: new numbers, -1 for what goes */
    int64_t *new_size; /* [sets] */
} part;

/* The axis along which the coordinates reach farthest, with where they begin and how far they
 * reach; -1: there are none. */
static int find_axis(const tess_mesh *mesh, int64_t n_nodes, double *begin, double *length) {
    int axis = -1;
    *length = -1;
    for (int d = 0; mesh->coordinates && d < mesh->dimension; d++) {
        double least = INFINITY, most = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
        for (int64_t i = 0; i < n_nodes; i++) {
            least = fmin(least, mesh->coordinates[i * mesh->dimension + d]);
            most = fmax(most, mesh->coordinates[i * mesh->dimension + d]);
        }
        if (most - least > *length) {
            axis = d;
            *begin = least;
            *length = most - least;
        }
    }
    return axis;
}

/* The bins of the cells' first nodes along the longest axis. */
static void fill_bins(const part *p, int axis, double begin, double length, uint16_t *bin) {
    const tess_mesh *mesh = p->mesh;
    const double scale = length > 0 ? UINT16_MAX / length : 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->cells.n_cells; i++) {
        const tess_cell_type *type = NULL;
        const int64_t node = tess_cell_nodes(&p->cells, i, &type)[0];
        bin[i] = (uint16_t)(scale * (mesh->coordinates[node * mesh->dimension + axis] - begin));
    }
}

/* Chooses the cells of the first bins, and of the last of these the first. */
static tess_status choose_cells(const part *p) {
    tess_status status = TESS_OK;
    const int64_t n = p->cells.n_cells;
    bool *stays = p->stays[p->cell_set];
    double begin = 0, length = 0;
    uint16_t *bin = NULL;
    int64_t *count = NULL, n_before = 0;
    const int axis = find_axis(p->mesh, p->mesh->sets[p->node_set].size, &begin, &length);
    CHECK(TESS_ZEROS(n, &bin));
    CHECK(TESS_ZEROS(UINT16_MAX + 1, &count));
    if (axis >= 0)
        fill_bins(p, axis, begin, length, bin);
    for (int64_t i = 0; i < n; i++)
        count[bin[i]]++;
    int last = 0;
    for (; n_before + count[last] < p->n; last++)
        n_before += count[last];
    int64_t n_of_last = p->n - n_before;
    for (int64_t i = 0; i < n; i++)
        stays[i] = bin[i] < last || (bin[i] == last && n_of_last-- > 0);
done:
    free(bin);
    free(count);
    return status;
}

static void choose_nodes(const part *p) {
    bool *stays = p->stays[p->node_set];
    memset(stays, 0, (size_t)p->mesh->sets[p->node_set].size * sizeof *stays);
    for (int64_t i = 0; i < p->cells.n_cells; i++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(&p->cells, i, &type);
        for (int v = 0; v < type->n_nodes && p->stays[p->cell_set][i]; v++)
            stays[nodes[v]] = true;
    }
}

static bool is_of_cells(const part *p, const tess_map *map) {
    return map->from == p->cell_set || map->from == p->node_set;
}

/* Lets those elements go that reach what is gone; gives whether there are any. */
static bool drop_elements(const part *p, const tess_map *map) {
    bool dropped = false;
    bool *stays = p->stays[map->from];
    const bool *there = p->stays[map->to];
#pragma omp parallel for schedule(static) reduction(|| : dropped)
    for (int64_t i = 0; i < p->mesh->sets[map->from].size; i++)
        for (int s = 0; s < map->arity && stays[i]; s++) {
            const int32_t to = map->index[i * map->arity + s];
            if (to >= 0 && !there[to]) {
                stays[i] = false;
                dropped = true;
            }
        }
    return dropped;
}

static void choose_others(const part *p) {
    bool dropped = true;
    while (dropped) {
        dropped = false;
        for (int m = 0; m < p->mesh->n_maps; m++)
            if (!is_of_cells(p, &p->mesh->maps[m]))
                dropped = drop_elements(p, &p->mesh->maps[m]) || dropped;
    }
}

/* Whether a map of cells or nodes reaches what is gone: it goes, too, and is derived again. */
static bool is_torn(const part *p, const tess_map *map) {
    if (!is_of_cells(p, map))
        return false;
    for (int64_t i = 0; i < p->mesh->sets[map->from].size; i++)
        for (int s = 0; s < map->arity && p->stays[map->from][i]; s++) {
            const int32_t to = map->index[i * map->arity + s];
            if (to >= 0 && !p->stays[map->to][to])
                return true;
        }
    return false;
}

/* Drops torn maps, and dats that count what such a map reaches. */
static void drop_maps(const part *p) {
    tess_mesh *mesh = p->mesh;
    int n_maps = 0;
    for (int m = 0; m < mesh->n_maps; m++) {
        char counts[TESS_NAME_SIZE + 2];
        const tess_map map = mesh->maps[m];
        if (!is_torn(p, &map)) {
            mesh->maps[n_maps++] = map;
            continue;
        }
        snprintf(counts, sizeof counts, "n_%s", mesh->sets[map.to].name);
        free(map.index);
        int n_dats = 0;
        for (int d = 0; d < mesh->n_dats; d++)
            if (mesh->dats[d].set == map.from && strcmp(mesh->dats[d].name, counts) == 0)
                free(mesh->dats[d].values);
            else
                mesh->dats[n_dats++] = mesh->dats[d];
        mesh->n_dats = n_dats;
    }
    mesh->n_maps = n_maps;
}

static tess_status number(part *p) {
    for (int s = 0; s < p->mesh->n_sets; s++) {
        TRY(TESS_ALLOC(p->mesh->sets[s].size, &p->new_of[s]));
        for (int64_t i = 0; i < p->mesh->sets[s].size; i++)
            p->new_of[s][i] = p->stays[s][i] ? (int32_t)p->new_size[s]++ : -1;
    }
    return TESS_OK;
}

/* Moves the rows that stay to their new places, which are never behind the old ones. */
static void move_rows(const part *p, int set, size_t row_size, void *rows) {
    for (int64_t i = 0; i < p->mesh->sets[set].size; i++)
        if (p->stays[set][i])
            memmove((char *)rows + (size_t)p->new_of[set][i] * row_size,
                    (char *)rows + (size_t)i * row_size, row_size);
}

/* Gives back what is behind the rows that stay. */
static void *shrink(const part *p, int set, size_t row_size, void *rows) {
    const size_t size = (size_t)p->new_size[set] * row_size;
    void *less = realloc(rows, size ? size : 1);
    return less ? less : rows;
}

static void move_all(const part *p) {
    tess_mesh *mesh = p->mesh;
    for (int m = 0; m < mesh->n_maps; m++) {
        tess_map *map = &mesh->maps[m];
        move_rows(p, map->from, (size_t)map->arity * sizeof *map->index, map->index);
        for (int64_t i = 0; i < p->new_size[map->from] * map->arity; i++)
            map->index[i] = map->index[i] >= 0 ? p->new_of[map->to][map->index[i]] : -1;
        map->index = shrink(p, map->from, (size_t)map->arity * sizeof *map->index, map->index);
    }
    for (int d = 0; d < mesh->n_dats; d++)
        move_rows(p, mesh->dats[d].set,
                  (size_t)mesh->dats[d].dim * tess_type_size(mesh->dats[d].type),
                  mesh->dats[d].values);
    if (mesh->coordinates)
        move_rows(p, p->node_set, (size_t)mesh->dimension * sizeof *mesh->coordinates,
                  mesh->coordinates);
    for (int s = 0; s < mesh->n_sets; s++)
        mesh->sets[s].size = p->new_size[s];
    memset(mesh->shape, 0, sizeof mesh->shape);
}

static tess_status begin(part *p) {
    const int n_sets = p->mesh->n_sets;
    TRY(TESS_ZEROS(n_sets, &p->stays));
    TRY(TESS_ZEROS(n_sets, &p->new_of));
    TRY(TESS_ZEROS(n_sets, &p->new_size));
    for (int s = 0; s < n_sets; s++) {
        TRY(TESS_ALLOC(p->mesh->sets[s].size, &p->stays[s]));
        memset(p->stays[s], true, (size_t)p->mesh->sets[s].size * sizeof **p->stays);
    }
    return TESS_OK;
}

static void end(part *p, int n_sets) {
    for (int s = 0; s < n_sets; s++) {
        if (p->stays)
            free(p->stays[s]);
        if (p->new_of)
            free(p->new_of[s]);
    }
    free(p->stays);
    free(p->new_of);
    free(p->new_size);
    tess_cells_release(&p->cells);
}

tess_status tess_mesh_take_part(tess_mesh *mesh, int64_t n) {
    tess_status status = TESS_OK;
    part p = {.mesh = mesh,
              .n = n,
              .cell_set = tess_mesh_find_set(mesh, "cells"),
              .node_set = tess_mesh_find_set(mesh, "nodes")};
    CHECK(tess_cells_build(mesh, &p.cells));
    if (p.cells.n_blocks == 0 || p.node_set < 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: a part is of cells with nodes, and it has none",
                        mesh->source));
    if (p.cells.n_cells <= n)
        goto done;
    CHECK(begin(&p));
    CHECK(choose_cells(&p));
    choose_nodes(&p);
    choose_others(&p);
    drop_maps(&p);
    CHECK(number(&p));
    move_all(&p);
done:
    end(&p, mesh->n_sets);
    return status;
}
