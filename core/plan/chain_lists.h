/* The lists of a chain's blocks: what each has of sets that are not the owner. Of those that are
 * only read, as nodes, the points that it brings to its memory, each once; of gathered ones the
 * elements that it computes once, instead of at each of the points that they add to. */
#pragma once

#include "core/plan/chain_blocks.h"

typedef struct tess_chain_list {
    char set[TESS_NAME_SIZE];
    int32_t *begin, *n; /* [n_blocks]: a block has points[begin[b] ... begin[b] + n[b]) */
    int32_t *points;    /* in a block in the order in which they are stored */
    int64_t most;       /* of a block, in fours */
    /* Of elements: blocks begin at multiples of TESS_SLICE, -1 between. */
    int ring;      /* they are computed for points of so many rings */
    uint8_t *mark; /* [places]: TESS_ENTRY_OWNS where the block owns it; NULL: a set that is read */
    int32_t *place; /* by entry of a point: where in its block's list the element is */
    bool opposite;  /* what slot 1 gets is minus what slot 0 gets: one value is for both */
} tess_chain_list;

typedef struct tess_chain_lists {
    int n;
    tess_chain_list *of; /* [n], owned; first the sets that are read */
} tess_chain_lists;

/* Lists the elements of a set that the blocks gather, or the points that they read of another one.
 * position: where the set's are stored, or NULL. Fails (INPUT) where a block reads more than 16
 * bits count. The caller clears it, whatever failed. */
TESS_MUST_CHECK tess_status tess_chain_list_build(const tess_chain *chain, const tess_mesh *mesh,
                                                  const tess_chain_blocks *blocks, const char *set,
                                                  const int32_t *position, tess_chain_list *out);
void tess_chain_list_clear(tess_chain_list *list);
void tess_chain_lists_clear(tess_chain_lists *lists);

/* The list of a set: of its elements, or of points that are read; or NULL. */
tess_chain_list *tess_chain_elements_of(const tess_chain_lists *lists, const char *set);
tess_chain_list *tess_chain_read_of(const tess_chain_lists *lists, const char *set);

/* What points gather of a set; NULL: nothing. */
const tess_chain_entries *tess_chain_entries_of(const tess_chain_blocks *blocks, const char *set);
