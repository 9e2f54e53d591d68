/* The dats that a loop uses, and through which slots of its targets. */
#pragma once

#include "core/plan/loop.h"

/* One dat of the loop, with all args that access it. */
typedef struct tess_dat_use {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    int target;           /* index into bound->targets; -1 where it is accessed directly */
    int dim, value_bytes; /* row bytes are their product */
    bool is_read, is_added_to, is_written; /* what is added to is written, too */
    /* [n_slots of the target]: accessed through it, and read; NULL where direct. One allocation. */
    bool *slots, *read_slots;
} tess_dat_use;

typedef struct tess_dat_uses {
    int n;
    tess_dat_use *uses; /* in the order in which args first name them */
} tess_dat_uses;

/* How often memory moves it: in, out or both. */
static inline int tess_dat_use_passes(const tess_dat_use *use) {
    return (use->is_read || use->is_added_to) + use->is_written;
}

/* Gives the dats on sets, each once with all args that access it; the caller frees them, also on
 * failure. */
TESS_MUST_CHECK tess_status tess_dat_uses_build(const tess_bound_loop *bound, tess_dat_uses *uses);
void tess_dat_uses_free(tess_dat_uses *uses);
