/* A rank cut: the set of a mesh that decides the owners of all others, cut into ranks by a
 * partitioner. */
#pragma once

#include "core/ranks/ranking.h"
#include "partitioners/partitioner.h"

typedef struct tess_rank_cutting {
    const tess_partitioner *partitioner;
    const tess_spec *spec; /* checked */
    uint64_t seed;
    double time_limit; /* seconds for third-party code; 0: none */
} tess_rank_cutting;

/* The set that is cut: the cells, or the one type of cells, that the loops name; where they name
 * none, the set of the first loop. An index into mesh->sets. */
int tess_rank_cut_set(const tess_mesh *mesh, const tess_ranked_loop *loops, int n_loops);

/* Fills rank_of [size of the set]: a rank is a block of size / n_ranks elements, up to 5 % more
 * where the partitioner cannot do it otherwise. Neighbours are elements that share a side (a map
 * with two slots leads from sides to the set), else a point. Where there are more ranks than
 * elements, some own nothing. Fails (USAGE) where the partitioner leaves more blocks than ranks. */
TESS_MUST_CHECK tess_status tess_rank_cut_make(const tess_rank_cutting *cutting,
                                               const tess_mesh *mesh, int set, int32_t n_ranks,
                                               int32_t *rank_of);

/* Cuts by the partitioner that `text` names; NULL: rcb where elements have places, else mosaic.
 * Seed and time limit are those of `cutting`. */
TESS_MUST_CHECK tess_status tess_rank_cut_by_name(const char *text,
                                                  const tess_rank_cutting *cutting,
                                                  const tess_mesh *mesh, int set, int32_t n_ranks,
                                                  int32_t *rank_of);
