/* The uses of a loop's dats: which dats it accesses, where, how, and through which slots; for
 * core/plan/plan_metrics*.c only. */
#ifndef TESS_PLAN_USES_H
#define TESS_PLAN_USES_H

#include "core/plan/loop.h"

/* One dat of the loop, with all args that access it. */
typedef struct tess_dat_use {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    int reach;            /* index into bound->reaches; -1 where it is accessed directly */
    int dim, value_bytes; /* row bytes are their product */
    bool is_read, is_written;
    bool *slots; /* [n_slots of the reach]: accessed through it; NULL where direct */
} tess_dat_use;

typedef struct tess_dat_uses {
    int n;
    tess_dat_use *uses; /* in the order in which args first name them */
} tess_dat_uses;

TESS_MUST_CHECK tess_status tess_dat_uses_build(const tess_bound_loop *bound, tess_dat_uses *uses);
void tess_dat_uses_free(tess_dat_uses *uses);

#endif
