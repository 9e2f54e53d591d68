/* A view mesh: a mesh split along its blocks, with what a plan says of each element, as ParaView
 * shows it.
 *
 * Its cells are the pieces of the partitioned set's elements (viz/view_shape.h), block after block.
 * Points are shared inside a block and duplicated between blocks, so that warping by `explode`
 * moves whole blocks apart and every filter that looks for outer surfaces finds each block's. */
#pragma once

#include "core/plan/chain_blocks.h"
#include "core/plan/metrics.h"
#include "core/ranks/ranked_blocks.h"

enum { TESS_VIEW_ARRAYS_MAX = 16 + TESS_MOST_DISTRIBUTIONS, TESS_VIEW_HUES = 12 };

typedef struct tess_view_array {
    const char *name; /* static */
    tess_type type;   /* int or float */
    void *values;     /* [n_cells], owned */
} tess_view_array;

typedef struct tess_view_mesh {
    char set[TESS_NAME_SIZE]; /* whose elements it shows */
    int dimension;
    int64_t n_cells, n_points, n_corners;
    uint8_t *type;         /* [n_cells] VTK's cell types */
    int64_t *offset;       /* [n_cells + 1] into connectivity */
    int64_t *connectivity; /* [n_corners] */
    double *points;        /* [n_points][3], z = 0 in 2D */
    float *explode;     /* [n_points][3] from the mesh's centroid to the block's, each the mean of
                           its points */
    int32_t *shared_by; /* [n_points] how many blocks have this corner: load it, where it is one of
                           the loop's points; NULL: points are blocks */
    int32_t n_blocks;
    int64_t *block_cell;       /* [n_blocks + 1] into cells: a block's are consecutive */
    int64_t *block_point;      /* [n_blocks + 1] into points: likewise */
    int32_t *block_neighbours; /* [n_blocks] how many others have a corner in common with it */
    int64_t *ring_begin;       /* [n_blocks + 1] into ring_element: of a chain's blocks; NULL */
    int32_t *ring_element;     /* the elements in their rings, the nearest first */
    int n_arrays;
    tess_view_array arrays[TESS_VIEW_ARRAYS_MAX];
} tess_view_mesh;

/* The view of a bare partition: block_of [size of set], each in [0, n_blocks). Arrays: `element`
 * (of the set), `block`, `display_colour` (neighbouring blocks differ; 0 ... TESS_VIEW_HUES - 1,
 * the hue that fewest neighbours have where all are taken) and `block_elements`, how many of them
 * the block has. */
TESS_MUST_CHECK tess_status tess_view_mesh_of_partition(const tess_mesh *mesh, const char *set,
                                                        int32_t n_blocks, const int32_t *block_of,
                                                        tess_view_mesh **out);

/* The view of a mesh on ranks, each of which is a block: rank_of [size of set], each in [0,
 * n_ranks). More arrays: `rank`; `halo`, how many other ranks have a copy of the element, n_copies
 * [size of set]; and `rank_colour`, the hue of the rank, darker (+ TESS_VIEW_HUES) in a halo. */
TESS_MUST_CHECK tess_status tess_view_mesh_of_ranks(const tess_mesh *mesh, const char *set,
                                                    int32_t n_ranks, const int32_t *rank_of,
                                                    const int32_t *n_copies, tess_view_mesh **out);

/* The view of a chain's blocks, which own the points of a set. More arrays: `ring`, how many other
 * blocks have the point in their rings; `ring_colour`, the hue of the block, darker (+
 * TESS_VIEW_HUES) there; `block_ring`, the points in the block's rings. And the rings themselves.
 * Fails (INPUT) where not each point is some block's own. */
TESS_MUST_CHECK tess_status tess_view_mesh_of_chain(const tess_mesh *mesh, const char *set,
                                                    const tess_chain_blocks *blocks,
                                                    tess_view_mesh **out);

/* The view of the blocks of all ranks, rank after rank. More arrays: `rank`, `thread`, `warp` and
 * `thread_colour` (see tess_view_mesh_of_plan). */
TESS_MUST_CHECK tess_status tess_view_mesh_of_ranked_blocks(const tess_mesh *mesh,
                                                            const tess_ranked_blocks *blocks,
                                                            tess_view_mesh **out);

/* The view of a plan. More arrays: `thread` (place in the block), `warp` (of 32 threads),
 * `block_colour`, `thread_colour`, and the quantities of blocks of core/plan/quantities.h, from the
 * metrics, or counted where these are NULL or lack them. Where blocks own points the points are
 * shown, block_of [size of their set] says whose they are, and there is no `thread`, `warp` nor
 * `thread_colour`; else block_of may be NULL. */
TESS_MUST_CHECK tess_status tess_view_mesh_of_plan(const tess_bound_loop *bound,
                                                   const tess_plan *plan, const int32_t *block_of,
                                                   const tess_metrics *metrics,
                                                   tess_view_mesh **out);
void tess_view_mesh_free(tess_view_mesh *view);

/* An array by name, or NULL. */
const tess_view_array *tess_view_mesh_find(const tess_view_mesh *view, const char *name);
