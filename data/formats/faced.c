/* Faced cells: what cells the faces of a mesh close, and what nodes these have. */
#include "data/formats/faced.h"

#include "core/base/array.h"
#include "data/formats/elements.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SIDES = 4, MOST_SIDES = 6, BATCH = 1024 };

/* The sides of a cell: its faces f, or ~f where it is their neighbour. */
typedef struct cell_sides {
    const tess_faced *faced;
    const int32_t *side;
    int n;
} cell_sides;

void tess_faced_clear(tess_faced *faced) {
    free(faced->points);
    free(faced->faces.start);
    free(faced->faces.value);
    free(faced->owner);
    free(faced->neighbour);
    free(faced->marker);
}

static int64_t count_cells(const tess_faced *faced) {
    int32_t last = -1;
    for (int64_t f = 0; f < faced->faces.n; f++)
        last = faced->owner[f] > last ? faced->owner[f] : last;
    for (int64_t f = 0; f < faced->n_inner; f++)
        last = faced->neighbour[f] > last ? faced->neighbour[f] : last;
    return (int64_t)last + 1;
}

/* The sides of all cells, each cell's in the order of the faces. */
static tess_status find_sides(const tess_faced *faced, tess_ragged *sides) {
    sides->n = count_cells(faced);
    TRY(TESS_ZEROS(sides->n + 1, &sides->start));
    TRY(TESS_ALLOC(faced->faces.n + faced->n_inner, &sides->value));
    for (int64_t f = 0; f < faced->faces.n; f++)
        sides->start[faced->owner[f]]++;
    for (int64_t f = 0; f < faced->n_inner; f++)
        sides->start[faced->neighbour[f]]++;
    for (int64_t c = 0, end = 0; c <= sides->n; c++) { /* where row c ends; filled from behind */
        end += sides->start[c];
        sides->start[c] = end;
    }
    for (int64_t f = faced->faces.n - 1; f >= 0; f--) {
        if (f < faced->n_inner)
            sides->value[--sides->start[faced->neighbour[f]]] = (int32_t)~f;
        sides->value[--sides->start[faced->owner[f]]] = (int32_t)f;
    }
    return TESS_OK;
}

/* --- the nodes of a cell ---------------------------------------------------------------------- */

/* The nodes around a side, and how many. */
static const int32_t *ring_of(const tess_faced *faced, int32_t side, int *n) {
    const int64_t *start = faced->faces.start + (side < 0 ? ~side : side);
    *n = (int)(start[1] - start[0]);
    return faced->faces.value + start[0];
}

