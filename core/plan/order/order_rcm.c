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
    tess_rows rows;   /* owned */
    int32_t *old;     /* [rows.n]: what a vertex was called; owned */
    int32_t *renamed; /* [rows.n]: old to new, -1 until it is met; owned */
    int64_t n_met;
} local_graph;

static int32_t meet(local_graph *graph, int32_t vertex) {
    if (graph->renamed[vertex] < 0) {
        graph->renamed[vertex] = (int32_t)graph->n_met;
        graph->old[graph->n_met++] = vertex;
    }
    return graph->renamed[vertex];
}

/* Asks for the row of a vertex that will be read soon. */
static void bring(const tess_incidence *neighbours, int32_t vertex) {
    __builtin_prefetch(neighbours->index + (neighbours->offset
                                                ? neighbours->offset[vertex]
                                                : (int64_t)vertex * neighbours->arity));
}

static tess_status local_graph_new(const tess_incidence *neighbours, int64_t n, local_graph *out) {
    tess_rows *rows = &out->rows;
    const int64_t ahead = 16; /* vertices, while whose rows are read another one comes */
    int64_t n_items = 0;
    TRY(TESS_ALLOC(n, &out->old));
    TRY(TESS_ALLOC(n, &out->renamed));
    TRY(TESS_ZEROS(n + 1, &rows->offset));
    TRY(TESS_ALLOC(neighbours->offset ? neighbours->offset[n] : n * neighbours->arity,
                   &rows->item));
    for (int64_t v = 0; v < n; v++)
        out->renamed[v] = -1;
    for (int32_t v = 0; rows->n < n; rows->offset[++rows->n] = n_items) {
        for (; rows->n == out->n_met; v++)
            meet(out, v);
        if (rows->n + ahead < out->n_met)
            bring(neighbours, out->old[rows->n + ahead]);
        const int32_t vertex = out->old[rows->n];
        int64_t n_slots = 0;
        const int32_t *row = tess_incidence_row(neighbours, vertex, &n_slots);
        for (int64_t slot = 0; slot < n_slots; slot++)
            if (row[slot] != vertex && tess_incidence_is_first(neighbours, row, slot))
                rows->item[n_items++] = meet(out, row[slot]);
    }
    return TESS_OK;
}

static void local_graph_free(local_graph *graph) {
    free(graph->rows.offset);
    free(graph->rows.item);
    free(graph->old);
    free(graph->renamed);
}

/* Numbers the component of a vertex. */
static tess_status number_component(const local_graph *graph, int32_t vertex, tess_levels levels[3],
                                    tess_numbering *numbering) {
    const int64_t first = numbering->n;
    tess_levels_of_ends(&graph->rows, &numbering->by_degree, vertex, &levels[0], &levels[1],
                        &levels[2]);
    TRY(tess_interrupt_check());
    tess_numbering_add(numbering, levels[0].root);
    for (int64_t at = first; at < numbering->n; at++)
        tess_numbering_add_around(numbering, numbering->order[at], NULL, 0);
    tess_reverse(numbering->order + first, numbering->n - first);
    return TESS_OK;
}

tess_status tess_order_rcm_of(tess_incidence *neighbours, int64_t n, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    local_graph graph = {.n_met = 0};
    tess_levels levels[3] = {{0}};
    tess_numbering numbering = {0};
    CHECK(local_graph_new(neighbours, n, &graph));
    if (neighbours->owned)
        tess_incidence_clear(neighbours);
    CHECK(tess_numbering_new(&graph.rows, graph.renamed, &numbering));
    for (int i = 0; i < 3; i++)
        CHECK(tess_levels_new(n, &levels[i]));
    for (int32_t v = 0; v < n; v++)
        if (!numbering.numbered[v])
            CHECK(number_component(&graph, v, levels, &numbering));
    for (int64_t i = 0; i < n; i++)
        numbering.order[i] = graph.old[numbering.order[i]];
    *new_to_old = TESS_TAKE(numbering.order);
done:
    if (neighbours->owned)
        tess_incidence_clear(neighbours);
    local_graph_free(&graph);
    for (int i = 0; i < 3; i++)
        tess_levels_free(&levels[i]);
    tess_numbering_free(&numbering);
    return status;
}

tess_status tess_order_rcm(const tess_rows *graph, int32_t **new_to_old) {
    tess_incidence neighbours = tess_incidence_of_rows(graph, graph->n);
    return tess_order_rcm_of(&neighbours, graph->n, new_to_old);
}
