/* MPAS: the horizontal meshes of MPAS-Ocean, -Atmosphere and -Albany, by their dual triangulation.
 *
 * MPAS's cells are polygons around points; its vertices, where three cells meet, are the triangles
 * that the points span. So nodes are MPAS's cells, and cells its vertices. A vertex at the border,
 * which lacks a cell, is no triangle. The second reader, mpas_polygons, keeps MPAS's own words: its
 * cells are cells, and its edges join them. Format: MPAS Mesh Specification, version 1. */
#include "core/base/array.h"
#include "core/base/progress.h"
#include "data/formats/faces/polyhedra.h"
#include "data/formats/faces/polyhedra_order.h"
#include "data/formats/marker_groups.h"
#include "data/formats/netcdf_file.h"
#include "data/formats/reader.h"
#include "data/formats/wide_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4096 /* rows of a variable */ };

typedef struct mpas_file {
    tess_netcdf *netcdf;
    int64_t n_triangles;  /* MPAS's nVertices */
    tess_grouped grouped; /* its nodes are MPAS's nCells */
} mpas_file;

static tess_status read_head(mpas_file *file) {
    file->grouped.n_nodes = tess_netcdf_dimension(file->netcdf, "nCells");
    file->n_triangles = tess_netcdf_dimension(file->netcdf, "nVertices");
    const int64_t degree = tess_netcdf_dimension(file->netcdf, "vertexDegree");
    if (file->grouped.n_nodes < 1 || file->grouped.n_nodes > INT32_MAX)
        return tess_netcdf_fail(file->netcdf, "nCells",
                                "%" PRId64 " cells are not in 1..2147483647",
                                file->grouped.n_nodes);
    if (file->n_triangles < 1 || file->n_triangles > INT32_MAX)
        return tess_netcdf_fail(file->netcdf, "nVertices",
                                "%" PRId64 " vertices are not in 1..2147483647", file->n_triangles);
    if (degree != 3)
        return tess_netcdf_fail(file->netcdf, "vertexDegree",
                                "%" PRId64 " cells meet in a vertex; meshes of 3 are read", degree);
    return TESS_OK;
}

/* Reads the places of n points, the caller's, [n][3]. */
static tess_status read_positions(const tess_netcdf *netcdf, const char *const names[3], int64_t n,
                                  double **out) {
    double x[AT_ONCE];
    for (int axis = 0; axis < 3; axis++)
        TRY(tess_netcdf_expect(netcdf, names[axis], n));
    TRY(TESS_ALLOC(3 * n, out));
    for (int axis = 0; axis < 3; axis++)
        for (int64_t first = 0; first < n; first += AT_ONCE) {
            const tess_netcdf_part part = {
                .row = first, .n_rows = n - first < AT_ONCE ? n - first : AT_ONCE, .n_columns = 1};
            TRY(tess_netcdf_reals_part(netcdf, names[axis], &part, x));
            for (int64_t i = 0; i < part.n_rows; i++)
                (*out)[3 * (first + i) + axis] = x[i];
        }
    return TESS_OK;
}

static tess_status read_coordinates(mpas_file *file) {
    static const char *const names[] = {"xCell", "yCell", "zCell"};
    return read_positions(file->netcdf, names, file->grouped.n_nodes, &file->grouped.coordinates);
}

/* Appends triangles first ... first + n - 1 by their corners [n][3], from 1; 0 or nCells + 1 where
 * the border is. */
static tess_status append_triangles(mpas_file *file, int64_t first, int64_t n,
                                    const int32_t *corners) {
    for (int64_t i = 0; i < n; i++, corners += 3) {
        tess_element triangle = {.type = TESS_ELEMENT_TRI};
        int n_missing = 0;
        for (int k = 0; k < 3; k++) {
            if (corners[k] < 0 || corners[k] > file->grouped.n_nodes + 1)
                return tess_netcdf_fail(file->netcdf, "cellsOnVertex",
                                        "vertex %" PRId64 " has the cell %d, which is not in "
                                        "0..%" PRId64,
                                        first + i + 1, corners[k], file->grouped.n_nodes);
            n_missing += corners[k] == 0 || corners[k] == file->grouped.n_nodes + 1;
            triangle.nodes[k] = corners[k] - 1;
        }
        if (n_missing == 0)
            TRY(tess_elements_append(&file->grouped.elements, &triangle, 1));
    }
    return TESS_OK;
}

