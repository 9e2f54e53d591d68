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

/* Reads cell i of those here, which is `cell` of its piece; its nodes begin at `start` there. */
static tess_status read_cell(const tess_scan *scan, const tess_vtk_cells *cells, int64_t i,
                             int64_t start, tess_element *element) {
    const vtk_type *type = NULL;
    const int64_t n_nodes = cells->ends[i] - start, cell = cells->first + i;
    TRY(find_type(scan, cell, cells->types[i], n_nodes, &type));
    const int64_t *nodes = cells->connectivity + (start - cells->first_id);
    const int arity = tess_element_kinds[type->type].arity;
    const bool reordered = type->slot_of[1] != type->slot_of[0];
    *element = (tess_element){.type = type->type, .cut = n_nodes > arity};
    for (int k = 0; k < arity; k++) {
        if (nodes[k] < 0 || nodes[k] >= cells->n_points)
            return tess_scan_fail(scan,
                                  "cell %" PRId64 " has the node %" PRId64 ", which is not in "
                                  "0..%" PRId64,
                                  cell, nodes[k], cells->n_points - 1);
        element->nodes[reordered ? type->slot_of[k] : k] = (int32_t)(cells->first_node + nodes[k]);
    }
    if (cells->groups) {
        if (cells->groups[i] < INT32_MIN || cells->groups[i] > INT32_MAX)
            return tess_scan_fail(scan, "cell %" PRId64 " has the marker %" PRId64 ": too large",
                                  cell, cells->groups[i]);
        element->marker = (int32_t)cells->groups[i];
    }
    return TESS_OK;
}

tess_status tess_vtk_cells_append(const tess_scan *scan, const tess_vtk_cells *cells,
                                  tess_elements *elements) {
    enum { BATCH = 256 };
    tess_element batch[BATCH];
    int n_batch = 0;
    int64_t start = cells->first_id;
    const int64_t last = start + cells->n_connectivity;
    for (int64_t i = 0; i < cells->n; i++) {
        const int64_t end = cells->ends[i];
        if (end < start || end > last)
            return tess_scan_fail(scan,
                                  "the nodes of cell %" PRId64 " end at %" PRId64 ", not in "
                                  "%" PRId64 "..%" PRId64,
                                  cells->first + i, end, start, last);
        TRY(read_cell(scan, cells, i, start, &batch[n_batch]));
        n_batch += !cells->ghosts || !cells->ghosts[i];
        if (n_batch == BATCH) {
            TRY(tess_elements_append(elements, batch, n_batch));
            n_batch = 0;
        }
        start = end;
    }
    return tess_elements_append(elements, batch, n_batch);
}
