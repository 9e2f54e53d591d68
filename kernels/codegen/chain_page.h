/* A chain's page: the text of a kernel that executes the loops of a chain block by block, and its
 * arrays.
 *
 * A thread has a point of the block, and behind it every THREADS-th one, and goes with it through
 * the loops of a stage: it gathers the elements that add to the point, then runs the direct loops;
 * the point's values are in registers. Between stages the block waits, and what later ones need is
 * kept in shared memory. A chain of one stage needs none: what neighbours have is read from memory.
 * On the host a block is one thread, and what is kept lies in its cache.
 *
 * text/chain_stages.h names no dat; of what it calls
 *
 *   EACH_STAGE(run)            run(stage, ring) for each stage: the points it computes
 *   KEEPS_LOADED, LOADED_RING  1 where values are brought to the block's memory before the stages
 *   keep_loaded(p, b, k)       ... those of the point at place k of the block
 *   EACH_OTHER(run)            run(nodes) for each set that is only read, whose points
 *   keep_nodes(p, b, k)        ... are brought there, too
 *   stage_0(p, b, k, s) ...    what a stage does with a point
 *   sums_clear(s), sums_give(p, s)
 *
 * is printed here. */
#pragma once

#include "kernels/codegen/chain_setting.h"
#include "kernels/codegen/page.h"

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

/* Writes the page. What the setting points to outlives it. Dats with two buffers get their second
 * one in the store. Fails (USAGE) where the text cannot be: components of a dat that are not
 * consecutive; more shared memory than `most_shared` bytes, by the block size that would do. The
 * caller clears the page, whatever failed. */
TESS_MUST_CHECK tess_status tess_chain_page_write(const tess_chain_setting *setting,
                                                  int64_t most_shared, tess_chain_page *out);
void tess_chain_page_clear(tess_chain_page *page);
