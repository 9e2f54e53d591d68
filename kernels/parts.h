/* Parts of a plan: its arrays on the device, as the parameters and constants that strategies'
 * texts name. */
#ifndef TESS_PARTS_H
#define TESS_PARTS_H

#include "kernels/strategy.h"

/* ELEMENT_AT(p, k): where the element at position k is stored; `executed` where that is not k. */
TESS_MUST_CHECK tess_status tess_part_order(tess_execution *x);

/* SET_index[slot][stride]: the points of each element as stored, for find_points. */
TESS_MUST_CHECK tess_status tess_part_index(tess_execution *x);

/* block_offset[n_blocks + 1] into positions; block_list: the blocks by colour. */
TESS_MUST_CHECK tess_status tess_part_blocks(tess_execution *x);

/* One launch of `kernel` for each block colour, or one for all. */
TESS_MUST_CHECK tess_status tess_part_launch_colours(tess_execution *x, const char *kernel,
                                                     int64_t shared_bytes);
TESS_MUST_CHECK tess_status tess_part_launch_blocks(tess_execution *x, const char *kernel,
                                                    int64_t shared_bytes);

/* One launch of `kernel` with a thread for each of n things. */
TESS_MUST_CHECK tess_status tess_part_launch_flat(tess_execution *x, const char *kernel,
                                                  int64_t first, int64_t n);

/* thread_colour by position, thread_colours by block. */
TESS_MUST_CHECK tess_status tess_part_thread_colours(tess_execution *x);

/* SET_point_offset[n_blocks + 1], SET_points as stored (marked ones complemented),
 * SET_INCREMENTED 1 where blocks increment all they stage, else SET_incremented;
 * SET_local[slot][stride], for find_local_points. */
typedef enum tess_marks {
    TESS_MARK_NONE,
    TESS_MARK_BORDER, /* points that other blocks increment, too */
    TESS_MARK_OTHERS  /* points that the block does not own */
} tess_marks;
TESS_MUST_CHECK tess_status tess_part_points(tess_execution *x, tess_marks marks);

/* What a block of elements needs to begin, in one row, and each element in a few words
 * (kernels/part_packed.c); `reads`, `sums`: whether what is read, or incremented, is staged.
 *   block_row[n_blocks][ROW_WORDS], by colour: first position, elements, thread colours; and of
 * each staged set where its list begins, its points, those of them that the block increments
 *   EACH_STAGED_SET(X)    X(set, EACH_set_READ, EACH_set_SUM, word of the row); X(set, dat) of both
 *   SET_points            of all blocks, as stored: those that the block increments, then the
 * others packed[PACKED_AT(w, k)], w < PACKED_WORDS: the words of position k COLOUR_OF(word)
 * EACH_LOCAL(X)  X(set, slot, at, bits): the point's place among the block's; all ones where there
 * is none */
TESS_MUST_CHECK tess_status tess_part_packed(tess_execution *x, bool reads, bool sums);

/* SET_list_offset by staged point, SET_list: the increments of each, slot * MOST_EXECUTED + place
 * in the block; and DAT_INCREMENTS, where their values lie in shared memory. Gives the bytes they
 * need. */
TESS_MUST_CHECK tess_status tess_part_block_lists(tess_execution *x, int64_t *bytes);

/* SET_round[slot][stride]: increment r of a point is added in round r; n_rounds by block. */
TESS_MUST_CHECK tess_status tess_part_rounds(tess_execution *x);

/* home by position: 1 in the one block, of those that execute an element, that owns its first
 * incremented point. */
TESS_MUST_CHECK tess_status tess_part_home(tess_execution *x);

/* The reach of the set that blocks own, and its first incremented slot. */
int tess_part_owned_reach(const tess_execution *x, int *first_slot);

/* What a thread needs that sums all increments of a point that its block owns, packed into words
 * that consecutive threads read one behind the other (kernels/part_entries.c). Points are staged in
 * the order: those that the block owns, then the others.
 *   own_offset by block   OWN_AT(p, k): where own point k is stored; k itself after renumber=owner
 *   SET_OWNED             1 for the set that blocks own
 *   SET_halo_offset by block, SET_halo      the other points of a set that is read, as stored
 *   OWN_SLOTS FIRST_SLOT EACH_OWN_SLOT(X)   X(slot), the incremented slots of the own set
 *   entry_start by block, n_rounds by block, ENTRY_WORDS
 *   word w of entry `round` of own point i of n: entry[start + (round * ENTRY_WORDS + w) * ((n + 7)
 *   / 8 * 8) + i]; all bits of word 0 set where the point has no such entry
 *   ENTRY_SLOT(word) ENTRY_ELEMENT(word): the own point's slot, where the element is stored
 *   EACH_OWN_LOCAL(X)     X(set, slot, below, above, bits): staged places, `below` where slot is
 *                         below the own one, else `above`; EACH_OTHER_LOCAL(X): X(set, slot, at,
 * bits)
 * Gives whether the lanes of a warp often differ in their slots. */
TESS_MUST_CHECK tess_status tess_part_entries(tess_execution *x, bool staged, bool *mixed);

/* SET_list_offset by point as stored, SET_list: slot * N_POSITIONS + position; and room for
 * DAT_temporary. */
TESS_MUST_CHECK tess_status tess_part_point_lists(tess_execution *x);

/* Puts n 64-bit offsets on the device as int, named SET and NAME. Fails (INPUT) past 2^31. */
TESS_MUST_CHECK tess_status tess_part_offsets(tess_execution *x, const int64_t *offset, int64_t n,
                                              const char *set, const char *name);

/* Bytes of shared memory for copies of what is read (or incremented) of every point of a block, as
 * the glue lays them out. */
int64_t tess_part_read_bytes(const tess_execution *x);
int64_t tess_part_sum_bytes(const tess_execution *x);

#endif
