/* Writes legacy VTK: VTK's older file of an unstructured grid, version 3.0, which all programs that
 * know `.vtk` read, with its numbers in binary, most significant byte first. */
#include "data/formats/vtk/vtk_grid.h"
#include "data/formats/vtk/vtk_types.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <string.h>

/* Write a number, most significant byte first. */
static void write_int(FILE *stream, int64_t value) {
    tess_write_int32(stream, (int32_t)__builtin_bswap32((uint32_t)value));
}

static void write_double(FILE *stream, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    tess_write_int64(stream, (int64_t)__builtin_bswap64(bits));
}

/* How many numbers the row of a polyhedron has behind their count: its faces, each behind how many
 * nodes it has. */
static int64_t size_of_faces(const tess_vtk_grid *grid, int64_t cell) {
    const int64_t first = grid->cell_faces[cell], end = grid->cell_faces[cell + 1];
    return 1 + (end - first) + grid->face_offsets[end] - grid->face_offsets[first];
}

static int64_t size_of_row(const tess_vtk_grid *grid, int64_t cell) {
    return grid->types[cell] == TESS_VTK_POLYHEDRON ? size_of_faces(grid, cell)
                                                    : grid->offsets[cell + 1] - grid->offsets[cell];
}

static void write_faces(FILE *stream, const tess_vtk_grid *grid, int64_t cell) {
    const int64_t first = grid->cell_faces[cell], end = grid->cell_faces[cell + 1];
    write_int(stream, end - first);
    for (int64_t face = first; face < end; face++) {
        write_int(stream, grid->face_offsets[face + 1] - grid->face_offsets[face]);
        for (int64_t i = grid->face_offsets[face]; i < grid->face_offsets[face + 1]; i++)
            write_int(stream, grid->face_ids[i]);
    }
}

static void write_cells(FILE *stream, const tess_vtk_grid *grid) {
    int64_t n = grid->n_cells;
    for (int64_t cell = 0; cell < grid->n_cells; cell++)
        n += size_of_row(grid, cell);
    fprintf(stream, "CELLS %" PRId64 " %" PRId64 "\n", grid->n_cells, n);
    for (int64_t cell = 0; cell < grid->n_cells; cell++) {
        write_int(stream, size_of_row(grid, cell));
        if (grid->types[cell] == TESS_VTK_POLYHEDRON)
            write_faces(stream, grid, cell);
        else
            for (int64_t i = grid->offsets[cell]; i < grid->offsets[cell + 1]; i++)
                write_int(stream, grid->ids[i]);
    }
    fprintf(stream, "\nCELL_TYPES %" PRId64 "\n", grid->n_cells);
    for (int64_t cell = 0; cell < grid->n_cells; cell++)
        write_int(stream, grid->types[cell]);
}

static void write_groups(FILE *stream, const char *name, int64_t n, const int32_t *groups) {
    fprintf(stream, "%s 1 %" PRId64 " int\n", name, n);
    for (int64_t i = 0; i < n; i++)
        write_int(stream, groups[i]);
    fputc('\n', stream);
}

static tess_status vtk_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                             FILE *stream) {
    tess_vtk_grid grid = {.n_points = 0};
    TRY(tess_vtk_grid_build(mesh, cells, marked, &grid));
    tess_vtk_grid_tag_groups(&grid, marked);
    fprintf(stream,
            "# vtk DataFile Version 3.0\n"
            "written by tess\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS %" PRId64 " double\n",
            grid.n_points);
    for (int64_t i = 0; i < 3 * grid.n_points; i++)
        write_double(stream, grid.points[i]);
    fputc('\n', stream);
    write_cells(stream, &grid);
    fprintf(stream, "\nCELL_DATA %" PRId64 "\nFIELD FieldData %d\n", grid.n_cells,
            grid.regions ? 2 : 1);
    write_groups(stream, "marker", grid.n_cells, grid.markers);
    if (grid.regions)
        write_groups(stream, "region", grid.n_cells, grid.regions);
    tess_vtk_grid_release(&grid);
    return TESS_OK;
}

const tess_writer tess_writer_vtk = {.name = "vtk",
                                     .summary = "legacy VTK, binary; markers by number",
                                     .extension = ".vtk",
                                     .maps = "",
                                     .loses_names = true,
                                     .keeps_regions = true,
                                     .holds_polytopes = true,
                                     .write = vtk_write};
