/* The cost of a pass: what it touches at its points, and what a processor's memory takes for that.
 */
#pragma once

#include "experiments/model/machine.h"
#include "experiments/model/pass.h"

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

/* Counts it; points and lines of one array. The machine has levels, the first of which is the
 * nearest cache: each but the last keeps the lines used last, eight in a set; lines that come ahead
 * take the level's bandwidth, others what it gives at random places. NULL: there is no time. */
TESS_MUST_CHECK tess_status tess_pass_count(const tess_pass *pass, const tess_machine *machine,
                                            tess_pass_cost *out);
