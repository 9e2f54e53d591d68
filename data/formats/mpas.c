/* MPAS: the horizontal meshes of MPAS-Ocean, -Atmosphere and -Albany, by their dual triangulation.
 *
 * MPAS's cells are polygons around points; its vertices, where three cells meet, are the triangles
 * that the points span. So nodes are MPAS's cells, and cells its vertices. A vertex at the border,
 * which lacks a cell, is no triangle. Format: MPAS Mesh Specification, version 1. */
#include "core/base/array.h"
#include "data/formats/marker_groups.h"
#include "data/formats/netcdf_file.h"
#include "data/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpas_file {
    tess_netcdf *netcdf;
    int64_t n_triangles;  /* MPAS's nVertices */
    int32_t *corners;     /* [n_triangles][3], from 1; 0 where the border is */
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

static tess_status read_coordinates(mpas_file *file) {
    static const char *const names[] = {"xCell", "yCell", "zCell"};
    TRY(TESS_ALLOC(3 * file->grouped.n_nodes, &file->grouped.coordinates));
    for (int axis = 0; axis < 3; axis++) {
        double *x = NULL;
        TRY(tess_netcdf_reals(file->netcdf, names[axis], file->grouped.n_nodes, &x));
        for (int64_t i = 0; i < file->grouped.n_nodes; i++)
            file->grouped.coordinates[3 * i + axis] = x[i];
        free(x);
    }
    return TESS_OK;
}

static tess_status read_triangles(mpas_file *file) {
    TRY(tess_netcdf_integers(file->netcdf, "cellsOnVertex", 3 * file->n_triangles, &file->corners));
    for (int64_t i = 0; i < file->n_triangles; i++) {
        const int32_t *corners = file->corners + 3 * i;
        tess_element triangle = {.type = TESS_ELEMENT_TRI};
        for (int k = 0; k < 3; k++) {
            if (corners[k] < 0 || corners[k] > file->grouped.n_nodes)
                return tess_netcdf_fail(file->netcdf, "cellsOnVertex",
                                        "vertex %" PRId64 " has the cell %d, which is not in "
                                        "0..%" PRId64,
                                        i + 1, corners[k], file->grouped.n_nodes);
            triangle.nodes[k] = corners[k] - 1;
        }
        if (corners[0] && corners[1] && corners[2])
            TRY(tess_elements_append(&file->grouped.elements, &triangle, 1));
    }
    if (tess_elements_dimension(&file->grouped.elements) < 2)
        return tess_netcdf_fail(file->netcdf, "cellsOnVertex",
                                "no three cells meet in any vertex (is the file cut?)");
    return TESS_OK;
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
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    free(file.corners);
    tess_grouped_clear(&file.grouped);
    tess_netcdf_close(file.netcdf);
    return status;
}

/* True for NetCDF that holds the name of MPAS's map from vertices to cells. */
static bool mpas_recognise(const tess_file_text *text) {
    return tess_netcdf_recognise(text) &&
           memmem(text->content, (size_t)text->size, "cellsOnVertex", 13);
}

const tess_reader tess_reader_mpas = {.name = "mpas",
                                      .summary =
                                          "MPAS's meshes by their dual triangulation (NetCDF "
                                          "opened when needed)",
                                      .extensions = ".nc",
                                      .recognise = mpas_recognise,
                                      .read = mpas_read};
