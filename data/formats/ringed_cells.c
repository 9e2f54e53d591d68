/* Ringed cells: cells among which some are polygons or polyhedra, made faced cells by the sides
 * that two of them have. */
#include "data/formats/ringed_cells.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/base/sort.h"
#include "core/mesh/cell_type.h"
#include "data/formats/faced.h"
#include "data/formats/polygons.h"
#include <stdlib.h>
#include <string.h>

/* The rings of cells: of two dimensions themselves, of three their sides as they are seen from
 * outside; behind those the rings of marked elements. */
typedef struct cell_rings {
    const tess_elements *elements;
    int64_t n_sides; /* those of cells */
    int64_t start_capacity, value_capacity, cell_capacity, marker_capacity;
    tess_ragged rings;
    int32_t *cell;   /* [rings.n]: -1 for marked elements; owned */
    int32_t *marker; /* [rings.n]: -1 for sides that none marks; owned */
    int32_t *sorted; /* the nodes of each ring, ascending; as rings.value; owned */
    int32_t *other;  /* [n_sides]: the side of the neighbour, -1: none; owned */
} cell_rings;

static void rings_release(cell_rings *rings) {
    free(rings->rings.start);
    free(rings->rings.value);
    free(rings->cell);
    free(rings->marker);
    free(rings->sorted);
    free(rings->other);
}

static tess_status add_ring(cell_rings *to, int32_t cell, int32_t marker, int64_t n,
                            const int32_t *nodes) {
    tess_ragged *rings = &to->rings;
    if (rings->n == INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "the cells have more than 2147483647 sides");
    TRY(TESS_RESERVE(rings->n + 2, &to->start_capacity, &rings->start));
    if (rings->n == 0)
        rings->start[0] = 0;
    const int64_t at = rings->start[rings->n];
    TRY(TESS_RESERVE(at + n, &to->value_capacity, &rings->value));
    TRY(TESS_RESERVE(rings->n + 1, &to->cell_capacity, &to->cell));
    TRY(TESS_RESERVE(rings->n + 1, &to->marker_capacity, &to->marker));
    memcpy(rings->value + at, nodes, (size_t)n * sizeof *nodes);
    to->cell[rings->n] = cell;
    to->marker[rings->n] = marker;
    rings->start[++rings->n] = at + n;
    return TESS_OK;
}

/* Adds the rings of a polygon, or of a polyhedron. */
static tess_status add_ringed(cell_rings *to, const tess_ring_list *list, int64_t row, int32_t cell,
                              int32_t marker) {
    for (int64_t ring = list->first[row]; ring < list->first[row + 1]; ring++)
        TRY(add_ring(to, cell, marker, list->start[ring + 1] - list->start[ring],
                     list->nodes + list->start[ring]));
    return TESS_OK;
}

/* Adds the ring of a triangle or quadrilateral, or those of the sides of a cell of three
 * dimensions. */
static tess_status add_element(cell_rings *to, int type, int64_t row, int32_t cell,
                               int32_t marker) {
    const int arity = tess_element_kinds[type].arity;
    const tess_cell_type *sides = &tess_cell_types[type - TESS_ELEMENT_TRI];
    const int32_t *nodes = to->elements->lists[type].nodes + row * arity;
    if (tess_element_kinds[type].dimension == 2)
        return add_ring(to, cell, marker, arity, nodes);
    for (int face = 0; face < sides->n_faces; face++) {
        int32_t ring[4];
        const int n = tess_cell_face_size(sides, face);
        for (int i = 0; i < n; i++)
            ring[i] = nodes[sides->face[face][i]];
        TRY(add_ring(to, cell, marker, n, ring));
    }
    return TESS_OK;
}

/* The number by which fill_places() says where a polygon or polyhedron is. */
enum { RINGED = TESS_N_ELEMENT_TYPES };

