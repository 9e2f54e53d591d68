/* VTK's grid: the arrays in which its files hold a mesh. */
#include "data/formats/vtk/vtk_grid.h"

#include "core/base/array.h"
#include "core/mesh/polytopes.h"
#include "data/formats/vtk/vtk_types.h"
#include <stdlib.h>
#include <string.h>

/* A cell or a boundary element that is added. */
typedef struct added_cell {
    int vtk, marker;
    int64_t n;
    const int32_t *nodes; /* [n] */
} added_cell;

static void add_cell(tess_vtk_grid *grid, const added_cell *cell) {
    grid->types[grid->n_cells] = (uint8_t)cell->vtk;
    grid->markers[grid->n_cells] = cell->marker;
    for (int64_t i = 0; i < cell->n; i++)
        grid->ids[grid->n_ids++] = cell->nodes[i];
    grid->offsets[++grid->n_cells] = grid->n_ids;
}

static int type_of_ring(int64_t n) {
    return n == 2   ? TESS_VTK_LINE
           : n == 3 ? TESS_VTK_TRIANGLE
           : n == 4 ? TESS_VTK_QUAD
                    : TESS_VTK_POLYGON;
}

/* Makes room for cells with so many nodes together. */
static tess_status make_room(tess_vtk_grid *grid, int64_t n_cells, int64_t n_ids) {
    TRY(TESS_ALLOC(n_cells, &grid->types));
    TRY(TESS_ZEROS(n_cells + 1, &grid->offsets));
    TRY(TESS_ALLOC(n_ids, &grid->ids));
    return TESS_ALLOC(n_cells, &grid->markers);
}

static tess_status add_points(const tess_mesh *mesh, tess_vtk_grid *grid) {
    grid->n_points = tess_mesh_set_size(mesh, "nodes");
    TRY(TESS_ZEROS(3 * grid->n_points, &grid->points));
    for (int64_t i = 0; i < grid->n_points; i++)
        memcpy(grid->points + 3 * i, mesh->coordinates + i * mesh->dimension,
               (size_t)mesh->dimension * sizeof *grid->points);
    return TESS_OK;
}

static tess_status add_typed_cells(const tess_cells *cells, const tess_marked *marked,
                                   tess_vtk_grid *grid) {
    int64_t n_ids = 4 * marked->n;
    for (int b = 0; b < cells->n_blocks; b++)
        n_ids += cells->blocks[b].n * cells->blocks[b].type->n_nodes;
    TRY(make_room(grid, cells->n_cells + marked->n, n_ids));
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        add_cell(grid, &(added_cell){.vtk = type->vtk, .n = type->n_nodes, .nodes = nodes});
    }
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        const int n = tess_marked_size(nodes);
        add_cell(grid, &(added_cell){type_of_ring(n), marked->marker[i] + 1, n, nodes});
    }
    return TESS_OK;
}

/* --- polygons and polyhedra ------------------------------------------------------------------- */

/* Adds the sides that have a marker. */
static void add_marked_sides(const tess_polytopes *polytopes, tess_vtk_grid *grid) {
    for (int64_t s = 0; s < polytopes->n_sides; s++) {
        const int32_t marker = tess_polytope_marker(polytopes, s);
        int n = 0;
        const int32_t *nodes = tess_polytope_side(polytopes, s, &n);
        if (marker >= 0)
            add_cell(grid, &(added_cell){type_of_ring(n), marker + 1, n, nodes});
    }
}

/* Counts the sides that have a marker, and their nodes. */
static int64_t count_marked_sides(const tess_polytopes *polytopes, int64_t *n_nodes) {
    int64_t n_marked = 0;
    *n_nodes = 0;
    for (int64_t s = 0; s < polytopes->n_sides; s++) {
        int n = 0;
        tess_polytope_side(polytopes, s, &n);
        const bool is_marked = tess_polytope_marker(polytopes, s) >= 0;
        n_marked += is_marked;
        *n_nodes += is_marked ? n : 0;
    }
    return n_marked;
}

static tess_status add_polygons(const tess_mesh *mesh, const tess_polytopes *polytopes,
                                tess_vtk_grid *grid) {
    tess_status status = TESS_OK;
    tess_rows *rings = NULL;
    int64_t n_ids = 0;
    CHECK(tess_polygon_rings(polytopes, &rings));
    const int64_t n_marked = count_marked_sides(polytopes, &n_ids);
    CHECK(make_room(grid, rings->n + n_marked, rings->offset[rings->n] + n_ids));
    for (int64_t cell = 0; cell < rings->n; cell++) {
        const int64_t n = tess_rows_size(rings, cell);
        if (n == 0)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: the edges of cell %lld are no ring",
                            mesh->source, (long long)cell));
        add_cell(grid, &(added_cell){.vtk = type_of_ring(n),
                                     .n = n,
                                     .nodes = rings->item + rings->offset[cell]});
    }
    add_marked_sides(polytopes, grid);
done:
    tess_rows_free(rings);
    return status;
}

/* Adds a face to the last cell: in the order of its ring, or, from its second cell, the other way
 * round. */
