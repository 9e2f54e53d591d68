/* A proof of a chain: what its descriptors ask for is worked out anew, use by use, with no code of
 * the builder's; and so are its blocks, from the mesh. */
#pragma once

#include "core/plan/chain_lists.h"

/* TESS_OK when the chain of a step is right: every value that a loop uses is of the right loop and
 * still there (in the point's rows within a stage, kept between stages, in memory before the chain)
 * in as many rings as the loop is computed in, and one more where it is read at neighbours; what is
 * used after the chain is stored; nothing is stored over what other blocks may still read; nothing
 * reads a sum that is not whole. Else TESS_ERROR_CHECK and the first defect, by loop and dat. */
TESS_MUST_CHECK tess_status tess_chain_check(const tess_chain_step *step, const tess_chain *chain);

/* TESS_OK when the blocks of a chain are right: each point is own in its block and in no other,
 * lists hold no point twice, rings hold whatever their loops read, each computed point has each
 * element that adds to it once a slot, and each element one owner. */
TESS_MUST_CHECK tess_status tess_chain_check_blocks(const tess_chain *chain, const tess_mesh *mesh,
                                                    const int32_t *block_of,
                                                    const tess_chain_blocks *blocks);

/* TESS_OK when a list of the blocks is right. Of points that are read: each block has, once, all
 * that its loops reach. Of elements that blocks compute once: a block has, once, those that add to
 * points of the rings in which their loops are computed, and no others; each entry of these points
 * finds its own element; the block of an element's first point owns it, and no other block. */
TESS_MUST_CHECK tess_status tess_chain_check_list(const tess_chain *chain, const tess_mesh *mesh,
                                                  const tess_chain_blocks *blocks,
                                                  const tess_chain_list *list);
