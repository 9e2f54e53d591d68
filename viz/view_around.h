/* What is around: the places at which edges or nodes stand in the cells that have them. */
#ifndef TESS_VIEW_AROUND_H
#define TESS_VIEW_AROUND_H

#include "viz/view_sides.h"

typedef struct tess_view_place {
    int32_t cell;
    int32_t local; /* edge or node of the cell */
} tess_view_place;

typedef struct tess_view_around {
    int64_t n_elements;
    int64_t *offset; /* [n_elements + 1] into place */
    tess_view_place *place;
} tess_view_around;

/* The places of all nodes. */
TESS_MUST_CHECK tess_status tess_view_around_nodes(const tess_cells *cells, int64_t n_nodes,
                                                   tess_view_around **out);
/* The places of the edges of a map to their two nodes; an edge of no cell has none. */
TESS_MUST_CHECK tess_status tess_view_around_edges(const tess_cells *cells, const tess_map *nodes,
                                                   int64_t n_edges, tess_view_around **out);
void tess_view_around_free(tess_view_around *around);

#endif
