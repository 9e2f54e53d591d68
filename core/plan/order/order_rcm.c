/* Reverse Cuthill-McKee: breadth first from a pseudo-peripheral vertex, neighbours by degree, then
 * reversed. */
#include "core/plan/order/graph_order.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/plan/order/levels.h"
#include <stdlib.h>

/* A graph with its vertices numbered breadth first, so that searches find neighbours near in memory
 * however it was numbered. */
typedef struct local_graph {
    tess_ranked_graph ranked; /* by what they were called; its rows are owned */
    int32_t *old;             /* [n]: what a vertex was called; owned */
    int32_t *renamed;         /* [n + 1]: old to new, -1 until it is met, and room; owned */
    bool *begins;             /* [n]: the component of a vertex; owned */
    int64_t n_met;
} local_graph;

static int32_t meet(local_graph *graph, int32_t vertex) {
    if (graph->renamed[vertex] < 0) {
        graph->renamed[vertex] = (int32_t)graph->n_met;
        graph->old[graph->n_met++] = vertex;
    }
    return graph->renamed[vertex];
}

/* Puts the row of a vertex in new numbers, where it may stand itself: each neighbour once, not the
 * vertex. Gives how many. */
static int64_t put_row(local_graph *graph, const tess_incidence *neighbours, int32_t vertex,
                       int32_t *to) {
    int64_t n_slots = 0, n = 0;
    const int32_t *row = tess_incidence_row(neighbours, vertex, &n_slots);
    for (int64_t slot = 0; slot < n_slots; slot++) {
        if (row[slot] < 0 || row[slot] == vertex)
            continue;
        to[n] = meet(graph, row[slot]);
        bool is_there = false;
        for (int64_t i = 0; i < n && !neighbours->offset; i++)
            is_there |= to[i] == to[n];
        n += !is_there;
    }
    return n;
}

/* Puts the rows of one length in the order of the new numbers, a word of all after the other, in
 * the room [n] of names that are not needed any more. */
static void move_rows(int32_t *rows, int arity, const local_graph *graph) {
    int32_t *const word = graph->renamed;
    const int64_t n = graph->ranked.n;
    for (int slot = 0; slot < arity; slot++) {
        for (int64_t v = 0; v < n; v++)
            word[v] = rows[(int64_t)graph->old[v] * arity + slot];
        for (int64_t v = 0; v < n; v++)
            rows[v * arity + slot] = word[v];
    }
}

/* Makes it of neighbours, in their memory where that is owned: their rows are of one length then.
 */
static tess_status local_graph_new(const tess_incidence *neighbours, int64_t n, local_graph *out) {
    const int64_t ahead = 16; /* vertices, while whose rows are read another one comes */
    const bool takes = neighbours->owned;
    int32_t *rows = (int32_t *)neighbours->index;
    int64_t *offset = NULL, n_items = 0;
    out->ranked = (tess_ranked_graph){.rows = *neighbours, .n = n};
    if (!takes) {
        TRY(TESS_ALLOC(neighbours->offset[n], &rows));
        out->ranked.rows = (tess_incidence){.index = rows, .owned = true};
        TRY(TESS_ZEROS(n + 1, &offset));
        out->ranked.rows.offset = offset;
    }
    TRY(TESS_ALLOC(n, &out->old));
    TRY(TESS_ALLOC(n + 1, &out->renamed));
    TRY(TESS_ZEROS(n, &out->begins));
    for (int64_t v = 0; v < n; v++)
        out->renamed[v] = -1;
    int32_t first = 0;
    for (int64_t v = 0; v < n; v++) {
        if (v == out->n_met) {
            while (out->renamed[first] >= 0)
                first++;
            meet(out, first);
            out->begins[v] = true;
        }
        if (v + ahead < out->n_met)
            tess_incidence_prefetch(neighbours, out->old[v + ahead]);
        int32_t *const row =
            takes ? rows + (int64_t)out->old[v] * neighbours->arity : rows + n_items;
        int64_t n_beside = put_row(out, neighbours, out->old[v], row);
        n_items += n_beside;
        for (; takes && n_beside < neighbours->arity; n_beside++)
            row[n_beside] = -1;
        if (!takes)
            offset[v + 1] = n_items;
    }
    if (takes)
        move_rows(rows, neighbours->arity, out);
    out->ranked.number = out->old;
    return TESS_OK;
}

static void local_graph_free(local_graph *graph) {
    tess_incidence_clear(&graph->ranked.rows);
    free(graph->old);
    free(graph->renamed);
    free(graph->begins);
}

/* Numbers the component of the vertices [first, end). What is still free of the order is the room
 * of the searches. */
static tess_status number_component(int32_t first, int32_t end, tess_numbering *numbering) {
    const int32_t least = tess_rank_first(numbering->graph, NULL, first, end - first);
    tess_levels levels = {.seen = numbering->numbered, .queue = numbering->order + first};
    tess_levels_of_ends(numbering->graph, least, &levels, NULL, &levels);
    TRY(tess_interrupt_check());
    tess_numbering_add(numbering, levels.root);
    for (int64_t at = first; at < numbering->n; at++)
        tess_numbering_add_around(numbering, numbering->order[at], NULL, 0);
    tess_reverse(numbering->order + first, numbering->n - first);
    return TESS_OK;
}

/* Of a graph, in its own numbers. The first vertex of a component that is still to come counts as
 * numbered: none before it leads there. */
static tess_status order_local(local_graph *graph, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_numbering numbering = {.graph = &graph->ranked,
                                .order = TESS_TAKE(graph->renamed),
                                .numbered = TESS_TAKE(graph->begins)};
    const int64_t n = graph->ranked.n;
    int32_t end = 0;
    for (int32_t first = 0; first < n; first = end) {
        numbering.numbered[first] = false;
        for (end = first + 1; end < n && !numbering.numbered[end];)
            end++;
        CHECK(number_component(first, end, &numbering));
    }
    for (int64_t i = 0; i < n; i++)
        numbering.order[i] = graph->old[numbering.order[i]];
    *new_to_old = TESS_TAKE(numbering.order);
done:
    tess_numbering_free(&numbering);
    return status;
}

static tess_status order_neighbours(const tess_incidence *neighbours, int64_t n,
                                    int32_t **new_to_old) {
    tess_status status = TESS_OK;
    local_graph graph = {.n_met = 0};
    CHECK(local_graph_new(neighbours, n, &graph));
    CHECK(order_local(&graph, new_to_old));
done:
    local_graph_free(&graph);
    return status;
}

tess_status tess_order_rcm_of(int32_t *neighbours, int arity, int64_t n, int32_t **new_to_old) {
    const tess_incidence rows = {.index = neighbours, .arity = arity, .owned = true, .n_points = n};
    return order_neighbours(&rows, n, new_to_old);
}

tess_status tess_order_rcm(const tess_rows *graph, int32_t **new_to_old) {
    const tess_incidence rows = tess_incidence_of_rows(graph, graph->n);
    return order_neighbours(&rows, graph->n, new_to_old);
}
