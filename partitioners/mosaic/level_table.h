/* Levels: what mosaic spends, as one table, and how elements roam, as another.
 *
 * No number here or elsewhere in mosaic is of one kind of mesh: rows are chosen by the level that
 * is asked for, the dimension of the mesh, and how many points an element has. */
#pragma once

#include "partitioners/mosaic/pins.h"

typedef enum mosaic_level_name { MOSAIC_QUICK, MOSAIC_DEFAULT, MOSAIC_LONG } mosaic_level_name;

typedef struct mosaic_level {
    int starts;    /* cuts that are made and annealed for a round; the best one goes on */
    int rounds;    /* of annealing at most, each with other groups of blocks */
    double passes; /* over the elements of a group in the first round, of elements of two points */
    double grow;   /* ... times as many from each round to the next */
    double enough; /* of what blocks have in common: a round that saves less is the last */
} mosaic_level;

const mosaic_level *mosaic_level_at(mosaic_level_name name);

/* The level that took the place of a number, 0 to 6: 0 and 1 are quick, 2 and 3 default. */
mosaic_level_name mosaic_level_of_effort(int64_t effort);

/* What moves may cost while elements roam, in points of mean weight; what has two values goes from
 * the first to the second by equal factors in each round. */
typedef struct mosaic_schedule {
    double temperature[2]; /* a move that costs so much is made every e-th time */
    double sizes[2];       /* of a block that is one element larger than another */
    double longer;         /* passes over those of the level */
} mosaic_schedule;

/* The schedule of some pins in so many blocks, in 2D or 3D; unknown dimensions, 0, are as 2. */
mosaic_schedule mosaic_schedule_of(const mosaic_pins *pins, int32_t n_blocks, int dimension);
