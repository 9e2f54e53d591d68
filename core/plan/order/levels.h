/* Levels: a breadth-first search from one vertex, and the vertices of a graph ranked by degree. */
#pragma once

#include "core/plan/graph.h"

/* The level structure of the component of a root. Between searches every level is -1. */
typedef struct tess_levels {
    int32_t *level; /* [n_vertices]: distance from the root, -1 where not reached */
    int32_t *queue; /* [n_vertices]: the n reached vertices, level by level */
    int64_t n;
    int32_t root, height; /* height: number of levels */
    int64_t width;        /* size of the largest level */
} tess_levels;

TESS_MUST_CHECK tess_status tess_levels_new(int64_t n_vertices, tess_levels *levels);
void tess_levels_free(tess_levels *levels);

/* Forgets the last search, in time of its size. */
void tess_levels_clear(tess_levels *levels);

/* Vertices by degree, then number: by_rank [n_vertices] and its inverse rank. */
typedef struct tess_ranks {
    int32_t *rank, *by_rank;
} tess_ranks;

/* A numbering in the making: the order of the n vertices that are numbered. */
typedef struct tess_numbering {
    const tess_rows *graph;
    tess_ranks ranks;
    bool *numbered; /* [vertices] */
    int32_t *order; /* [vertices] */
    int64_t n;
} tess_numbering;

TESS_MUST_CHECK tess_status tess_numbering_new(const tess_rows *graph, tess_numbering *numbering);
void tess_numbering_free(tess_numbering *numbering);

void tess_numbering_add(tess_numbering *numbering, int32_t v);

/* Adds the neighbours of v that are not numbered yet, by rank; only those of `wanted` level where
 * `level` is not NULL. */
void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted);

/* Finds the ends of a pseudo-diameter of the component of `start`: on return `from` is searched
 * from one end and `to` from the other (`other` is scratch), as in step I of Gibbs, Poole and
 * Stockmeyer. `to` has the height of `from` and the least width of the ends tried. */
void tess_levels_of_ends(const tess_rows *graph, const tess_ranks *ranks, int32_t start,
                         tess_levels *from, tess_levels *to, tess_levels *other);
