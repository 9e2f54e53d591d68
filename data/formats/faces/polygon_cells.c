/* Ringed cells: cells among which some are polygons or polyhedra, made faced cells. */
#include "data/formats/faces/polygon_cells.h"

#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "data/formats/faces/polygons.h"
#include "data/formats/faces/polyhedra.h"
#include <stdlib.h>
#include <string.h>

/* --- polyhedra -------------------------------------------------------------------------------- */

/* Adds the sides of the cells of one type beside the polyhedra. */
static tess_status add_sides(tess_elements *elements, int type) {
    const tess_element_list *list = &elements->lists[type];
    const tess_cell_type *sides = &tess_cell_types[type - TESS_ELEMENT_TRI];
    for (int64_t i = 0; i < list->size; i++)
        for (int face = 0; face < sides->n_faces; face++) {
            const int32_t *nodes = list->nodes + i * tess_element_kinds[type].arity;
            const int n = tess_cell_face_size(sides, face);
            int32_t ring[4];
            for (int k = 0; k < n; k++)
                ring[k] = nodes[sides->face[face][k]];
            TRY(tess_face_list_add(&elements->faces, list->ordinal ? list->ordinal[i] : (int32_t)i,
                                   n, ring));
        }
    return TESS_OK;
}

/* The marked elements of a mesh of polyhedra, and the faces that get their markers. */
typedef struct face_marks {
    int64_t n, at;     /* elements; the one at hand */
    uint8_t *became;   /* [n]: a tess_mark; owned */
    int32_t *marker;   /* [n]; owned */
    int32_t *of_faces; /* the markers of the faces */
} face_marks;

/* Marks a face by the next element, unless that has found its face before. */
static tess_status mark_face(tess_face_list *faces, face_marks *marks, int64_t n,
                             const int32_t *nodes, int32_t marker) {
    const int64_t at = marks->at++;
    tess_mark became = (tess_mark)marks->became[at];
    if (became == TESS_MARK_STRAY)
        TRY(tess_face_list_mark(faces, marks->of_faces, n, nodes, marker, &became));
    marks->became[at] = (uint8_t)became;
    marks->marker[at] = marker;
    return TESS_OK;
}

/* Puts the markers of boundary elements on the faces of a range that have their nodes. */
static tess_status mark_range(tess_elements *elements, const tess_polyhedra *polyhedra,
                              const int64_t range[2], face_marks *marks) {
    tess_status status = TESS_OK;
    const tess_ring_list *polygons = &elements->polygons;
    tess_face_list *faces = &elements->faces;
    marks->at = 0;
    CHECK(tess_face_list_mark_begin(faces, polyhedra, range[0], range[1]));
    for (int type = TESS_ELEMENT_TRI; type <= TESS_ELEMENT_QUAD; type++) {
        const tess_element_list *list = &elements->lists[type];
        const int arity = tess_element_kinds[type].arity;
        for (int64_t i = 0; i < list->size; i++)
            CHECK(mark_face(faces, marks, arity, list->nodes + i * arity, list->marker[i]));
    }
    for (int64_t i = 0; i < polygons->size; i++)
        CHECK(mark_face(faces, marks, polygons->start[i + 1] - polygons->start[i],
                        polygons->nodes + polygons->start[i], polygons->marker[i]));
done:
    tess_face_list_mark_end(faces);
    return status;
}

/* Marks the faces between two cells; who is at none of them is a stray. */
static tess_status mark_inside(tess_elements *elements, tess_polyhedra *polyhedra,
                               face_marks *marks) {
    const int64_t n = polyhedra->n_inner;
    TRY(TESS_ALLOC(n, &polyhedra->inner_marker));
    memset(polyhedra->inner_marker, 0xff, (size_t)n * sizeof *polyhedra->inner_marker);
    marks->of_faces = polyhedra->inner_marker;
    TRY(mark_range(elements, polyhedra, (const int64_t[]){0, n}, marks));
    for (int64_t f = 0; f < n; f++)
        if (polyhedra->inner_marker[f] >= 0)
            return TESS_OK;
    free(TESS_TAKE(polyhedra->inner_marker));
    return TESS_OK;
}

/* Puts the markers of boundary elements on the faces that have their nodes: those at the boundary,
 * then, where some were not found there, those between two cells. */
