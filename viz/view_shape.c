/* The shape of a set's elements: the pieces, VTK cells over points of the mesh, that show them. */
#include "viz/view_shape.h"

#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "core/mesh/centroid.h"
#include "core/mesh/derive.h"
#include "viz/view_polytopes.h"
#include "viz/view_sides.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A position at which an edge or a node stands in a cell that has it. */
typedef struct position_in_cell {
    int32_t cell;
    int32_t local; /* edge or node of the cell */
} position_in_cell;

/* The element at a place, or -1: nodes where `edges` is NULL, else the edge's element. */
static int32_t element_at(const tess_cells *cells, const tess_view_sides *edges,
                          const int32_t *element_of_edge, int64_t cell, int local) {
    if (edges)
        return element_of_edge[edges->side_of[cell * edges->stride + local]];
    const tess_cell_type *type = NULL;
    return tess_cell_nodes(cells, cell, &type)[local];
}

static int positions_of_cell(const tess_cells *cells, const tess_view_sides *edges, int64_t cell) {
    const tess_cell_type *type = NULL;
    tess_cell_nodes(cells, cell, &type);
    return edges ? type->n_edges : type->n_nodes;
}

/* Puts each place into the bucket of its element, as (cell, local). */
static tess_status around_build(const tess_cells *cells, const tess_view_sides *edges,
                                const int32_t *element_of_edge, int64_t n_elements,
                                tess_buckets *around) {
    TRY(tess_buckets_new(n_elements, around));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t c = 0; c < cells->n_cells; c++)
            for (int i = 0; i < positions_of_cell(cells, edges, c); i++) {
                const int32_t element = element_at(cells, edges, element_of_edge, c, i);
                if (element >= 0 && pass == 0)
                    tess_buckets_count(around, element);
                else if (element >= 0)
                    tess_buckets_put(around, element, (uint64_t)c << 32 | (uint64_t)i);
            }
        if (pass == 0)
            TRY(tess_buckets_open(around));
    }
    tess_buckets_close(around);
    return TESS_OK;
}

/* The positions of the edges of a map to their two nodes; an edge of no cell has none. */
static tess_status around_edges(const tess_cells *cells, const tess_map *nodes, int64_t n_edges,
                                tess_buckets *around) {
    tess_status status = TESS_OK;
    tess_view_sides *edges = NULL;
    int32_t *element_of_edge = NULL;
    CHECK(tess_view_sides_build(cells, TESS_FACET_EDGES, &edges));
    CHECK(TESS_ALLOC(edges->n_sides, &element_of_edge));
    memset(element_of_edge, 0xff, (size_t)edges->n_sides * sizeof *element_of_edge);
    for (int64_t e = n_edges - 1; e >= 0; e--) { /* of an edge that is there twice the first */
        const int32_t edge = tess_view_sides_find(edges, 2, nodes->index + 2 * e);
        if (edge >= 0)
            element_of_edge[edge] = (int32_t)e;
    }
    CHECK(around_build(cells, edges, element_of_edge, n_edges, around));
done:
    free(element_of_edge);
    tess_view_sides_free(edges);
    return status;
}

typedef enum shape_kind { SHAPE_CELL, SHAPE_SIDE, SHAPE_AROUND } shape_kind;

struct tess_view_shape {
    const tess_mesh *mesh;
    shape_kind kind;
    tess_view_sites sites; /* its own */
    int64_t n_elements, n_nodes, n_cells;
    tess_cells cells;
    tess_view_polytopes polytopes; /* where cells have no nodes */
    /* SHAPE_CELL of one type of many: its nodes; else NULL */
    const tess_map *type_nodes;
    const tess_cell_type *type;
    double *centroids; /* [n_cells][dimension] */
    /* SHAPE_SIDE: an element and the cells on its sides */
    const tess_map *side_nodes; /* or NULL: then the face of the first cell that `local` names */
    const tess_map *side_cells; /* or NULL */
    int8_t *local;              /* [n_elements] */
    int64_t first_face;         /* elements are faces of polyhedra from that on; -1: they are not */
    /* SHAPE_AROUND: an edge or a node and where it stands in the cells around it */
    const tess_map *around_nodes;   /* of edges; NULL: of nodes */
    tess_buckets around;            /* [n_elements], its places in cells */
    tess_view_sides *faces, *edges; /* those whose centroids are corners, else NULL */
};

