/* Pieces: the VTK cells that show elements, one behind the other, over points named by sites. */
#include "viz/view_pieces.h"

#include <string.h>

void tess_view_piece(tess_view_pieces *pieces, int vtk, int n, const int32_t *sites) {
    if (pieces->vtk)
        pieces->vtk[pieces->n_pieces] = (uint8_t)vtk;
    if (pieces->site)
        memcpy(pieces->site + pieces->n_corners, sites, (size_t)n * sizeof *sites);
    pieces->n_pieces++;
    pieces->n_corners += n;
    if (pieces->end)
        pieces->end[pieces->n_pieces - 1] = pieces->first_corner + pieces->n_corners;
}

/* Positive where a polygon in the plane runs counter-clockwise, or a cone's base sees its apex. */
static double orientation(const tess_view_sites *of, int n, const int32_t *sites, bool cone) {
    double p[5][3];
    for (int i = 0; i < n; i++)
        of->point(of->of, sites[i], p[i]);
    const int last = cone ? n - 2 : n - 1; /* of the base */
    const double *o = p[0];
    double normal[3] = {0};
    for (int i = 1; i < last; i++)
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            normal[d] +=
                (p[i][e] - o[e]) * (p[i + 1][f] - o[f]) - (p[i][f] - o[f]) * (p[i + 1][e] - o[e]);
        }
    if (!cone)
        return normal[2];
    double height = 0;
    for (int d = 0; d < 3; d++)
        height += normal[d] * (p[n - 1][d] - o[d]);
    return height;
}

void tess_view_piece_turned(tess_view_pieces *pieces, int n, int32_t *sites, bool cone) {
    const int vtk = cone ? (n == 4 ? TESS_VTK_TETRA : TESS_VTK_PYRAMID)
                         : (n == 3 ? TESS_VTK_TRIANGLE : TESS_VTK_QUAD);
    if (pieces->site && orientation(pieces->sites, n, sites, cone) < 0) {
        const int last = cone ? n - 2 : n - 1;
        const int32_t kept = sites[1];
        sites[1] = sites[last];
        sites[last] = kept;
    }
    tess_view_piece(pieces, vtk, n, sites);
}
