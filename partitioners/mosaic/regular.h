/* Regular meshes, whose fronts are flat: the widths of their slabs, judged by balls. */
#ifndef TESS_MOSAIC_REGULAR_H
#define TESS_MOSAIC_REGULAR_H

#include "partitioners/mosaic/order.h"

/* What is known once a width has been chosen. */
typedef struct mosaic_choice {
    bool regular; /* slabs of slabs are the way: their blocks are nearly as good as balls */
    bool settled; /* as good: nothing is left to gain */
    bool filled;  /* the order is that of the cut chosen, else it holds nothing */
} mosaic_choice;

/* Sets cut->width of a regular mesh to a whole one near its balls'. May fill order [n_elements]. */
TESS_MUST_CHECK tess_status mosaic_regular_choose(const mosaic_mesh *mesh, mosaic_cut *cut,
                                                  int32_t *order, mosaic_choice *chosen);

/* Where the blocks of that cut are cubes of whole levels, but a side of the mesh is no multiple of
 * theirs: lets blocks go on from strip to strip and from slab to slab, back and forth, so that what
 * is left over at two neighbouring ends makes a brick. Fills the order with what has fewer points,
 * or leaves it and *chosen as they are. */
TESS_MUST_CHECK tess_status mosaic_regular_snake(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                                 int32_t *order, mosaic_choice *chosen);

#endif
