/* VTKHDF: VTK's unstructured grids in HDF5, `.vtkhdf`, of one piece or several.
 *
 * Nodes that pieces share are joined, as those of VTU files. Only what makes the mesh is read: the
 * arrays NumberOfPoints, NumberOfCells, NumberOfConnectivityIds, Points, Connectivity, Offsets and
 * Types, those of polyhedra, ghosts and the cell data `marker` and `region`. Files that are written
 * have marker_names and region_names, too, which VTK does not know: the names of the markers and
 * regions 1, 2 ..., each with a newline behind it, and their numbers in other files as marker_tags
 * and region_tags. Format: VTK's file formats, "VTKHDF File Format". */
#include "core/base/array.h"
#include "core/base/progress.h"
#include "data/formats/hdf_content.h"
#include "data/formats/joined_nodes.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/vtk/vtk_cells.h"

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
    REGIONS,
    N_FACES, /* these and the following: of polyhedra, of VTKHDF 2.5 */
    N_FACE_NODES,
    N_CELL_FACES,
    FACE_NODES,
    FACE_STARTS,
    CELL_FACES,
    CELL_FACES_STARTS,
    N_ROLES
} vtkhdf_role;

static const char *const names[N_ROLES] = {"/VTKHDF/NumberOfPoints",
                                           "/VTKHDF/NumberOfCells",
                                           "/VTKHDF/NumberOfConnectivityIds",
                                           "/VTKHDF/Connectivity",
                                           "/VTKHDF/Offsets",
                                           "/VTKHDF/Types",
                                           "/VTKHDF/CellData/vtkGhostType",
                                           "/VTKHDF/CellData/marker",
                                           "/VTKHDF/CellData/region",
                                           "/VTKHDF/NumberOfFaces",
                                           "/VTKHDF/NumberOfFaceConnectivityIds",
                                           "/VTKHDF/NumberOfPolyhedronToFaceIds",
                                           "/VTKHDF/FaceConnectivity",
                                           "/VTKHDF/FaceOffsets",
                                           "/VTKHDF/PolyhedronToFaces",
                                           "/VTKHDF/PolyhedronOffsets"};

/* The names of groups, a line each, and their tags. */
typedef struct vtkhdf_names {
    int64_t n, n_tags;
    char *letters; /* [n], NULL where the file lacks them; owned */
    int32_t *tags; /* [n_tags]; owned */
} vtkhdf_names;

typedef struct vtkhdf_file {
    const tess_file_text *text;
    hid_t id;
    hid_t sets[N_ROLES];      /* negative where the file lacks it */
    int64_t n[N_ROLES];       /* in the file */
    int64_t *values[N_ROLES]; /* of each piece; else of the cells that are being read; owned */
    int64_t capacity[N_ROLES];
    tess_vtk_faces faces; /* of the piece */
    int64_t first_of_faces[TESS_VTK_FACES_ARRAYS];
    tess_pieces nodes;
    tess_grouped grouped;
    vtkhdf_names names[2]; /* of regions, of markers, by tess_group_of */
} vtkhdf_file;

static tess_status refuse(const vtkhdf_file *file, const char *dataset, const char *words) {
    FAIL(TESS_ERROR_INPUT, "%s: dataset %s: %s", file->text->path, dataset, words);
}

/* Whether all groups on the way to a dataset, and it, are in this file. */
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

/* Opens a dataset such that a chunk of it stays in memory while it is read part by part. */
static hid_t open_set(hid_t file, const char *path) {
    enum { USUAL = 1 << 20 /* bytes that HDF5 keeps */, SLOTS = 521 };
    hsize_t length[H5S_MAX_RANK], bytes = 1;
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return set;
    const hid_t made = H5Dget_create_plist(set), type = H5Dget_type(set);
    const int rank =
        H5Pget_layout(made) == H5D_CHUNKED ? H5Pget_chunk(made, H5S_MAX_RANK, length) : 0;
    bytes *= H5Tget_size(type);
    for (int i = 0; i < rank; i++)
        bytes *= length[i]; /* looked through: no more than the file can hold */
    H5Tclose(type);
    H5Pclose(made);
    if (bytes <= USUAL)
        return set;
    H5Dclose(set);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, SLOTS, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    const hid_t again = H5Dopen2(file, path, access);
    H5Pclose(access);
    return again;
}

