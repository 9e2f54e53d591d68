/* The dats that a loop uses, and through which slots of its targets. */
#pragma once

#include "core/plan/plan.h"

/* One dat of the loop, with all args that access it. */
typedef struct tess_dat_use {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    int target;           /* index into bound->targets; -1 where it is accessed directly */
    int dim, value_bytes; /* row bytes are their product */
    bool is_read, is_written;
    bool *slots; /* [n_slots of the target]: accessed through it; NULL where direct */
} tess_dat_use;

typedef struct tess_dat_uses {
    int n;
    tess_dat_use *uses; /* in the order in which args first name them */
} tess_dat_uses;

/* Gives the dats on sets, each once with all args that access it; the caller frees them, also on
 * failure. */
TESS_MUST_CHECK tess_status tess_dat_uses_build(const tess_bound_loop *bound, tess_dat_uses *uses);
void tess_dat_uses_free(tess_dat_uses *uses);
