/* A peer: a loop in somebody else's code, which a process of its own runs on the same data.
 *
 * An adaptor is a Python file (kernels/peers/NAME, or a user's) or any program. It is started with
 * a folder: loop.json, kernel.h, and the bytes of dats and of the points of elements as they lie on
 * the device. It answers lines that begin with "peer: " on its standard output:
 *
 *                     VERSION            when it is ready
 *   run N             SECONDS            runs the loop N times; seconds of one
 *   save                                 writes the dats that the loop changes into their files
 */
#pragma once

#include "kernels/codegen/page.h"

typedef struct tess_peer tess_peer;

/* Fails (USAGE) with a suggestion where a name is neither one of those nor, with a slash, a file.
 */
TESS_MUST_CHECK tess_status tess_peer_check(const char *name);

typedef struct tess_peer_setting {
    const char *name;   /* as tess_peer_check has it */
    const char *device; /* on which our runs are, "cuda:gpu=1" */
    double time_limit;  /* seconds for an answer; 0: any */
} tess_peer_setting;

/* Starts a peer on the loop of a placed page, whose tables are `SET_index` of its sets. The page
 * outlives it. */
TESS_MUST_CHECK tess_status tess_peer_open(const tess_page *page, const tess_peer_setting *setting,
                                           tess_peer **out);
void tess_peer_close(tess_peer *peer);

/* Runs it `n` times and gives the seconds of one, by its own clock. */
TESS_MUST_CHECK tess_status tess_peer_time(tess_peer *peer, int n, double *seconds);

/* Brings the result of its runs so far to the device, the first time that it is asked for. */
TESS_MUST_CHECK tess_status tess_peer_save(tess_peer *peer);

/* What it runs with, in its words. */
const char *tess_peer_version(const tess_peer *peer);
