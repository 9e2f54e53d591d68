/* Elements: what a mesh file lists as cells and boundary elements, sorted by type as they are read.
 */
#include "data/formats/elements.h"

#include "core/base/array.h"
#include "core/base/plural.h"
#include "data/formats/name_counts.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const tess_element_kind tess_element_kinds[TESS_N_ELEMENT_TYPES] = {
    [TESS_ELEMENT_POINT] = {"point", "points", NULL, 0, 1},
    [TESS_ELEMENT_LINE] = {"line", "lines", "marked_edges", 1, 2},
    [TESS_ELEMENT_TRI] = {"triangle", "tris", "marked_tris", 2, 3},
    [TESS_ELEMENT_QUAD] = {"quadrilateral", "quads", "marked_quads", 2, 4},
    [TESS_ELEMENT_TET] = {"tetrahedron", "tets", NULL, 3, 4},
    [TESS_ELEMENT_PYRAMID] = {"pyramid", "pyramids", NULL, 3, 5},
    [TESS_ELEMENT_PRISM] = {"prism", "prisms", NULL, 3, 6},
    [TESS_ELEMENT_HEX] = {"hexahedron", "hexes", NULL, 3, 8},
};

static tess_status list_reserve(tess_element_list *list, int arity, int64_t n) {
    TRY(TESS_RESERVE(n * arity, &list->nodes_capacity, &list->nodes));
    return TESS_RESERVE(n, &list->marker_capacity, &list->marker);
}

/* Makes room for the ordinals of n elements of a list; the first are those of its own rows, where
 * it was alone. */
static tess_status ordinals_reserve(tess_element_list *list, int64_t n) {
    const bool alone = !list->ordinal;
    TRY(TESS_RESERVE(n, &list->ordinal_capacity, &list->ordinal));
    for (int64_t i = 0; alone && i < list->size; i++)
        list->ordinal[i] = (int32_t)i;
    return TESS_OK;
}

/* Polygons of more than four nodes, or polyhedra. */
static int64_t n_polygons(const tess_elements *elements, int dimension) {
    return dimension == 2   ? elements->polygons.size
           : dimension == 3 ? elements->faces.n_polyhedra
                            : 0;
}

/* Whether the elements of one type, with `added` more, are all those of their dimension. */
static bool is_alone(const tess_elements *elements, int type, const int64_t *n_added) {
    bool alone = n_polygons(elements, tess_element_kinds[type].dimension) == 0;
    for (int other = 0; other < TESS_N_ELEMENT_TYPES; other++)
        if (other != type &&
            tess_element_kinds[other].dimension == tess_element_kinds[type].dimension)
            alone = alone && elements->lists[other].size + n_added[other] == 0;
    return alone;
}

tess_status tess_elements_append(tess_elements *elements, const tess_element *added, int64_t n) {
    int64_t n_added[TESS_N_ELEMENT_TYPES] = {0};
    for (int64_t i = 0; i < n; i++)
        n_added[added[i].type]++;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        tess_element_list *list = &elements->lists[type];
        const tess_element_kind *kind = &tess_element_kinds[type];
        if (elements->n_of_dimension[kind->dimension] + n_added[type] > INT32_MAX)
            FAIL(TESS_ERROR_INPUT, "more than 2147483647 elements of dimension %d",
                 kind->dimension);
        if (n_added[type])
            TRY(list_reserve(list, kind->arity, list->size + n_added[type]));
        if (list->size + n_added[type] && !is_alone(elements, type, n_added))
            TRY(ordinals_reserve(list, list->size + n_added[type]));
    }
    for (int64_t i = 0; i < n; i++) {
        tess_element_list *list = &elements->lists[added[i].type];
        const tess_element_kind *kind = &tess_element_kinds[added[i].type];
        int32_t *nodes = list->nodes + list->size * kind->arity;
        for (int slot = 0; slot < kind->arity; slot++)
            nodes[slot] = added[i].nodes[slot];
        list->marker[list->size] = added[i].marker;
        if (list->ordinal)
            list->ordinal[list->size] = (int32_t)elements->n_of_dimension[kind->dimension];
        elements->n_of_dimension[kind->dimension]++;
        list->size++;
        elements->n_cut += added[i].cut;
    }
    return TESS_OK;
}

