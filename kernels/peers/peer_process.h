/* A peer's process: an adaptor that runs one loop after another, each read from a folder.
 *
 * Starting one takes longer than many a loop: a library is loaded, a GPU's context made. So one
 * that did all it was asked for may wait in a pool for another loop. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Fails (USAGE) with a suggestion where a name is neither a peer of this build nor, with a slash, a
 * file. */
TESS_MUST_CHECK tess_status tess_peer_check(const char *name);

typedef struct tess_peer_process tess_peer_process;

/* Those that wait: of {.n = 0} nobody. */
typedef struct tess_peer_pool {
    int64_t n, capacity;
    tess_peer_process **waiting; /* [n]; owned */
} tess_peer_pool;

/* Ends all that wait. */
void tess_peer_pool_clear(tess_peer_pool *pool);

typedef struct tess_peer_setting {
    const char *name;     /* as tess_peer_check has it */
    const char *device;   /* on which our runs are, "cuda:gpu=1" */
    double time_limit;    /* seconds for an answer; 0: any */
    tess_peer_pool *pool; /* where its process comes from, and may go to; NULL: nowhere */
} tess_peer_setting;

/* Gives a process with the loop of a folder: one that waits, else a new one; and what it runs with.
 * It is ended or left; `version` lasts until it is asked. */
TESS_MUST_CHECK tess_status tess_peer_process_begin(const tess_peer_setting *setting,
                                                    const char *folder, tess_peer_process **out,
                                                    const char **version);

/* As tess_dialogue_ask. */
TESS_MUST_CHECK tess_status tess_peer_process_ask(tess_peer_process *process, const char *line,
                                                  double time_limit, const char **answer);

/* Has it forget its loop and wait in the pool for another. It is one that stays. */
void tess_peer_process_leave(tess_peer_process *process, tess_peer_pool *pool);

/* Ends it. Accepts NULL. */
void tess_peer_process_end(tess_peer_process *process);
