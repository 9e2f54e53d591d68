/* A chain's page: the text of a kernel that executes the loops of a chain block by block, and its
 * arrays.
 *
 * A thread has a point of the block, and behind it every THREADS-th one, and goes with it through
 * the loops of a stage: it gathers the elements that add to the point, then runs the direct loops;
 * the point's values are in registers. Between stages the block waits, and what later ones need is
 * kept in shared memory. A chain of one stage needs none: what neighbours have is read from memory.
 * On the host a block is one thread, and what is kept lies in its cache.
 *
 * An element of many points (a hex of eight nodes), or one that takes much to compute, is computed
 * once by each block that has a point of it (chain_once.c): at the begin of a stage each thread
 * takes elements of the block, and what they add goes to rows of the block's memory,
 * [dim][slots][elements]. After a barrier each point sums the rows that its record names, in the
 * order in which it would compute them. Elements of few points are computed by each of them
 * instead, where more would pass through that memory than arithmetic is spared. */
#pragma once

#include "kernels/codegen/chain_setting.h"

/* Where values of a dat of the chain lie: parameters of the page. */
typedef struct tess_chain_param {
    tess_stored *stored;
    int read, written; /* which parameter; -1: none. Two where the dat has two buffers */
} tess_chain_param;

typedef struct tess_chain_page {
    tess_page page;
    int n_dats;
    tess_chain_param *dats; /* [n_dats of the chain], owned */
} tess_chain_page;

/* Writes the page. Dats with two buffers get their second one in the store. Fails (USAGE) where the
 * text cannot be: components of a dat that are not consecutive; more shared memory than
 * `most_shared` bytes, by the block size that would do. The caller clears the page, whatever
 * failed. */
TESS_MUST_CHECK tess_status tess_chain_page_write(const tess_chain_setting *setting,
                                                  int64_t most_shared, tess_chain_page *out);
void tess_chain_page_clear(tess_chain_page *page);
