/* Parts of a plan: its arrays on the device, as the parameters and constants that strategies'
 * texts name. */
#ifndef TESS_PARTS_H
#define TESS_PARTS_H

#include "kernels/page/page.h"

/* ELEMENT_AT(p, k): where the element at position k is stored; `executed` where that is not k.
 * ELEMENTS_IN_ORDER 1: it is. */
TESS_MUST_CHECK tess_status tess_table_order(tess_page *page);

/* SET_index[slot][stride]: the points of each element as stored, for find_points; or, where
 * place[n_elements] gives one for each stored element, at that place. */
TESS_MUST_CHECK tess_status tess_table_index(tess_page *page, const int32_t *place);

/* block_offset[n_blocks + 1] into positions; block_list: the blocks by colour. */
TESS_MUST_CHECK tess_status tess_table_blocks(tess_page *page);

/* One launch of `kernel` for each block colour, or one for all. */
TESS_MUST_CHECK tess_status tess_table_launch_colours(tess_page *page, const char *kernel,
                                                      int64_t shared_bytes);
TESS_MUST_CHECK tess_status tess_table_launch_blocks(tess_page *page, const char *kernel,
                                                     int64_t shared_bytes);

/* One launch of `kernel` with a thread for each of n things. */
TESS_MUST_CHECK tess_status tess_table_launch_flat(tess_page *page, const char *kernel,
                                                   int64_t first, int64_t n);

/* The option of strategies that keep a thread to so many registers, and what it means: so many
 * blocks on a multiprocessor, of 65536 registers, leave a thread no more. 0: no limit. */
#define TESS_REGISTERS_OPTION(registers)                                                           \
    {                                                                                              \
        .key = "registers", .value = registers,                                                    \
        .help =                                                                                    \
            "most registers of a thread; 0: as many as the compiler likes, -1: 64, or 40 where "   \
            "all is float, unless an element has more values than fit there",                      \
        .kind = TESS_OPTION_INT, .minimum = -1, .maximum = 255                                     \
    }
void tess_table_registers(tess_page *page, int64_t registers);

/* The option of strategies whose blocks bring to the L2 what a later block will read, and what it
 * means: -1 chooses the block that is 9 MB of the loop's data on, a sixth of an H200's L2; 0, none,
 * where the loop computes less than half a flop a byte, so that what it waits for is the bandwidth,
 * or where all its data fit into the L2. */
#define TESS_AHEAD_OPTION                                                                          \
    {                                                                                              \
        .key = "ahead", .value = "-1",                                                             \
        .help = "so many blocks on is the one whose data a block brings to the L2; 0: none, -1: "  \
                "chosen by the loop's bytes and flops",                                            \
        .kind = TESS_OPTION_INT, .minimum = -1, .maximum = 1000000                                 \
    }
int64_t tess_table_blocks_ahead(const tess_page *page, int64_t ahead);

/* AHEAD, and where that is not 0 what bring_elements (staging.h) needs: EACH_DIRECT(X): X(dat),
 * read of elements themselves; SET_frontier[n_blocks + 1]: one past the highest point, as stored,
 * that the blocks before each target. */
TESS_MUST_CHECK tess_status tess_table_ahead(tess_page *page, int64_t ahead);

/* thread_colour by position, thread_colours by block. */
TESS_MUST_CHECK tess_status tess_table_thread_colours(tess_page *page);

/* SET_point_offset[n_blocks + 1], SET_points as stored (marked ones complemented),
 * SET_INCREMENTED 1 where blocks increment all they stage, else SET_incremented;
 * SET_local[slot][stride], for find_local_points. */
typedef enum tess_marks {
    TESS_MARK_NONE,
    TESS_MARK_BORDER, /* points that other blocks increment, too */
    TESS_MARK_OTHERS  /* points that the block does not own */
} tess_marks;
TESS_MUST_CHECK tess_status tess_table_points(tess_page *page, tess_marks marks);

