/* Claims: who touched each word of memory last, so that an access that races with it is found.
 *
 * Two accesses to one 4-byte word race when at least one writes, not both are atomic, and nothing
 * orders them: they are of different blocks of one launch, or of one block with no barrier between
 * (nor a warp barrier where both threads are of one warp). Results alone do not show races, since
 * an emulator never tears an update. Accesses of less than 4 bytes are not judged. */
#pragma once

#include "kernels/devices/emulator/simt_emulator.h"
#include <stdbool.h>
#include <stdint.h>

/* Who: a thread between two barriers. */
typedef struct tess_claimant {
    uint32_t generation;    /* launch (global memory) or block run (shared); 0: nobody */
    uint32_t block;         /* block index */
    uint32_t interval;      /* barriers that the block has passed */
    uint32_t warp_interval; /* warp barriers that the thread's warp has passed */
    uint32_t site;          /* id of the word in the text */
    uint16_t thread;
    uint8_t access; /* enum simt_access */
    bool many;      /* others did the same, with no order among them */
} tess_claimant;

typedef struct tess_claim {
    tess_claimant writer, reader;
} tess_claim;

/* Makes an access to `n_words` claims from `claim` on. Gives NULL where it is right, else the one
 * it races with (its words are valid until the next call on that claim). */
const tess_claimant *tess_claim_make(tess_claim *claim, int n_words, const tess_claimant *who);