static tess_status read_triangles(mpas_file *file) {
    int32_t corners[3 * AT_ONCE];
    TRY(tess_netcdf_expect(file->netcdf, "cellsOnVertex", 3 * file->n_triangles));
    for (int64_t first = 0; first < file->n_triangles; first += AT_ONCE) {
        const int64_t left = file->n_triangles - first, n = left < AT_ONCE ? left : AT_ONCE;
        tess_progress_set(first, file->n_triangles, NULL);
        TRY(tess_netcdf_integers_part(
            file->netcdf, "cellsOnVertex",
            &(tess_netcdf_part){.row = first, .n_rows = n, .n_columns = 3}, corners));
        TRY(append_triangles(file, first, n, corners));
    }
    if (tess_elements_dimension(&file->grouped.elements) < 2)
        return tess_netcdf_fail(file->netcdf, "cellsOnVertex",
                                "no three cells meet in any vertex (is the file cut?)");
    return TESS_OK;
}

/* Says which cells cross the joined sides of a periodic mesh in the plane. */
static tess_status warn_of_period(const tess_netcdf *netcdf, tess_mesh *mesh) {
    char word[8];
    double period[3] = {0};
    tess_netcdf_attribute(netcdf, NULL, "is_periodic", word, sizeof word);
    if (strncmp(word, "YES", 3) != 0)
        return TESS_OK;
    tess_extent_of(mesh, period); /* a little less than the period */
    return tess_wide_cells_warn(mesh, period, "MPAS's mesh is periodic");
}

