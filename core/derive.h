/* Derivation: the sets and maps that follow from a mesh's cells and nodes (DESIGN section 4).
 *
 * Derivable maps, where the mesh has the cells for them:
 *   cells:nodes, TYPE:nodes         all cells of one type; per type
 *   edges:nodes edges:cells         2D: the interior edges (two cells). 3D edges:nodes: all node
 *                                   pairs that are an edge of a cell
 *   bedges:nodes bedges:cells       2D: boundary edges (one cell), with the dat `marker`
 *   faces:cells bfaces:cells        3D: interior faces (two cells), boundary faces (one), `marker`
 *   tri_faces:nodes quad_faces:nodes tri_faces:cells quad_faces:cells and the same with b before
 *                                   (btri_faces ...): faces by type; faces:nodes, bfaces:nodes
 *                                   where all faces are of one type
 *   left_edges:nodes                edges sorted by their lower node, lower node first, as FUN3D
 *                                   keeps them
 *   cells:cells                     over edges (2D) or faces (3D), padded with -1 to the largest
 *                                   count, and an int32 dat `n_cells` on cells
 * Derived elements are numbered by their first cell, then by their place in it; slot 0 of
 * edges:cells and faces:cells is the lower-numbered cell. A map that is stated wins: nothing is
 * derived in its place, and what depends on it is derived from it.
 * A side shared by more than two cells is non-manifold: its lowest two cells are joined, the rest
 * become boundary sides, and a warning counts them. A self-edge never enters a map. */
#ifndef TESS_DERIVE_H
#define TESS_DERIVE_H

#include "core/mesh.h"

/* Adds the map `name` ("edges:cells"), with the sets and maps it needs, unless the mesh has it.
 * Fails (USAGE) when the mesh cannot have it, naming what it can. Parallel, and the same result on
 * any number of threads. */
TESS_MUST_CHECK tess_status tess_mesh_derive(tess_mesh *mesh, const char *name);

/* Adds all that can be derived. */
TESS_MUST_CHECK tess_status tess_mesh_derive_all(tess_mesh *mesh);

/* Gives the names of all maps that the mesh has or can have, NULL-terminated; the caller frees the
 * array, not the names (they are static or the mesh's). */
TESS_MUST_CHECK tess_status tess_mesh_derivable(const tess_mesh *mesh, const char ***out);

#endif
