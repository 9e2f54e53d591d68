/* Faced cells: what cells the faces of a mesh close, and what nodes these have. */
#include "data/formats/faces/polyhedra.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "data/formats/elements.h"
#include "data/formats/faces/baffles.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SIDES = 4, MOST_SIDES = 6, BATCH = 1024 };

/* The sides of some cells, one behind the other: the faces f of each, or ~f where it is their
 * neighbour. */
typedef struct side_list {
    int64_t first, n; /* cells */
    int64_t *start;   /* [n + 1]; owned */
    int32_t *value;   /* owned */
    int64_t start_capacity, value_capacity;
} side_list;

/* The sides of a cell. */
typedef struct cell_sides {
    const tess_polyhedra *polyhedra;
    const int32_t *side;
    int n;
} cell_sides;

int64_t tess_polyhedra_cells(const tess_polyhedra *polyhedra) {
    int32_t last = -1;
    for (int64_t f = 0; f < polyhedra->faces.n; f++)
        last = polyhedra->owner[f] > last ? polyhedra->owner[f] : last;
    for (int64_t f = 0; f < polyhedra->n_inner; f++)
        last = polyhedra->neighbour[f] > last ? polyhedra->neighbour[f] : last;
    return (int64_t)last + 1;
}

static bool is_listed(const side_list *sides, int32_t cell) {
    return cell >= sides->first && cell - sides->first < sides->n;
}

/* Fills the sides of n cells from `first` on, each cell's in the order of the faces. */
static tess_status find_sides(const tess_polyhedra *polyhedra, int64_t first, int64_t n,
                              side_list *sides) {
    sides->first = first;
    sides->n = n;
    TRY(TESS_RESERVE(n + 1, &sides->start_capacity, &sides->start));
    memset(sides->start, 0, (size_t)(n + 1) * sizeof *sides->start);
    for (int64_t f = 0; f < polyhedra->faces.n; f++)
        sides->start[is_listed(sides, polyhedra->owner[f]) ? polyhedra->owner[f] - first : n]++;
    for (int64_t f = 0; f < polyhedra->n_inner; f++)
        sides->start[is_listed(sides, polyhedra->neighbour[f]) ? polyhedra->neighbour[f] - first
                                                               : n]++;
    sides->start[n] = 0;                        /* those of other cells */
    for (int64_t c = 0, end = 0; c <= n; c++) { /* where row c ends; filled from behind */
        end += sides->start[c];
        sides->start[c] = end;
    }
    TRY(TESS_RESERVE(sides->start[n], &sides->value_capacity, &sides->value));
    for (int64_t f = polyhedra->faces.n - 1; f >= 0; f--) {
        if (f < polyhedra->n_inner && is_listed(sides, polyhedra->neighbour[f]))
            sides->value[--sides->start[polyhedra->neighbour[f] - first]] = (int32_t)~f;
        if (is_listed(sides, polyhedra->owner[f]))
            sides->value[--sides->start[polyhedra->owner[f] - first]] = (int32_t)f;
    }
    return TESS_OK;
}

static void sides_release(side_list *sides) {
    free(sides->start);
    free(sides->value);
}

/* How many cells' sides are listed at once: of large meshes an eighth. */
static int64_t sides_at_once(int64_t n_cells) {
    enum { FEW = 1 << 18, PARTS = 8 };
    return n_cells < FEW ? FEW : n_cells / PARTS + 1;
}

/* --- the nodes of a cell ---------------------------------------------------------------------- */

/* The nodes around a side, and how many. */
static const int32_t *ring_of(const tess_polyhedra *polyhedra, int32_t side, int *n) {
    const int64_t *start = polyhedra->faces.start + (side < 0 ? ~side : side);
    *n = (int)(start[1] - start[0]);
    return polyhedra->faces.value + start[0];
}