static tess_status mpas_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    mpas_file file = {.grouped.dimension = 3};
    tess_mesh *mesh = NULL;
    CHECK(tess_netcdf_open(text, &file.netcdf));
    CHECK(read_head(&file));
    CHECK(read_coordinates(&file));
    CHECK(read_triangles(&file));
    const int64_t n_open = file.n_triangles - file.grouped.elements.n_of_dimension[2];
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));
    if (n_open)
        CHECK(tess_mesh_warn(mesh,
                             "%" PRId64 " of MPAS's vertices lie at the border and are no "
                             "triangles",
                             n_open));
    CHECK(warn_of_period(file.netcdf, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    tess_grouped_clear(&file.grouped);
    tess_netcdf_close(file.netcdf);
    return status;
}

/* True for NetCDF that holds the name of MPAS's map from vertices to cells. */
static bool mpas_recognise(const tess_file_text *text) {
    return tess_netcdf_recognise(text) && tess_file_text_holds(text, "cellsOnVertex");
}

const tess_reader tess_reader_mpas = {.name = "mpas",
                                      .summary =
                                          "MPAS's meshes by their dual triangulation (NetCDF "
                                          "opened when needed)",
                                      .extensions = ".nc",
                                      .recognise = mpas_recognise,
                                      .read = mpas_read};

/* --- polygons --------------------------------------------------------------------------------- */

/* Pairs of MPAS's numbers, from 1: of cells, 0 or nCells + 1 where an edge lacks one, and of
 * vertices. */
typedef struct mpas_edges {
    int64_t n, n_cells, n_vertices;
    int32_t *cells, *vertices; /* [n][2]; owned */
} mpas_edges;

static tess_status read_pairs(const tess_netcdf *netcdf, const char *name, const mpas_edges *edges,
                              int64_t least, int64_t most, int32_t **out) {
    TRY(tess_netcdf_integers(netcdf, name, 2 * edges->n, out));
    for (int64_t i = 0; i < 2 * edges->n; i++) {
        if (least == 0 && (*out)[i] == most + 1) /* MPAS's other word for none */
            (*out)[i] = 0;
        if ((*out)[i] < least || (*out)[i] > most)
            return tess_netcdf_fail(
                netcdf, name, "edge %" PRId64 " has %d, which is not in %" PRId64 "..%" PRId64,
                i / 2 + 1, (*out)[i], least, most);
    }
    for (int64_t e = 0; e < edges->n; e++)
        if ((*out)[2 * e] == (*out)[2 * e + 1])
            return tess_netcdf_fail(netcdf, name, "edge %" PRId64 " has %d on both sides", e + 1,
                                    (*out)[2 * e]);
    return TESS_OK;
}

static tess_status count_edges(const tess_netcdf *netcdf, mpas_edges *edges) {
    edges->n = tess_netcdf_dimension(netcdf, "nEdges");
    edges->n_cells = tess_netcdf_dimension(netcdf, "nCells");
    edges->n_vertices = tess_netcdf_dimension(netcdf, "nVertices");
    if (edges->n < 1 || edges->n > INT32_MAX || edges->n_cells < 1 || edges->n_cells > edges->n ||
        edges->n_vertices < 1 || edges->n_vertices > INT32_MAX)
        return tess_netcdf_fail(netcdf, "nEdges",
                                "%" PRId64 " edges of %" PRId64 " cells and %" PRId64
                                " vertices: no mesh",
                                edges->n, edges->n_cells, edges->n_vertices);
    return TESS_OK;
}

static tess_status read_edges(const tess_netcdf *netcdf, mpas_edges *edges) {
    TRY(read_pairs(netcdf, "cellsOnEdge", edges, 0, edges->n_cells, &edges->cells));
    return read_pairs(netcdf, "verticesOnEdge", edges, 1, edges->n_vertices, &edges->vertices);
}

/* Makes the edges faces: those between two cells, then those that have one. */
static tess_status take_edges(mpas_edges *edges, tess_polyhedra *polyhedra) {
    int32_t *cells = edges->cells;
    TRY(TESS_ALLOC(edges->n, &polyhedra->neighbour));
    for (int64_t e = 0; e < edges->n; e++) {
        polyhedra->neighbour[e] = cells[2 * e] ? cells[2 * e + 1] - 1 : -1;
        cells[e] = (cells[2 * e] ? cells[2 * e] : cells[2 * e + 1]) - 1; /* the owner */
    }
    for (int64_t i = 0; i < 2 * edges->n; i++)
        edges->vertices[i]--;
    TRY(TESS_ALLOC(edges->n + 1, &polyhedra->faces.start));
    for (int64_t e = 0; e <= edges->n; e++)
        polyhedra->faces.start[e] = 2 * e;
    polyhedra->owner = TESS_TAKE(edges->cells);
    polyhedra->faces.value = TESS_TAKE(edges->vertices);
    polyhedra->faces.n = edges->n;
    return tess_polyhedra_order(polyhedra);
}

static tess_status polygons_read(const tess_file_text *text, tess_mesh **out) {
    static const char *const names[] = {"xVertex", "yVertex", "zVertex"};
    tess_status status = TESS_OK;
    tess_netcdf *netcdf = NULL;
    mpas_edges edges = {.n = 0};
    tess_polyhedra polyhedra = {.dimension = 2};
    tess_mesh *mesh = NULL;
    CHECK(tess_netcdf_open(text, &netcdf));
    CHECK(count_edges(netcdf, &edges));
    polyhedra.n_points = edges.n_vertices;
    CHECK(read_positions(netcdf, names, polyhedra.n_points, &polyhedra.points));
    CHECK(tess_mesh_new(text->path, tess_coordinates_flatten(polyhedra.n_points, polyhedra.points),
                        &mesh));
    CHECK(read_edges(netcdf, &edges));
    CHECK(take_edges(&edges, &polyhedra));
    CHECK(tess_polyhedra_state(&polyhedra, mesh));
    CHECK(warn_of_period(netcdf, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    tess_polyhedra_clear(&polyhedra);
    free(edges.cells);
    free(edges.vertices);
    tess_netcdf_close(netcdf);
    return status;
}

const tess_reader tess_reader_mpas_polygons = {
    .name = "mpas_polygons",
    .summary = "MPAS's meshes by their polygons (MESH:reader=mpas_polygons)",
    .extensions = ".nc",
    .recognise = mpas_recognise,
    .read = polygons_read};
