/* Regular meshes, whose fronts are flat: the widths of their slabs, judged by balls. */
#ifndef TESS_MOSAIC_REGULAR_H
#define TESS_MOSAIC_REGULAR_H

#include "partitioners/mosaic_order.h"

/* What is known once a width has been chosen. */
typedef struct mosaic_choice {
    bool regular; /* slabs of slabs are the way: their blocks are nearly as good as balls */
    bool settled; /* as good: nothing is left to gain */
    bool filled;  /* the order is that of the cut chosen, else it holds nothing */
} mosaic_choice;

/* Sets cut->width of a regular mesh to a whole one near its balls'. May fill order [n_elements]. */
TESS_MUST_CHECK tess_status mosaic_regular_choose(const mosaic_mesh *mesh, mosaic_cut *cut,
                                                  int32_t *order, mosaic_choice *chosen);

#endif
