/* VTK cells: types, connectivity and offsets, as VTK's files of unstructured grids hold them. */
#include "data/formats/vtk/vtk_cells.h"

#include "core/base/array.h"
#include "data/formats/vtk/vtk_types.h"
#include <inttypes.h>
#include <stdlib.h>

/* A type of VTK's: corners come first in those of higher order. */
typedef struct vtk_type {
    int64_t vtk;
    tess_element_type type;
    int n_nodes;                         /* 0: any number, not fewer than the corners */
    int slot_of[TESS_ELEMENT_MAX_NODES]; /* our place of each corner; all 0: the same order */
} vtk_type;

static const vtk_type types[] = {
    {1, TESS_ELEMENT_POINT, 1, {0}},
    {2, TESS_ELEMENT_POINT, 0, {0}}, /* several points */
    {3, TESS_ELEMENT_LINE, 2, {0}},
    {4, TESS_ELEMENT_POINT, 0, {0}}, /* a line of several sides without a marker */
    {5, TESS_ELEMENT_TRI, 3, {0}},
    {8, TESS_ELEMENT_QUAD, 4, {0, 1, 3, 2}}, /* pixel */
    {9, TESS_ELEMENT_QUAD, 4, {0}},
    {10, TESS_ELEMENT_TET, 4, {0}},
    {11, TESS_ELEMENT_HEX, 8, {0, 1, 3, 2, 4, 5, 7, 6}}, /* voxel */
    {12, TESS_ELEMENT_HEX, 8, {0}},
    {13, TESS_ELEMENT_PRISM, 6, {0}},
    {14, TESS_ELEMENT_PYRAMID, 5, {0}},
    {21, TESS_ELEMENT_LINE, 3, {0}},
    {22, TESS_ELEMENT_TRI, 6, {0}},
    {23, TESS_ELEMENT_QUAD, 8, {0}},
    {24, TESS_ELEMENT_TET, 10, {0}},
    {25, TESS_ELEMENT_HEX, 20, {0}},
    {26, TESS_ELEMENT_PRISM, 15, {0}},
    {27, TESS_ELEMENT_PYRAMID, 13, {0}},
    {28, TESS_ELEMENT_QUAD, 9, {0}},
    {29, TESS_ELEMENT_HEX, 27, {0}},
    {30, TESS_ELEMENT_QUAD, 6, {0}},
    {31, TESS_ELEMENT_PRISM, 12, {0}},
    {32, TESS_ELEMENT_PRISM, 18, {0}},
    {33, TESS_ELEMENT_HEX, 24, {0}},
    {34, TESS_ELEMENT_TRI, 7, {0}},
    {35, TESS_ELEMENT_LINE, 4, {0}},
    {37, TESS_ELEMENT_PYRAMID, 19, {0}},
    {68, TESS_ELEMENT_LINE, 0, {0}}, /* Lagrange */
    {69, TESS_ELEMENT_TRI, 0, {0}},
    {70, TESS_ELEMENT_QUAD, 0, {0}},
    {71, TESS_ELEMENT_TET, 0, {0}},
    {72, TESS_ELEMENT_HEX, 0, {0}},
    {73, TESS_ELEMENT_PRISM, 0, {0}},
    {74, TESS_ELEMENT_PYRAMID, 0, {0}},
    {75, TESS_ELEMENT_LINE, 0, {0}}, /* Bezier */
    {76, TESS_ELEMENT_TRI, 0, {0}},
    {77, TESS_ELEMENT_QUAD, 0, {0}},
    {78, TESS_ELEMENT_TET, 0, {0}},
    {79, TESS_ELEMENT_HEX, 0, {0}},
    {80, TESS_ELEMENT_PRISM, 0, {0}},
    {81, TESS_ELEMENT_PYRAMID, 0, {0}},
};

enum { EMPTY = 0, LINES = 4, STRIP = 6 };

