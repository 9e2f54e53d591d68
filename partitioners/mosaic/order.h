/* An order: the places of a walked mesh in an order of which every S elements are a block. */
#ifndef TESS_MOSAIC_ORDER_H
#define TESS_MOSAIC_ORDER_H

#include "partitioners/mosaic/cut.h"
#include "partitioners/mosaic/mesh.h"

/* Sets how cut->width, halves and places are to what gives a few slabs of the mesh the fewest
 * points; small meshes are cut as a whole. *filled: order [n_elements] is that of the cut chosen,
 * else it holds nothing. */
TESS_MUST_CHECK tess_status mosaic_order_choose(const mosaic_mesh *mesh, mosaic_cut *cut,
                                                int32_t *order, bool *filled);

/* Fills order [n_elements]: slabs of the walk's levels, each cut on its own, all cores at once. */
TESS_MUST_CHECK tess_status mosaic_order_cut(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                             int32_t *order);

/* The same at a place between pencils (knob 0) and the shapes that the cut makes (knob 1), such
 * that reuse and colours grow with the knob: that part of the blocks has the shapes, those before
 * *first_brick are pencils, of single levels, and go on from one level in the next. */
TESS_MUST_CHECK tess_status mosaic_order_turn(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                              double knob, int32_t *order, int32_t *first_brick);

#endif