static void add_face(tess_vtk_grid *grid, int n, const int32_t *nodes, bool reversed) {
    for (int i = 0; i < n; i++)
        grid->face_ids[grid->n_face_ids++] = nodes[reversed ? n - 1 - i : i];
    grid->face_offsets[++grid->n_faces] = grid->n_face_ids;
}

static void add_faces(const tess_polytopes *polytopes, int64_t cell, tess_vtk_grid *grid) {
    const tess_rows *sides = polytopes->sides;
    grid->cell_faces[grid->n_cells - 1] = grid->n_faces;
    for (int64_t i = sides->offset[cell]; i < sides->offset[cell + 1]; i++) {
        int n = 0;
        int32_t cells[2];
        const int32_t *nodes = tess_polytope_side(polytopes, sides->item[i], &n);
        tess_polytope_cells(polytopes, sides->item[i], cells);
        add_face(grid, n, nodes, cells[0] != cell);
    }
    grid->cell_faces[grid->n_cells] = grid->n_faces;
}

static tess_status make_room_for_faces(const tess_polytopes *polytopes, int64_t n_cells,
                                       tess_vtk_grid *grid) {
    const tess_rows *sides = polytopes->sides;
    int64_t n_ids = 0;
    for (int64_t i = 0; i < sides->offset[sides->n]; i++) {
        int n = 0;
        tess_polytope_side(polytopes, sides->item[i], &n);
        n_ids += n;
    }
    TRY(TESS_ALLOC(n_cells + 1, &grid->cell_faces));
    TRY(TESS_ZEROS(sides->offset[sides->n] + 1, &grid->face_offsets));
    return TESS_ALLOC(n_ids, &grid->face_ids);
}

static tess_status add_polyhedra(const tess_polytopes *polytopes, tess_vtk_grid *grid) {
    tess_status status = TESS_OK;
    tess_rows *nodes = NULL;
    int64_t n_ids = 0;
    const int64_t n_all = polytopes->n_cells + count_marked_sides(polytopes, &n_ids);
    CHECK(tess_polytope_nodes(polytopes, &nodes));
    CHECK(make_room(grid, n_all, nodes->offset[nodes->n] + n_ids));
    CHECK(make_room_for_faces(polytopes, n_all, grid));
    for (int64_t cell = 0; cell < nodes->n; cell++) {
        add_cell(grid, &(added_cell){.vtk = TESS_VTK_POLYHEDRON,
                                     .n = tess_rows_size(nodes, cell),
                                     .nodes = nodes->item + nodes->offset[cell]});
        add_faces(polytopes, cell, grid);
    }
    add_marked_sides(polytopes, grid);
    for (int64_t cell = nodes->n; cell <= grid->n_cells; cell++)
        grid->cell_faces[cell] = grid->n_faces;
done:
    tess_rows_free(nodes);
    return status;
}

static tess_status add_regions(const tess_mesh *mesh, const tess_marked *marked,
                               tess_vtk_grid *grid) {
    if (!marked->region_of)
        return TESS_OK;
    TRY(TESS_ZEROS(grid->n_cells, &grid->regions));
    for (int64_t cell = 0; cell < tess_mesh_set_size(mesh, "cells"); cell++)
        grid->regions[cell] = marked->region_of[cell] + 1;
    return TESS_OK;
}

tess_status tess_vtk_grid_build(const tess_mesh *mesh, const tess_cells *cells,
                                const tess_marked *marked, tess_vtk_grid *out) {
    tess_status status = TESS_OK;
    tess_polytopes polytopes = {.dimension = 0};
    tess_vtk_grid grid = {.n_points = 0};
    CHECK(add_points(mesh, &grid));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    CHECK(polytopes.dimension == 3   ? add_polyhedra(&polytopes, &grid)
          : polytopes.dimension == 2 ? add_polygons(mesh, &polytopes, &grid)
                                     : add_typed_cells(cells, marked, &grid));
    CHECK(add_regions(mesh, marked, &grid));
    *out = grid;
    grid = (tess_vtk_grid){.n_points = 0};
done:
    tess_polytopes_release(&polytopes);
    tess_vtk_grid_release(&grid);
    return status;
}

static void tag_groups(int64_t n, const int32_t *tags, int32_t *groups) {
    for (int64_t i = 0; i < n; i++)
        groups[i] = groups[i] > 0 ? tags[groups[i] - 1] : 0;
}

void tess_vtk_grid_tag_groups(tess_vtk_grid *grid, const tess_marked *marked) {
    tag_groups(grid->n_cells, marked->tags, grid->markers);
    if (grid->regions)
        tag_groups(grid->n_cells, marked->region_tags, grid->regions);
}

void tess_vtk_grid_release(tess_vtk_grid *grid) {
    free(grid->points);
    free(grid->types);
    free(grid->offsets);
    free(grid->ids);
    free(grid->markers);
    free(grid->regions);
    free(grid->face_offsets);
    free(grid->face_ids);
    free(grid->cell_faces);
    *grid = (tess_vtk_grid){.n_points = 0};
}
