/* Polygons: cells of two dimensions with any number of nodes, made faced cells by their edges. */
#include "data/formats/faces/polygons.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

/* Half h is the edge from value[h] of a ring to the next node; two of different rings are an edge.
 */
typedef struct half_edges {
    const tess_jagged_array *rings;
    int32_t *next;    /* [halves]: the node behind; owned */
    int32_t *cell;    /* [halves]: the ring; owned */
    int32_t *other;   /* [halves]: the half of the neighbour, -1: none; owned */
    int64_t *first;   /* [nodes + 1] into sorted: of those whose lower node it is; owned */
    uint64_t *sorted; /* [halves]: the higher node above, the half in the lower 32 bits; ascending
                         at each node; owned */
} half_edges;

static int64_t count_halves(const half_edges *halves) {
    return halves->rings->start[halves->rings->n];
}

/* A node that stands twice in a row makes no edge. */
static bool is_edge(const half_edges *halves, int64_t h) {
    return halves->rings->value[h] != halves->next[h];
}

static int32_t low_node(const half_edges *halves, int64_t h) {
    const int32_t a = halves->rings->value[h], b = halves->next[h];
    return a < b ? a : b;
}

static int32_t high_node(const half_edges *halves, int64_t h) {
    const int32_t a = halves->rings->value[h], b = halves->next[h];
    return a < b ? b : a;
}

static tess_status find_halves(half_edges *halves) {
    const tess_jagged_array *rings = halves->rings;
    const int64_t n = count_halves(halves);
    TRY(TESS_ALLOC(n, &halves->next));
    TRY(TESS_ALLOC(n, &halves->cell));
    TRY(TESS_ALLOC(n, &halves->other));
    for (int64_t c = 0; c < rings->n; c++)
        for (int64_t h = rings->start[c]; h < rings->start[c + 1]; h++) {
            halves->next[h] = rings->value[h + 1 < rings->start[c + 1] ? h + 1 : rings->start[c]];
            halves->cell[h] = (int32_t)c;
            halves->other[h] = -1;
        }
    return TESS_OK;
}

/* Sorts the halves at each node by the other one. */
static tess_status sort_halves(half_edges *halves, int64_t n_nodes) {
    const int64_t n = count_halves(halves);
    TRY(TESS_ZEROS(n_nodes + 1, &halves->first));
    TRY(TESS_ALLOC(n, &halves->sorted));
    for (int64_t h = 0; h < n; h++)
        halves->first[low_node(halves, h)]++;
    for (int64_t node = 0, end = 0; node <= n_nodes; node++) { /* where it ends */
        end += halves->first[node];
        halves->first[node] = end;
    }
    for (int64_t h = n - 1; h >= 0; h--)
        halves->sorted[--halves->first[low_node(halves, h)]] =
            (uint64_t)high_node(halves, h) << 32 | (uint64_t)h;
    for (int64_t node = 0; node < n_nodes; node++)
        tess_sort_words(halves->sorted + halves->first[node],
                        halves->first[node + 1] - halves->first[node]);
    return TESS_OK;
}

/* Pairs halves of different cells that have the same nodes, the first two of each edge. */
static void pair_halves(half_edges *halves, int64_t n_nodes) {
    for (int64_t node = 0; node < n_nodes; node++)
        for (int64_t k = halves->first[node]; k + 1 < halves->first[node + 1]; k++) {
            const int32_t a = (int32_t)halves->sorted[k], b = (int32_t)halves->sorted[k + 1];
            if (is_edge(halves, a) && halves->other[a] < 0 &&
                halves->sorted[k] >> 32 == halves->sorted[k + 1] >> 32 &&
                halves->cell[a] != halves->cell[b]) {
                halves->other[a] = b;
                halves->other[b] = a;
            }
        }
}

