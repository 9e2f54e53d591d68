/* Originals: the state before a loop and the one that is wanted after it, kept in the memory of a
 * device, so that each run of many takes the first and is compared with the second there. What
 * crosses for a run is then its order of elements. */
#pragma once

#include "kernels/loops/store.h"

typedef struct tess_originals tess_originals;

/* The states that outlive the originals, and whose dats the loop needs. */
typedef struct tess_original_states {
    const tess_state *start, *want; /* of the same dats; want NULL: runs are placed alone */
    const tess_loop *loop;
} tess_original_states;

/* Brings the dats that the loop has args of to the device, and has it compare both states, or the
 * start with itself: *out is NULL where that gives another difference than the host finds. */
TESS_MUST_CHECK tess_status tess_originals_open(const tess_device *device, tess_target *target,
                                                const tess_original_states *states,
                                                tess_originals **out);
void tess_originals_close(tess_originals *originals);

/* As tess_store_place, and as tess_store_compare with the wanted state: of a store of the same
 * start, of which only dats are placed that the loop has args of. */
TESS_MUST_CHECK tess_status tess_originals_place(tess_originals *originals, tess_store *store);
TESS_MUST_CHECK tess_status tess_originals_compare(tess_originals *originals, tess_store *store,
                                                   tess_difference *out);
