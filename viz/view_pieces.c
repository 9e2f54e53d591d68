/* Pieces: VTK cells one behind the other, over points named by sites. */
#include "viz/view_pieces.h"

#include "core/mesh/cell_type.h"
#include <string.h>

void tess_view_pieces_append(tess_view_pieces *pieces, int vtk, int n, const int32_t *sites) {
    if (pieces->vtk)
        pieces->vtk[pieces->n_pieces] = (uint8_t)vtk;
    if (pieces->site)
        memcpy(pieces->site + pieces->n_corners, sites, (size_t)n * sizeof *sites);
    pieces->n_pieces++;
    pieces->n_corners += n;
}

int tess_view_corners(int vtk) {
    if (vtk == TESS_VTK_VERTEX || vtk == TESS_VTK_LINE)
        return vtk == TESS_VTK_LINE ? 2 : 1;
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        if (tess_cell_types[t].vtk == vtk)
            return tess_cell_types[t].n_nodes;
    return 0;
}