static bool is_among(int32_t node, const int32_t *nodes, int n) {
    for (int i = 0; i < n; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

/* By how many sides of three and of four nodes a cell has; POINT where it is none of the four. */
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
        ring_of(cell->faced, cell->side[s], &n);
        n_tris += n == 3;
        n_quads += n == 4;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (n_tris == shapes[i].n_tris && n_quads == shapes[i].n_quads &&
            n_tris + n_quads == cell->n)
            return shapes[i].type;
    return TESS_ELEMENT_POINT;
}

/* The node that another side than `base` joins to `node`, where it joins `next` to it, too; -1
 * where there is none. */
static int32_t node_above(const cell_sides *cell, int base, int32_t node, int32_t next) {
    for (int s = 0; s < cell->n; s++) {
        int n = 0;
        const int32_t *ring = ring_of(cell->faced, cell->side[s], &n);
        for (int i = 0; i < n && s != base; i++) {
            const int32_t before = ring[(i + n - 1) % n], behind = ring[(i + 1) % n];
            if (ring[i] == node && (before == next || behind == next))
                return before == next ? behind : before;
        }
    }
    return -1;
}

/* A node of a side that is none of the n nodes; -1 where there is none. */
static int32_t node_beside(const cell_sides *cell, const int32_t *nodes, int n) {
    for (int s = 0; s < cell->n; s++) {
        int n_ring = 0;
        const int32_t *ring = ring_of(cell->faced, cell->side[s], &n_ring);
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
    const int32_t *ring = ring_of(cell->faced, cell->side[base], &n_ring);
    while (n_ring != n_base)
        ring = ring_of(cell->faced, cell->side[++base], &n_ring);
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

static cell_sides sides_of(const tess_faced *faced, const tess_ragged *sides, int64_t cell) {
    return (cell_sides){.faced = faced,
                        .side = sides->value + sides->start[cell],
                        .n = (int)(sides->start[cell + 1] - sides->start[cell])};
}

static int64_t count_polyhedra(const tess_faced *faced, const tess_ragged *sides,
                               int64_t *out_first) {
    int64_t n = 0, first = sides->n;
#pragma omp parallel for reduction(+ : n) reduction(min : first)
    for (int64_t i = 0; i < sides->n; i++) {
        const cell_sides cell = sides_of(faced, sides, i);
        tess_element element;
        if (!cell_nodes(&cell, &element)) {
            n++;
            first = i < first ? i : first;
        }
    }
    *out_first = first;
    return n;
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status add_cells(const tess_faced *faced, const tess_ragged *sides,
                             tess_elements *elements) {
    tess_element batch[BATCH];
    for (int64_t first = 0; first < sides->n; first += BATCH) {
        const int64_t n = sides->n - first < BATCH ? sides->n - first : BATCH;
        for (int64_t i = 0; i < n; i++) {
            const cell_sides cell = sides_of(faced, sides, first + i);
            batch[i] = (tess_element){.marker = 0};
            cell_nodes(&cell, &batch[i]);
        }
        TRY(tess_elements_append(elements, batch, n));
    }
    return TESS_OK;
}

static tess_status add_marked_faces(const tess_faced *faced, tess_elements *elements) {
    for (int64_t f = faced->n_inner; f < faced->faces.n; f++) {
        int n = 0;
        const int32_t *ring = ring_of(faced, (int32_t)f, &n);
        tess_element element = {.type = n == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_QUAD,
                                .marker = faced->marker[f]};
        memcpy(element.nodes, ring, (size_t)n * sizeof *ring);
        if (faced->marker[f] >= 0)
            TRY(tess_elements_append(elements, &element, 1));
    }
    return TESS_OK;
}

static tess_status state_elements(const tess_faced *faced, const tess_ragged *sides,
                                  tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_elements elements = {.n_cut = 0};
    CHECK(add_cells(faced, sides, &elements));
    CHECK(add_marked_faces(faced, &elements));
    CHECK(tess_elements_state(&elements, mesh));
done:
    tess_elements_clear(&elements);
    return status;
}

/* The map of the faces from `first` to `end` to their nodes. */
static tess_status state_nodes(const tess_faced *faced, const char *name, int64_t first,
                               int64_t end, tess_mesh *mesh) {
    int most = faced->dimension, n = 0;
    for (int64_t f = first; f < end; f++) {
        ring_of(faced, (int32_t)f, &n);
        most = n > most ? n : most;
    }
    const bool equal = (end - first) * most == faced->faces.start[end] - faced->faces.start[first];
    if ((end - first) * most > 8 * (faced->faces.start[end] - faced->faces.start[first]))
        FAIL(TESS_ERROR_INPUT,
             "%s: a face has %d nodes, and most have few: %s:nodes would be nothing but padding",
             mesh->source, most, name);
    int32_t *nodes = NULL;
    TRY(TESS_ALLOC((end - first) * most, &nodes));
    memset(nodes, 0xff, (size_t)((end - first) * most) * sizeof *nodes);
    for (int64_t f = first; f < end; f++) {
        const int32_t *ring = ring_of(faced, (int32_t)f, &n);
        memcpy(nodes + (f - first) * most, ring, (size_t)n * sizeof *ring);
    }
    return tess_mesh_add_map(mesh, name, "nodes", most, equal ? 0 : TESS_MAP_PADDED, nodes);
}

static tess_status state_faces(const tess_faced *faced, tess_mesh *mesh) {
    const int64_t n = faced->n_inner, n_outer = faced->faces.n - n;
    const char *inside = faced->dimension == 2 ? "edges" : "faces";
    const char *outside = faced->dimension == 2 ? "bedges" : "bfaces";
    int32_t *cells = NULL, *outer_cells = NULL, *marker = NULL;
    TRY(tess_mesh_add_set(mesh, inside, n, NULL));
    TRY(tess_mesh_add_set(mesh, outside, n_outer, NULL));
    TRY(TESS_ALLOC(2 * n, &cells));
    for (int64_t f = 0; f < n; f++) {
        const bool owner_first = faced->owner[f] < faced->neighbour[f];
        cells[2 * f] = owner_first ? faced->owner[f] : faced->neighbour[f];
        cells[2 * f + 1] = owner_first ? faced->neighbour[f] : faced->owner[f];
    }
    TRY(tess_mesh_add_map(mesh, inside, "cells", 2, 0, cells));
    TRY(TESS_ALLOC(n_outer, &outer_cells));
    memcpy(outer_cells, faced->owner + n, (size_t)n_outer * sizeof *outer_cells);
    TRY(tess_mesh_add_map(mesh, outside, "cells", 1, 0, outer_cells));
    TRY(TESS_ALLOC(n_outer, &marker));
    memcpy(marker, faced->marker + n, (size_t)n_outer * sizeof *marker);
    TRY(tess_mesh_add_dat(mesh, "marker", outside, 1, TESS_INT32, marker));
    TRY(state_nodes(faced, inside, 0, n, mesh));
    return state_nodes(faced, outside, n, faced->faces.n, mesh);
}

/* Says what the cells are. */
static tess_status warn_of_shape(const tess_faced *faced, const tess_ragged *sides,
                                 int64_t n_polyhedra, int64_t first, tess_mesh *mesh) {
    if (faced->dimension == 2)
        return tess_mesh_warn(mesh,
                              "the cells are polygons: there are edges:cells and edges:nodes, but "
                              "no cells:nodes");
    return tess_mesh_warn(mesh,
                          "%" PRId64 " of the %" PRId64
                          " cells are polyhedra beside tets, pyramids, prisms and hexes (the first "
                          "is number %" PRId64 "): there is faces:cells, but no cells:nodes",
                          n_polyhedra, sides->n, first);
}

tess_status tess_faced_state_cells(const tess_faced *faced, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_ragged sides = {.n = 0};
    int64_t first = 0, n_polyhedra = 0;
    CHECK(find_sides(faced, &sides));
    if (faced->dimension == 3)
        n_polyhedra = count_polyhedra(faced, &sides, &first);
    if (faced->dimension == 3 && n_polyhedra == 0) {
        CHECK(state_elements(faced, &sides, mesh));
        goto done;
    }
    CHECK(warn_of_shape(faced, &sides, n_polyhedra, first, mesh));
    CHECK(tess_mesh_add_set(mesh, "cells", sides.n, NULL));
    CHECK(state_faces(faced, mesh));
done:
    free(sides.start);
    free(sides.value);
    return status;
}

tess_status tess_faced_state(tess_faced *faced, tess_mesh *mesh) {
    TRY(tess_mesh_add_set(mesh, "nodes", faced->n_points, NULL));
    mesh->coordinates = TESS_TAKE(faced->points);
    return tess_faced_state_cells(faced, mesh);
}
