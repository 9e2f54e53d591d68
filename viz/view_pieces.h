/* Pieces: the VTK cells that show elements, one behind the other, over points named by sites. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* VTK's numbers of the types that are not those of cells of a mesh (core/mesh/cell_type.h), too. */
enum {
    TESS_VTK_VERTEX = 1,
    TESS_VTK_LINE = 3,
    TESS_VTK_TRIANGLE = 5,
    TESS_VTK_POLYGON = 7,
    TESS_VTK_QUAD = 9,
    TESS_VTK_TETRA = 10,
    TESS_VTK_PYRAMID = 14
};

/* Where sites are. */
typedef struct tess_view_sites {
    const void *of;
    void (*point)(const void *of, int32_t site, double point[3]);
} tess_view_sites;

/* Pieces one behind the other, over points named by sites. Arrays that are NULL are only counted.
 */
typedef struct tess_view_pieces {
    int64_t n_pieces, n_corners;
    uint8_t *vtk;                 /* VTK's type of each piece */
    int64_t first_corner;         /* how many corners lie before these pieces */
    int64_t *end;                 /* of each piece: where its corners end among all */
    int32_t *site;                /* of each corner */
    const tess_view_sites *sites; /* where they are; set by who appends */
} tess_view_pieces;

/* Appends a piece of VTK's type with n corners. */
void tess_view_piece(tess_view_pieces *pieces, int vtk, int n, const int32_t *sites);

/* Appends a triangle or a quad, or a cone over one (apex last), of n corners, turned the right way:
 * files turn their sides either way. */
void tess_view_piece_turned(tess_view_pieces *pieces, int n, int32_t *sites, bool cone);
