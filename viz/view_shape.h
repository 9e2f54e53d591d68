/* The shape of a set's elements: the pieces, VTK cells over points of the mesh, that show them.
 *
 * The pieces of all elements of a set tile the mesh without overlap:
 * - cells, tris, hexes ...: the cells themselves; polyhedra as cones from their faces to the
 *   centroid, as files of ParaView 5.11's VTKHDF hold no polyhedra.
 * - 2D, set:nodes and set:cells: the dual kite of an edge, one quad of its nodes and the centroids
 *   of its cells; at a boundary the half that there is, a triangle. The triangles of boundary edges
 *   belong to `bedges`, not to `edges`: a view of one leaves those of the other open.
 * - 3D, set:cells: on each side of a face a tet or a pyramid from the face to the centroid of the
 *   cell, several where it has more than four nodes; of a boundary face the one side that there is.
 * - set:nodes of arity 2 alone: an edge in each cell around it; 2D the triangle to the centroid, 3D
 *   two tets, to the centroids of the cell and of each of its two faces there.
 * - nodes: in each cell around a node its corner; 2D the quad to the middles of its edges and the
 *   centroid, 3D a pyramid for each of its faces; of polygons and polyhedra in two halves.
 * An element without a cell becomes its own vertex, line, triangle or quad. Points are named by
 * sites: nodes of the mesh first, then centroids of cells, of faces, of edges. */
#pragma once

#include "core/mesh/mesh.h"
#include "viz/view_pieces.h"

typedef struct tess_view_shape tess_view_shape;

/* Adds to a mesh those maps that a view of the set needs and that can be derived. */
TESS_MUST_CHECK tess_status tess_view_derive(tess_mesh *mesh, const char *set);

/* Prepares the shapes of a set of the mesh, which outlives the result. Fails (INPUT) when the mesh
 * lacks the maps that the set's shapes need, naming them. */
TESS_MUST_CHECK tess_status tess_view_shape_build(const tess_mesh *mesh, const char *set,
                                                  tess_view_shape **out);
void tess_view_shape_free(tess_view_shape *shape);

int64_t tess_view_shape_sites(const tess_view_shape *shape);
void tess_view_shape_point(const tess_view_shape *shape, int32_t site, double point[3]);

/* Appends the pieces of an element. */
void tess_view_shape_append(const tess_view_shape *shape, int64_t element,
                            tess_view_pieces *pieces);
