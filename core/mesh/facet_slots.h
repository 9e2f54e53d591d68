/* Facet slots: an open hash table, by which rows are found by the nodes of their facets. */
#pragma once

#include "core/mesh/facets.h"

typedef struct tess_facet_slots {
    size_t row_size; /* a row begins with the key of its facet */
    int64_t n;       /* a power of two, at least 3/2 times the rows */
    int32_t *slot;   /* [n]: a row, -1: none; owned */
} tess_facet_slots;

/* Empty slots for up to n_rows rows of row_size bytes; the caller clears them. */
TESS_MUST_CHECK tess_status tess_facet_slots_new(int64_t n_rows, size_t row_size,
                                                 tess_facet_slots *out);
void tess_facet_slots_clear(tess_facet_slots *slots);

/* The slot of a facet among the rows entered so far; where it holds none, the facet's row may be
 * entered there. */
int32_t *tess_facet_slot(const tess_facet_slots *slots, const void *rows,
                         const int32_t key[TESS_FACET_NODES_MAX]);