/* Opens a dataset of numbers of that class and gives how many there are, -1 where it is not of such
 * or announces more than the file can hold. */
static hid_t open_numbers(const vtkhdf_file *file, const char *path, H5T_class_t class,
                          int64_t *n) {
    enum { MOST_GROWTH = 1032 }; /* of what zlib has compressed */
    *n = -1;
    const hid_t set = is_inside(file, path) ? open_set(file->id, path) : -1;
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

/* Opens an array of whole numbers. */
static tess_status open_integers(vtkhdf_file *file, vtkhdf_role role) {
    file->sets[role] = open_numbers(file, names[role], H5T_INTEGER, &file->n[role]);
    if (file->n[role] < 0 && role < GHOSTS)
        return refuse(file, names[role],
                      file->sets[role] < 0
                          ? "there is none in this file"
                          : "it is not of as many whole numbers as the file can hold");
    return TESS_OK;
}

static bool has(const vtkhdf_file *file, vtkhdf_role role) {
    return file->n[role] >= 0;
}

/* Reads numbers first ... first + n - 1 of an array, which has them, into to[n]. */
static tess_status read_into(const vtkhdf_file *file, vtkhdf_role role, int64_t first, int64_t n,
                             int64_t *to) {
    if (n == 0)
        return TESS_OK;
    const hid_t all = H5Dget_space(file->sets[role]);
    const hid_t some = H5Screate_simple(1, &(hsize_t){(hsize_t)n}, NULL);
    const bool read = H5Sselect_hyperslab(all, H5S_SELECT_SET, &(hsize_t){(hsize_t)first}, NULL,
                                          &(hsize_t){(hsize_t)n}, NULL) >= 0 &&
                      H5Dread(file->sets[role], H5T_NATIVE_INT64, some, all, H5P_DEFAULT, to) >= 0;
    H5Sclose(some);
    H5Sclose(all);
    return read ? TESS_OK : refuse(file, names[role], "HDF5 cannot read it: damaged");
}

/* Reads into the file's own values. */
static tess_status read_integers(vtkhdf_file *file, vtkhdf_role role, int64_t first, int64_t n) {
    TRY(TESS_RESERVE(n, &file->capacity[role], &file->values[role]));
    return read_into(file, role, first, n, file->values[role]);
}

/* Reads an array of whole numbers as they are in memory, where it is there and of such; *n: 0 where
 * it is not. */
static tess_status read_optional(const vtkhdf_file *file, const char *path, hid_t type, size_t size,
                                 int64_t *n, void **out) {
    tess_status status = TESS_OK;
    const hid_t set = open_numbers(file, path, H5T_INTEGER, n);
    *n = *n > 0 ? *n : 0;
    if (*n)
        status = tess_array_alloc(*n, size, out);
    if (status == TESS_OK && *n && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
        status = refuse(file, path, "HDF5 cannot read it: damaged");
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* Reads the names of regions and markers, and their tags, where they are there. */
static tess_status read_names(vtkhdf_file *file) {
    static const char *const paths[2][2] = {{"/VTKHDF/region_names", "/VTKHDF/region_tags"},
                                            {"/VTKHDF/marker_names", "/VTKHDF/marker_tags"}};
    for (int of = 0; of < 2; of++) {
        vtkhdf_names *to = &file->names[of];
        TRY(read_optional(file, paths[of][0], H5T_NATIVE_UCHAR, 1, &to->n, (void **)&to->letters));
        TRY(read_optional(file, paths[of][1], H5T_NATIVE_INT32, sizeof *to->tags, &to->n_tags,
                          (void **)&to->tags));
    }
    return TESS_OK;
}

/* The name of a marker or region: line `group` of its names, else by its number. */
static int32_t name_group(const void *context, tess_group_of of, int32_t group, char *text,
                          size_t size) {
    const vtkhdf_file *file = context;
    const vtkhdf_names *known = &file->names[of == TESS_GROUP_OF_CELLS ? 0 : 1];
    const char *at = known->letters ? known->letters : "", *end = at + known->n;
    text[0] = '\0';
    for (int32_t line = 1; line < group && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = group > 0 && at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (newline && newline > at)
        snprintf(text, size, "%.*s", (int)(newline - at), at);
    else if (of == TESS_GROUP_OF_SIDES || group)
        snprintf(text, size, "%s %d", of == TESS_GROUP_OF_CELLS ? "region" : "marker", group);
    if (known->n_tags && group > 0)
        return group <= known->n_tags ? known->tags[group - 1] : 0;
    return group;
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

static bool is_size(int role) {
    return role <= N_CONNECTIVITY || (role >= N_FACES && role <= N_CELL_FACES);
}

/* Checks that all arrays are as long as the pieces' sizes say. */
static tess_status check_sizes(const vtkhdf_file *file) {
    int64_t sums[N_ROLES] = {0};
    const int64_t n_pieces = file->n[N_POINTS];
    for (int role = N_POINTS; role < N_ROLES; role++) {
        if (!is_size(role) || !has(file, role))
            continue;
        if (file->n[role] != n_pieces || n_pieces == 0)
            return refuse(file, names[role], "it does not have one number for each piece");
        TRY(sum_sizes(file, role, &sums[role]));
    }
    const int64_t expected[N_ROLES] = {[CONNECTIVITY] = sums[N_CONNECTIVITY],
                                       [OFFSETS] = sums[N_CELLS] + n_pieces,
                                       [TYPES] = sums[N_CELLS],
                                       [GHOSTS] = sums[N_CELLS],
                                       [MARKERS] = sums[N_CELLS],
                                       [REGIONS] = sums[N_CELLS],
                                       [FACE_NODES] = sums[N_FACE_NODES],
                                       [FACE_STARTS] = sums[N_FACES] + n_pieces,
                                       [CELL_FACES] = sums[N_CELL_FACES],
                                       [CELL_FACES_STARTS] = sums[N_CELLS] + n_pieces};
    for (int role = CONNECTIVITY; role < N_ROLES; role++)
        if (!is_size(role) && has(file, role) && file->n[role] != expected[role])
            return refuse(file, names[role], "it is not as long as the sizes of the pieces say");
    return TESS_OK;
}

/* Where a piece begins in the arrays, and how much of each it has. */
typedef struct vtkhdf_piece {
    int64_t number, first_cell, n_cells, first_id, n_ids;
    int64_t first_face, first_face_node, first_cell_face;
} vtkhdf_piece;

/* The arrays of faces, and where each begins for the piece at hand. */
static const vtkhdf_role faces_roles[TESS_VTK_FACES_ARRAYS] = {CELL_FACES_STARTS, CELL_FACES,
                                                               FACE_STARTS, FACE_NODES};

static tess_status read_faces(void *context, tess_vtk_faces_array array, int64_t first, int64_t n,
                              int64_t *to, int64_t *n_read) {
    const vtkhdf_file *file = context;
    *n_read = n;
    return read_into(file, faces_roles[array], file->first_of_faces[array] + first, n, to);
}

/* Begins with the faces of a piece's polyhedra, where the file has such, and moves behind them. */
static void open_faces(vtkhdf_file *file, vtkhdf_piece *piece) {
    static const char *const faces_names[] = {"PolyhedronOffsets", "PolyhedronToFaces",
                                              "FaceOffsets", "FaceConnectivity"};
    const int64_t number = piece->number;
    tess_vtk_faces *faces = &file->faces;
    tess_vtk_faces_clear(faces);
    if (!has(file, CELL_FACES))
        return;
    faces->names = faces_names;
    faces->context = file;
    faces->read = read_faces;
    /* each piece has one start more than cells and faces, the 0 before the first */
    const int64_t n[] = {piece->n_cells, file->values[N_CELL_FACES][number],
                         file->values[N_FACES][number], file->values[N_FACE_NODES][number]};
    const int64_t first[] = {piece->first_cell + number + 1, piece->first_cell_face,
                             piece->first_face + number + 1, piece->first_face_node};
    memcpy(faces->n, n, sizeof n);
    memcpy(file->first_of_faces, first, sizeof first);
    piece->first_cell_face += n[TESS_VTK_CELL_FACES];
    piece->first_face += n[TESS_VTK_FACE_ENDS];
    piece->first_face_node += n[TESS_VTK_FACE_NODES];
}

/* Reads cells from `from` of the piece on, whose nodes begin at *id of it, and moves *id behind
 * them. */
static tess_status append_cells(vtkhdf_file *file, const vtkhdf_piece *piece, int64_t from,
                                int64_t n, int64_t *id) {
    const tess_scan start = {.path = file->text->path, .binary = true};
    for (int role = TYPES; role <= REGIONS; role++)
        if (has(file, role))
            TRY(read_integers(file, role, piece->first_cell + from, n));
    /* each piece has one offset more than cells, the 0 before the first */
    TRY(read_integers(file, OFFSETS, piece->first_cell + piece->number + from + 1, n));
    const int64_t last = file->values[OFFSETS][n - 1];
    const int64_t end = last < *id ? *id : last > piece->n_ids ? piece->n_ids : last;
    TRY(read_integers(file, CONNECTIVITY, piece->first_id + *id, end - *id));
    const tess_vtk_cells cells = {
        .n = n,
        .first = from,
        .first_id = *id,
        .points = {file->values[N_POINTS][piece->number], file->nodes.first_node[piece->number]},
        .n_connectivity = end - *id,
        .types = file->values[TYPES],
        .ends = file->values[OFFSETS],
        .connectivity = file->values[CONNECTIVITY],
        .groups = file->values[MARKERS],
        .regions = file->values[REGIONS],
        .ghosts = file->values[GHOSTS],
        .faces = has(file, CELL_FACES) ? &file->faces : NULL};
    *id = end;
    return tess_vtk_cells_append(&start, &cells, &file->grouped.elements);
}

/* Reads the cells of all pieces, few at a time: the arrays take four times what the mesh does. */
static tess_status append_pieces(vtkhdf_file *file) {
    enum { AT_ONCE = 1 << 15 };
    vtkhdf_piece piece = {.number = 0};
    for (; piece.number < file->nodes.n_pieces; piece.number++) {
        piece.n_cells = file->values[N_CELLS][piece.number];
        piece.n_ids = file->values[N_CONNECTIVITY][piece.number];
        open_faces(file, &piece);
        int64_t id = 0;
        for (int64_t from = 0; from < piece.n_cells; from += AT_ONCE) {
            const int64_t left = piece.n_cells - from;
            TRY(append_cells(file, &piece, from, left < AT_ONCE ? left : AT_ONCE, &id));
            tess_progress_set(piece.first_cell + from + AT_ONCE, file->n[TYPES], NULL);
        }
        piece.first_cell += piece.n_cells;
        piece.first_id += piece.n_ids;
    }
    return TESS_OK;
}

/* Refuses the pieces of several time steps, which lie one behind the other: the first step has not
 * all of them, or a later one begins behind some. */
static tess_status check_steps(const vtkhdf_file *file) {
    static const char *const paths[] = {"/VTKHDF/Steps/NumberOfParts", "/VTKHDF/Steps/PartOffsets",
                                        "/VTKHDF/Steps/PointOffsets", "/VTKHDF/Steps/CellOffsets"};
    for (int p = 0; p < 4; p++) {
        int64_t n = 0, *values = NULL;
        bool changes = false;
        TRY(read_optional(file, paths[p], H5T_NATIVE_INT64, sizeof *values, &n, (void **)&values));
        for (int64_t step = 0; step < n; step++) {
            const int64_t stays = p == 0 ? file->n[N_POINTS] : 0;
            changes = changes || values[step] != stays;
        }
        free(values);
        if (changes)
            return refuse(file, paths[p],
                          "the mesh changes with time, and each step has pieces of its own: save "
                          "one step");
    }
    return TESS_OK;
}

/* Refuses what else VTKHDF can hold, by its name. */
static tess_status check_type(const vtkhdf_file *file) {
    char type[32] = "";
    const hid_t attribute = H5Aopen_by_name(file->id, "/VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return TESS_OK;
    const hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool is_text = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
                         H5Tget_size(stored) < sizeof type &&
                         H5Sget_simple_extent_npoints(space) == 1;
    const bool was_read = is_text && H5Aread(attribute, stored, type) >= 0;
    H5Sclose(space);
    H5Tclose(stored);
    H5Aclose(attribute);
    if (was_read && strcmp(type, "UnstructuredGrid") != 0 && !is_inside(file, names[CONNECTIVITY]))
        FAIL(TESS_ERROR_INPUT,
             "%s: dataset /VTKHDF: it holds the type %s; UnstructuredGrid is read",
             file->text->path, type);
    return TESS_OK;
}

static tess_status read_arrays(vtkhdf_file *file) {
    TRY(check_type(file));
    for (int role = 0; role < N_ROLES; role++)
        TRY(open_integers(file, role));
    bool all = true;
    for (int role = N_FACES; role < N_ROLES; role++)
        all = all && has(file, role);
    for (int role = N_FACES; role < N_ROLES && !all; role++)
        file->n[role] = -1; /* who has polyhedra misses what is not there */
    for (int role = 0; role < N_ROLES; role++)
        if (is_size(role) && has(file, role))
            TRY(read_integers(file, role, 0, file->n[role]));
    TRY(check_steps(file));
    TRY(read_names(file));
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

static void release_arrays(vtkhdf_file *file) {
    for (int role = 0; role < N_ROLES; role++) {
        if (file->sets[role] >= 0)
            H5Dclose(file->sets[role]);
        file->sets[role] = -1;
        free(file->values[role]);
        file->values[role] = NULL;
    }
    tess_vtk_faces_clear(&file->faces);
}

static tess_status vtkhdf_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    vtkhdf_file file = {
        .text = text, .id = -1, .grouped = {.name = name_group, .context = &file, .dimension = 3}};
    for (int role = 0; role < N_ROLES; role++)
        file.sets[role] = -1;
    CHECK(tess_hdf_content_open(text, &file.id));
    CHECK(read_arrays(&file));
    release_arrays(&file); /* before the mesh asks for memory */
    CHECK(tess_joined_nodes(&file.nodes, &file.grouped));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    release_arrays(&file);
    if (file.id >= 0)
        H5Fclose(file.id);
    free(file.nodes.first_node);
    for (int of = 0; of < 2; of++) {
        free(file.names[of].letters);
        free(file.names[of].tags);
    }
    tess_grouped_clear(&file.grouped);
    return status;
}

/* True for HDF5 that holds the name of VTK's group. */
static bool vtkhdf_recognise(const tess_file_text *text) {
    return tess_hdf_is_content(text) && tess_file_text_holds(text, "VTKHDF");
}

const tess_reader tess_reader_vtkhdf = {.name = "vtkhdf",
                                        .summary = "VTK's unstructured grids in HDF5",
                                        .extensions = ".vtkhdf .hdf",
                                        .recognise = vtkhdf_recognise,
                                        .read = vtkhdf_read};
