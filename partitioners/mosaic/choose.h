/* A choice: which cut a mesh takes, and how wide its slabs are. */
#pragma once

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/order.h"

typedef struct mosaic_choice {
    bool regular;   /* slabs of slabs are the way: their blocks are nearly as good as balls */
    bool settled;   /* as good: nothing is left to gain */
    bool filled;    /* the order is that of the cut chosen, else it holds nothing */
    bool rough;     /* a quick cut, where others may be better: exchange is to mend it */
    bool promising; /* samples have fewer points by halves than by the slabs that were taken */
    bool crossed;   /* coordinates cut across layers; up to effort 2 they do not make the cut */
    /* when an order was judged: */
    bool patchy;    /* slabs of slabs are the way in places only */
    double pieces;  /* part of the blocks that are in several */
    bool torn;      /* these are many */
    bool rival;     /* the cut by coordinates has fewer points */
    double to_beat; /* the points of its blocks; 0: it has clearly fewer */
    double points;  /* of S elements of that order, the mean of a sample */
} mosaic_choice;

/* True where blocks are so few that ways are tried on the whole mesh, not on samples. */
static inline bool mosaic_cut_is_small(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    return mesh->pins.n_elements <= SAMPLE_BLOCKS * cut->block_size;
}

/* Judges an order [n_elements] of a mesh that the cut made, of plain requests: fills patchy, torn,
 * rival and points. Where the cut is quick, what is patchy is replaced at once, or rough, or stays,
 * and what is settled has no rival, what has one is replaced, too. Pieces are counted where neither
 * it is alone nor coordinates made it: see mosaic_choose_doubt. */
TESS_MUST_CHECK tess_status mosaic_choose_judge(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                                int32_t *order, mosaic_choice *chosen);

/* Judges the blocks of a mesh that coordinates cut, all of S elements but the last, polished or not
 * yet: doubtful where many have far more points than a ball of S elements, or more than that part
 * of them are in pieces. In 2D coasts tear them; where these tear very many the mesh is a net of
 * channels. */
TESS_MUST_CHECK tess_status mosaic_choose_doubt(const mosaic_blocks *blocks, double ball,
                                                double torn_part, bool *doubtful, bool *channels);

/* Whether an order [n_elements] that coordinates made cuts across layers: in 3D some of the blocks
 * are in pieces, not most of them, which annealing mends; in 2D they have more points than local
 * balls. */
TESS_MUST_CHECK tess_status mosaic_choose_crossed(const mosaic_mesh *mesh, int64_t block_size,
                                                  const int32_t *order, bool *crossed);

/* Fills blocks->in_pieces, by a sample of blocks that are all of S elements but the last. */
TESS_MUST_CHECK tess_status mosaic_choose_torn(mosaic_blocks *blocks);

/* Sets cut->width, and where `any` cut may be taken also halves and coordinates, to what gives the
 * fewest points; `best`: nothing else is asked for. May fill order [n_elements]. */
TESS_MUST_CHECK tess_status mosaic_choose(const mosaic_mesh *mesh, bool any, bool best,
                                          mosaic_cut *cut, int32_t *order, mosaic_choice *chosen);
