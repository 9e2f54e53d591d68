/* A peer: a loop in somebody else's code, which a process of its own runs on the same data.
 *
 * An adaptor is a Python file (kernels/peers/NAME, or a user's) or any program. It is started with
 * the folder of a loop: loop.json, kernel.h, and the bytes of dats and of the points of elements as
 * they lie on the device. It answers lines that begin with "peer: " on its standard output:
 *
 *                     VERSION            when it is ready
 *   run N             SECONDS            runs the loop N times; seconds of one
 *   save              saved              writes the dats that the loop changes into their files;
 *                     saved, and stays   it takes the two lines below, too
 *   leave             left               forgets the loop and frees what it took
 *   loop FOLDER       VERSION            reads another one
 *
 * One that stays, and whose result was right, waits for the next loop (peer_process.h); who fails
 * is ended, and the next loop has a new process.
 */
#pragma once

#include "kernels/codegen/page.h"
#include "kernels/peers/peer_process.h"

typedef struct tess_peer tess_peer;

/* Starts a peer on the loop of a placed page, whose tables are `SET_index` of its sets. The page
 * and what the setting names outlive it. */
TESS_MUST_CHECK tess_status tess_peer_open(const tess_page *page, const tess_peer_setting *setting,
                                           tess_peer **out);
void tess_peer_close(tess_peer *peer);

/* Runs it `n` times and gives the seconds of one, by its own clock. */
TESS_MUST_CHECK tess_status tess_peer_time(tess_peer *peer, int n, double *seconds);

/* Brings the result of its runs so far to the device, the first time that it is asked for. */
TESS_MUST_CHECK tess_status tess_peer_save(tess_peer *peer);

/* Its result was found to be right: where it goes on so, its process may run other loops. */
void tess_peer_trust(tess_peer *peer);

/* What it runs with, in its words. */
const char *tess_peer_version(const tess_peer *peer);