static int32_t cell_site(const tess_view_shape *shape, int64_t cell) {
    return (int32_t)(shape->n_nodes + cell);
}

static int32_t face_site(const tess_view_shape *shape, int64_t cell, int face) {
    const tess_view_sides *faces = shape->faces;
    return (int32_t)(shape->n_nodes + shape->n_cells + faces->side_of[cell * faces->stride + face]);
}

static int32_t edge_site(const tess_view_shape *shape, int64_t cell, int edge) {
    const tess_view_sides *edges = shape->edges;
    const int64_t before =
        shape->n_nodes + shape->n_cells + (shape->faces ? shape->faces->n_sides : 0);
    return (int32_t)(before + edges->side_of[cell * edges->stride + edge]);
}

int64_t tess_view_shape_sites(const tess_view_shape *shape) {
    if (shape->polytopes.cells.dimension)
        return shape->n_nodes + shape->n_cells + tess_view_polytopes_sites(&shape->polytopes);
    return shape->n_nodes + shape->n_cells + (shape->faces ? shape->faces->n_sides : 0) +
           (shape->edges ? shape->edges->n_sides : 0);
}

/* The nodes of which site i, counted behind those of nodes and centroids, is the middle. */
static const int32_t *middle_of(const tess_view_shape *shape, int64_t i, int *n) {
    if (shape->polytopes.cells.dimension)
        return tess_view_polytopes_middle(&shape->polytopes, i, n);
    const bool on_face = shape->faces && i < shape->faces->n_sides;
    const tess_view_sides *sides = on_face ? shape->faces : shape->edges;
    const int32_t *nodes = sides->nodes[on_face || !shape->faces ? i : i - shape->faces->n_sides];
    for (*n = 0; *n < 4 && nodes[*n] >= 0;)
        ++*n;
    return nodes;
}

void tess_view_shape_point(const tess_view_shape *shape, int32_t site, double point[3]) {
    const int dimension = shape->mesh->dimension;
    const double *coordinates = shape->mesh->coordinates;
    int64_t i = site;
    point[0] = point[1] = point[2] = 0;
    if (i < shape->n_nodes) {
        memcpy(point, coordinates + i * dimension, (size_t)dimension * sizeof *point);
        return;
    }
    i -= shape->n_nodes;
    if (i < shape->n_cells) {
        memcpy(point, shape->centroids + i * dimension, (size_t)dimension * sizeof *point);
        return;
    }
    int n = 0;
    const int32_t *nodes = middle_of(shape, i - shape->n_cells, &n);
    for (int k = 0; k < n; k++)
        for (int d = 0; d < dimension; d++)
            point[d] += coordinates[(int64_t)nodes[k] * dimension + d];
    for (int d = 0; d < dimension; d++)
        point[d] /= n;
}

/* The nodes of an element between cells; n of them. */
static int side_nodes(const tess_view_shape *shape, int64_t element, int32_t nodes[4]) {
    const tess_map *map = shape->side_nodes;
    if (map) {
        memcpy(nodes, map->index + element * map->arity, (size_t)map->arity * sizeof *nodes);
        return map->arity;
    }
    const int32_t cell = shape->side_cells->index[element * shape->side_cells->arity];
    const tess_cell_type *type = NULL;
    const int32_t *cell_nodes = tess_cell_nodes(&shape->cells, cell, &type);
    return tess_facet_nodes(type, cell_nodes, TESS_FACET_FACES, shape->local[element], nodes);
}

/* The distinct cells beside an element, none, one or two. */
static int side_cells(const tess_view_shape *shape, int64_t element, int32_t cells[2]) {
    const tess_map *map = shape->side_cells;
    int n = 0;
    for (int s = 0; map && s < map->arity; s++) {
        const int32_t cell = map->index[element * map->arity + s];
        if (cell >= 0 && !(n && cells[0] == cell))
            cells[n++] = cell;
    }
    return n;
}