/* What a block of elements needs to begin, in one row, and each element in a few words
 * (packed.c); `reads`, `sums`: whether what is read, or incremented, is staged.
 *   block_row[n_blocks][ROW_WORDS]    by colour: first position, elements, thread colours; and of
 *                       each staged set where its list begins, its points, those of them that the
 *                       block increments
 *   EACH_STAGED_SET(X)  X(set, EACH_set_READ, EACH_set_SUM, word of the row); X(set, dat) of both
 *   SET_points          of all blocks, as stored: those that the block increments, then the others
 *   packed[PACKED_AT(w, k)]           w < PACKED_WORDS: the words of position k
 *   COLOUR_OF(word)     the element's thread colour
 *   EACH_LOCAL(X)       X(set, slot, at, bits): the point's place among the block's; all ones where
 *                       there is none */
TESS_MUST_CHECK tess_status tess_table_packed(tess_page *page, bool reads, bool sums);

/* The first three for one target; `sorted`: in the order of storage. *place, the caller's: of each
 * of the plan's points, its place among its block's. */
TESS_MUST_CHECK tess_status tess_table_staged_points(tess_page *page, int reach, tess_marks marks,
                                                     bool sorted, int32_t **place);

/* What a sum by slots needs (slot_sum.h), beside the points in the order of storage:
 *   local_word[w * LOCAL_STRIDE + k], LOCAL_WORDS   packed, of the element at position k
 *   EACH_LOCAL(X)            X(set, slot)
 *   SET_PLACE_slot(word)     the place of its point, -1: none
 *   SET_COLOUR_slot(word)    the colour of its increment through that slot: the increments of a
 *                            block through one slot in one colour are of different points
 *   EACH_PHASE(X)            X(slot, n): the most colours that a block has
 * `gathered`: and what tess_table_gather gives, of all sets that are incremented. */
TESS_MUST_CHECK tess_status tess_table_slots(tess_page *page, tess_marks marks, bool gathered);

/* What each point of a set gathers of its block's increments (`place`: of the plan's points, each
 * among its block's): SET_gather[SET_GATHER_AT(block, r, i)], r < SET_ROUNDS: increment r of the
 * point at place i, slot * MOST_EXECUTED + the element's place in the block, or all ones where it
 * has no more. */
TESS_MUST_CHECK tess_status tess_table_gather(tess_page *page, int reach, const int32_t *place);

/* Where increments lie in shared memory from byte `start` on, [slot][dim][MOST_EXECUTED]:
 * DAT_INCREMENTS; DAT_OPPOSITE 1: those of slot 1 are minus those of slot 0, which lie there alone.
 * Gives where they end. */
int64_t tess_table_increments(tess_page *page, int64_t start);

/* SET_round[slot][stride]: increment r of a point is added in round r; n_rounds by block. */
TESS_MUST_CHECK tess_status tess_table_rounds(tess_page *page);

/* home by position: 1 in the one block, of those that execute an element, that owns its first
 * incremented point. */
TESS_MUST_CHECK tess_status tess_table_home(tess_page *page);

/* What a block stages of a set: a run of elements stored one behind the other, which pieces of 16
 * bytes can copy, and others. It begins at an element whose number is a multiple of
 * TESS_RUN_ALIGNED, so the run's first place is its begin modulo that; the others come behind, from
 * such a place on. */
enum { TESS_RUN_ALIGNED = 4 };
typedef struct tess_run {
    int32_t begin, length;
} tess_run;

/* The longest run of n ascending numbers; those that are not in a run, ascending, and how many; the
 * place of one (`outside`: of the others in any case). */
tess_run tess_run_longest(const int32_t *stored, int64_t n);
int64_t tess_run_others(tess_run run, const int32_t *stored, int64_t n, int32_t *others);
int32_t tess_run_place(tess_run run, bool outside, int32_t stored, const int32_t *others,
                       int64_t n_others);
static inline int32_t tess_run_end(tess_run run) {
    return (run.begin % TESS_RUN_ALIGNED + run.length + TESS_RUN_ALIGNED - 1) / TESS_RUN_ALIGNED *
           TESS_RUN_ALIGNED;
}

