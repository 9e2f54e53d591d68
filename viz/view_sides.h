/* The sides of cells: their distinct edges or faces, numbered. */
#pragma once

#include "core/mesh/facet_slots.h"

typedef struct tess_view_sides {
    int64_t n_sides;
    int stride;       /* sides of a cell, at most */
    int32_t *side_of; /* [n_cells][stride]: the number of a cell's edge or face; -1 past the last */
    int32_t (*nodes)[4]; /* [n_sides]: the side's nodes, ascending, -1 past the last */
    tess_facet_slots slots;
} tess_view_sides;

/* Numbers the edges or the faces of all cells in the order in which cells have them. */
TESS_MUST_CHECK tess_status tess_view_sides_build(const tess_cells *cells, tess_facet_kind kind,
                                                  tess_view_sides **out);

/* The number of the side with these nodes [n <= 4] in any order, or -1. */
int32_t tess_view_sides_find(const tess_view_sides *sides, int n, const int32_t *nodes);
/* For elements that lie between cells, element_cells [n_elements][arity] (faces:cells,
 * bfaces:cells): gives which face of its first cell each one is, [n_elements]; the caller frees it.
 * With two cells the face they share; with one the cell's faces that no other cell has, in their
 * order. Fails (INPUT) naming the element that has no such face. */
TESS_MUST_CHECK tess_status tess_view_faces_locate(const tess_cells *cells,
                                                   const tess_view_sides *faces,
                                                   const tess_map *element_cells,
                                                   int64_t n_elements, int8_t **out);
void tess_view_sides_free(tess_view_sides *sides);
