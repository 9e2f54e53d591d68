/* The blocks of a chain on a mesh: each block's own points, the rings around them, and the elements
 * that each point gathers.
 *
 * Ring 1 of a block has the points that its own points read through the chain's maps and that are
 * not its own, ring 2 those that ring 1 reads, and so on, as many as the chain needs
 * (chain->n_rings; one more where values are loaded there). A chain without rings has own points
 * alone. Points lie in a list, block after block: own ones, then ring by ring; each block begins at
 * a multiple of TESS_SLICE places, and the places before the next one are empty (-1). */
#pragma once

#include "core/plan/chain.h"
#include "core/plan/point_list.h"

/* The point of an element, its first, that stores what is the element's own. */
enum { TESS_ENTRY_OWNS = 0x80 };

/* What points gather of one set. Entry `round` of the point at place k of the list is at
 * first[k / 32] + round * 32 + k % 32. */
typedef struct tess_chain_entries {
    char set[TESS_NAME_SIZE];
    int index;        /* of the set in the mesh */
    int n_slots;      /* through which its elements add: distinct slots of all loops over it */
    int64_t *first;   /* [slices + 1] */
    int32_t *element; /* -1: the point has fewer */
    uint8_t *slot;    /* the point's, of n_slots; with TESS_ENTRY_OWNS where the point owns it */
    int rounds;       /* of all slices; 0: some have others */
} tess_chain_entries;

typedef struct tess_chain_blocks {
    int n_rings;
    int32_t n_blocks;
    int64_t *place; /* [n_blocks][n_rings + 2]: where own points begin, where they and ring 1, 2 ...
                       end */
    int64_t n_places; /* a multiple of 32 */
    int32_t *points;  /* [n_places] */
    int n_sets;
    tess_chain_entries *sets; /* the gathered ones, in the order of their first loops */
    int64_t most_points;      /* of any block, with rings */
} tess_chain_blocks;

/* Points of a block: its own and `ring` rings. */
static inline int64_t tess_chain_points(const tess_chain_blocks *blocks, int32_t block, int ring) {
    const int64_t *place = blocks->place + (int64_t)block * (blocks->n_rings + 2);
    return place[ring + 1] - place[0];
}

/* The most that a block has, up to the next multiple of `size`. */
static inline int64_t tess_chain_most_points(const tess_chain_blocks *blocks, int ring, int size) {
    int64_t most = 0;
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t n = tess_chain_points(blocks, b, ring);
        most = n > most ? n : most;
    }
    return (most + size - 1) / size * size;
}

/* The entry of the point at place k behind entry `at`, the first where that is -1; -1: no more. */
static inline int64_t tess_chain_next_entry(const tess_chain_entries *entries, int64_t k,
                                            int64_t at) {
    const int64_t end = entries->first[k / TESS_SLICE + 1];
    at = at < 0 ? entries->first[k / TESS_SLICE] + k % TESS_SLICE : at + TESS_SLICE;
    while (at < end && entries->element[at] < 0)
        at += TESS_SLICE;
    return at < end ? at : -1;
}

/* Cuts the owner's points into the blocks that block_of [points] says, from 0 to n_blocks - 1; -1:
 * into none, as points of other ranks, which are in rings alone.
 * Points of a block and of a ring are ordered by position [points], or by their ids where it is
 * NULL. Fails (INPUT) where a block has more points than 16 bits count in a chain with rings. */
TESS_MUST_CHECK tess_status tess_chain_blocks_build(const tess_chain *chain, const tess_mesh *mesh,
                                                    const int32_t *block_of, int32_t n_blocks,
                                                    const int32_t *position,
                                                    tess_chain_blocks **out);
/* As these, but a block is what a rank owns, of any size, and has the rings in which values are
 * loaded, too, where the chain has no others. */
TESS_MUST_CHECK tess_status tess_chain_rings_build(const tess_chain *chain, const tess_mesh *mesh,
                                                   const int32_t *rank_of, int32_t n_ranks,
                                                   tess_chain_blocks **out);
void tess_chain_blocks_free(tess_chain_blocks *blocks);

/* The slots through which loops of the chain over a set reach points of another set, each once, in
 * the order of args: those that add, or those that read. */
typedef struct tess_chain_slots {
    int n;
    const tess_map *map[64];
    int slot[64];
} tess_chain_slots;
TESS_MUST_CHECK tess_status tess_chain_slots_find(const tess_chain *chain, const tess_mesh *mesh,
                                                  const char *from, const char *to,
                                                  tess_access access, tess_chain_slots *out);

/* All of them: where elements of a set lead in loops of the chain. The caller frees *out [*n]. */
typedef struct tess_chain_lead {
    int from, to; /* sets */
    tess_access access;
    tess_chain_slots slots;
} tess_chain_lead;
TESS_MUST_CHECK tess_status tess_chain_leads_find(const tess_chain *chain, const tess_mesh *mesh,
                                                  tess_chain_lead **out, int *n);

static inline int32_t tess_chain_slot_point(const tess_chain_slots *slots, int s, int64_t element) {
    return slots->map[s]->index[element * slots->map[s]->arity + slots->slot[s]];
}
