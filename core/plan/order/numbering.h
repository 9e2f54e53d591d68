/* A numbering in the making: vertices of a graph put in order, neighbours by rank. */
#pragma once

#include "core/plan/incidence.h"

/* A graph whose vertices are ranked by degree, those of equal degree by number. */
typedef struct tess_ranked_graph {
    tess_incidence rows; /* the neighbours of each vertex, each once, -1 behind them */
    int64_t n;
    const int32_t *number; /* [n]; NULL: their own */
} tess_ranked_graph;

/* The neighbours of a vertex, n of them. */
static inline const int32_t *tess_ranked_row(const tess_ranked_graph *graph, int32_t v,
                                             int64_t *n) {
    const int32_t *row = tess_incidence_row(&graph->rows, v, n);
    while (*n > 0 && row[*n - 1] < 0)
        --*n;
    return row;
}

static inline uint64_t tess_rank_of(const tess_ranked_graph *graph, int32_t v) {
    int64_t degree = 0;
    tess_ranked_row(graph, v, &degree);
    return (uint64_t)degree << 32 | (uint32_t)(graph->number ? graph->number[v] : v);
}

/* The first by rank of n vertices, one at least: of those listed, or, where `listed` is NULL, of
 * those from `first` on. */
int32_t tess_rank_first(const tess_ranked_graph *graph, const int32_t *listed, int32_t first,
                        int64_t n);

/* The order of the n vertices that are numbered. */
typedef struct tess_numbering {
    const tess_ranked_graph *graph;
    bool *numbered; /* [n_vertices] */
    int32_t *order; /* [n_vertices] */
    int64_t n;
} tess_numbering;

TESS_MUST_CHECK tess_status tess_numbering_new(const tess_ranked_graph *graph,
                                               tess_numbering *numbering);
void tess_numbering_free(tess_numbering *numbering);

void tess_numbering_add(tess_numbering *numbering, int32_t v);

/* Adds the neighbours of v that are not numbered yet, by rank; only those of `wanted` level where
 * `level` is not NULL. */
void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted);
