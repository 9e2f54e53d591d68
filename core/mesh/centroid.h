/* A centroid: where an element lies, the mean of its nodes. */
#pragma once

#include "core/mesh/mesh.h"

/* A mesh without its cells states the centroids of a set by a dat of this name, of doubles. */
#define TESS_CENTROID_DAT "centroid"

/* Gives the centroids [size of set][mesh->dimension] of a set, an index into mesh->sets; the caller
 * frees them. Stated ones count; nodes are where they are; else through set:nodes, through the cell
 * types that make up a mixed set (TYPE:cells and TYPE:nodes), or as the mean over the elements that
 * a map leads to (edges:cells, cells:nodes). *out is NULL where the mesh has no such way. Parallel,
 * the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_centroids_build(const tess_mesh *mesh, int set, double **out);