static tess_status find_type(const tess_scan *scan, int64_t cell, int64_t vtk, int64_t n_nodes,
                             const vtk_type **out) {
    vtk = vtk == LINES && n_nodes == 2 ? TESS_VTK_LINE : vtk;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].vtk != vtk)
            continue;
        if (types[i].n_nodes ? n_nodes != types[i].n_nodes
                             : n_nodes < tess_element_kinds[types[i].type].arity)
            return tess_scan_fail(
                scan, "cell %" PRId64 " of VTK's type %" PRId64 " has %" PRId64 " nodes", cell, vtk,
                n_nodes);
        *out = &types[i];
        return TESS_OK;
    }
    return tess_scan_fail(scan, "cell %" PRId64 " has the unknown VTK type %" PRId64, cell, vtk);
}

static tess_status check_node(const tess_scan *scan, const tess_vtk_cells *cells, int64_t cell,
                              int64_t node) {
    if (node >= 0 && node < cells->points.n)
        return TESS_OK;
    return tess_scan_fail(scan,
                          "cell %" PRId64 " has the node %" PRId64 ", which is not in 0..%" PRId64,
                          cell, node, cells->points.n - 1);
}

/* The group of cell i of those here, 0 where there are none. */
static tess_status read_group(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                              int32_t *group) {
    const int64_t group_of = cells->groups ? cells->groups[i] : 0;
    const int64_t value = !group_of && cells->regions ? cells->regions[i] : group_of;
    *group = (int32_t)value;
    if (value < INT32_MIN || value > INT32_MAX)
        return tess_scan_fail(scan, "cell %" PRId64 " has the marker %" PRId64 ": too large",
                              cells->first + i, value);
    return TESS_OK;
}

/* Reads cell i of those here, which is `cell` of its piece; its nodes begin at `start` there. */
static tess_status read_cell(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                             int64_t start, tess_element *element) {
    const vtk_type *type = NULL;
    const int64_t n_nodes = cells->ends[i] - start, cell = cells->first + i;
    TRY(find_type(scan, cell, cells->types[i], n_nodes, &type));
    const int64_t *nodes = cells->connectivity + (start - cells->first_id);
    const int arity = tess_element_kinds[type->type].arity;
    const bool reordered = type->slot_of[1] != type->slot_of[0];
    *element = (tess_element){.type = type->type, .cut = n_nodes > arity && arity > 1};
    for (int k = 0; k < arity; k++) {
        TRY(check_node(scan, cells, cell, nodes[k]));
        element->nodes[reordered ? type->slot_of[k] : k] =
            (int32_t)(cells->points.first + nodes[k]);
    }
    return read_group(scan, cells, i, &element->marker);
}

enum { BATCH = 256 };

/* Elements on their way: few at a time. */
typedef struct element_batch {
    tess_element elements[BATCH];
    int n;
    int32_t *ring; /* of the last polygon; owned */
    int64_t ring_capacity;
} element_batch;

static tess_status batch_flush(element_batch *batch, tess_elements *to) {
    const int n = batch->n;
    batch->n = 0;
    return tess_elements_append(to, batch->elements, n);
}

static tess_status read_polygon(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                                const int64_t start[2], element_batch *batch) {
    const int64_t n = start[1] - start[0];
    if (n < 3)
        return tess_scan_fail(scan, "cell %" PRId64 " is a polygon of %" PRId64 " nodes",
                              cells->first + i, n);
    const int64_t *nodes = cells->connectivity + start[0];
    TRY(TESS_RESERVE(n, &batch->ring_capacity, &batch->ring));
    for (int64_t k = 0; k < n; k++) {
        TRY(check_node(scan, cells, cells->first + i, nodes[k]));
        batch->ring[k] = (int32_t)(cells->points.first + nodes[k]);
    }
    return TESS_OK;
}

