/* The cells of a piece of a VTU file, of which a few are read at a time. */
#include "data/formats/vtk/vtu_cells.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include "data/formats/vtk/vtk_types.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 15 }; /* cells */

/* The cells of a piece and those in hand. */
typedef struct vtu_cells {
    const tess_vtu_piece *piece;
    const tess_vtk_coding *coding;
    tess_vtk_values arrays[VTU_REGIONS + 1];
    int64_t
        *values[VTU_REGIONS + 1]; /* of the cells in hand; NULL where the file lacks it; owned */
    int64_t capacity[VTU_REGIONS + 1];
    int64_t n_connectivity, first_node;
    tess_vtk_faces faces;
    tess_vtk_values faces_arrays[TESS_VTK_FACES_ARRAYS]; /* open where there are polyhedra */
} vtu_cells;

tess_vtu_role tess_vtu_cell_data_role(const char *name) {
    static const struct {
        const char *name;
        tess_vtu_role role;
    } roles[] = {{"vtkGhostType", VTU_GHOSTS},  {"vtkGhostLevels", VTU_GHOSTS},
                 {"marker", VTU_GROUPS},        {"gmsh:physical", VTU_GROUPS},
                 {"CellEntityIds", VTU_GROUPS}, /* of Gmsh's legacy files */
                 {"medit:ref", VTU_GROUPS},     {"region", VTU_REGIONS}};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(name, roles[i].name) == 0)
            return roles[i].role;
    return VTU_ROLES;
}

tess_status tess_vtu_warn_of_left_out(const tess_vtu_left_out *left_out, tess_mesh *mesh) {
    if (left_out->odd.text[0])
        TRY(tess_mesh_warn(mesh,
                           "the cell data '%s' are not one whole number for each cell: they were "
                           "left out, and mark nothing",
                           left_out->odd.text));
    if (left_out->later.text[0])
        TRY(tess_mesh_warn(mesh,
                           "the cell data '%s' mark cells as others before them do: they were left "
                           "out, and mark nothing",
                           left_out->later.text));
    return left_out->data.n ? tess_mesh_pass_over(mesh, tess_name_counts_text(&left_out->data))
                            : TESS_OK;
}

static bool is_read(const vtu_cells *cells, int role) {
    const tess_vtk_array *array = &cells->piece->arrays[role];
    return array->type && !(role >= VTU_GROUPS && role <= VTU_REGIONS && array->type == 'f');
}

/* Gives the last of n whole numbers of an array, 0 where n is. */
static tess_status read_last(const tess_vtk_array *array, const tess_vtk_coding *coding, int64_t n,
                             int64_t *last) {
    tess_vtk_values values;
    *last = 0;
    if (n == 0)
        return TESS_OK;
    TRY(tess_vtk_values_open(array, coding, n, &values));
    tess_vtk_values_pass(&values, n - 1);
    const tess_status status = tess_vtk_values_integers(&values, 1, last);
    tess_vtk_values_close(&values);
    return status;
}

static tess_status open_cells(vtu_cells *cells) {
    const tess_vtk_array *arrays = cells->piece->arrays;
    const int64_t n = cells->piece->n_cells;
    for (int role = VTU_OFFSETS; role <= VTU_REGIONS; role++)
        if (is_read(cells, role))
            TRY(tess_vtk_values_open(&arrays[role], cells->coding, n, &cells->arrays[role]));
    TRY(read_last(&arrays[VTU_OFFSETS], cells->coding, n, &cells->n_connectivity));
    if (cells->n_connectivity < 0)
        return tess_scan_fail(&arrays[VTU_OFFSETS].start, "the last offset is %" PRId64,
                              cells->n_connectivity);
    return tess_vtk_values_open(&arrays[VTU_CONNECTIVITY], cells->coding, cells->n_connectivity,
                                &cells->arrays[VTU_CONNECTIVITY]);
}

static void release_cells(vtu_cells *cells) {
    for (int role = VTU_CONNECTIVITY; role <= VTU_REGIONS; role++) {
        tess_vtk_values_close(&cells->arrays[role]);
        free(cells->values[role]);
    }
    tess_vtk_faces_clear(&cells->faces);
    for (int array = 0; array < TESS_VTK_FACES_ARRAYS; array++)
        tess_vtk_values_close(&cells->faces_arrays[array]);
}

static tess_status read_integers(vtu_cells *cells, int role, int64_t n) {
    TRY(TESS_RESERVE(n, &cells->capacity[role], &cells->values[role]));
    return tess_vtk_values_integers(&cells->arrays[role], n, cells->values[role]);
}

/* The arrays of faces in the first form, in the second, and in the first among the cells' nodes. */
static const tess_vtu_role faces_roles[3][TESS_VTK_FACES_ARRAYS] = {
    {VTU_FACES_ENDS, VTU_FACES, VTU_ROLES, VTU_ROLES},
    {VTU_CELL_FACES_ENDS, VTU_CELL_FACES, VTU_FACE_ENDS, VTU_FACE_NODES},
    {VTU_OFFSETS, VTU_CONNECTIVITY, VTU_ROLES, VTU_ROLES}};

static int faces_form(const vtu_cells *cells) {
    return cells->faces.in_cells ? 2 : !cells->faces.is_stream;
}

static const tess_vtk_array *faces_array(const vtu_cells *cells, int array) {
    const tess_vtu_role role = faces_roles[faces_form(cells)][array];
    return role == VTU_ROLES ? NULL : &cells->piece->arrays[role];
}

