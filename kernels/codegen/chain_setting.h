/* What a chain's page is made from. */
#pragma once

#include "core/plan/chain_lists.h"
#include "kernels/loops/kernel.h"
#include "kernels/loops/kernel_text.h"
#include "kernels/loops/store.h"

/* Where a gathered element is computed: by each point that it adds to, or once by each block. */
typedef enum tess_chain_elements {
    TESS_ELEMENTS_AUTO, /* once where that spares enough arithmetic, and there is memory for it */
    TESS_ELEMENTS_ONCE,
    TESS_ELEMENTS_POINTS
} tess_chain_elements;

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