static void append_side(const tess_view_shape *shape, int64_t element, tess_view_pieces *pieces) {
    int32_t nodes[4], cells[2], sites[5];
    const int n_cells = side_cells(shape, element, cells);
    for (int c = 0; shape->first_face >= 0 && c < n_cells; c++)
        tess_view_polytopes_cone(&shape->polytopes, shape->first_face + element, cells[c], pieces);
    if (shape->first_face >= 0)
        return;
    const int n_nodes = side_nodes(shape, element, nodes);
    if (n_cells == 0) {
        if (n_nodes == 2)
            tess_view_piece(pieces, TESS_VTK_LINE, 2, nodes);
        else
            tess_view_piece(pieces, n_nodes == 3 ? TESS_VTK_TRIANGLE : TESS_VTK_QUAD, n_nodes,
                            nodes);
    } else if (n_nodes == 2) {
        /* Node, centroid, node, centroid: the diagonal between the nodes, along which a quad is
         * drawn, stays inside however bent the kite is. */
        int n = 0;
        sites[n++] = nodes[0];
        sites[n++] = cell_site(shape, cells[0]);
        sites[n++] = nodes[1];
        if (n_cells == 2)
            sites[n++] = cell_site(shape, cells[1]);
        tess_view_piece_turned(pieces, n, sites, false);
    } else {
        for (int c = 0; c < n_cells; c++) {
            memcpy(sites, nodes, (size_t)n_nodes * sizeof *sites);
            sites[n_nodes] = cell_site(shape, cells[c]);
            tess_view_piece_turned(pieces, n_nodes + 1, sites, true);
        }
    }
}

/* An edge in one of its cells: 2D a triangle, 3D a tet to each of the cell's two faces there. */
static void append_edge(const tess_view_shape *shape, const position_in_cell *position,
                        tess_view_pieces *pieces) {
    const tess_cell_type *type = NULL;
    const int32_t *nodes = tess_cell_nodes(&shape->cells, position->cell, &type);
    const int a = type->edge[position->local][0], b = type->edge[position->local][1];
    const int32_t centre = cell_site(shape, position->cell);
    if (type->dimension == 2) {
        int32_t sites[3] = {nodes[a], nodes[b], centre};
        tess_view_piece_turned(pieces, 3, sites, false);
        return;
    }
    for (int f = 0; f < type->n_faces; f++) {
        bool has_a = false, has_b = false;
        for (int i = 0; i < tess_cell_face_size(type, f); i++) {
            has_a = has_a || type->face[f][i] == a;
            has_b = has_b || type->face[f][i] == b;
        }
        if (has_a && has_b) {
            int32_t sites[4] = {nodes[a], nodes[b], face_site(shape, position->cell, f), centre};
            tess_view_piece_turned(pieces, 4, sites, true);
        }
    }
}

/* The edge of a cell between two of its local nodes. */
static int edge_between(const tess_cell_type *type, int a, int b) {
    for (int e = 0; e < type->n_edges; e++)
        if ((type->edge[e][0] == a && type->edge[e][1] == b) ||
            (type->edge[e][0] == b && type->edge[e][1] == a))
            return e;
    return -1;
}

/* The corner of a cell at a node: 2D one quad, 3D a pyramid over each face's corner there. */
static void append_corner(const tess_view_shape *shape, const position_in_cell *position,
                          tess_view_pieces *pieces) {
    const tess_cell_type *type = NULL;
    const int32_t *nodes = tess_cell_nodes(&shape->cells, position->cell, &type);
    const int local = position->local;
    const int32_t centre = cell_site(shape, position->cell);
    if (type->dimension == 2) {
        const int before = (local + type->n_nodes - 1) % type->n_nodes;
        int32_t sites[4] = {nodes[local], edge_site(shape, position->cell, local), centre,
                            edge_site(shape, position->cell, before)};
        tess_view_piece_turned(pieces, 4, sites, false);
        return;
    }
    for (int f = 0; f < type->n_faces; f++) {
        const int n = tess_cell_face_size(type, f);
        for (int i = 0; i < n; i++) {
            if (type->face[f][i] != local)
                continue;
            const int next = edge_between(type, local, type->face[f][(i + 1) % n]);
            const int before = edge_between(type, local, type->face[f][(i + n - 1) % n]);
            int32_t sites[5] = {nodes[local], edge_site(shape, position->cell, next),
                                face_site(shape, position->cell, f),
                                edge_site(shape, position->cell, before), centre};
            tess_view_piece_turned(pieces, 5, sites, true);
        }
    }
}

