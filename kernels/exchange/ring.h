/* A ring: each rank sends to the rank before it and to the one after it, to measure what an
 * exchange costs on a machine. */
#pragma once

#include "kernels/exchange/engine.h"

/* Where a ring runs; the crew has taken the device. */
typedef struct tess_ring {
    tess_crew *crew;
    const tess_device *device;
    tess_target *target;
} tess_ring;

/* Gives the seconds of one of n exchanges of messages of so many bytes, the mean over the ranks; a
 * rank receives one message from each neighbour (of two ranks: one). Fails (CHECK) where what is
 * received is not what was sent. All processes call it. */
TESS_MUST_CHECK tess_status tess_ring_time(const tess_ring *ring, int64_t bytes, int n,
                                           double *seconds);

/* Messages that a rank receives in an exchange. */
int tess_ring_messages(const tess_ring *ring);
