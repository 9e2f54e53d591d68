/* Writes VTU: VTK's XML file of an unstructured grid, its arrays as they are in memory behind the
 * XML; polyhedra in the form before VTK 9.4, which later ones read, too. */
#include "core/base/array.h"
#include "data/formats/vtk/vtk_grid.h"
#include "data/formats/vtk/vtk_types.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 8 };

/* An array behind the XML. */
typedef struct vtu_array {
    const char *name, *type;
    int64_t n;
    size_t size; /* bytes of a value */
    const void *values;
} vtu_array;

/* The arrays of a file, each behind its size in bytes. */
typedef struct vtu_arrays {
    int n;
    int64_t n_bytes;
    vtu_array items[MOST_ARRAYS];
    int64_t *stream, *stream_ends; /* faces of polyhedra, and where those of each cell end; owned */
} vtu_arrays;

/* Writes the element of an array, which comes behind those before. */
static void write_array(FILE *stream, vtu_arrays *arrays, const vtu_array *array,
                        const char *attributes) {
    fprintf(stream,
            "<DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" offset=\"%" PRId64 "\"/>\n",
            array->type, array->name, attributes, arrays->n_bytes);
    arrays->n_bytes += 8 + array->n * (int64_t)array->size;
    arrays->items[arrays->n++] = *array;
}

static void write_int64s(FILE *stream, vtu_arrays *arrays, const char *name, int64_t n,
                         const int64_t *values) {
    write_array(stream, arrays, &(vtu_array){name, "Int64", n, sizeof *values, values}, "");
}

/* How many faces each polyhedron has, and of each of them how many nodes, and these. */
static tess_status find_stream(const tess_vtk_grid *grid, int64_t *n, vtu_arrays *arrays) {
    TRY(TESS_ALLOC(grid->n_cells + grid->n_faces + grid->n_face_ids, &arrays->stream));
    TRY(TESS_ALLOC(grid->n_cells, &arrays->stream_ends));
    *n = 0;
    for (int64_t cell = 0; cell < grid->n_cells; cell++) {
        arrays->stream_ends[cell] = -1;
        if (grid->types[cell] != TESS_VTK_POLYHEDRON)
            continue;
        const int64_t first = grid->cell_faces[cell], end = grid->cell_faces[cell + 1];
        arrays->stream[(*n)++] = end - first;
        for (int64_t face = first; face < end; face++) {
            const int64_t at = grid->face_offsets[face], size = grid->face_offsets[face + 1] - at;
            arrays->stream[(*n)++] = size;
            memcpy(arrays->stream + *n, grid->face_ids + at, (size_t)size * sizeof *arrays->stream);
            *n += size;
        }
        arrays->stream_ends[cell] = *n;
    }
    return TESS_OK;
}

static const char *byte_order(void) {
    const uint16_t one = 1;
    return *(const char *)&one ? "LittleEndian" : "BigEndian";
}

static tess_status write_xml(FILE *stream, const tess_vtk_grid *grid, vtu_arrays *arrays) {
    int64_t n_stream = 0;
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n"
            "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64 "\">\n<CellData>\n",
            byte_order(), grid->n_points, grid->n_cells);
    write_array(
        stream, arrays,
        &(vtu_array){"marker", "Int32", grid->n_cells, sizeof *grid->markers, grid->markers}, "");
    if (grid->regions)
        write_array(
            stream, arrays,
            &(vtu_array){"region", "Int32", grid->n_cells, sizeof *grid->regions, grid->regions},
            "");
    fputs("</CellData>\n<Points>\n", stream);
    write_array(
        stream, arrays,
        &(vtu_array){"Points", "Float64", 3 * grid->n_points, sizeof *grid->points, grid->points},
        " NumberOfComponents=\"3\"");
    fputs("</Points>\n<Cells>\n", stream);
    write_int64s(stream, arrays, "connectivity", grid->n_ids, grid->ids);
    write_int64s(stream, arrays, "offsets", grid->n_cells, grid->offsets + 1);
    write_array(stream, arrays,
                &(vtu_array){"types", "UInt8", grid->n_cells, sizeof *grid->types, grid->types},
                "");
    if (grid->n_faces) {
        TRY(find_stream(grid, &n_stream, arrays));
        write_int64s(stream, arrays, "faces", n_stream, arrays->stream);
        write_int64s(stream, arrays, "faceoffsets", grid->n_cells, arrays->stream_ends);
    }
    fputs("</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_", stream);
    return TESS_OK;
}

static tess_status vtu_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                             FILE *stream) {
    tess_status status = TESS_OK;
    tess_vtk_grid grid = {.n_points = 0};
    vtu_arrays arrays = {.n = 0};
    CHECK(tess_vtk_grid_build(mesh, cells, marked, &grid));
    tess_vtk_grid_tag_groups(&grid, marked);
    CHECK(write_xml(stream, &grid, &arrays));
    for (int i = 0; i < arrays.n; i++) {
        const vtu_array *array = &arrays.items[i];
        const int64_t n_bytes = array->n * (int64_t)array->size;
        fwrite(&n_bytes, sizeof n_bytes, 1, stream);
        fwrite(array->values, array->size, (size_t)array->n, stream);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", stream);
done:
    free(arrays.stream);
    free(arrays.stream_ends);
    tess_vtk_grid_release(&grid);
    return status;
}

const tess_writer tess_writer_vtu = {.name = "vtu",
                                     .summary = "VTK's XML unstructured grid; markers by number",
                                     .extension = ".vtu",
                                     .maps = "",
                                     .loses_names = true,
                                     .keeps_regions = true,
                                     .holds_polytopes = true,
                                     .write = vtu_write};