static void fill_places(const tess_elements *elements, int dimension, int64_t *place) {
    for (int type = TESS_ELEMENT_TRI; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_list *list = &elements->lists[type];
        for (int64_t i = 0; i < list->size && tess_element_kinds[type].dimension == dimension; i++)
            place[list->ordinal ? list->ordinal[i] : i] = i * (RINGED + 1) + type;
    }
    const tess_ring_list *list = &elements->ringed[dimension];
    for (int64_t i = 0; i < list->size; i++)
        place[list->ordinal[i]] = i * (RINGED + 1) + RINGED;
}

static tess_status add_cells(cell_rings *to, int dimension) {
    tess_status status = TESS_OK;
    const int64_t n = to->elements->n_of_dimension[dimension];
    int64_t *place = NULL; /* [n]: row and type of each cell */
    CHECK(TESS_ALLOC(n, &place));
    fill_places(to->elements, dimension, place);
    for (int64_t cell = 0; cell < n; cell++) {
        const int type = (int)(place[cell] % (RINGED + 1));
        const int64_t row = place[cell] / (RINGED + 1);
        CHECK(type == RINGED
                  ? add_ringed(to, &to->elements->ringed[dimension], row, (int32_t)cell, -1)
                  : add_element(to, type, row, (int32_t)cell, -1));
    }
    to->n_sides = to->rings.n;
done:
    free(place);
    return status;
}

static tess_status add_marked(cell_rings *to) {
    const tess_ring_list *polygons = &to->elements->ringed[2];
    for (int type = TESS_ELEMENT_TRI; type <= TESS_ELEMENT_QUAD; type++)
        for (int64_t i = 0; i < to->elements->lists[type].size; i++)
            TRY(add_element(to, type, i, -1, to->elements->lists[type].marker[i]));
    for (int64_t i = 0; i < polygons->size; i++)
        TRY(add_ringed(to, polygons, i, -1, polygons->marker[i]));
    return TESS_OK;
}

/* --- sides with the same nodes ---------------------------------------------------------------- */

static int64_t ring_size(const cell_rings *rings, int32_t ring) {
    return rings->rings.start[ring + 1] - rings->rings.start[ring];
}

/* By number of nodes, then by the nodes; 0 where both have the same. */
static int compare_nodes(const cell_rings *rings, int32_t a, int32_t b) {
    const int64_t n = ring_size(rings, a), n_b = ring_size(rings, b);
    const int32_t *left = rings->sorted + rings->rings.start[a];
    const int32_t *right = rings->sorted + rings->rings.start[b];
    if (n != n_b)
        return n < n_b ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_rings(const void *left, const void *right, void *rings) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    const int order = compare_nodes(rings, a, b);
    return order ? order : (a > b) - (a < b);
}

/* Pairs the first two sides of different cells among n rings with the same nodes, in the order of
 * the cells, marked elements behind them; these mark the other sides. */
static void join_rings(cell_rings *rings, const int32_t *ring, int64_t n) {
    int64_t n_sides = 0, second = 1;
    while (n_sides < n && ring[n_sides] < rings->n_sides)
        n_sides++;
    while (second < n_sides && rings->cell[ring[second]] == rings->cell[ring[0]])
        second++;
    if (second < n_sides) {
        rings->other[ring[0]] = ring[second];
        rings->other[ring[second]] = ring[0];
    }
    for (int64_t i = 0; i < n_sides && n_sides < n; i++)
        rings->marker[ring[i]] = rings->marker[ring[n_sides]];
}

