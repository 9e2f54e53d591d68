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

/* Centroids one by one, where a map states the nodes of a set's elements: no array is needed. */
typedef struct tess_centroids {
    int dimension;
    int arity;
    const int32_t *nodes;   /* [size of set][arity], the mesh's; NULL: only tess_centroids_build */
    const double *points;   /* of the nodes */
    double low[3], high[3]; /* the corners of the box around all centroids */
} tess_centroids;

tess_centroids tess_centroids_of(const tess_mesh *mesh, int set);

enum { TESS_CENTROIDS_AT_ONCE = 1024 }; /* that a thread makes: they fit its cache */

/* How many of n these are from `first` on. */
static inline int64_t tess_centroids_batch(int64_t first, int64_t n) {
    const int64_t most = TESS_CENTROIDS_AT_ONCE;
    return n - first < most ? n - first : most;
}

/* Fills out [n][dimension] with what tess_centroids_build has of these elements [n]; NULL: of n
 * elements from `first` on. */
void tess_centroids_fill(const tess_centroids *centroids, const int32_t *elements, int64_t first,
                         int64_t n, double *out);
