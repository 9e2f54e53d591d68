/* Hope: how fast a candidate of a search may be, by what those took that are like it. */
#pragma once

#include <stdint.h>

typedef struct tess_hope_case {
    const char *base;     /* the strategy without options */
    const char *strategy; /* with them */
    const char *layout, *partitioner;
    int64_t block_size;
    double reuse;   /* of its plan; NaN: it is not there yet */
    double seconds; /* that it took; NaN: it was not tried */
} tess_hope_case;

/* Seconds that case i of n may take if all goes well: those of the case most like it that was tried
 * (its strategy and layout on other blocks of its size, then of another size, then its strategy by
 * other options), in proportion to the reuse of their blocks, or with what better blocks may bring
 * where these are not cut yet. 0 where nothing like it was tried: it is to be looked at. */
double tess_hope(const tess_hope_case *cases, int64_t n, int64_t i);
