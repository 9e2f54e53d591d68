/* The measure of a cell: its size, and how near its shape is to the best of its type. */
#pragma once

#include "core/mesh/cell_type.h"

/* Area or volume of a cell by the coordinates of its nodes; the sign tells which way round they go
 * as VTK orders them (faces are cut into triangles at their first node). Areas in space are without
 * sign. */
double tess_cell_size(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes);

/* The longest extent of a cell along an axis, to the power of its dimension. */
double tess_cell_box_size(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes);

/* The shape of a cell, whichever way round it goes: 1 for equilateral triangles and tetrahedra,
 * squares, cubes, and prisms and pyramids whose edges are of one length; 0 where it has no extent
 * or is not convex at a corner. Of triangles and tetrahedra the mean ratio, which compares the size
 * with that of the edges (Liu and Joe, 1994), of others the least scaled Jacobian of their corners
 * (Knupp, 2000; of pyramids those of the base). */
double tess_cell_shape(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes);
