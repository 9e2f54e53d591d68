/* Chains: sizes made exact by elements handed from block to block; and blocks made connected. */
#pragma once

#include "partitioners/mosaic/group.h"

/* Gives each block of the group its target size: an element goes from a block that has too many to
 * a neighbour, one of that one's to the next, until a block with too few is reached, along the
 * cheapest way each time (shortest augmenting paths). Where blocks share no points any element
 * goes. Gives the weight of the points that blocks got less that of those they lost. */
int64_t mosaic_chain_even(mosaic_group *group);

/* Every block that is in several connected components keeps the largest; each other goes to the
 * block around that has the most of its points. Blocks are as they were loaded, and have other
 * sizes then. What no other block can reach, as a mesh of several components, stays. Gives the cost
 * in the same way. */
int64_t mosaic_group_join(mosaic_group *group);

/* Whether each block has its target size. */
bool mosaic_group_is_even(const mosaic_group *group);
