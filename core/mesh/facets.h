/* Facets: the edges or the faces of cells, found by their nodes.
 *
 * Each cell has a half of each of its facets; half h = cell * stride + place is the facet at that
 * place of the cell type's table. Halves with the same nodes are one facet. */
#pragma once

#include "core/mesh/cells.h"

typedef enum tess_facet_kind { TESS_FACET_EDGES, TESS_FACET_FACES } tess_facet_kind;

typedef struct tess_facets {
    const tess_cells *cells;
    tess_facet_kind kind;
    int stride; /* most facets that a cell has */
    int64_t n_halves;
} tess_facets;

tess_facets tess_facets_of(const tess_cells *cells, tess_facet_kind kind);

enum { TESS_FACET_NODES_MAX = 4 };

/* The nodes of a facet, ascending and each once, -1 behind them; false for a facet that repeated
 * nodes have collapsed, which does not count. */
bool tess_facet_key(int n_nodes, const int32_t *nodes, tess_facet_kind kind,
                    int32_t key[TESS_FACET_NODES_MAX]);

/* The nodes of the facet at a position of a cell, in the order of the type's table; gives how many.
 */
static inline int tess_facet_nodes(const tess_cell_type *type, const int32_t *cell_nodes,
                                   tess_facet_kind kind, int position,
                                   int32_t nodes[TESS_FACET_NODES_MAX]) {
    const bool edge = kind == TESS_FACET_EDGES;
    const signed char *local = edge ? type->edge[position] : type->face[position];
    const int n = edge ? 2 : local[3] < 0 ? 3 : 4;
    for (int i = 0; i < n; i++)
        nodes[i] = cell_nodes[local[i]];
    return n;
}

static inline int tess_facet_count(const tess_cell_type *type, tess_facet_kind kind) {
    return kind == TESS_FACET_EDGES ? type->n_edges : type->n_faces;
}

/* Calls visit(context, halves, n) once for each facet with its n halves ascending: from many
 * threads, in no order. */
TESS_MUST_CHECK tess_status tess_facets_visit(const tess_facets *facets,
                                              void (*visit)(void *context, const uint64_t *halves,
                                                            int64_t n),
                                              void *context);

/* Gives the lowest half of each facet, ascending [n]: derived facets are numbered so. The caller
 * frees it. */
TESS_MUST_CHECK tess_status tess_facets_first(const tess_facets *facets, int64_t **halves,
                                              int64_t *n);

/* The nodes of the facet of a half, in the order of the type's table; gives how many. */
int tess_facet_of_half(const tess_facets *facets, int64_t half,
                       int32_t nodes[TESS_FACET_NODES_MAX]);
