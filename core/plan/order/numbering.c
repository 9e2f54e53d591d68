/* A numbering in the making: vertices of a graph put in order, neighbours by degree. */
#include "core/plan/order/numbering.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

static tess_status degree_order_new(const tess_rows *graph, const int32_t *order,
                                    tess_degree_order *by_degree) {
    const int64_t n = graph->n;
    const int64_t largest = tess_rows_longest(graph);
    int64_t *next = NULL;
    TRY(TESS_ALLOC(n, &by_degree->position));
    TRY(TESS_ALLOC(n, &by_degree->vertex));
    TRY(TESS_ZEROS(largest + 2, &next));
    for (int64_t v = 0; v < n; v++)
        next[tess_rows_size(graph, v) + 1]++;
    for (int64_t d = 0; d <= largest; d++)
        next[d + 1] += next[d];
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = order ? order[i] : i;
        const int64_t position = next[tess_rows_size(graph, v)]++;
        by_degree->position[v] = (int32_t)position;
        by_degree->vertex[position] = (int32_t)v;
    }
    free(next);
    return TESS_OK;
}

static void degree_order_free(tess_degree_order *by_degree) {
    free(by_degree->position);
    free(by_degree->vertex);
}

tess_status tess_numbering_new(const tess_rows *graph, const int32_t *order,
                               tess_numbering *numbering) {
    numbering->graph = graph;
    TRY(degree_order_new(graph, order, &numbering->by_degree));
    TRY(TESS_ZEROS(graph->n, &numbering->numbered));
    return TESS_ALLOC(graph->n, &numbering->order);
}

void tess_numbering_free(tess_numbering *numbering) {
    degree_order_free(&numbering->by_degree);
    free(numbering->numbered);
    free(numbering->order);
}

void tess_numbering_add(tess_numbering *numbering, int32_t v) {
    numbering->numbered[v] = true;
    numbering->order[numbering->n++] = v;
}

/* Sorts a few vertices by degree; their positions lie near each other, unlike what stands there. */
static void sort_few(const int32_t *position, int32_t *vertices, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const int32_t one = vertices[i];
        int64_t at = i;
        for (; at > 0 && position[vertices[at - 1]] > position[one]; at--)
            vertices[at] = vertices[at - 1];
        vertices[at] = one;
    }
}

void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted) {
    const tess_rows *graph = numbering->graph;
    const tess_degree_order *by_degree = &numbering->by_degree;
    int32_t *const order = numbering->order;
    const int64_t start = numbering->n, few = 16; /* that are sorted by insertion */
    for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
        const int32_t w = graph->item[i];
        if (!numbering->numbered[w] && (!level || level[w] == wanted))
            tess_numbering_add(numbering, w);
    }
    if (numbering->n - start <= few) {
        sort_few(by_degree->position, order + start, numbering->n - start);
        return;
    }
    for (int64_t i = start; i < numbering->n; i++)
        order[i] = by_degree->position[order[i]];
    tess_sort(order + start, numbering->n - start);
    for (int64_t i = start; i < numbering->n; i++)
        order[i] = by_degree->vertex[order[i]];
}
