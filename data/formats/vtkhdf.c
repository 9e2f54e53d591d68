/* VTKHDF: VTK's unstructured grids in HDF5, `.vtkhdf`, of one piece or several.
 *
 * Nodes that pieces share are joined, as those of VTU files. Only what makes the mesh is read: the
 * arrays NumberOfPoints, NumberOfCells, NumberOfConnectivityIds, Points, Connectivity, Offsets and
 * Types, ghosts and the cell data `marker`. Files that are written have marker_names, too, which
 * VTK does not know: the names of the markers 1, 2 ..., each with a newline behind it. Format:
 * VTK's file formats, "VTKHDF File Format". */
#include "core/base/array.h"
#include "core/base/hdf_file.h"
#include "data/formats/hdf_content.h"
#include "data/formats/joined_nodes.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/vtk_cells.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of whole numbers, all pieces one behind the other. */
typedef enum vtkhdf_role {
    N_POINTS,
    N_CELLS,
    N_CONNECTIVITY,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    GHOSTS,
    MARKERS,
    N_ROLES
} vtkhdf_role;

static const char *const names[N_ROLES] = {
    "/VTKHDF/NumberOfPoints",        "/VTKHDF/NumberOfCells",  "/VTKHDF/NumberOfConnectivityIds",
    "/VTKHDF/Connectivity",          "/VTKHDF/Offsets",        "/VTKHDF/Types",
    "/VTKHDF/CellData/vtkGhostType", "/VTKHDF/CellData/marker"};

typedef struct vtkhdf_file {
    const tess_file_text *text;
    hid_t id;
    int64_t *values[N_ROLES]; /* [n[role]]; NULL where the file lacks it */
    int64_t n[N_ROLES];
    tess_pieces nodes;
    tess_grouped grouped;
    int64_t n_names;    /* letters of marker_names */
    char *marker_names; /* owned; NULL where the file lacks them */
} vtkhdf_file;

static const char names_path[] = "/VTKHDF/marker_names";

static tess_status refuse(const vtkhdf_file *file, const char *dataset, const char *words) {
    FAIL(TESS_ERROR_INPUT, "%s: dataset %s: %s", file->text->path, dataset, words);
}

