/* Boxes for tests of views: boxes of any cell type, their sides by brute force, and views of runs
 * of elements. */
#pragma once

#include "core/mesh/cells.h"
#include "tests/unit.h"
#include "viz/view_mesh.h"

typedef struct box_cells {
    int n[TESS_CELL_TYPES];
    int32_t *nodes[TESS_CELL_TYPES];
    int order[4096], n_order; /* the types of the cells in order */
} box_cells;

static inline void box_add(box_cells *cells, const char *set, const int32_t *nodes) {
    const int t = (int)(tess_cell_type_of_set(set) - tess_cell_types);
    const int arity = tess_cell_types[t].n_nodes;
    cells->nodes[t] = realloc(cells->nodes[t], (size_t)(cells->n[t] + 1) * (size_t)arity * 4);
    assert_non_null(cells->nodes[t]);
    memcpy(cells->nodes[t] + cells->n[t] * arity, nodes, (size_t)arity * 4);
    cells->n[t]++;
    cells->order[cells->n_order++] = t;
}

/* One box of a grid as one or more cells: `how` is a set's name. */
static inline void box_split(box_cells *cells, const char *how, const int32_t v[8],
                             int32_t centre) {
    static const int tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    if (strcmp(how, "tris") == 0) {
        box_add(cells, how, (int32_t[]){v[0], v[1], v[2]});
        box_add(cells, how, (int32_t[]){v[0], v[3], v[2]}); /* turned the other way */
    } else if (strcmp(how, "tets") == 0) {
        for (int i = 0; i < 6; i++)
            box_add(cells, how,
                    (int32_t[]){v[tets[i][0]], v[tets[i][1]], v[tets[i][2]], v[tets[i][3]]});
    } else if (strcmp(how, "prisms") == 0) {
        box_add(cells, how, (int32_t[]){v[0], v[1], v[2], v[4], v[5], v[6]});
        box_add(cells, how, (int32_t[]){v[0], v[2], v[3], v[4], v[6], v[7]});
    } else if (strcmp(how, "pyramids") == 0) {
        for (int i = 0; i < 6; i++)
            box_add(cells, how,
                    (int32_t[]){v[faces[i][0]], v[faces[i][1]], v[faces[i][2]], v[faces[i][3]],
                                centre});
    } else {
        box_add(cells, how, v); /* quads, hexes */
    }
}

/* States cells:nodes, or TYPE:nodes and TYPE:cells where there are several types. */
static inline void box_state(tess_mesh *mesh, box_cells *cells) {
    int n_types = 0;
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        n_types += cells->n[t] > 0;
    OK(tess_mesh_add_set(mesh, "cells", cells->n_order, NULL));
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const char *set = tess_cell_types[t].set;
        if (!cells->n[t])
            continue;
        OK(tess_mesh_add_set(mesh, set, cells->n[t], NULL));
        OK(tess_mesh_add_map(mesh, n_types == 1 ? "cells" : set, "nodes",
                             tess_cell_types[t].n_nodes, 0, cells->nodes[t]));
        if (n_types == 1)
            continue;
        int32_t *position = malloc((size_t)cells->n[t] * sizeof *position);
        for (int c = 0, i = 0; c < cells->n_order; c++)
            if (cells->order[c] == t)
                position[i++] = c;
        OK(tess_mesh_add_map(mesh, set, "cells", 1, 0, position));
    }
}

/* The unit square or cube, sheared and stretched but of volume 1, as n boxes along each axis; box i
 * is split as hows[i % n_hows] says. */
static inline tess_mesh *box_mesh(int dimension, int n, int n_hows, const char *const *hows) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("box", dimension, &mesh));
    const int layers = dimension == 3 ? n : 1, m = n + 1, corners = m * m * (layers + 1);
    const int n_boxes = n * n * layers;
    OK(tess_mesh_add_set(mesh, "nodes", corners + n_boxes, NULL));
    mesh->coordinates = calloc((size_t)((corners + n_boxes) * dimension), sizeof(double));
    box_cells cells = {0};
    for (int i = 0; i < corners; i++) {
        const double x = i % m / (double)n, y = i / m % m / (double)n, z = i / m / m / (double)n;
        const double p[3] = {x * (0.5 + x / 2) + 0.3 * y, y + 0.2 * z, z};
        memcpy(mesh->coordinates + i * dimension, p, (size_t)dimension * sizeof *p);
    }
    for (int b = 0; b < n_boxes; b++) {
        const int o = b % n + m * (b / n % n) + m * m * (b / n / n), up = m * m;
        const int32_t v[8] = {o,      o + 1,      o + 1 + m,      o + m,
                              o + up, o + 1 + up, o + 1 + m + up, o + m + up};
        for (int i = 0; i < (dimension == 3 ? 8 : 4); i++)
            for (int d = 0; d < dimension; d++)
                mesh->coordinates[(corners + b) * dimension + d] +=
                    mesh->coordinates[v[i] * dimension + d] / (dimension == 3 ? 8 : 4);
        box_split(&cells, hows[b % n_hows], v, corners + b);
    }
    box_state(mesh, &cells);
    return mesh;
}

