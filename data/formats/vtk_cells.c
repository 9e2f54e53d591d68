/* VTK cells: types, connectivity and offsets, as VTK's files of unstructured grids hold them. */
#include "data/formats/vtk_cells.h"

#include <inttypes.h>

/* A type of VTK's: corners come first in those of higher order. */
typedef struct vtk_type {
    int64_t vtk;
    tess_element_type type;
    int n_nodes;                         /* 0: any number, not fewer than the corners */
    int slot_of[TESS_ELEMENT_MAX_NODES]; /* our place of each corner; all 0: the same order */
} vtk_type;

static const vtk_type types[] = {
    {1, TESS_ELEMENT_POINT, 1, {0}},
    {3, TESS_ELEMENT_LINE, 2, {0}},
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
    {32, TESS_ELEMENT_PRISM, 18, {0}},
    {34, TESS_ELEMENT_TRI, 7, {0}},
    {68, TESS_ELEMENT_LINE, 0, {0}}, /* Lagrange */
    {69, TESS_ELEMENT_TRI, 0, {0}},
    {70, TESS_ELEMENT_QUAD, 0, {0}},
    {71, TESS_ELEMENT_TET, 0, {0}},
    {72, TESS_ELEMENT_HEX, 0, {0}},
    {73, TESS_ELEMENT_PRISM, 0, {0}},
    {74, TESS_ELEMENT_PYRAMID, 0, {0}},
};

/* Finds the type of a cell; a polygon of three or four nodes is a triangle or a quadrilateral. */
static tess_status find_type(const tess_scan *scan, int64_t cell, int64_t vtk, int64_t n_nodes,
                             const vtk_type **out) {
    enum { POLYGON = 7, TRIANGLE = 5, QUAD = 9, POLYHEDRON = 42 };
    int64_t sought = vtk;
    if (vtk == POLYGON && (n_nodes == 3 || n_nodes == 4))
        sought = n_nodes == 3 ? TRIANGLE : QUAD;
    if (sought == POLYGON || sought == POLYHEDRON)
        return tess_scan_fail(scan,
                              "cell %" PRId64 " is a poly%s of %" PRId64 " nodes; cells:nodes "
                              "needs triangles, quadrilaterals, tetrahedra, pyramids, prisms or "
                              "hexahedra",
                              cell, sought == POLYGON ? "gon" : "hedron", n_nodes);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].vtk != sought)
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

static tess_status read_cell(const tess_scan *scan, const tess_vtk_cells *cells, int64_t cell,
                             int64_t start, tess_element *element) {
    const vtk_type *type = NULL;
    const int64_t n_nodes = cells->ends[cell] - start;
    TRY(find_type(scan, cell, cells->types[cell], n_nodes, &type));
    const int arity = tess_element_kinds[type->type].arity;
    const bool reordered = type->slot_of[1] != type->slot_of[0];
    *element = (tess_element){.type = type->type, .cut = n_nodes > arity};
    for (int i = 0; i < arity; i++) {
        const int64_t node = cells->connectivity[start + i];
        if (node < 0 || node >= cells->n_points)
            return tess_scan_fail(scan,
                                  "cell %" PRId64 " has the node %" PRId64 ", which is not in "
                                  "0..%" PRId64,
                                  cell, node, cells->n_points - 1);
        element->nodes[reordered ? type->slot_of[i] : i] = (int32_t)(cells->first_node + node);
    }
    if (cells->groups) {
        if (cells->groups[cell] < INT32_MIN || cells->groups[cell] > INT32_MAX)
            return tess_scan_fail(scan, "cell %" PRId64 " has the marker %" PRId64 ": too large",
                                  cell, cells->groups[cell]);
        element->marker = (int32_t)cells->groups[cell];
    }
    return TESS_OK;
}

tess_status tess_vtk_cells_append(const tess_scan *scan, const tess_vtk_cells *cells,
                                  tess_elements *elements) {
    int64_t start = 0;
    for (int64_t cell = 0; cell < cells->n; cell++) {
        const int64_t end = cells->ends[cell];
        tess_element element;
        if (end < start || end > cells->n_connectivity)
            return tess_scan_fail(scan,
                                  "the nodes of cell %" PRId64 " end at %" PRId64 ", not in "
                                  "%" PRId64 "..%" PRId64,
                                  cell, end, start, cells->n_connectivity);
        TRY(read_cell(scan, cells, cell, start, &element));
        if (!cells->ghosts || !cells->ghosts[cell])
            TRY(tess_elements_append(elements, &element, 1));
        start = end;
    }
    return TESS_OK;
}
