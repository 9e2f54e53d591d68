/* An order: the positions of a walked mesh in an order of which every S elements are a block. */
#pragma once

#include "partitioners/mosaic/cut.h"
#include "partitioners/mosaic/walked_mesh.h"

/* Fills order [n_elements]: slabs of the walk's levels, each cut on its own, all cores at once. */
TESS_MUST_CHECK tess_status mosaic_order_cut(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                             int32_t *order);

/* The same between pencils (knob 0) and the shapes that the cut makes (knob 1), such that reuse and
 * colours grow with the knob: that part of the blocks has the shapes; those before *first_brick are
 * pencils of single levels, and go on from one level in the next. */
TESS_MUST_CHECK tess_status mosaic_order_turn(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                              double knob, int32_t *order, int32_t *first_brick);

/* Adds the blocks of S consecutive elements of an order [n_elements]. */
TESS_MUST_CHECK tess_status mosaic_order_tally(const mosaic_mesh *mesh, const int32_t *order,
                                               int64_t block_size, mosaic_tally *sum);
