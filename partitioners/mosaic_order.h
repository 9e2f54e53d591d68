/* An order: all elements of some pins in an order of which every S elements are a block. */
#ifndef TESS_MOSAIC_ORDER_H
#define TESS_MOSAIC_ORDER_H

#include "partitioners/mosaic_cut.h"

typedef enum mosaic_shape { MOSAIC_SLABS, MOSAIC_HALVES, MOSAIC_TRIED } mosaic_shape;

/* Gives the order [n_elements] that the caller frees: one walk across the mesh, slabs of its
 * levels, slabs cut on their own, all cores at once, into blocks of cut->block_size. cut->width is a
 * factor here, of the width of a ball of S elements. With MOSAIC_TRIED cut->halves and the width are
 * what gives one slab from the middle of the mesh the fewest points. */
TESS_MUST_CHECK tess_status mosaic_order_build(const mosaic_pins *pins, const mosaic_cut *cut,
                                               mosaic_shape shape, int32_t **order);

#endif
