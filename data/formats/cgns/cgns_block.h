/* A structured zone of a CGNS file: a box of nodes, whose cells are hexahedra, or quadrilaterals.
 */
#pragma once

#include "data/formats/cgns/cgns_file.h"

typedef struct tess_cgns_block {
    int dimension;   /* 2 or 3, that of the base's cells */
    int64_t size[3]; /* nodes along each axis, the first fastest, or 1 */
} tess_cgns_block;

/* Appends the cells, and as boundary elements the sides that boundary conditions state as a range
 * of nodes or of faces in a plane of the box. Fails (INPUT) on a range that is not in the box. */
TESS_MUST_CHECK tess_status tess_cgns_block_read(tess_cgns_file *file,
                                                 const tess_cgns_block *block);
