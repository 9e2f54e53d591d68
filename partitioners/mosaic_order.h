/* An order: the places of a walked mesh in an order of which every S elements are a block. */
#ifndef TESS_MOSAIC_ORDER_H
#define TESS_MOSAIC_ORDER_H

#include "partitioners/mosaic_cut.h"
#include "partitioners/mosaic_mesh.h"

/* Sets cut->width and cut->halves to what gives a few slabs of the mesh the fewest points. */
TESS_MUST_CHECK tess_status mosaic_order_choose(const mosaic_mesh *mesh, mosaic_cut *cut);

/* Fills order [n_elements]: slabs of the walk's levels, each cut on its own, all cores at once. */
TESS_MUST_CHECK tess_status mosaic_order_cut(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                             int32_t *order);

#endif