static tess_status join_sides(cell_rings *rings, int64_t n_nodes) {
    tess_status status = TESS_OK;
    tess_rows *at_node = NULL;
    int32_t *lowest = NULL;
    const tess_ragged *all = &rings->rings;
    CHECK(TESS_COPY(all->start[all->n], all->value, &rings->sorted));
    CHECK(TESS_ALLOC(all->n, &lowest));
    CHECK(TESS_ALLOC(rings->n_sides, &rings->other));
    memset(rings->other, 0xff, (size_t)rings->n_sides * sizeof *rings->other);
    for (int64_t i = 0; i < all->n; i++) {
        tess_sort(rings->sorted + all->start[i], all->start[i + 1] - all->start[i]);
        lowest[i] = rings->sorted[all->start[i]];
    }
    CHECK(tess_rows_build(lowest, all->n, n_nodes, &at_node));
    for (int64_t node = 0; node < n_nodes; node++) {
        int32_t *ring = at_node->item + at_node->offset[node];
        const int64_t n = tess_rows_size(at_node, node);
        qsort_r(ring, (size_t)n, sizeof *ring, compare_rings, rings);
        for (int64_t first = 0, end = 1; first < n; first = end++) {
            while (end < n && compare_nodes(rings, ring[first], ring[end]) == 0)
                end++;
            join_rings(rings, ring + first, end - first);
        }
    }
done:
    free(lowest);
    tess_rows_free(at_node);
    return status;
}

/* --- faces ------------------------------------------------------------------------------------ */

/* Fills the faces: those between two cells, then those at the boundary, each by its first cell. */
static tess_status fill_faces(const cell_rings *rings, tess_faced *out) {
    int64_t n = 0, n_values = 0;
    for (int64_t side = 0; side < rings->n_sides; side++) {
        const bool second = rings->other[side] >= 0 && rings->other[side] < side;
        out->n_inner += rings->other[side] > side;
        n += !second;
        n_values += second ? 0 : ring_size(rings, (int32_t)side);
    }
    TRY(TESS_ALLOC(n + 1, &out->faces.start));
    TRY(TESS_ALLOC(n_values, &out->faces.value));
    TRY(TESS_ALLOC(n, &out->owner));
    TRY(TESS_ALLOC(out->n_inner, &out->neighbour));
    TRY(TESS_ALLOC(n, &out->marker));
    out->faces.start[0] = 0;
    for (int inner = 1; inner >= 0; inner--)
        for (int64_t side = 0; side < rings->n_sides; side++) {
            const int32_t other = rings->other[side];
            const int64_t face = out->faces.n, size = ring_size(rings, (int32_t)side);
            if ((other >= 0) != inner || (inner && other < side))
                continue;
            memcpy(out->faces.value + out->faces.start[face],
                   rings->rings.value + rings->rings.start[side], (size_t)size * sizeof(int32_t));
            out->faces.start[face + 1] = out->faces.start[face] + size;
            out->owner[face] = rings->cell[side];
            if (inner)
                out->neighbour[face] = rings->cell[other];
            else
                out->marker[face - out->n_inner] = rings->marker[side];
            out->faces.n++;
        }
    return TESS_OK;
}

/* Fills faces, owner, neighbour and marker of `out`, whose dimension is that of the cells. */
static tess_status find_faces(const tess_elements *elements, int64_t n_nodes, tess_faced *out) {
    tess_status status = TESS_OK;
    cell_rings rings = {.elements = elements};
    CHECK(add_cells(&rings, out->dimension));
    if (out->dimension == 2) {
        CHECK(tess_polygons_faced(&rings.rings, n_nodes, &elements->lists[TESS_ELEMENT_LINE], out));
        goto done;
    }
    CHECK(add_marked(&rings));
    CHECK(join_sides(&rings, n_nodes));
    CHECK(fill_faces(&rings, out));
done:
    rings_release(&rings);
    return status;
}

tess_status tess_ringed_cells_state(tess_elements *elements, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_faced faced = {.dimension = tess_elements_dimension(elements)};
    if (elements->ringed[faced.dimension].size == 0)
        return tess_elements_state(elements, mesh);
    CHECK(tess_elements_warn_of_cut(elements, mesh));
    CHECK(find_faces(elements, tess_mesh_set_size(mesh, "nodes"), &faced));
    tess_elements_clear(elements); /* before the mesh asks for memory */
    CHECK(tess_faced_state_cells(&faced, mesh));
done:
    tess_elements_clear(elements);
    tess_faced_clear(&faced);
    return status;
}