static bool is_among(int32_t node, const int32_t *nodes, int n) {
    for (int i = 0; i < n; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

/* By how many sides of three and of four nodes a cell has; POINT where it is not one of the four.
 */
static tess_element_type type_of(const cell_sides *cell) {
    static const struct {
        tess_element_type type;
        int n_tris, n_quads;
    } shapes[] = {{TESS_ELEMENT_TET, 4, 0},
                  {TESS_ELEMENT_PYRAMID, 4, 1},
                  {TESS_ELEMENT_PRISM, 2, 3},
                  {TESS_ELEMENT_HEX, 0, 6}};
    int n_tris = 0, n_quads = 0;
    if (cell->n < LEAST_SIDES || cell->n > MOST_SIDES)
        return TESS_ELEMENT_POINT;
    for (int s = 0; s < cell->n; s++) {
        int n = 0;
        ring_of(cell->polyhedra, cell->side[s], &n);
        n_tris += n == 3;
        n_quads += n == 4;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (n_tris == shapes[i].n_tris && n_quads == shapes[i].n_quads &&
            n_tris + n_quads == cell->n)
            return shapes[i].type;
    return TESS_ELEMENT_POINT;
}

/* The node that another side than `base` joins to `node`, where it joins `next` to it, too,
 * or -1. */
static int32_t node_above(const cell_sides *cell, int base, int32_t node, int32_t next) {
    for (int s = 0; s < cell->n; s++) {
        int n = 0;
        const int32_t *ring = ring_of(cell->polyhedra, cell->side[s], &n);
        for (int i = 0; i < n && s != base; i++) {
            const int32_t before = ring[(i + n - 1) % n], behind = ring[(i + 1) % n];
            if (ring[i] == node && (before == next || behind == next))
                return before == next ? behind : before;
        }
    }
    return -1;
}

/* A node of a side that is not one of the n nodes, or -1. */
static int32_t node_beside(const cell_sides *cell, const int32_t *nodes, int n) {
    for (int s = 0; s < cell->n; s++) {
        int n_ring = 0;
        const int32_t *ring = ring_of(cell->polyhedra, cell->side[s], &n_ring);
        for (int i = 0; i < n_ring; i++)
            if (!is_among(ring[i], nodes, n))
                return ring[i];
    }
    return -1;
}

/* Finds the type of a cell and its nodes in VTK's order: those of a base as they are seen from
 * within, then the one above each of them, or the one above all. False where it is no tet, pyramid,
 * prism or hex, or where its sides do not close. */
static bool cell_nodes(const cell_sides *cell, tess_element *out) {
    out->type = type_of(cell);
    if (out->type == TESS_ELEMENT_POINT)
        return false;
    const bool has_apex = out->type == TESS_ELEMENT_TET || out->type == TESS_ELEMENT_PYRAMID;
    const int n_base = out->type == TESS_ELEMENT_TET || out->type == TESS_ELEMENT_PRISM ? 3 : 4;
    int base = 0, n_ring = 0, n = n_base;
    const int32_t *ring = ring_of(cell->polyhedra, cell->side[base], &n_ring);
    while (n_ring != n_base)
        ring = ring_of(cell->polyhedra, cell->side[++base], &n_ring);
    for (int i = 0; i < n_base; i++) /* the normal of an owner's side leaves it */
        out->nodes[i] = ring[cell->side[base] < 0 ? i : n_base - 1 - i];
    if (has_apex)
        out->nodes[n++] = node_beside(cell, out->nodes, n_base);
    for (int i = 0; i < n_base && !has_apex; i++)
        out->nodes[n++] = node_above(cell, base, out->nodes[i], out->nodes[(i + 1) % n_base]);
    for (int i = 0; i < n; i++)
        if (out->nodes[i] < 0 || is_among(out->nodes[i], out->nodes, i))
            return false;
    return node_beside(cell, out->nodes, n) < 0;
}

/* The sides of cell `row` of those listed. */
static cell_sides sides_of(const tess_polyhedra *polyhedra, const side_list *sides, int64_t row) {
    return (cell_sides){.polyhedra = polyhedra,
                        .side = sides->value + sides->start[row],
                        .n = (int)(sides->start[row + 1] - sides->start[row])};
}

/* Does something with the cells whose sides are listed. */
typedef tess_status cells_visitor(const tess_polyhedra *polyhedra, const side_list *sides,
                                  void *context);

/* Visits all cells, some at once. */
static tess_status visit_cells(const tess_polyhedra *polyhedra, cells_visitor *visit,
                               void *context) {
    tess_status status = TESS_OK;
    side_list sides = {.n = 0};
    const int64_t n_cells = tess_polyhedra_cells(polyhedra), at_once = sides_at_once(n_cells);
    for (int64_t first = 0; first < n_cells; first += at_once) {
        CHECK(find_sides(polyhedra, first, n_cells - first < at_once ? n_cells - first : at_once,
                         &sides));
        CHECK(visit(polyhedra, &sides, context));
    }
done:
    sides_release(&sides);
    return status;
}

/* How many cells are polyhedra, and the first of them. */
typedef struct polyhedra_count {
    int64_t n, first;
} polyhedra_count;

static tess_status count_polyhedra(const tess_polyhedra *polyhedra, const side_list *sides,
                                   void *context) {
    polyhedra_count *count = context;
    int64_t n = 0, first = count->first;
#pragma omp parallel for reduction(+ : n) reduction(min : first)
    for (int64_t i = 0; i < sides->n; i++) {
        const cell_sides cell = sides_of(polyhedra, sides, i);
        tess_element element;
        if (!cell_nodes(&cell, &element)) {
            n++;
            first = sides->first + i < first ? sides->first + i : first;
        }
    }
    *count = (polyhedra_count){count->n + n, first};
    return TESS_OK;
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status add_cells(const tess_polyhedra *polyhedra, const side_list *sides,
                             void *elements) {
    tess_element batch[BATCH];
    for (int64_t first = 0; first < sides->n; first += BATCH) {
        const int64_t n = sides->n - first < BATCH ? sides->n - first : BATCH;
        for (int64_t i = 0; i < n; i++) {
            const cell_sides cell = sides_of(polyhedra, sides, first + i);
            batch[i] = (tess_element){.marker = 0};
            cell_nodes(&cell, &batch[i]);
        }
        TRY(tess_elements_append(elements, batch, n));
    }
    return TESS_OK;
}

/* The marker of a face, -1: none. */
static int32_t marker_of(const tess_polyhedra *polyhedra, int64_t f) {
    if (f >= polyhedra->n_inner)
        return polyhedra->marker[f - polyhedra->n_inner];
    return polyhedra->inner_marker ? polyhedra->inner_marker[f] : -1;
}

static tess_status add_marked_faces(const tess_polyhedra *polyhedra, tess_elements *elements) {
    for (int64_t f = polyhedra->inner_marker ? 0 : polyhedra->n_inner; f < polyhedra->faces.n;
         f++) {
        int n = 0;
        const int32_t *ring = ring_of(polyhedra, (int32_t)f, &n);
        tess_element element = {.type = n == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_QUAD,
                                .marker = marker_of(polyhedra, f)};
        memcpy(element.nodes, ring, (size_t)n * sizeof *ring);
        if (element.marker >= 0)
            TRY(tess_elements_append(elements, &element, 1));
    }
    return TESS_OK;
}

static tess_status state_elements(const tess_polyhedra *polyhedra, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_elements elements = {.n_cut = 0};
    CHECK(tess_baffles_warn(polyhedra, mesh));
    CHECK(visit_cells(polyhedra, add_cells, &elements));
    CHECK(add_marked_faces(polyhedra, &elements));
    CHECK(tess_elements_state(&elements, mesh));
done:
    tess_elements_clear(&elements);
    return status;
}

/* How many nodes the faces from `first` to `end` have at most. Fails where the map to them would be
 * nothing but padding. */
static tess_status find_most(const tess_polyhedra *polyhedra, const char *name,
                             const int64_t range[2], const tess_mesh *mesh, int *most) {
    const int64_t *start = polyhedra->faces.start;
    *most = polyhedra->dimension;
    for (int64_t f = range[0]; f < range[1]; f++)
        *most = start[f + 1] - start[f] > *most ? (int)(start[f + 1] - start[f]) : *most;
    if ((range[1] - range[0]) * *most > 8 * (start[range[1]] - start[range[0]]))
        FAIL(TESS_ERROR_INPUT,
             "%s: a face has %d nodes, and most have few: %s:nodes would be nothing but padding",
             mesh->source, *most, name);
    return TESS_OK;
}

/* Writes the nodes of the faces from `first` on, [faces][most], -1 behind those of each; from
 * behind, as they may be written over the rings. */
static void pad_rings(const tess_polyhedra *polyhedra, const int64_t range[2], int most,
                      int32_t *nodes) {
    for (int64_t f = range[1] - 1; f >= range[0]; f--) {
        const int64_t *start = polyhedra->faces.start + f, n = start[1] - start[0];
        int32_t *row = nodes + (f - range[0]) * most;
        memmove(row, polyhedra->faces.value + start[0], (size_t)n * sizeof *row);
        memset(row + n, 0xff, (size_t)(most - (int)n) * sizeof *row);
    }
}

/* States the maps of faces to nodes; that of the faces inside takes the place of the rings. */
static tess_status state_nodes(tess_polyhedra *polyhedra, const char *const names[2],
                               tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t range[3] = {0, polyhedra->n_inner, polyhedra->faces.n},
                  *start = polyhedra->faces.start;
    int most[2];
    unsigned flags[2];
    int64_t capacity = start[range[2]];
    int32_t *outer = NULL;
    for (int k = 0; k < 2; k++) {
        CHECK(find_most(polyhedra, names[k], range + k, mesh, &most[k]));
        flags[k] = (range[k + 1] - range[k]) * most[k] == start[range[k + 1]] - start[range[k]]
                       ? 0
                       : TESS_MAP_PADDED;
    }
    CHECK(TESS_ALLOC((range[2] - range[1]) * most[1], &outer));
    pad_rings(polyhedra, range + 1, most[1], outer);
    CHECK(TESS_RESERVE(range[1] * most[0], &capacity, &polyhedra->faces.value));
    pad_rings(polyhedra, range, most[0], polyhedra->faces.value);
    CHECK(tess_mesh_add_map(mesh, names[0], "nodes", most[0], flags[0],
                            TESS_TAKE(polyhedra->faces.value)));
    CHECK(tess_mesh_add_map(mesh, names[1], "nodes", most[1], flags[1], TESS_TAKE(outer)));
done:
    free(outer);
    return status;
}

/* States the maps of faces to cells; the owners become that of the faces inside. */
static tess_status state_cells(tess_polyhedra *polyhedra, const char *const names[2],
                               tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t n = polyhedra->n_inner, n_outer = polyhedra->faces.n - n;
    int64_t capacity = polyhedra->faces.n;
    int32_t *outer = NULL;
    CHECK(TESS_COPY(n_outer, polyhedra->owner + n, &outer));
    CHECK(TESS_RESERVE(2 * n, &capacity, &polyhedra->owner));
    for (int64_t f = n - 1; f >= 0; f--) {
        const int32_t owner = polyhedra->owner[f], neighbour = polyhedra->neighbour[f];
        const int64_t *start = polyhedra->faces.start + f;
        if (owner > neighbour) /* the normal leaves the first cell */
            tess_reverse(polyhedra->faces.value + start[0], start[1] - start[0]);
        polyhedra->owner[2 * f] = owner < neighbour ? owner : neighbour;
        polyhedra->owner[2 * f + 1] = owner < neighbour ? neighbour : owner;
    }
    free(TESS_TAKE(polyhedra->neighbour));
    CHECK(tess_mesh_add_map(mesh, names[0], "cells", 2, 0, TESS_TAKE(polyhedra->owner)));
    CHECK(tess_mesh_add_map(mesh, names[1], "cells", 1, 0, TESS_TAKE(outer)));
done:
    free(outer);
    return status;
}

static tess_status state_faces(tess_polyhedra *polyhedra, tess_mesh *mesh) {
    static const char *const names[2][2] = {{"edges", "bedges"}, {"faces", "bfaces"}};
    const char *const *name = names[polyhedra->dimension == 3];
    TRY(tess_mesh_add_set(mesh, name[0], polyhedra->n_inner, NULL));
    TRY(tess_mesh_add_set(mesh, name[1], polyhedra->faces.n - polyhedra->n_inner, NULL));
    TRY(state_cells(polyhedra, name, mesh));
    TRY(tess_mesh_add_dat(mesh, "marker", name[1], 1, TESS_INT32, TESS_TAKE(polyhedra->marker)));
    if (polyhedra->inner_marker)
        TRY(tess_mesh_add_dat(mesh, "marker", name[0], 1, TESS_INT32,
                              TESS_TAKE(polyhedra->inner_marker)));
    return state_nodes(polyhedra, name, mesh);
}

/* Says what the cells are. */
static tess_status warn_of_shape(const tess_polyhedra *polyhedra, const polyhedra_count *count,
                                 tess_mesh *mesh) {
    if (polyhedra->dimension == 2)
        return tess_mesh_warn(mesh,
                              "the cells are polygons: there are edges:cells and edges:nodes, but "
                              "no cells:nodes");
    return tess_mesh_warn(mesh,
                          "%" PRId64 " of the %" PRId64
                          " cells are polyhedra beside tets, pyramids, prisms and hexes (the first "
                          "is number %" PRId64 "): there is faces:cells, but no cells:nodes",
                          count->n, tess_polyhedra_cells(polyhedra), count->first);
}

tess_status tess_polyhedra_count(const tess_polyhedra *polyhedra, int64_t *n, int64_t *first) {
    polyhedra_count counted = {.first = INT64_MAX};
    TRY(visit_cells(polyhedra, count_polyhedra, &counted));
    *n = counted.n;
    *first = counted.first;
    return TESS_OK;
}

tess_status tess_polyhedra_state_cells(tess_polyhedra *polyhedra, tess_mesh *mesh) {
    polyhedra_count counted = {.first = INT64_MAX};
    if (polyhedra->dimension == 3)
        TRY(tess_polyhedra_count(polyhedra, &counted.n, &counted.first));
    if (polyhedra->dimension == 3 && counted.n == 0)
        return state_elements(polyhedra, mesh);
    TRY(warn_of_shape(polyhedra, &counted, mesh));
    TRY(tess_mesh_add_set(mesh, "cells", tess_polyhedra_cells(polyhedra), NULL));
    return state_faces(polyhedra, mesh);
}

tess_status tess_polyhedra_state(tess_polyhedra *polyhedra, tess_mesh *mesh) {
    TRY(tess_mesh_add_set(mesh, "nodes", polyhedra->n_points, NULL));
    mesh->coordinates = TESS_TAKE(polyhedra->points);
    return tess_polyhedra_state_cells(polyhedra, mesh);
}