/* True when all groups on the way to a dataset, and it, are in this file. */
static bool is_inside(const vtkhdf_file *file, const char *path) {
    char part[64];
    for (size_t length = 1; length <= strlen(path); length++) {
        H5L_info_t link;
        if (path[length] != '/' && path[length] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        if (H5Lget_info(file->id, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return false;
    }
    return true;
}

/* Opens a dataset of numbers of that class and gives how many there are, -1 where it is not of such
 * or announces more than the file can hold. */
static hid_t open_numbers(const vtkhdf_file *file, const char *path, H5T_class_t class,
                          int64_t *n) {
    enum { MOST_GROWTH = 1032 }; /* of what zlib has compressed */
    *n = -1;
    const hid_t set = is_inside(file, path) ? H5Dopen2(file->id, path, H5P_DEFAULT) : -1;
    if (set < 0)
        return -1;
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set), made = H5Dget_create_plist(set);
    if (H5Tget_class(type) == class && H5Pget_external_count(made) == 0)
        *n = H5Sget_simple_extent_npoints(space);
    if (*n / MOST_GROWTH > file->text->size)
        *n = -1;
    H5Pclose(made);
    H5Tclose(type);
    H5Sclose(space);
    return set;
}

static tess_status read_integers(vtkhdf_file *file, vtkhdf_role role) {
    tess_status status = TESS_OK;
    const hid_t set = open_numbers(file, names[role], H5T_INTEGER, &file->n[role]);
    if (file->n[role] < 0 && role < GHOSTS)
        CHECK(refuse(file, names[role],
                     set < 0 ? "there is none in this file"
                             : "it is not of as many whole numbers as the file can hold"));
    if (file->n[role] >= 0)
        CHECK(TESS_ALLOC(file->n[role], &file->values[role]));
    if (file->n[role] > 0 &&
        H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, file->values[role]) < 0)
        CHECK(refuse(file, names[role], "HDF5 cannot read it: damaged"));
done:
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* Reads the names of the markers, where they are there and as they should be. */
static tess_status read_marker_names(vtkhdf_file *file) {
    int64_t n = 0;
    const hid_t set = open_numbers(file, names_path, H5T_INTEGER, &n);
    tess_status status = n > 0 ? TESS_ALLOC(n, &file->marker_names) : TESS_OK;
    if (status == TESS_OK && n > 0 &&
        H5Dread(set, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, file->marker_names) < 0)
        status = refuse(file, names_path, "HDF5 cannot read it: damaged");
    file->n_names = n > 0 ? n : 0;
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* The name of a marker: line `group` of marker_names, else by its number. */
static void name_marker(const void *context, int32_t group, char *text, size_t size) {
    const vtkhdf_file *file = context;
    const char *at = file->marker_names ? file->marker_names : "";
    const char *end = at + file->n_names;
    for (int32_t line = 1; line < group && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = group > 0 && at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (newline && newline > at)
        snprintf(text, size, "%.*s", (int)(newline - at), at);
    else
        snprintf(text, size, "marker %d", group);
}

static tess_status read_points(vtkhdf_file *file, int64_t n_points) {
    static const char name[] = "/VTKHDF/Points";
    tess_status status = TESS_OK;
    int64_t n = 0;
    const hid_t set = open_numbers(file, name, H5T_FLOAT, &n);
    if (n != 3 * n_points)
        CHECK(refuse(file, name, "it does not have three reals for each point"));
    CHECK(TESS_ALLOC(n, &file->grouped.coordinates));
    if (n > 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         file->grouped.coordinates) < 0)
        CHECK(refuse(file, name, "HDF5 cannot read it: damaged"));
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(file->grouped.coordinates[i]))
            CHECK(refuse(file, name, "a coordinate is not finite"));
done:
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* The sum of the sizes of pieces; each is in 0 ... 2^31 - 1. */
static tess_status sum_sizes(const vtkhdf_file *file, vtkhdf_role role, int64_t *sum) {
    *sum = 0;
    for (int64_t i = 0; i < file->n[role]; i++) {
        if (file->values[role][i] < 0 || file->values[role][i] > INT32_MAX - *sum)
            return refuse(file, names[role], "the sizes are not in 0..2147483647");
        *sum += file->values[role][i];
    }
    return TESS_OK;
}

/* Checks that all arrays are as long as the pieces' sizes say. */
static tess_status check_sizes(const vtkhdf_file *file) {
    int64_t sums[N_ROLES] = {0};
    const int64_t n_pieces = file->n[N_POINTS];
    for (int role = N_POINTS; role <= N_CONNECTIVITY; role++) {
        if (file->n[role] != n_pieces || n_pieces == 0)
            return refuse(file, names[role], "it does not have one number for each piece");
        TRY(sum_sizes(file, role, &sums[role]));
    }
    const int64_t expected[N_ROLES] = {[CONNECTIVITY] = sums[N_CONNECTIVITY],
                                       [OFFSETS] = sums[N_CELLS] + n_pieces,
                                       [TYPES] = sums[N_CELLS],
                                       [GHOSTS] = sums[N_CELLS],
                                       [MARKERS] = sums[N_CELLS]};
    for (int role = CONNECTIVITY; role < N_ROLES; role++)
        if (file->values[role] && file->n[role] != expected[role])
            return refuse(file, names[role], "it is not as long as the sizes of the pieces say");
    return TESS_OK;
}

static tess_status append_pieces(vtkhdf_file *file) {
    const tess_scan start = {.path = file->text->path, .binary = true};
    int64_t first_cell = 0, first_id = 0;
    for (int64_t piece = 0; piece < file->nodes.n_pieces; piece++) {
        const int64_t *ends = file->values[OFFSETS] + first_cell + piece + 1;
        const int64_t *ghosts = file->values[GHOSTS], *markers = file->values[MARKERS];
        const tess_vtk_cells cells = {.n = file->values[N_CELLS][piece],
                                      .n_points = file->values[N_POINTS][piece],
                                      .n_connectivity = file->values[N_CONNECTIVITY][piece],
                                      .types = file->values[TYPES] + first_cell,
                                      .ends = ends,
                                      .connectivity = file->values[CONNECTIVITY] + first_id,
                                      .groups = markers ? markers + first_cell : NULL,
                                      .ghosts = ghosts ? ghosts + first_cell : NULL,
                                      .first_node = file->nodes.first_node[piece]};
        TRY(tess_vtk_cells_append(&start, &cells, &file->grouped.elements));
        first_cell += cells.n;
        first_id += cells.n_connectivity;
    }
    return TESS_OK;
}

static tess_status read_arrays(vtkhdf_file *file) {
    for (int role = 0; role < N_ROLES; role++)
        TRY(read_integers(file, role));
    TRY(read_marker_names(file));
    TRY(check_sizes(file));
    file->nodes.n_pieces = file->n[N_POINTS];
    TRY(TESS_ZEROS(file->nodes.n_pieces + 1, &file->nodes.first_node));
    for (int64_t i = 0; i < file->nodes.n_pieces; i++)
        file->nodes.first_node[i + 1] = file->nodes.first_node[i] + file->values[N_POINTS][i];
    TRY(read_points(file, file->nodes.first_node[file->nodes.n_pieces]));
    TRY(append_pieces(file));
    if (tess_elements_dimension(&file->grouped.elements) < 2)
        return refuse(file, names[TYPES], "the file has no cells");
    return TESS_OK;
}

static tess_status vtkhdf_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    vtkhdf_file file = {
        .text = text, .id = -1, .grouped = {.name = name_marker, .context = &file, .dimension = 3}};
    CHECK(tess_hdf_content_open(text, &file.id));
    CHECK(read_arrays(&file));
    CHECK(tess_joined_nodes(&file.nodes, &file.grouped));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    if (file.id >= 0)
        H5Fclose(file.id);
    for (int role = 0; role < N_ROLES; role++)
        free(file.values[role]);
    free(file.nodes.first_node);
    free(file.marker_names);
    tess_grouped_clear(&file.grouped);
    return status;
}

/* True for HDF5 that holds the name of VTK's group. */
static bool vtkhdf_recognise(const tess_file_text *text) {
    return tess_hdf_is_content(text) && memmem(text->content, (size_t)text->size, "VTKHDF", 6);
}

const tess_reader tess_reader_vtkhdf = {.name = "vtkhdf",
                                        .summary = "VTK's unstructured grids in HDF5",
                                        .extensions = ".vtkhdf .hdf",
                                        .recognise = vtkhdf_recognise,
                                        .read = vtkhdf_read};

/* --- the writer ------------------------------------------------------------------------------- */

/* The arrays of a file: its cells, then its boundary elements. */
typedef struct vtkhdf_arrays {
    int64_t n, n_ids;
    uint8_t *types;         /* [n]; all owned */
    int64_t *offsets, *ids; /* [n + 1], [n_ids] */
    int32_t *markers;       /* [n]: 0 for cells, 1 for the first marker */
    double *points;         /* [n_nodes][3] */
} vtkhdf_arrays;

static void append_element(vtkhdf_arrays *arrays, int vtk, int marker, const int32_t *nodes,
                           int n) {
    arrays->types[arrays->n] = (uint8_t)vtk;
    arrays->markers[arrays->n] = marker;
    for (int i = 0; i < n; i++)
        arrays->ids[arrays->n_ids++] = nodes[i];
    arrays->offsets[++arrays->n] = arrays->n_ids;
}

static tess_status fill_arrays(const tess_mesh *mesh, const tess_cells *cells,
                               const tess_marked *marked, vtkhdf_arrays *arrays) {
    enum { LINE = 3, TRIANGLE = 5, QUAD = 9 };
    const int64_t n = cells->n_cells + marked->n;
    int64_t n_ids = 4 * marked->n;
    for (int b = 0; b < cells->n_blocks; b++)
        n_ids += cells->blocks[b].n * cells->blocks[b].type->n_nodes;
    TRY(TESS_ALLOC(n, &arrays->types));
    TRY(TESS_ZEROS(n + 1, &arrays->offsets));
    TRY(TESS_ALLOC(n_ids, &arrays->ids));
    TRY(TESS_ALLOC(n, &arrays->markers));
    TRY(TESS_ZEROS(3 * cells->n_nodes, &arrays->points));
    for (int64_t i = 0; i < cells->n_nodes; i++)
        memcpy(arrays->points + 3 * i, mesh->coordinates + i * mesh->dimension,
               (size_t)mesh->dimension * sizeof *arrays->points);
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        append_element(arrays, type->vtk, 0, nodes, type->n_nodes);
    }
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        const int size = tess_marked_size(nodes);
        append_element(arrays,
                       size == 2   ? LINE
                       : size == 3 ? TRIANGLE
                                   : QUAD,
                       marked->marker[i] + 1, nodes, size);
    }
    return TESS_OK;
}

