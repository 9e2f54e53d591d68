/* What a chain's page is made from. */
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
    int registers; /* most of a thread; 0: as many as the compiler likes */
} tess_chain_setting;

/* Gives the lists of the blocks: in a chain with rings of the sets that are only read, and of the
 * gathered ones whose elements are computed once. The caller clears them, whatever failed. */
TESS_MUST_CHECK tess_status tess_chain_lists_choose(const tess_chain_setting *setting,
                                                    int64_t most_shared, tess_chain_lists *out);

/* Whether the elements of a gathered set are computed once a block, where there is memory for it;
 * of the setting it needs chain, blocks, kernels and elements. */
bool tess_chain_pays_once(const tess_chain_setting *setting, const tess_chain_entries *entries);
