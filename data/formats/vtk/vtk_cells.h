/* VTK cells: types, connectivity and offsets, as VTK's files of unstructured grids hold them. */
#pragma once

#include "data/formats/elements.h"
#include "data/formats/vtk/vtk_faces.h"

/* Cells of a piece: all of them, or some that follow one another. */
typedef struct tess_vtk_cells {
    int64_t n, n_connectivity;
    tess_vtk_points points;      /* of the piece */
    int64_t first, first_id;     /* in the piece: the first cell here, the first of connectivity */
    const int64_t *types;        /* [n] */
    const int64_t *ends;         /* [n]: where the nodes of each end in the piece's connectivity */
    const int64_t *connectivity; /* [n_connectivity], each in [0, points.n) */
    const int64_t *groups;       /* [n]: of boundary elements, or NULL */
    const int64_t *regions;      /* [n]: groups of what has none of the above, or NULL */
    const int64_t *ghosts;       /* [n]: not 0 for cells that another piece has, too; or NULL */
    tess_vtk_faces *faces;       /* of the piece's polyhedra; NULL where the file has none */
} tess_vtk_cells;

/* Appends the cells that are no ghosts, each with its group as `marker`. `scan` tells where they
 * are, for messages. Fails (INPUT) on unknown types, on offsets that do not ascend, on polyhedra
 * without faces, and on nodes that there are not. */
TESS_MUST_CHECK tess_status tess_vtk_cells_append(const tess_scan *scan,
                                                  const tess_vtk_cells *cells,
                                                  tess_elements *elements);
