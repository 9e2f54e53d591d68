/* VTK cells: types, connectivity and offsets, as VTK's files of unstructured grids hold them. */
#pragma once

#include "data/formats/elements.h"

/* Cells of a piece: all of them, or some that follow one another. */
typedef struct tess_vtk_cells {
    int64_t n, n_points, n_connectivity;
    int64_t first, first_id;     /* in the piece: the first cell here, the first of connectivity */
    const int64_t *types;        /* [n] */
    const int64_t *ends;         /* [n]: where the nodes of each end in the piece's connectivity */
    const int64_t *connectivity; /* [n_connectivity], each in [0, n_points) */
    const int64_t *groups;       /* [n]: of boundary elements, or NULL */
    const int64_t *ghosts;       /* [n]: not 0 for cells that another piece has, too; or NULL */
    int64_t first_node;          /* added to all nodes */
} tess_vtk_cells;

/* Appends the cells that are no ghosts, each with its group as `marker`. `scan` tells where they
 * are, for messages. Fails (INPUT) on polyhedra, polygons of more than four sides and unknown
 * types, on offsets that do not ascend, and on nodes that there are not. */
TESS_MUST_CHECK tess_status tess_vtk_cells_append(const tess_scan *scan,
                                                  const tess_vtk_cells *cells,
                                                  tess_elements *elements);
