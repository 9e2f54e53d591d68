/* Writes VTKHDF: VTK's unstructured grid in HDF5, as VTK 9.4 and ParaView 5.11 read it; polyhedra
 * as VTKHDF 2.5 holds them, for newer ones. */
#include "core/base/array.h"
#include "core/base/hdf_file.h"
#include "data/formats/vtk/vtk_grid.h"
#include "data/formats/writer.h"

#include <stdio.h>
#include <stdlib.h>

/* Names of groups, and their tags. */
typedef struct named_groups {
    const char *name, *tag_name; /* of the arrays */
    int n;
    char *const *names;
    const int32_t *tags;
} named_groups;

static tess_status write_names(hid_t root, const named_groups *groups) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = groups->n ? open_memstream(&text, &size) : NULL;
    if (!stream)
        return TESS_OK;
    for (int g = 0; g < groups->n; g++)
        fprintf(stream, "%s\n", groups->names[g]);
    fclose(stream);
    tess_status status =
        tess_hdf_write(root, groups->name, H5T_NATIVE_UINT8, (int64_t)size, 0, text);
    if (status == TESS_OK)
        status =
            tess_hdf_write(root, groups->tag_name, H5T_NATIVE_INT32, groups->n, 0, groups->tags);
    free(text);
    return status;
}

static tess_status write_cells(hid_t root, const tess_vtk_grid *grid) {
    TRY(tess_hdf_write(root, "NumberOfPoints", H5T_NATIVE_INT64, 1, 0, &grid->n_points));
    TRY(tess_hdf_write(root, "NumberOfCells", H5T_NATIVE_INT64, 1, 0, &grid->n_cells));
    TRY(tess_hdf_write(root, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, 0, &grid->n_ids));
    TRY(tess_hdf_write(root, "Points", H5T_NATIVE_DOUBLE, grid->n_points, 3, grid->points));
    TRY(tess_hdf_write(root, "Types", H5T_NATIVE_UINT8, grid->n_cells, 0, grid->types));
    TRY(tess_hdf_write(root, "Offsets", H5T_NATIVE_INT64, grid->n_cells + 1, 0, grid->offsets));
    return tess_hdf_write(root, "Connectivity", H5T_NATIVE_INT64, grid->n_ids, 0, grid->ids);
}

/* Each polyhedron has faces of its own, in its order. */
static tess_status write_faces(hid_t root, const tess_vtk_grid *grid) {
    tess_status status = TESS_OK;
    const int64_t n = grid->n_faces;
    int64_t *numbers = NULL;
    CHECK(TESS_ALLOC(n, &numbers));
    for (int64_t face = 0; face < n; face++)
        numbers[face] = face;
    CHECK(tess_hdf_write(root, "NumberOfFaces", H5T_NATIVE_INT64, 1, 0, &n));
    CHECK(tess_hdf_write(root, "NumberOfFaceConnectivityIds", H5T_NATIVE_INT64, 1, 0,
                         &grid->n_face_ids));
    CHECK(tess_hdf_write(root, "NumberOfPolyhedronToFaceIds", H5T_NATIVE_INT64, 1, 0, &n));
    CHECK(tess_hdf_write(root, "FaceConnectivity", H5T_NATIVE_INT64, grid->n_face_ids, 0,
                         grid->face_ids));
    CHECK(tess_hdf_write(root, "FaceOffsets", H5T_NATIVE_INT64, n + 1, 0, grid->face_offsets));
    CHECK(tess_hdf_write(root, "PolyhedronToFaces", H5T_NATIVE_INT64, n, 0, numbers));
    CHECK(tess_hdf_write(root, "PolyhedronOffsets", H5T_NATIVE_INT64, grid->n_cells + 1, 0,
                         grid->cell_faces));
done:
    free(numbers);
    return status;
}

static tess_status write_groups(hid_t file, const tess_vtk_grid *grid, const tess_marked *marked) {
    static const int64_t plain[] = {1, 0}, with_polyhedra[] = {2, 5};
    tess_status status = TESS_OK;
    const named_groups groups[] = {
        {"marker_names", "marker_tags", marked->n_markers, marked->names, marked->tags},
        {"region_names", "region_tags", marked->n_regions, marked->region_names,
         marked->region_tags}};
    hid_t root = -1, cell_data = -1;
    CHECK(tess_hdf_group(file, "VTKHDF", &root));
    CHECK(tess_hdf_attribute_ints(root, "Version", 2, grid->n_faces ? with_polyhedra : plain));
    CHECK(tess_hdf_attribute_text(root, "Type", "UnstructuredGrid"));
    CHECK(write_cells(root, grid));
    if (grid->n_faces)
        CHECK(write_faces(root, grid));
    CHECK(tess_hdf_group(root, "CellData", &cell_data));
    CHECK(tess_hdf_write(cell_data, "marker", H5T_NATIVE_INT32, grid->n_cells, 0, grid->markers));
    if (grid->regions)
        CHECK(
            tess_hdf_write(cell_data, "region", H5T_NATIVE_INT32, grid->n_cells, 0, grid->regions));
    for (int g = 0; g < 2; g++)
        CHECK(write_names(root, &groups[g]));
done:
    tess_hdf_close(cell_data);
    tess_hdf_close(root);
    return status;
}

static tess_status vtkhdf_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                                FILE *stream) {
    tess_status status = TESS_OK;
    tess_vtk_grid grid = {.n_points = 0};
    tess_hdf_file *file = NULL;
    const char *bytes = NULL;
    uint64_t size = 0;
    CHECK(tess_vtk_grid_build(mesh, cells, marked, &grid));
    CHECK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    CHECK(write_groups(file->id, &grid, marked));
    CHECK(tess_hdf_finish(file, &bytes, &size));
    fwrite(bytes, 1, size, stream); /* the caller looks at the stream's errors */
done:
    tess_vtk_grid_release(&grid);
    tess_hdf_free(file);
    return status;
}

const tess_writer tess_writer_vtkhdf = {.name = "vtkhdf",
                                        .summary = "VTK's unstructured grid in HDF5, for ParaView",
                                        .extension = ".vtkhdf",
                                        .maps = "",
                                        .keeps_regions = true,
                                        .forbidden = "\n",
                                        .instead = ' ',
                                        .holds_polytopes = true,
                                        .write = vtkhdf_write};