/* Reads values of an array of faces; those before the ones that were read from its beginning. */
static tess_status read_faces(void *context, tess_vtk_faces_array array, int64_t first, int64_t n,
                              int64_t *to, int64_t *n_read) {
    vtu_cells *cells = context;
    tess_vtk_values *values = &cells->faces_arrays[array];
    int64_t n_all = 0;
    if (first < values->done) {
        tess_vtk_values_close(values);
        TRY(tess_vtk_values_open_all(faces_array(cells, array), cells->coding, values, &n_all));
    }
    tess_vtk_values_pass(values, first - values->done);
    return tess_vtk_values_some(values, n, to, n_read);
}

static tess_status open_faces(vtu_cells *cells) {
    static const char *const names[3][TESS_VTK_FACES_ARRAYS] = {
        {"faceoffsets", "faces", "", ""},
        {"polyhedron_offsets", "polyhedron_to_faces", "face_offsets", "face_connectivity"},
        {"cells", "cells", "", ""}};
    tess_vtk_faces *faces = &cells->faces;
    faces->names = names[faces_form(cells)];
    for (int i = 0; i < TESS_VTK_FACES_ARRAYS; i++) {
        const tess_vtk_array *array = faces_array(cells, i);
        if (array)
            TRY(tess_vtk_values_open_all(array, cells->coding, &cells->faces_arrays[i],
                                         &faces->n[i]));
    }
    faces->context = cells;
    faces->read = read_faces;
    return TESS_OK;
}

/* The faces of the piece's polyhedra, opened when the first of these is there; NULL where the file
 * has none. */
static tess_status find_faces(vtu_cells *cells, int64_t n, tess_vtk_faces **out) {
    const tess_vtk_array *arrays = cells->piece->arrays;
    bool needed = false;
    for (int64_t i = 0; i < n; i++)
        needed = needed || cells->values[VTU_TYPES][i] == TESS_VTK_POLYHEDRON;
    const bool old = arrays[VTU_FACES].type && arrays[VTU_FACES_ENDS].type;
    const bool new = arrays[VTU_FACE_NODES]
                         .type &&arrays[VTU_FACE_ENDS]
                         .type &&arrays[VTU_CELL_FACES]
                         .type &&arrays[VTU_CELL_FACES_ENDS]
                         .type;
    cells->faces.is_stream = !new;
    cells->faces.in_cells = cells->piece->faces_in_cells;
    *out = old || new || cells->faces.in_cells ? &cells->faces : NULL;
    return needed && *out && !cells->faces.read ? open_faces(cells) : TESS_OK;
}

/* The types of cells that are all of one. */
static tess_status fill_types(vtu_cells *cells, int64_t n) {
    if (!cells->piece->type)
        return TESS_OK;
    TRY(TESS_RESERVE(n, &cells->capacity[VTU_TYPES], &cells->values[VTU_TYPES]));
    for (int64_t i = 0; i < n; i++)
        cells->values[VTU_TYPES][i] = cells->piece->type;
    return TESS_OK;
}

/* Appends n cells from `from` on, whose nodes begin at *id, and moves *id behind them. */
static tess_status append_some(vtu_cells *cells, int64_t from, int64_t n, int64_t *id,
                               tess_elements *elements) {
    tess_vtk_faces *faces = NULL;
    for (int role = VTU_OFFSETS; role <= VTU_REGIONS; role++)
        if (is_read(cells, role))
            TRY(read_integers(cells, role, n));
    TRY(fill_types(cells, n));
    const int64_t last = cells->values[VTU_OFFSETS][n - 1];
    const int64_t end = last < *id                     ? *id
                        : last > cells->n_connectivity ? cells->n_connectivity
                                                       : last;
    TRY(read_integers(cells, VTU_CONNECTIVITY, end - *id));
    TRY(find_faces(cells, n, &faces));
    const tess_vtk_cells some = {.n = n,
                                 .first = from,
                                 .first_id = *id,
                                 .points = {cells->piece->n_points, cells->first_node},
                                 .n_connectivity = end - *id,
                                 .types = cells->values[VTU_TYPES],
                                 .ends = cells->values[VTU_OFFSETS],
                                 .connectivity = cells->values[VTU_CONNECTIVITY],
                                 .groups = cells->values[VTU_GROUPS],
                                 .regions = cells->values[VTU_REGIONS],
                                 .ghosts = cells->values[VTU_GHOSTS],
                                 .faces = faces};
    *id = end;
    return tess_vtk_cells_append(&cells->piece->arrays[VTU_CONNECTIVITY].start, &some, elements);
}

tess_status tess_vtu_cells_append(const tess_vtu_piece *piece, const tess_vtk_coding *coding,
                                  int64_t first_node, tess_elements *elements) {
    tess_status status = TESS_OK;
    vtu_cells cells = {.piece = piece, .coding = coding, .first_node = first_node};
    int64_t id = 0;
    CHECK(open_cells(&cells));
    for (int64_t from = 0; from < piece->n_cells; from += AT_ONCE) {
        const int64_t left = piece->n_cells - from;
        tess_progress_set(from, piece->n_cells, NULL);
        CHECK(append_some(&cells, from, left < AT_ONCE ? left : AT_ONCE, &id, elements));
    }
done:
    release_cells(&cells);
    return status;
}