/* The nodes around side s of a cell in 2D or 3D; returns how many. */
static inline int box_side(const tess_cell_type *type, int s, const int32_t *nodes,
                           int32_t out[4]) {
    const int n = type->dimension == 3 ? tess_cell_face_size(type, s) : 2;
    for (int i = 0; i < n; i++)
        out[i] = nodes[type->dimension == 3 ? type->face[s][i] : type->edge[s][i]];
    return n;
}

static inline bool box_same(int n, const int32_t *a, const int32_t *b) {
    int common = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            common += a[i] == b[j];
    return common == n;
}

/* Adds the inner and the boundary sides of the cells with maps to cells and, if asked, nodes. */
static inline void box_add_sides(tess_mesh *mesh, bool with_nodes, int arity) {
    tess_cells cells;
    OK(tess_cells_build(mesh, &cells));
    int32_t *side_cells[2] = {malloc(1 << 20), malloc(1 << 20)};
    int32_t *side_nodes[2] = {malloc(1 << 20), malloc(1 << 20)};
    int n[2] = {0, 0};
    for (int32_t c = 0; c < cells.n_cells; c++) {
        const tess_cell_type *type = NULL, *other = NULL;
        const int32_t *nodes = tess_cell_nodes(&cells, c, &type);
        for (int s = 0; s < (type->dimension == 3 ? type->n_faces : type->n_edges); s++) {
            int32_t own[4], theirs[4], neighbour = -1;
            const int size = box_side(type, s, nodes, own);
            for (int32_t d = 0; d < cells.n_cells; d++) {
                const int32_t *d_nodes = tess_cell_nodes(&cells, d, &other);
                for (int t = 0; t < (other->dimension == 3 ? other->n_faces : other->n_edges); t++)
                    if (d != c && box_side(other, t, d_nodes, theirs) == size &&
                        box_same(size, own, theirs))
                        neighbour = d;
            }
            if (neighbour >= 0 && neighbour < c)
                continue;
            const int b = neighbour < 0;
            if (with_nodes) {
                assert_int_equal(size, arity);
                memcpy(side_nodes[b] + n[b] * arity, own, (size_t)arity * 4);
            }
            side_cells[b][b ? n[b] : 2 * n[b]] = c;
            if (!b)
                side_cells[b][2 * n[b] + 1] = neighbour;
            n[b]++;
        }
    }
    tess_cells_release(&cells);
    const char *names[2] = {mesh->dimension == 3 ? "faces" : "edges",
                            mesh->dimension == 3 ? "bfaces" : "bedges"};
    for (int b = 0; b < 2; b++) {
        OK(tess_mesh_add_set(mesh, names[b], n[b], NULL));
        OK(tess_mesh_add_map(mesh, names[b], "cells", b ? 1 : 2, TESS_MAP_DERIVED, side_cells[b]));
        if (with_nodes)
            OK(tess_mesh_add_map(mesh, names[b], "nodes", arity, TESS_MAP_DERIVED, side_nodes[b]));
        else
            free(side_nodes[b]);
    }
}

/* Adds `edges` of all node pairs that are an edge of a cell, with nodes alone. */
static inline void box_add_pairs(tess_mesh *mesh) {
    tess_cells cells;
    OK(tess_cells_build(mesh, &cells));
    int32_t *pairs = malloc(1 << 20);
    int n = 0;
    for (int64_t c = 0; c < cells.n_cells; c++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(&cells, c, &type);
        for (int s = 0; s < type->n_edges; s++) {
            const int32_t pair[2] = {nodes[type->edge[s][0]], nodes[type->edge[s][1]]};
            int known = 0;
            while (known < n && !box_same(2, pair, pairs + 2 * known))
                known++;
            memcpy(pairs + 2 * known, pair, sizeof pair);
            n += known == n;
        }
    }
    tess_cells_release(&cells);
    OK(tess_mesh_add_set(mesh, "pairs", n, NULL));
    OK(tess_mesh_add_map(mesh, "pairs", "nodes", 2, TESS_MAP_DERIVED, pairs));
}

/* Consecutive runs of `size` elements as blocks. */
static inline tess_view_mesh *view_of_runs(const tess_mesh *mesh, const char *set, int size) {
    const int64_t n = tess_mesh_set_size(mesh, set);
    int32_t *block_of = malloc((size_t)n * sizeof *block_of);
    for (int64_t e = 0; e < n; e++)
        block_of[e] = (int32_t)(e / size);
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_partition(mesh, set, (int32_t)((n + size - 1) / size), block_of, &view));
    free(block_of);
    return view;
}

/* Negative where it is turned the other way. */
static inline double polygon_area(const tess_view_mesh *view, int64_t c) {
    double twice = 0;
    const int64_t begin = view->offset[c], n = view->offset[c + 1] - begin;
    for (int64_t i = 0; i < n; i++) {
        const double *p = view->points + 3 * view->connectivity[begin + i];
        const double *q = view->points + 3 * view->connectivity[begin + (i + 1) % n];
        twice += p[0] * q[1] - q[0] * p[1];
    }
    return twice / 2;
}
