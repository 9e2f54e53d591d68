/* Refinement: every cell cut into smaller ones of its type, by new nodes on its edges and faces. */
#pragma once

#include "core/mesh/mesh.h"

/* Gives the mesh with every cell cut once: triangles and quads into 4; tets, prisms and hexes into
 * 8 (a tet's inner octahedron along its shortest diagonal); pyramids into 6 pyramids and 4 tets.
 * New nodes lie in the middle of edges, quadrilateral faces, quads and hexes, and are numbered
 * behind the old ones. The pieces of a cell follow each other. Marked boundary elements are cut
 * alike and keep their markers; boundary conditions of OP2's bedges become markers. Maps that the
 * mesh states beyond cells, and dats, are left out, and a warning names them. Fails (INPUT) on a
 * cell that repeats a node, by its number. */
TESS_MUST_CHECK tess_status tess_mesh_refine(const tess_mesh *mesh, tess_mesh **out);
