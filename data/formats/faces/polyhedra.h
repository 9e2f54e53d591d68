/* Faced cells: a mesh that states the faces of its cells, not their nodes (OpenFOAM, CGNS's NGON_n,
 * MPAS, polyhedra of VTK). */
#pragma once

#include "core/mesh/mesh.h"
#include "data/formats/faces/faces.h"

/* States nodes and cells, and takes the points. Where all cells are tets, pyramids, prisms or hexes
 * their nodes are found, and the mesh is as any other (marked faces become marked tris and quads).
 * Else it has polyhedra, which a warning counts: `faces` (those between cells) and `bfaces` with
 * their maps to cells (lower cell first) and to nodes, padded where faces differ, the dat `marker`
 * on bfaces (on faces, too, where one between two cells has a marker), and no `cells:nodes`. Cells
 * of two dimensions are polygons: the same with `edges` and `bedges`. Fails (INPUT) where padding
 * would take far more than the faces have. */
TESS_MUST_CHECK tess_status tess_polyhedra_state(tess_polyhedra *polyhedra, tess_mesh *mesh);
/* States cells where the mesh has its nodes already: `points` are not looked at. Both take what
 * they need of `faced`, whose arrays become those of the mesh: it can only be cleared then. */
TESS_MUST_CHECK tess_status tess_polyhedra_state_cells(tess_polyhedra *polyhedra, tess_mesh *mesh);

/* How many cells there are: one more than the last that a face names. */
int64_t tess_polyhedra_cells(const tess_polyhedra *polyhedra);

/* Counts the cells that are no tets, pyramids, prisms and hexes, and gives the first, INT64_MAX
 * where all cells are such. */
TESS_MUST_CHECK tess_status tess_polyhedra_count(const tess_polyhedra *polyhedra, int64_t *n,
                                                 int64_t *first);