/* Appends a polygon of three or four nodes. */
static tess_status append_small(tess_elements *elements, const tess_polygon_list *polygon,
                                int64_t n) {
    tess_element element = {.type = n == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_QUAD,
                            .marker = polygon->marker};
    memcpy(element.nodes, polygon->nodes + polygon->start[0], (size_t)n * sizeof *element.nodes);
    return tess_elements_append(elements, &element, 1);
}

tess_status tess_elements_append_polygons(tess_elements *elements, const tess_polygon_list *added) {
    const int dimension = added->dimension;
    const int64_t n_nodes = added->start[added->n] - added->start[0];
    if (dimension == 2 && n_nodes <= 4)
        return append_small(elements, added, n_nodes);
    if (elements->n_of_dimension[dimension] == INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "more than 2147483647 elements of dimension %d", dimension);
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension && elements->lists[type].size)
            TRY(ordinals_reserve(&elements->lists[type], elements->lists[type].size));
    const int32_t ordinal = (int32_t)elements->n_of_dimension[dimension];
    TRY(dimension == 2 ? tess_ring_list_append(&elements->polygons, added, ordinal)
                       : tess_face_list_add_polyhedron(&elements->faces, ordinal, added));
    elements->n_of_dimension[dimension]++;
    return TESS_OK;
}

tess_status tess_elements_take(const void *rows, int64_t first_row, int64_t n, void *elements) {
    (void)first_row;
    return tess_elements_append(elements, rows, n);
}

int tess_elements_dimension(const tess_elements *elements) {
    int dimension = 3;
    while (dimension > 0 && elements->n_of_dimension[dimension] == 0)
        dimension--;
    return dimension;
}

/* States a set of its own for the cells of one type, and which cell each of them is. */
static tess_status state_cell_type(tess_element_list *list, const tess_element_kind *kind,
                                   tess_mesh *mesh) {
    TRY(tess_mesh_add_set(mesh, kind->set, list->size, NULL));
    TRY(tess_mesh_add_map(mesh, kind->set, "nodes", kind->arity, 0, TESS_TAKE(list->nodes)));
    TRY(ordinals_reserve(list, list->size));
    return tess_mesh_add_map(mesh, kind->set, "cells", 1, 0, TESS_TAKE(list->ordinal));
}

static tess_status state_cells(tess_elements *elements, int dimension, tess_mesh *mesh) {
    int n_types = 0, last_type = 0;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        if (tess_element_kinds[type].dimension == dimension && elements->lists[type].size) {
            n_types++;
            last_type = type;
        }
    }
    TRY(tess_mesh_add_set(mesh, "cells", elements->n_of_dimension[dimension], NULL));
    if (n_types == 1 && dimension == mesh->dimension)
        return tess_mesh_add_map(mesh, "cells", "nodes", tess_element_kinds[last_type].arity, 0,
                                 TESS_TAKE(elements->lists[last_type].nodes));
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension && elements->lists[type].size)
            TRY(state_cell_type(&elements->lists[type], &tess_element_kinds[type], mesh));
    return TESS_OK;
}

static tess_status state_boundary(tess_elements *elements, int dimension, tess_mesh *mesh) {
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_kind *kind = &tess_element_kinds[type];
        tess_element_list *list = &elements->lists[type];
        if (kind->dimension != dimension || !kind->marked_set || list->size == 0)
            continue;
        TRY(tess_mesh_add_set(mesh, kind->marked_set, list->size, NULL));
        TRY(tess_mesh_add_map(mesh, kind->marked_set, "nodes", kind->arity, 0,
                              TESS_TAKE(list->nodes)));
        TRY(tess_mesh_add_dat(mesh, "marker", kind->marked_set, 1, TESS_INT32,
                              TESS_TAKE(list->marker)));
    }
    return TESS_OK;
}

tess_status tess_elements_warn_of_cut(const tess_elements *elements, tess_mesh *mesh) {
    mesh->n_of_higher_order = elements->n_cut;
    const int64_t n = elements->n_cut;
    return n ? tess_mesh_warn(mesh, "%" PRId64 " element%s of higher order %s corners", n,
                              tess_plural(n), n == 1 ? "was read as its" : "were read as their")
             : TESS_OK;
}

