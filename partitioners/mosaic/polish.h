/* A polish: what makes blocks better once they are cut. */
#ifndef TESS_MOSAIC_POLISH_H
#define TESS_MOSAIC_POLISH_H

#include "partitioners/mosaic/rounds.h"

/* How blocks are annealed: mosaic_cooling, in so many rounds. */
typedef struct mosaic_annealing {
    int rounds, passes;
    double trials, hot, cold, crowding, crowding_last, round, round_last, fade, relax, enough;
} mosaic_annealing;

/* What an effort spends. */
typedef struct mosaic_polish {
    int tries, passes;    /* halvings tried, smoothing of heights: of the cut */
    bool places;          /* where places are as good as the map they make the cut */
    bool probed;          /* what gains little is left out */
    mosaic_effort sweeps; /* before annealing */
    mosaic_annealing annealing;
    mosaic_effort last_sweeps;
    mosaic_annealing flat, fanned; /* where places made the cut, instead of all these: in 2D, */
    mosaic_annealing solid;        /* the same of triangles by nodes, in 3D */
    mosaic_effort placed_sweeps;
} mosaic_polish;

enum { MOSAIC_EFFORT_LARGEST = 6 };
extern const mosaic_polish mosaic_efforts[MOSAIC_EFFORT_LARGEST + 1];

/* Exchange in pairs, or annealing in groups and exchange, or neither where it gains next to
 * nothing. Where blocks know their places, annealing makes them round first. Deterministic on any
 * number of threads. */
TESS_MUST_CHECK tess_status mosaic_polish_blocks(mosaic_blocks *blocks, const mosaic_limits *limits,
                                                 const mosaic_polish *how, uint64_t seed);

#endif
