/* Derivation: the sets and maps that follow from a mesh's cells and nodes
 * (docs/concepts.md, "Sets and maps").
 *
 * Derivable maps, where the mesh has the cells for them:
 *   edges:nodes edges:cells         2D: the interior edges (two cells). 3D edges:nodes: all node
 *                                   pairs that are an edge of a cell
 *   bedges:nodes bedges:cells       2D: boundary edges (one cell), with the dat `marker`
 *   faces:cells bfaces:cells        3D: interior faces (two cells), boundary faces (one), `marker`
 *   faces:nodes bfaces:nodes        where the types of the cells have faces of one shape, else:
 *   tri_faces:nodes tri_faces:cells tri_faces:faces, the same with quad_ and with b before
 *                                   (btri_faces:bfaces ...): faces by shape, and which face each is
 *   left_edges:nodes                the edges sorted by their lower node, which comes first (FUN3D)
 *   cells:cells                     over edges (2D) or faces (3D), padded with -1 to the largest
 *                                   count, and an int32 dat `n_cells` on cells
 *   cells:nodes                     of cells of several types: the nodes of each, padded with -1 to
 *                                   the largest count, and an int32 dat `n_nodes` on cells; by
 *                                   name only
 *   node_pairs:nodes                the ordered pairs of two nodes of a cell, by row, then
 *                                   column: where a matrix over nodes has entries; by name only
 *   TYPE:node_pairs                 the pairs of a cell's nodes, arity n (n - 1): (0, 1), (0, 2)
 * ... (1, 0), (1, 2) ...; by name only TYPE:nodes tri_faces:nodes ...  where all cells or faces are
 * of that type: a copy of cells:nodes or faces:nodes, made by name only Derived elements are
 * numbered by their first cell, then by position in it; slot 0 of edges:cells and faces:cells is
 * the lower-numbered cell. A map that is stated wins: nothing is derived in its place, and what
 * depends on it is derived from it. `marker` is that of the marked element with the same nodes, or
 * -1. A side shared by more than two cells is non-manifold: its lowest two cells are joined, the
 * rest become boundary sides, and a warning counts them. A self-edge never enters a map, nor a side
 * that repeated nodes have collapsed. */
#pragma once

#include "core/mesh/mesh.h"

/* Adds the map `name` ("edges:cells") unless the mesh has it, with the sets and maps it needs; the
 * maps of sides (edges in 2D, faces in 3D; interior and boundary) come together.
 * Fails (USAGE) when the mesh cannot have it, naming what it can. Parallel, and the same result on
 * any number of threads. */
TESS_MUST_CHECK tess_status tess_mesh_derive(tess_mesh *mesh, const char *name);

/* Adds all that can be derived, but no copies of another map and no pairs of nodes. */
TESS_MUST_CHECK tess_status tess_mesh_derive_all(tess_mesh *mesh);

/* Gives the names of all maps that the mesh has or can have, NULL-terminated; the caller frees the
 * array, not the names (they are static or the mesh's). */
TESS_MUST_CHECK tess_status tess_mesh_derivable(const tess_mesh *mesh, const char ***out);
