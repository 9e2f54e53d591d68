/* The cells of a mesh, of one type or mixed: a view that finds each cell's type and nodes. */
#pragma once

#include "core/mesh/cell_type.h"

/* The cells of one type. */
typedef struct tess_cell_block {
    const tess_cell_type *type;
    int64_t n;
    const int32_t *nodes; /* [n][type->n_nodes], the mesh's */
    const int32_t *cell;  /* [n]: number among all cells, the mesh's; NULL: its own row */
} tess_cell_block;

typedef struct tess_cells {
    int dimension; /* of the cells themselves, 2 or 3; 0 where there are none */
    int64_t n_cells, n_nodes;
    int n_blocks;
    tess_cell_block blocks[TESS_CELL_TYPES];
    uint8_t *block_of; /* [n_cells] and ... */
    int32_t *row_of;   /* [n_cells]: where a cell is; NULL where all are of one type; owned */
} tess_cells;

/* Fills the view; the mesh outlives it. A mesh without cells gives an empty one. cells:nodes that
 * is derived from cells of several types says no type and is passed over. Fails (INPUT)
 * where some cell belongs to no type or to two, or 2D and 3D cells are mixed. */
TESS_MUST_CHECK tess_status tess_cells_build(const tess_mesh *mesh, tess_cells *out);
void tess_cells_release(tess_cells *cells);

/* Gives the nodes of all cells [n_cells][*arity], the caller's: *arity is that of the type with the
 * most, cells of fewer are padded with -1. */
TESS_MUST_CHECK tess_status tess_cells_unite(const tess_cells *cells, int *arity, int32_t **out);

/* The nodes of a cell, and its type. */
static inline const int32_t *tess_cell_nodes(const tess_cells *cells, int64_t cell,
                                             const tess_cell_type **type) {
    const tess_cell_block *block = &cells->blocks[cells->block_of ? cells->block_of[cell] : 0];
    const int64_t row = cells->row_of ? cells->row_of[cell] : cell;
    *type = block->type;
    return block->nodes + row * block->type->n_nodes;
}