tess_status tess_elements_warn_of_points(const tess_elements *elements, tess_mesh *mesh) {
    const tess_element_list *points = &elements->lists[TESS_ELEMENT_POINT];
    tess_name_counts names = {.n = 0};
    int64_t *n = NULL;
    if (points->size == 0)
        return TESS_OK;
    TRY(TESS_ZEROS(mesh->n_markers + 1, &n));
    for (int64_t i = 0; i < points->size; i++)
        n[points->marker[i]]++;
    tess_name_counts_add_all(&names, mesh->markers, n, mesh->n_markers);
    free(n);
    return tess_mesh_warn(mesh,
                          "%" PRId64 " points are neither cells nor sides and were left out: %s",
                          points->size, tess_name_counts_text(&names));
}

tess_status tess_elements_state(tess_elements *elements, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int dimension = tess_elements_dimension(elements);
    if (dimension < 2)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: the mesh has no cells", mesh->source));
    CHECK(tess_elements_warn_of_cut(elements, mesh));
    if (elements->polygons.size)
        CHECK(tess_mesh_warn(mesh,
                             "%" PRId64 " polygons of more than four nodes are no side of a cell "
                             "and were left out",
                             elements->polygons.size));
    CHECK(state_cells(elements, dimension, mesh));
    CHECK(state_boundary(elements, dimension - 1, mesh));
done:
    tess_elements_clear(elements);
    return status;
}

void tess_elements_clear(tess_elements *elements) {
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        free(elements->lists[type].nodes);
        free(elements->lists[type].marker);
        free(elements->lists[type].ordinal);
    }
    tess_ring_list_clear(&elements->polygons);
    tess_face_list_clear(&elements->faces);
    memset(elements, 0, sizeof *elements);
}

int tess_coordinates_flatten(int64_t n_nodes, double *coordinates) {
    double *x = coordinates;
    for (int64_t i = 1; i < n_nodes; i++)
        if (x[3 * i + 2] != x[2])
            return 3;
    for (int64_t i = 0; i < n_nodes; i++) {
        x[2 * i] = x[3 * i];
        x[2 * i + 1] = x[3 * i + 1];
    }
    tess_file_pages_pass((const char *)(x + 2 * n_nodes), (const char *)(x + 3 * n_nodes));
    return 2;
}

int tess_elements_flatten(const tess_elements *elements, int64_t n_nodes, double *coordinates) {
    return tess_elements_dimension(elements) == 2 ? tess_coordinates_flatten(n_nodes, coordinates)
                                                  : 3;
}

static int64_t read_id(const char *raw, int id_bytes, bool swap) {
    return id_bytes == 8 ? tess_raw_int64(raw, swap) : tess_raw_int32(raw, swap);
}

static tess_status read_element(const tess_scan *scan, const tess_raw_elements *raw, int64_t row,
                                int64_t n_nodes, tess_element *element) {
    const tess_element_kind *kind = &tess_element_kinds[raw->type];
    const char *ids = raw->ids + row * raw->record;
    const int first = raw->from_zero ? 0 : 1;
    const bool reordered = raw->slot_of[0] != raw->slot_of[1];
    *element = (tess_element){.type = raw->type};
    for (int i = 0; i < kind->arity; i++) {
        const int64_t id = read_id(ids + i * raw->id_bytes, raw->id_bytes, scan->swap);
        if (id < first || id >= first + n_nodes) {
            tess_scan position = *scan;
            position.at = ids;
            return tess_scan_fail(
                &position, "%s %" PRId64 " has the node %" PRId64 ", which is not in %d..%" PRId64,
                kind->name, row, id, first, first + n_nodes - 1);
        }
        element->nodes[reordered ? raw->slot_of[i] : i] = (int32_t)(id - first);
    }
    if (raw->groups)
        element->marker =
            (int32_t)read_id(raw->groups + row * raw->group_record, raw->id_bytes, scan->swap);
    return TESS_OK;
}

tess_status tess_raw_elements_append(const tess_scan *scan, const tess_raw_elements *raw,
                                     int64_t n_nodes, tess_elements *elements) {
    enum { BATCH = 256 };
    tess_element batch[BATCH];
    int n_batch = 0;
    for (int64_t row = 0; row < raw->n; row++) {
        TRY(read_element(scan, raw, row, n_nodes, &batch[n_batch++]));
        if (n_batch == BATCH || row + 1 == raw->n) {
            TRY(tess_elements_append(elements, batch, n_batch));
            n_batch = 0;
        }
        tess_scan_passed(scan, row, raw->ids, raw->ids + row * raw->record);
    }
    return TESS_OK;
}
