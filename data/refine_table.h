/* How the cells of each type are cut: the pieces by their nodes, as local points of the cell. */
#ifndef TESS_REFINE_TABLE_H
#define TESS_REFINE_TABLE_H

#include "core/mesh/cell_type.h"

/* Local points of a cell: its nodes, the middles of its edges, the middles of its quadrilateral
 * faces, and its own where it is a quad or a hex; each in the order of the cell type's table. */
enum { TESS_REFINE_POINTS_MAX = 27, TESS_REFINE_PIECES_MAX = 10 };

typedef struct tess_refinement {
    const char *set; /* of the cells that are cut */
    bool has_centre; /* a point in the middle of the cell */
    int n_pieces;
    struct {
        const char *set;
        signed char points[TESS_CELL_NODES_MAX];
    } pieces[TESS_REFINE_PIECES_MAX];
} tess_refinement;

/* The way in which the cells of a set are cut. */
const tess_refinement *tess_refinement_of(const char *set);

/* The last four pieces of a tet around each of the three diagonals of its inner octahedron, whose
 * ends are points[piece][0] and [1]. */
extern const signed char tess_refine_diagonals[3][4][4];

#endif