/* SET_RUN_BEGIN(p, block) SET_RUN_END(p, block) (runs NULL: the caller's), SET_OTHERS_BEGIN(p,
 * block) SET_OTHERS_END(p, block) and SET_others, -1 behind a block's last. May fill up the lists.
 */
TESS_MUST_CHECK tess_status tess_table_runs(tess_page *page, const char *set, const tess_run *runs,
                                            int64_t *others_offset, int32_t **others);

/* BEGIN(p, block) and END(p, block) of offsets[n_blocks + 1] by block: fetched from SET and NAME,
 * or computed where all blocks but one are alike. */
TESS_MUST_CHECK tess_status tess_table_ranges(tess_page *page, const char *begin, const char *end,
                                              const int64_t *offset, const char *set,
                                              const char *name);

/* What a block needs to copy its elements' own values to shared memory from byte *bytes on, which
 * then says where the copies end: the runs and others of "own" (tess_table_runs), ELEMENTS_STAGED,
 * EACH_OWN_READ(X): X(dat), DAT_OWN: where its copies lie, [dim][STAGED].
 * *place, the caller's: by position. */
TESS_MUST_CHECK tess_status tess_table_elements(tess_page *page, int64_t *bytes, int32_t **place);

/* How many dats are read of elements themselves. */
int64_t tess_table_own_reads(const tess_page *page);

/* What a thread needs that sums all increments of a point that its block owns, packed into words
 * that consecutive threads read one behind the other (entries.c). Points are staged in
 * the order: those that the block owns, then the others.
 *   OWN_BEGIN(p, block) OWN_END(p, block)   OWN_AT(p, k): where own point k is stored; k itself
 *                         after renumber=owner
 *   SET_OWNED             1 for the set that blocks own
 *   EACH_STAGED_SET(X)    X(set, EACH_set_READ): sets that are read, with their runs and others;
 *                         the own points are the run of their set (OWN_IN_ORDER 1: as stored)
 *   OWN_SLOTS FIRST_SLOT EACH_OWN_SLOT(X)   X(slot), the incremented slots of the own set
 *   ENTRY_START(p, block) N_ROUNDS(p, block) ENTRY_WORDS POINT_WORDS ENTRY_BITS
 *                         word w of entry `round` of own point i of n is
 *                         entry[start + (round * ENTRY_WORDS + w) * ((n + 7) / 8 * 8) + i]; all
 *                         bits of word 0 are set where the point has no such entry.
 *                         POINT_WORDS > 0: where all points have as many rounds and that takes
 *                         fewer words, all entries of a point lie one behind the other, ENTRY_BITS
 *                         each, in words w < POINT_WORDS: entry[start + w * ((n + 7) / 8 * 8) + i]
 *   ENTRY_SLOT(word) ENTRY_ELEMENT(word)    the own point's slot; where the element is stored, or
 *                         its staged place where `element_place` gives one by position (else NULL)
 *   EACH_OWN_LOCAL(X)     X(set, slot, below, above, bits): staged places, `below` where slot is
 *                         below the own one, else `above`
 *   EACH_OTHER_LOCAL(X)   X(set, slot, at, bits)
 * `exchanged`: the own point is slot 0 of each of its elements, whose two slots are exchanged where
 * it was slot 1. Gives whether the lanes of a warp often differ in their slots. */
TESS_MUST_CHECK tess_status tess_table_entries(tess_page *page, bool staged, bool exchanged,
                                               const int32_t *element_place, bool *mixed);

/* SET_list_offset by point as stored, SET_list: slot * N_POSITIONS + position; and room for
 * DAT_temporary. */
TESS_MUST_CHECK tess_status tess_table_point_lists(tess_page *page);

/* Puts n 64-bit offsets on the device as int, named SET and NAME. Fails (INPUT) past 2^31. */
TESS_MUST_CHECK tess_status tess_table_offsets(tess_page *page, const int64_t *offset, int64_t n,
                                               const char *set, const char *name);

/* Bytes of shared memory for copies of what is read (or incremented) of every point of a block, as
 * the glue lays them out. */
int64_t tess_table_read_bytes(const tess_page *page);
int64_t tess_table_sum_bytes(const tess_page *page);

#endif