static void append_around(const tess_view_shape *shape, int64_t element, tess_view_pieces *pieces) {
    const bool on_polytopes = shape->polytopes.cells.dimension && !shape->around_nodes;
    const tess_buckets *around = on_polytopes ? &shape->polytopes.around : &shape->around;
    if (on_polytopes)
        tess_view_polytopes_node(&shape->polytopes, element, pieces);
    for (int64_t i = around->offset[element]; i < around->offset[element + 1] && !on_polytopes;
         i++) {
        const position_in_cell position = {.cell = (int32_t)(around->value[i] >> 32),
                                           .local = (int32_t)around->value[i]};
        if (shape->around_nodes)
            append_edge(shape, &position, pieces);
        else
            append_corner(shape, &position, pieces);
    }
    if (around->offset[element] < around->offset[element + 1])
        return;
    if (shape->around_nodes)
        tess_view_piece(pieces, TESS_VTK_LINE, 2, shape->around_nodes->index + 2 * element);
    else
        tess_view_piece(pieces, TESS_VTK_VERTEX, 1, &(int32_t){(int32_t)element});
}

static void point_of(const void *shape, int32_t site, double point[3]) {
    tess_view_shape_point(shape, site, point);
}

void tess_view_shape_append(const tess_view_shape *shape, int64_t element,
                            tess_view_pieces *pieces) {
    pieces->sites = &shape->sites;
    if (shape->type_nodes) {
        const int arity = shape->type_nodes->arity;
        tess_view_piece(pieces, shape->type->vtk, arity,
                        shape->type_nodes->index + element * arity);
    } else if (shape->kind == SHAPE_CELL && shape->polytopes.cells.dimension) {
        tess_view_polytopes_cell(&shape->polytopes, element, pieces);
    } else if (shape->kind == SHAPE_CELL) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(&shape->cells, element, &type);
        tess_view_piece(pieces, type->vtk, type->n_nodes, nodes);
    } else if (shape->kind == SHAPE_SIDE) {
        append_side(shape, element, pieces);
    } else {
        append_around(shape, element, pieces);
    }
}

/* The number of the first of these faces among those of polyhedra; -1 where they are none. */
static int64_t first_face(const tess_view_shape *shape, const tess_map *nodes,
                          const tess_map *cells) {
    const tess_polytopes *of = &shape->polytopes.cells;
    for (int k = 0; k < 2 && of->dimension == 3; k++)
        if (nodes && nodes == of->of_nodes[k] && cells == of->of_cells[k])
            return k ? of->n_inner : 0;
    return -1;
}

/* Edges by their cells, faces by theirs; nodes where the mesh has them. */
static tess_status prepare_sides(tess_view_shape *shape, const char *set, const tess_map *nodes,
                                 const tess_map *cells) {
    shape->kind = SHAPE_SIDE;
    shape->side_nodes = nodes;
    shape->side_cells = cells;
    if (cells && cells->arity > 2)
        FAIL(TESS_ERROR_INPUT, "%s: an element lies between two cells at most, not %d", cells->name,
             cells->arity);
    if (cells && !shape->centroids)
        FAIL(TESS_ERROR_INPUT, "%s does not say where its cells are: nothing can be shown",
             shape->mesh->source);
    shape->first_face = first_face(shape, nodes, cells);
    if (nodes && nodes->arity > 4 && shape->first_face < 0)
        FAIL(TESS_ERROR_INPUT, "%s: a face has 3 or 4 nodes, not %d", nodes->name, nodes->arity);
    if (nodes)
        return TESS_OK;
    if (shape->cells.dimension == 2)
        FAIL(TESS_ERROR_INPUT, "a view of %s needs the map %s:nodes, which %s lacks", set, set,
             shape->mesh->source);
    tess_view_sides *faces = NULL;
    TRY(tess_view_sides_build(&shape->cells, TESS_FACET_FACES, &faces));
    const tess_status status =
        tess_view_faces_locate(&shape->cells, faces, cells, shape->n_elements, &shape->local);
    tess_view_sides_free(faces);
    return status;
}

/* Edges, or nodes (no map to nodes), by the cells around them. */
static tess_status prepare_around(tess_view_shape *shape, const tess_map *nodes) {
    const bool solid = shape->cells.dimension == 3;
    shape->kind = SHAPE_AROUND;
    shape->around_nodes = nodes;
    if (solid)
        TRY(tess_view_sides_build(&shape->cells, TESS_FACET_FACES, &shape->faces));
    if (nodes)
        return around_edges(&shape->cells, nodes, shape->n_elements, &shape->around);
    if (shape->polytopes.cells.dimension)
        return TESS_OK;
    TRY(tess_view_sides_build(&shape->cells, TESS_FACET_EDGES, &shape->edges));
    return around_build(&shape->cells, NULL, NULL, shape->n_elements, &shape->around);
}

