/* Cell groups: the cells of a mesh by region, and by type, for formats that hold them in blocks. */
#pragma once

#include "core/mesh/cells.h"
#include "data/formats/marked.h"

/* Cells that stand together. */
typedef struct tess_cell_group {
    int region;                 /* -1: of none */
    const tess_cell_type *type; /* NULL: of several types */
    int64_t first, n;           /* places */
} tess_cell_group;

typedef struct tess_cell_groups {
    int n;
    tess_cell_group *groups; /* [n], by region, those of none last; owned */
    int32_t *cell;           /* [cells]: the cell at each place; owned */
    int32_t *place;          /* [cells]: and where each is; owned */
    int64_t n_moved;         /* cells whose place is not their number */
} tess_cell_groups;

/* Sorts the cells by region, and where `by_type` is true each region's by type; else in their
 * order. The caller releases them. */
TESS_MUST_CHECK tess_status tess_cell_groups_build(const tess_cells *cells,
                                                   const tess_marked *marked, bool by_type,
                                                   tess_cell_groups *out);
void tess_cell_groups_release(tess_cell_groups *groups);

/* Says how many cells have other numbers in a file, and which groups of cells those are. */
TESS_MUST_CHECK tess_status tess_cell_groups_warn(const tess_cell_groups *groups,
                                                  const char *format, const char *blocks,
                                                  tess_mesh *mesh);
