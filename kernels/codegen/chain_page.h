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
 * once by each block that has a point of it: at the begin of a stage each thread
 * takes elements of the block, and what they add goes to rows of the block's memory,
 * [dim][slots][elements]. After a barrier each point sums the rows that its record names, in the
 * order in which it would compute them. Elements of few points are computed by each of them
 * instead, where more would pass through that memory than arithmetic is spared. */
#pragma once

#include "core/plan/chain_lists.h"
#include "kernels/codegen/page.h"

/* Where a gathered element is computed: by each point that it adds to, or once by each block. */
typedef enum tess_chain_elements {
    TESS_ELEMENTS_AUTO, /* once where that spares enough arithmetic, and there is memory for it */
    TESS_ELEMENTS_ONCE,
    TESS_ELEMENTS_POINTS
} tess_chain_elements;

/* What a page is made from; it outlives the page. */
typedef struct tess_chain_setting {
    const tess_chain *chain;
    const tess_chain_blocks *blocks;
    const tess_chain_lists *lists;     /* of them, as tess_chain_lists_choose gives them */
    const tess_kernel *const *kernels; /* [chain->n_loops] */
    tess_store *store;
    tess_arithmetic arithmetic;
    tess_chain_elements elements;
    int threads;   /* a block */
    int registers; /* most of a thread; 0 or less: as many as the compiler likes */
    int taken;     /* registers that it takes or may, as it was compiled; 0: not known */
} tess_chain_setting;

/* Gives the lists of the blocks: in a chain with rings of the sets that are only read, and of the
 * gathered ones whose elements are computed once. The caller clears them, whatever failed. */
TESS_MUST_CHECK tess_status tess_chain_lists_choose(const tess_chain_setting *setting,
                                                    int64_t most_shared, tess_chain_lists *out);

/* Whether the elements of a gathered set are computed once a block, where there is memory for it;
 * of the setting it needs chain, blocks, kernels and elements. */
bool tess_chain_pays_once(const tess_chain_setting *setting, const tess_chain_entries *entries);

/* Writes the page, whose dats are the chain's. Those with two buffers get their second one in the
 * store, and a parameter more for it. Fails (USAGE) where the text cannot be: components of a dat
 * that are not consecutive; more shared memory than `most_shared` bytes, by the block size to
 * try next. The caller clears the page, whatever failed. */
TESS_MUST_CHECK tess_status tess_chain_page_write(const tess_chain_setting *setting,
                                                  int64_t most_shared, tess_page *out);
