/* A sample: neighbouring blocks of a candidate, whose elements are a problem of their own. */
#pragma once

#include "partitioners/mosaic/candidate.h"
#include "partitioners/mosaic/piece.h"

typedef struct mosaic_sample {
    tess_partition_problem problem; /* its map is that of the piece */
    tess_incidence map;
    mosaic_piece piece;
    double *coordinates; /* [n_elements][dimension] or NULL */
    double shared;       /* what the candidate's blocks have in common: weight beyond one a point */
} mosaic_sample;

/* How many groups of blocks tell whether another way pays; 0: so few blocks that it is tried on all
 * of them, or points of several weights, which a sample does not have. */
int mosaic_samples_of(const mosaic_candidate *candidate);

/* What samples by halves, or by slabs, may have in common over what the blocks have that are there,
 * and pay for sure: quick halves, or of blocks whose pieces polishing has mended. */
double mosaic_samples_sure(const mosaic_blocks *blocks, bool halves, bool quick, bool mended);

/* Picks n groups of blocks, each MOSAIC_GROUP_BLOCKS of the list: those whose blocks have about as
 * much in common as the mean group's. Where blocks are bad in places, a group drawn at random tells
 * of one place alone. */
TESS_MUST_CHECK tess_status mosaic_samples_pick(const mosaic_blocks *blocks, const int32_t *list,
                                                int n, int32_t *group);

/* Takes those of n blocks of a candidate of the problem that have S elements. *sample is empty
 * before. It does not move: its problem points into it. */
TESS_MUST_CHECK tess_status mosaic_sample_take(const tess_partition_problem *problem,
                                               const mosaic_candidate *candidate,
                                               const int32_t *list, int32_t n,
                                               mosaic_sample *sample);
void mosaic_sample_clear(mosaic_sample *sample);
