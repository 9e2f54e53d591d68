/* A numbering in the making: vertices of a graph put in order, neighbours by rank. */
#include "core/plan/order/numbering.h"

#include "core/base/array.h"
#include <stdlib.h>

tess_status tess_numbering_new(const tess_ranked_graph *graph, tess_numbering *numbering) {
    numbering->graph = graph;
    TRY(TESS_ZEROS(graph->n, &numbering->numbered));
    return TESS_ALLOC(graph->n, &numbering->order);
}

void tess_numbering_free(tess_numbering *numbering) {
    free(numbering->numbered);
    free(numbering->order);
}

void tess_numbering_add(tess_numbering *numbering, int32_t v) {
    numbering->numbered[v] = true;
    numbering->order[numbering->n++] = v;
}

static int compare_ranks(const void *a, const void *b, void *graph) {
    const uint64_t x = tess_rank_of(graph, *(const int32_t *)a);
    const uint64_t y = tess_rank_of(graph, *(const int32_t *)b);
    return (x > y) - (x < y);
}

int32_t tess_rank_first(const tess_ranked_graph *graph, const int32_t *listed, int32_t first,
                        int64_t n) {
    int32_t least = listed ? listed[0] : first;
    uint64_t its = tess_rank_of(graph, least);
    for (int64_t i = 1; i < n; i++) {
        const int32_t one = listed ? listed[i] : first + (int32_t)i;
        const uint64_t rank = tess_rank_of(graph, one);
        least = rank < its ? one : least;
        its = rank < its ? rank : its;
    }
    return least;
}

static void sort_by_rank(const tess_ranked_graph *graph, int32_t *vertices, int64_t n) {
    uint64_t rank[16]; /* so few are sorted by insertion */
    if (n > (int64_t)(sizeof rank / sizeof *rank)) {
        qsort_r(vertices, (size_t)n, sizeof *vertices, compare_ranks, (void *)graph);
        return;
    }
    for (int64_t i = 0; i < n && n > 1; i++) {
        const int32_t one = vertices[i];
        const uint64_t its = tess_rank_of(graph, one);
        int64_t at = i;
        for (; at > 0 && rank[at - 1] > its; at--) {
            rank[at] = rank[at - 1];
            vertices[at] = vertices[at - 1];
        }
        rank[at] = its;
        vertices[at] = one;
    }
}

void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted) {
    const int64_t start = numbering->n;
    int64_t n = 0;
    const int32_t *row = tess_ranked_row(numbering->graph, v, &n);
    for (int64_t i = 0; i < n; i++)
        if (!numbering->numbered[row[i]] && (!level || level[row[i]] == wanted))
            tess_numbering_add(numbering, row[i]);
    sort_by_rank(numbering->graph, numbering->order + start, numbering->n - start);
}
