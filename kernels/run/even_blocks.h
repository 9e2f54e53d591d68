/* Even blocks: those of a chain, of which the few that ask for the most memory are halved. */
#pragma once

#include "kernels/codegen/chain_page.h"

/* The largest block decides how much memory all of a launch take. Where more of them would run at
 * once on a multiprocessor of capability 90, or as many beside a larger L1, if a few blocks were
 * smaller, halves these: block_of [points of the owner] and *n_blocks change, which stays `most` at
 * most. Of the setting it takes chain, blocks, lists, store, threads, registers and taken; a block
 * of the page takes shared_bytes. */
TESS_MUST_CHECK tess_status tess_even_blocks_halve(const tess_chain_setting *setting,
                                                   int64_t shared_bytes, int32_t most,
                                                   int32_t *block_of, int32_t *n_blocks);