/* The first of the sorted halves with these nodes or later ones. */
static int64_t find_half(const half_edges *halves, int32_t low, int32_t high) {
    int64_t first = halves->first[low], end = halves->first[low + 1];
    while (first < end) {
        const int64_t middle = (first + end) / 2;
        if (halves->sorted[middle] >> 32 < (uint64_t)high)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Puts the marker of a line on the halves that have its nodes. */
static tess_mark mark_line(const half_edges *halves, const int32_t nodes[2], int32_t marker,
                           int32_t *marker_of) {
    const int32_t low = nodes[0] < nodes[1] ? nodes[0] : nodes[1];
    const int32_t high = nodes[0] < nodes[1] ? nodes[1] : nodes[0];
    tess_mark became = TESS_MARK_STRAY;
    for (int64_t k = find_half(halves, low, high);
         low < high && k < halves->first[low + 1] && halves->sorted[k] >> 32 == (uint64_t)high;
         k++) {
        int32_t *of = &marker_of[(int32_t)halves->sorted[k]];
        if (*of < 0) {
            *of = marker;
            became = TESS_MARK_TAKEN;
        } else if (became == TESS_MARK_STRAY) {
            became = *of == marker ? TESS_MARK_TWICE : TESS_MARK_AGAIN;
        }
    }
    return became;
}

/* Puts the marker of each marked line on the halves that have its nodes. */
static void mark_halves(const half_edges *halves, const tess_element_list *marked, int32_t *marker,
                        tess_lost_marks *lost) {
    for (int64_t h = 0; h < count_halves(halves); h++)
        marker[h] = -1;
    for (int64_t i = 0; i < marked->size; i++) {
        const int32_t of_line = marked->marker[i];
        tess_lost_marks_add(lost, mark_line(halves, marked->nodes + 2 * i, of_line, marker),
                            of_line);
    }
}

/* Whether an edge between two cells has a marker. */
static bool has_inner_marks(const half_edges *halves, const int32_t *marker) {
    for (int64_t h = 0; h < count_halves(halves); h++)
        if (halves->other[h] >= 0 && marker[h] >= 0)
            return true;
    return false;
}

static tess_status fill_edges(const half_edges *halves, const int32_t *marker,
                              tess_polyhedra *out) {
    const int64_t n_halves = count_halves(halves);
    int64_t n = 0, capacity = 0;
    for (int64_t h = 0; h < n_halves; h++) {
        out->n_inner += halves->other[h] > h;
        n += is_edge(halves, h) && (halves->other[h] < 0 || halves->other[h] > h);
    }
    TRY(TESS_ALLOC(n + 1, &out->faces.start));
    TRY(TESS_ALLOC(2 * n, &out->faces.value));
    TRY(TESS_RESERVE(n, &capacity, &out->owner)); /* it grows without a copy */
    TRY(TESS_ALLOC(out->n_inner, &out->neighbour));
    TRY(TESS_ALLOC(n, &out->marker));
    if (has_inner_marks(halves, marker))
        TRY(TESS_ALLOC(out->n_inner, &out->inner_marker));
    out->faces.n = n;
    for (int64_t e = 0; e <= n; e++)
        out->faces.start[e] = 2 * e;
    int64_t at[2] = {out->n_inner, 0}; /* of those at the boundary, of those inside */
    for (int64_t h = 0; h < n_halves; h++) {
        const bool inner = halves->other[h] >= 0;
        if (!is_edge(halves, h) || (inner && halves->other[h] < h))
            continue;
        const int64_t e = at[inner]++;
        out->faces.value[2 * e] = halves->rings->value[h];
        out->faces.value[2 * e + 1] = halves->next[h];
        out->owner[e] = halves->cell[h];
        if (inner)
            out->neighbour[e] = halves->cell[halves->other[h]];
        else
            out->marker[e - out->n_inner] = marker[h];
        if (inner && out->inner_marker)
            out->inner_marker[e] = marker[h];
    }
    return TESS_OK;
}

tess_status tess_polyhedra_of_polygons(const tess_jagged_array *rings, int64_t n_nodes,
                                       const tess_element_list *marked, tess_polyhedra *out,
                                       tess_lost_marks *lost) {
    tess_status status = TESS_OK;
    half_edges halves = {.rings = rings};
    int32_t *marker = NULL;
    if (count_halves(&halves) > INT32_MAX)
        CHECK(tess_fail(TESS_ERROR_INPUT, "polygons have more than 2147483647 edges"));
    CHECK(find_halves(&halves));
    CHECK(sort_halves(&halves, n_nodes));
    pair_halves(&halves, n_nodes);
    CHECK(TESS_ALLOC(count_halves(&halves), &marker));
    mark_halves(&halves, marked, marker, lost);
    CHECK(fill_edges(&halves, marker, out));
done:
    free(halves.next);
    free(halves.cell);
    free(halves.other);
    free(marker);
    free(halves.first);
    free(halves.sorted);
    return status;
}