static tess_status write_names(hid_t root, const tess_marked *marked) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = marked->n_markers ? open_memstream(&text, &size) : NULL;
    if (!stream)
        return TESS_OK;
    for (int m = 0; m < marked->n_markers; m++)
        fprintf(stream, "%s\n", marked->names[m]);
    fclose(stream);
    const tess_status status =
        tess_hdf_write(root, "marker_names", H5T_NATIVE_UINT8, (int64_t)size, 0, text);
    free(text);
    return status;
}

static tess_status write_groups(hid_t file, const vtkhdf_arrays *arrays, int64_t n_nodes,
                                const tess_marked *marked) {
    tess_status status = TESS_OK;
    hid_t root = -1, cell_data = -1;
    CHECK(tess_hdf_group(file, "VTKHDF", &root));
    CHECK(tess_hdf_attribute_ints(root, "Version", 2, (const int64_t[]){1, 0}));
    CHECK(tess_hdf_attribute_text(root, "Type", "UnstructuredGrid"));
    CHECK(tess_hdf_write(root, "NumberOfPoints", H5T_NATIVE_INT64, 1, 0, &n_nodes));
    CHECK(tess_hdf_write(root, "NumberOfCells", H5T_NATIVE_INT64, 1, 0, &arrays->n));
    CHECK(tess_hdf_write(root, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, 0, &arrays->n_ids));
    CHECK(tess_hdf_write(root, "Points", H5T_NATIVE_DOUBLE, n_nodes, 3, arrays->points));
    CHECK(tess_hdf_write(root, "Types", H5T_NATIVE_UINT8, arrays->n, 0, arrays->types));
    CHECK(tess_hdf_write(root, "Offsets", H5T_NATIVE_INT64, arrays->n + 1, 0, arrays->offsets));
    CHECK(tess_hdf_write(root, "Connectivity", H5T_NATIVE_INT64, arrays->n_ids, 0, arrays->ids));
    CHECK(tess_hdf_group(root, "CellData", &cell_data));
    CHECK(tess_hdf_write(cell_data, "marker", H5T_NATIVE_INT32, arrays->n, 0, arrays->markers));
    CHECK(write_names(root, marked));
done:
    tess_hdf_close(cell_data);
    tess_hdf_close(root);
    return status;
}

static tess_status vtkhdf_write(const tess_mesh *mesh, const tess_cells *cells,
                                const tess_marked *marked, FILE *stream) {
    tess_status status = TESS_OK;
    vtkhdf_arrays arrays = {.n = 0};
    tess_hdf_file *file = NULL;
    const char *bytes = NULL;
    uint64_t size = 0;
    CHECK(fill_arrays(mesh, cells, marked, &arrays));
    CHECK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    CHECK(write_groups(file->id, &arrays, cells->n_nodes, marked));
    CHECK(tess_hdf_finish(file, &bytes, &size));
    fwrite(bytes, 1, size, stream); /* the caller looks at the stream's errors */
done:
    free(arrays.types);
    free(arrays.offsets);
    free(arrays.ids);
    free(arrays.markers);
    free(arrays.points);
    tess_hdf_free(file);
    return status;
}

const tess_writer tess_writer_vtkhdf = {.name = "vtkhdf",
                                        .summary = "VTK's unstructured grid in HDF5, for ParaView",
                                        .extension = ".vtkhdf",
                                        .maps = "",
                                        .write = vtkhdf_write};
