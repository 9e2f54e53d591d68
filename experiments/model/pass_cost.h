/* The cost of a pass: what a loop over the elements of a map, in one numbering, touches at its
 * points, and what a processor's memory takes for that. */
#pragma once

#include "experiments/model/machine.h"

/* A map in a numbering; all is the caller's. */
typedef struct tess_pass {
    const int32_t *index; /* [n][arity], -1 for none */
    int arity;
    int64_t n, n_points;
    int64_t point_bytes; /* at a point in an array, side by side */
    int reads, adds;     /* arrays at points that are read, and that are added to */
    bool pairs; /* elements are the entries of a matrix, by rows, which are solved as such */
    int solves; /* that are solved, forwards and backwards (pass.cu) */
    bool lists; /* an element adds to its pairs of points, which are entries of lists, by rows; of
                 * all that is read, added to or solved one at least */
    int64_t element_bytes;   /* that stream past with each element, beside its row of the map */
    int64_t stream_bytes;    /* and with each point, */
    int rounds;              /* so often, from the nearest cache that holds them */
    const int32_t *elements; /* [n]: new to old; NULL: as they are */
    const int32_t *points;   /* [n_points]: old to new; NULL: as they are */
    int32_t window;          /* consecutive elements that are looked at together */
} tess_pass;

/* Lines that come from a level of memory: those behind one that came before, which hardware fetches
 * ahead, and those at any other place. */
typedef struct tess_pass_lines {
    int64_t ahead, apart;
} tess_pass_lines;

typedef struct tess_pass_cost {
    double points, lines; /* distinct ones of a window, the mean; lines of 64 bytes */
    tess_pass_lines from[TESS_MOST_LEVELS]; /* of the machine's levels */
    double seconds;                         /* NaN where there is no machine */
} tess_pass_cost;

enum { TESS_PASS_LINE = 64 };

/* The point of a slot of element i in the numbering, -1: none. */
static inline int64_t tess_pass_point(const tess_pass *pass, int64_t i, int slot) {
    const int64_t element = pass->elements ? pass->elements[i] : i;
    const int32_t point = pass->index[element * pass->arity + slot];
    return point >= 0 && pass->points ? pass->points[point] : point;
}

/* Counts it; points and lines of one array. The machine has levels, the first of which is the
 * nearest cache: each but the last keeps the lines used last, eight in a set; lines that come ahead
 * take the level's bandwidth, others what it gives at random places. NULL: there is no time. */
TESS_MUST_CHECK tess_status tess_pass_count(const tess_pass *pass, const tess_machine *machine,
                                            tess_pass_cost *out);
