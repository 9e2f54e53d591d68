/* Levels: a breadth-first search from one vertex. */
#pragma once

#include "core/plan/order/numbering.h"

/* The level structure of the component of a root. Between searches no vertex is seen, or every
 * level is -1. */
typedef struct tess_levels {
    int32_t *level; /* [n_vertices]: distance from the root, -1 where not reached; NULL: not kept */
    bool *seen;     /* [n_vertices]: instead of levels; true is out of reach */
    int32_t *queue; /* [n_vertices + 1]: the n reached vertices, level by level */
    int64_t n, last;      /* last: where the last level begins */
    int32_t root, height; /* height: number of levels */
    int64_t width;        /* size of the largest level */
} tess_levels;

/* Makes room for levels that are kept. */
TESS_MUST_CHECK tess_status tess_levels_new(int64_t n_vertices, tess_levels *levels);
void tess_levels_free(tess_levels *levels);

/* Forgets the last search, in time of its size. */
void tess_levels_clear(tess_levels *levels);

/* The first by rank in the component of `start`, which is searched. */
int32_t tess_levels_least(const tess_ranked_graph *graph, int32_t start, tess_levels *levels);

/* Finds the ends of a pseudo-diameter of a component, `least` being its first by rank: on return
 * `from` is searched from one end and `to` from the other (`other` is scratch), as in step I of
 * Gibbs, Poole and Stockmeyer. `to` has the height of `from` and the least width of the ends tried.
 * Where `to` is NULL, `other` may be `from`, of which the root alone is meant on return. */
void tess_levels_of_ends(const tess_ranked_graph *graph, int32_t least, tess_levels *from,
                         tess_levels *to, tess_levels *other);
