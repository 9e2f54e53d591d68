/* A mover: device text that carries rows of a dat between a store and the buffer of a message. */
#pragma once

#include "kernels/loops/store.h"

typedef struct tess_mover {
    const tess_device *device;
    tess_target *target;
    tess_type type;
    int dim;
    tess_device_module *module;
} tess_mover;

/* Compiles the mover of dats of a type and a number of values. The target outlives it. */
TESS_MUST_CHECK tess_status tess_mover_open(const tess_device *device, tess_target *target,
                                            tess_type type, int dim, tess_mover *out);
void tess_mover_close(tess_mover *mover);

/* The one of several that is for a dat. */
const tess_mover *tess_mover_of(const tess_mover *movers, const tess_dat *dat);

/* Rows to carry. */
typedef struct tess_moved {
    const tess_stored *dat;
    tess_address buffer;   /* of values of the dat's type */
    tess_address row;      /* int32: the element of each row of the list */
    tess_address position; /* int32: where its values lie in the buffer, in values */
    int64_t first, n;      /* rows of the list */
} tess_moved;

typedef enum tess_motion { TESS_PACK, TESS_UNPACK, TESS_ADD } tess_motion;

/* Packs rows into the buffer, unpacks them from it, or adds what the buffer holds to them. */
TESS_MUST_CHECK tess_status tess_mover_move(const tess_mover *mover, tess_motion motion,
                                            const tess_moved *moved);

/* Gives the n elements from `first` on one value. */
TESS_MUST_CHECK tess_status tess_mover_fill(const tess_mover *mover, const tess_stored *dat,
                                            int64_t first, int64_t n, double value);