static tess_status mark_faces(tess_elements *elements, tess_polyhedra *polyhedra,
                              tess_lost_marks *lost) {
    tess_status status = TESS_OK;
    face_marks marks = {.n = elements->n_of_dimension[2], .of_faces = polyhedra->marker};
    const int64_t outer[] = {polyhedra->n_inner, polyhedra->faces.n};
    CHECK(TESS_ZEROS(marks.n, &marks.became));
    CHECK(TESS_ALLOC(marks.n, &marks.marker));
    CHECK(mark_range(elements, polyhedra, outer, &marks));
    if (marks.n && memchr(marks.became, TESS_MARK_STRAY, (size_t)marks.n))
        CHECK(mark_inside(elements, polyhedra, &marks));
    for (int64_t i = 0; i < marks.n; i++)
        tess_lost_marks_add(lost, (tess_mark)marks.became[i], marks.marker[i]);
done:
    free(marks.became);
    free(marks.marker);
    return status;
}

static tess_status find_faces(tess_elements *elements, tess_polyhedra *polyhedra,
                              tess_lost_marks *lost) {
    for (int type = TESS_ELEMENT_TET; type < TESS_N_ELEMENT_TYPES; type++)
        TRY(add_sides(elements, type));
    TRY(tess_face_list_take(&elements->faces, polyhedra));
    return mark_faces(elements, polyhedra, lost);
}

/* --- polygons --------------------------------------------------------------------------------- */

/* The next row of a list of triangles or quadrilaterals where it is cell number `cell`. */
static const int32_t *next_element(const tess_element_list *list, int arity, int64_t *row,
                                   int64_t cell) {
    if (*row == list->size || (list->ordinal ? list->ordinal[*row] : *row) != cell)
        return NULL;
    return list->nodes + (*row)++ * arity;
}

static tess_status find_edges(const tess_elements *elements, int64_t n_nodes,
                              tess_polyhedra *polyhedra, tess_lost_marks *lost) {
    tess_status status = TESS_OK;
    const tess_ring_list *polygons = &elements->polygons;
    int64_t row[TESS_N_ELEMENT_TYPES] = {0}, polygon = 0;
    tess_jagged_array cells = {.n = 0};
    int64_t capacity[2] = {0};
    for (int64_t cell = 0; cell < elements->n_of_dimension[2]; cell++) {
        if (polygon < polygons->size && polygons->ordinal[polygon] == cell) {
            const int64_t begin = polygons->start[polygon];
            CHECK(tess_jagged_array_append(&cells, capacity, polygons->start[polygon + 1] - begin,
                                           polygons->nodes + begin));
            polygon++;
        }
        for (int type = TESS_ELEMENT_TRI; type <= TESS_ELEMENT_QUAD; type++) {
            const int arity = tess_element_kinds[type].arity;
            const int32_t *nodes = next_element(&elements->lists[type], arity, &row[type], cell);
            if (nodes)
                CHECK(tess_jagged_array_append(&cells, capacity, arity, nodes));
        }
    }
    CHECK(tess_polyhedra_of_polygons(&cells, n_nodes, &elements->lists[TESS_ELEMENT_LINE],
                                     polyhedra, lost));
done:
    free(cells.start);
    free(cells.value);
    return status;
}

/* --- the mesh --------------------------------------------------------------------------------- */

tess_status tess_polygon_cells_state(tess_elements *elements, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_polyhedra polyhedra = {.dimension = tess_elements_dimension(elements)};
    tess_lost_marks lost = {.n_markers = 0};
    if ((polyhedra.dimension == 3 ? elements->faces.n_polyhedra : elements->polygons.size) == 0)
        return tess_elements_state(elements, mesh);
    CHECK(tess_elements_warn_of_cut(elements, mesh));
    CHECK(tess_lost_marks_begin(mesh, &lost));
    CHECK(polyhedra.dimension == 3
              ? find_faces(elements, &polyhedra, &lost)
              : find_edges(elements, tess_mesh_set_size(mesh, "nodes"), &polyhedra, &lost));
    CHECK(tess_lost_marks_warn(&lost, polyhedra.dimension == 3 ? "faces" : "edges", mesh));
    tess_elements_clear(elements); /* before the mesh asks for memory */
    CHECK(tess_polyhedra_state_cells(&polyhedra, mesh));
done:
    tess_lost_marks_release(&lost);
    tess_elements_clear(elements);
    tess_polyhedra_clear(&polyhedra);
    return status;
}
