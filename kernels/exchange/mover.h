/* A mover: device text that carries values between dats of a store and the buffers of messages, of
 * all dats of an exchange in one launch. */
#pragma once

#include "kernels/loops/store.h"

/* How many dats one launch carries; more take more launches. */
enum { TESS_MOVED_AT_ONCE = 16 };

typedef struct tess_mover {
    const tess_device *device;
    tess_target *target;
    tess_device_module *module;
} tess_mover;

/* Compiles the mover. The target outlives it. */
TESS_MUST_CHECK tess_status tess_mover_open(const tess_device *device, tess_target *target,
                                            tess_mover *out);
void tess_mover_close(tess_mover *mover);

typedef enum tess_motion { TESS_PACK, TESS_UNPACK, TESS_ADD, TESS_FILL } tess_motion;

/* What is done with a dat. */
typedef struct tess_moved {
    const tess_stored *dat;
    tess_address buffer;   /* of values of the dat's type */
    tess_address row;      /* int32: the element of each row of the list */
    tess_address position; /* int32: where its values lie in the buffer, in values */
    tess_address begin;    /* int32, of what is added: the first of each row's positions, and the
                              end of the last row's */
    int64_t first, n;      /* rows of the list; of what is filled elements */
    double value;          /* that fills */
} tess_moved;

/* Packs rows of some dats into buffers, unpacks them from there, adds what the buffer holds at a
 * row's positions, one after another, to it, or gives elements one value. */
TESS_MUST_CHECK tess_status tess_mover_move(const tess_mover *mover, tess_motion motion,
                                            const tess_moved *moved, int n_moved);