/* Appends the triangles of a strip, each turned the same way round, or the sides of a line. */
static tess_status append_chain(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                                int64_t start, element_batch *batch, tess_elements *to) {
    const int64_t n = cells->ends[i] - start, cell = cells->first + i;
    const bool is_line = cells->types[i] == LINES, is_ghost = cells->ghosts && cells->ghosts[i];
    const int arity = is_line ? 2 : 3;
    tess_element part = {.type = is_line ? TESS_ELEMENT_LINE : TESS_ELEMENT_TRI};
    if (n < 3)
        return tess_scan_fail(scan, "cell %" PRId64 " is a strip of %" PRId64 " nodes", cell, n);
    const int64_t *nodes = cells->connectivity + (start - cells->first_id);
    TRY(read_group(scan, cells, i, &part.marker));
    for (int64_t k = 0; k < n; k++)
        TRY(check_node(scan, cells, cell, nodes[k]));
    to->n_ghosts += is_ghost;
    for (int64_t k = 0; k <= n - arity && !is_ghost; k++) {
        const int64_t turned = is_line ? 0 : k % 2,
                      corners[3] = {k, k + 1 + turned, k + 2 - turned};
        for (int corner = 0; corner < arity; corner++)
            part.nodes[corner] = (int32_t)(cells->points.first + nodes[corners[corner]]);
        batch->elements[batch->n++] = part;
        if (batch->n == BATCH)
            TRY(batch_flush(batch, to));
    }
    return TESS_OK;
}

/* Appends a polygon or a polyhedron, behind the batch. */
static tess_status append_polygons(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                                   int64_t start, element_batch *batch, tess_elements *to) {
    const int64_t here[2] = {start - cells->first_id, cells->ends[i] - cells->first_id};
    const int64_t ring_start[2] = {0, here[1] - here[0]};
    tess_polygon_list polygons = {.dimension = 2, .n = 1, .start = ring_start};
    if (cells->types[i] == TESS_VTK_POLYGON) {
        TRY(read_polygon(scan, cells, i, here, batch));
        polygons.nodes = batch->ring;
    } else if (!cells->faces) {
        return tess_scan_fail(scan,
                              "cell %" PRId64 " is a polyhedron, but the file has no faces: "
                              "neither faces and faceoffsets nor polyhedron_to_faces and "
                              "face_connectivity",
                              cells->first + i);
    } else {
        TRY(tess_vtk_faces_cell(cells->faces, scan, cells->first + i, &cells->points, &polygons));
    }
    TRY(read_group(scan, cells, i, &polygons.marker));
    TRY(batch_flush(batch, to));
    const bool is_ghost = cells->ghosts && cells->ghosts[i];
    to->n_ghosts += is_ghost;
    return is_ghost ? TESS_OK : tess_elements_append_polygons(to, &polygons);
}

/* Whether a cell is a line of several sides that has a marker. */
static bool is_marked_line(const tess_vtk_cells *cells, int64_t i, int64_t n_nodes) {
    return cells->types[i] == LINES && n_nodes > 2 && cells->groups && cells->groups[i] != 0;
}

tess_status tess_vtk_cells_append(const tess_scan *scan, const tess_vtk_cells *cells,
                                  tess_elements *elements) {
    tess_status status = TESS_OK;
    element_batch batch = {.n = 0};
    int64_t start = cells->first_id;
    const int64_t last = start + cells->n_connectivity;
    for (int64_t i = 0; i < cells->n; i++) {
        const int64_t end = cells->ends[i], type = cells->types[i];
        if (end < start || end > last)
            CHECK(tess_scan_fail(scan,
                                 "the nodes of cell %" PRId64 " end at %" PRId64 ", not in "
                                 "%" PRId64 "..%" PRId64,
                                 cells->first + i, end, start, last));
        if (type == EMPTY) {
            continue;
        } else if (type == STRIP || is_marked_line(cells, i, end - start)) {
            CHECK(append_chain(scan, cells, i, start, &batch, elements));
        } else if (type == TESS_VTK_POLYGON || type == TESS_VTK_POLYHEDRON) {
            CHECK(append_polygons(scan, cells, i, start, &batch, elements));
        } else {
            CHECK(read_cell(scan, cells, i, start, &batch.elements[batch.n]));
            const bool is_ghost = cells->ghosts && cells->ghosts[i];
            batch.n += !is_ghost;
            elements->n_ghosts += is_ghost;
        }
        if (batch.n == BATCH)
            CHECK(batch_flush(&batch, elements));
        start = end;
    }
    CHECK(batch_flush(&batch, elements));
done:
    free(batch.ring);
    return status;
}