static tess_status prepare(tess_view_shape *shape, const char *set) {
    const tess_mesh *mesh = shape->mesh;
    const tess_map *nodes = tess_mesh_find_map_between(mesh, set, "nodes");
    const tess_map *cells = tess_mesh_find_map_between(mesh, set, "cells");
    shape->type = tess_cell_type_of_set(set);
    if (shape->type && nodes && nodes->arity == shape->type->n_nodes) {
        shape->type_nodes = nodes;
        return TESS_OK;
    }
    TRY(tess_cells_build(mesh, &shape->cells));
    shape->n_cells = shape->cells.n_cells;
    if (shape->cells.dimension == 0)
        TRY(tess_view_polytopes_build(mesh, strcmp(set, "nodes") == 0, &shape->polytopes));
    const bool polytopes = shape->polytopes.cells.dimension > 0;
    if (strcmp(set, "cells") == 0 && !polytopes)
        return shape->n_cells == 0 || shape->cells.dimension
                   ? TESS_OK
                   : tess_fail(TESS_ERROR_INPUT,
                               "a view of cells needs their nodes, or the nodes of their sides, "
                               "which %s lacks",
                               mesh->source);
    const int cell_set = tess_mesh_find_set(mesh, "cells");
    if (cell_set < 0)
        FAIL(TESS_ERROR_INPUT, "%s has no cells: nothing can be shown", mesh->source);
    TRY(tess_centroids_build(mesh, cell_set, &shape->centroids));
    if (strcmp(set, "cells") == 0)
        return TESS_OK;
    if (strcmp(set, "nodes") == 0)
        return prepare_around(shape, NULL);
    if (nodes && nodes->arity == 2 && (!cells || shape->cells.dimension == 3))
        return prepare_around(shape, nodes);
    if (nodes || cells)
        return prepare_sides(shape, set, nodes, cells);
    FAIL(TESS_ERROR_INPUT, "a view of %s needs the map %s:nodes or %s:cells, which %s lacks", set,
         set, set, mesh->source);
}

tess_status tess_view_shape_build(const tess_mesh *mesh, const char *set, tess_view_shape **out) {
    tess_status status = TESS_OK;
    tess_view_shape *shape = NULL;
    CHECK(TESS_ZEROS(1, &shape));
    shape->mesh = mesh;
    shape->sites = (tess_view_sites){.of = shape, .point = point_of};
    shape->first_face = -1;
    shape->n_elements = tess_mesh_set_size(mesh, set);
    shape->n_nodes = tess_mesh_set_size(mesh, "nodes");
    if (!mesh->coordinates)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s has no coordinates: nothing can be shown",
                        mesh->source));
    CHECK(prepare(shape, set));
    if (tess_view_shape_sites(shape) > INT32_MAX)
        CHECK(tess_fail(TESS_ERROR_INPUT, "a view of %s has more than 2147483647 points", set));
    *out = TESS_TAKE(shape);
done:
    tess_view_shape_free(shape);
    return status;
}

void tess_view_shape_free(tess_view_shape *shape) {
    if (!shape)
        return;
    tess_cells_release(&shape->cells);
    tess_view_polytopes_release(&shape->polytopes);
    free(shape->centroids);
    free(shape->local);
    tess_buckets_release(&shape->around);
    tess_view_sides_free(shape->faces);
    tess_view_sides_free(shape->edges);
    free(shape);
}

tess_status tess_view_derive(tess_mesh *mesh, const char *set) {
    tess_status status = TESS_OK;
    const char **derivable = NULL;
    CHECK(tess_mesh_derivable(mesh, &derivable));
    const char *const ends[] = {"nodes", "cells"};
    for (int i = 0; i < 2; i++) {
        char name[2 * TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:%s", set, ends[i]);
        int known = 0;
        while (derivable[known] && strcmp(derivable[known], name) != 0)
            known++;
        if (derivable[known])
            CHECK(tess_mesh_derive(mesh, name));
    }
done:
    free(derivable);
    return status;
}
