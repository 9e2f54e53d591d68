/* Pieces: VTK cells one behind the other, over points named by sites. */
#ifndef TESS_VIEW_PIECES_H
#define TESS_VIEW_PIECES_H

#include <stdint.h>

/* VTK's numbers of the types that are not those of cells of a mesh (core/mesh/cell_type.h), too. */
enum {
    TESS_VTK_VERTEX = 1,
    TESS_VTK_LINE = 3,
    TESS_VTK_TRIANGLE = 5,
    TESS_VTK_QUAD = 9,
    TESS_VTK_TETRA = 10,
    TESS_VTK_PYRAMID = 14
};

/* Arrays that are NULL are only counted. */
typedef struct tess_view_pieces {
    int64_t n_pieces, n_corners;
    uint8_t *vtk;  /* VTK's type of each piece */
    int32_t *site; /* of each corner */
} tess_view_pieces;

/* Appends a piece of n corners. */
void tess_view_pieces_append(tess_view_pieces *pieces, int vtk, int n, const int32_t *sites);

/* Corners of a piece of VTK's type. */
int tess_view_corners(int vtk);

#endif
