/* Tables: a plan's arrays on the device, and the functions by which strategies' texts read them. */
#pragma once

#include "kernels/codegen/launch_options.h"

/* Where the element at each position of the plan is stored, as int; whether it is that position. */
tess_filler tess_table_executed(const tess_page *page);
bool tess_table_in_order(const tess_page *page);

/* element_at(p, k): where the element at position k is stored; `executed` where that is not k.
 * ELEMENTS_IN_ORDER 1: it is. */
TESS_MUST_CHECK tess_status tess_table_order(tess_page *page);

/* find_points(p, &e, i): the points of the element stored at i, SET_index[slot][stride], or
 * [stride][slots] where maps lie in rows; or, where list[n_elements] gives a stored element for
 * each place, of that element at i. */
TESS_MUST_CHECK tess_status tess_table_index(tess_page *page, const int32_t *list);

/* How an element finds the pairs of its points: where the blocks of a matrix are. */
typedef enum tess_find {
    TESS_FIND_TABLE, /* the map says their numbers, 4 bytes each */
    TESS_FIND_RANKS, /* their ranks in their rows, 1 byte each, or 2 where a row has more than 256
                      */
    TESS_FIND_SEARCH /* the row is searched for the column by halving */
} tess_find;

#define TESS_FIND_OPTION                                                                           \
    TESS_CHOICE_OPTION(                                                                            \
        "find", "table", "table|ranks|search",                                                     \
        "how an element finds the blocks of a matrix: by a table of their numbers, "               \
        "of their ranks in their rows, or by a search of the row for the column")
tess_find tess_find_of(const tess_spec *spec, const tess_option *options);

/* Which slots of a target are pairs, (0, 1), (0, 2) ... (1, 0) ..., of n slots of another. */
typedef struct tess_pair_slots {
    int pairs, rows; /* the targets */
    int first, n;    /* slots of `rows` */
} tess_pair_slots;

/* Does as tess_table_index, by one of these ways; but for the table also
 * SET_found(p, i, s, row, column): pair s of the element stored at i, of these two points, from
 * SET_begin by row and SET_rank[slot][stride] (as SET_index) or SET_column by pair; and SET_stored
 * where pairs are not stored by rows, then columns. Gives *out [n_targets], which the caller frees:
 * n > 0 of targets that are found so; `out` may be NULL. Fails (USAGE) where the loop adds to no
 * matrix. */
TESS_MUST_CHECK tess_status tess_table_index_found(tess_page *page, tess_find find,
                                                   tess_pair_slots **out);

/* The slots of a pair's row and column. */
static inline int tess_pair_row(const tess_pair_slots *slots, int pair) {
    return slots->first + pair / (slots->n - 1);
}
static inline int tess_pair_column(const tess_pair_slots *slots, int pair) {
    const int row = pair / (slots->n - 1), column = pair % (slots->n - 1);
    return slots->first + column + (column >= row);
}

/* Whether a target's slots are such pairs, in all elements. */
bool tess_pair_slots_find(const tess_page *page, int target, tess_pair_slots *out);

/* The arrays and SET_found of such a target; a step of tess_table_index_found. */
TESS_MUST_CHECK tess_status tess_table_pair_positions(tess_page *page, const tess_pair_slots *slots,
                                                      tess_find find);

/* The blocks of a plan by colour, [n_blocks], the caller's to free. */
TESS_MUST_CHECK tess_status tess_table_block_list(const tess_plan *plan, int32_t **out);

/* block_offset[n_blocks + 1]: b.begin and b.end of a block's elements, by position. */
TESS_MUST_CHECK tess_status tess_table_blocks(tess_page *page);

/* block_list[n_blocks]: the blocks by colour. */
TESS_MUST_CHECK tess_status tess_table_blocks_by_colour(tess_page *page);

/* Groups of n consecutive positions instead: b.begin and b.end of group `index`. Gives how many. */
int64_t tess_table_groups(tess_page *page, int64_t n);

/* What lies in memory as rows of several values an element, staged in shared memory from byte
 * `start` on for THREADS positions, copied by all threads together. */
typedef struct tess_rows_staged {
    bool dats;  /* own values in AoS */
    bool maps;  /* the maps' rows */
    bool index; /* the page has find_points (tess_table_index) */
} tess_rows_staged;

/*   stage_rows(p, &b, first)        the rows of the positions from `first` on, copied
 *   read_own(p, &b, &e, i)          as read_direct, of the thread's element, which is stored at i
 *   find_own_points(p, &b, &e, i)   as find_points, where the page has that
 * Gives where the rows end; `start` where there are none. */
int64_t tess_table_rows(tess_page *page, const tess_rows_staged *staged, int64_t start);

/* One launch of `kernel` for each block colour, or one for all. */
TESS_MUST_CHECK tess_status tess_table_launch_colours(tess_page *page, const char *kernel,
                                                      int64_t shared_bytes);
TESS_MUST_CHECK tess_status tess_table_launch_blocks(tess_page *page, const char *kernel,
                                                     int64_t shared_bytes);

/* One launch of `kernel` with a thread for each of n things. */
TESS_MUST_CHECK tess_status tess_table_launch_flat(tess_page *page, const char *kernel,
                                                   int64_t first, int64_t n);

/* The option of strategies whose blocks bring to the L2 what a later block will read, and what it
 * means: -1 chooses the block that is 9 MB of the loop's data on, a sixth of an H200's L2; 0, none,
 * where the loop computes less than half a flop a byte, so that what it waits for is the bandwidth,
 * or where all its data fit into the L2. */
#define TESS_PREFETCH_OPTION                                                                       \
    TESS_INT_OPTION("prefetch", "-1", -1, 1000000,                                                 \
                    "so many blocks on is the one whose data a block brings to the L2; 0: none, "  \
                    "-1: chosen by the loop's bytes and flops")
int64_t tess_table_blocks_to_prefetch(const tess_page *page);

/* PREFETCH_DISTANCE, and where that is not 0 SET_frontier[n_blocks + 1]: one past the highest
 * point, as stored, that the blocks before each target. Then, behind the functions of
 * tess_table_slots: prefetch(p, ahead), what block `ahead` will read to the L2, by one thread, in
 * whole pieces of 16 bytes. */
TESS_MUST_CHECK tess_status tess_table_prefetch_distance(tess_page *page, int64_t ahead);
void tess_table_prefetch_functions(tess_page *page, int64_t ahead);

/* PREFETCH_DISTANCE and prefetch(p, ahead) of groups of n positions that read at points through the
 * caches: their elements' own values and map rows, where elements are in order. */
void tess_table_prefetch_of_groups(tess_page *page, int64_t n, int64_t ahead);

/* Parts of such a function: prefetch_words(array, begin, end), and the bringing of elements from
 * `begin` to `end` of one dat. */
void tess_table_prefetch_words(tess_page *page);
void tess_table_prefetch(tess_page *page, const tess_page_dat *dat, const char *begin,
                         const char *end);

/* thread_colour by position, b.n_rounds. */
TESS_MUST_CHECK tess_status tess_table_thread_colours(tess_page *page);

/* Which points are not a block's alone; they are listed by their complements. */
typedef enum tess_marks {
    TESS_MARK_NONE,
    TESS_MARK_BORDER, /* points that other blocks increment, too: added to by atomics */
    TESS_MARK_KEPT,   /* those that an earlier block increments: kept for a launch that adds */
    TESS_MARK_OTHERS  /* points that the block does not own: left alone */
} tess_marks;

/* The points that blocks stage: SET_point_offset[n_blocks + 1], SET_points as stored, and
 * SET_incremented where blocks increment some only; `sorted`: in the order of storage. *place, the
 * caller's: of each of the plan's points, its position among its block's; *partly: some only. */
TESS_MUST_CHECK tess_status tess_table_staged_points(tess_page *page, int target, tess_marks marks,
                                                     bool sorted, int32_t **position, bool *partly);

/* Which points of a target their block increments, in the order of the plan's, and how many blocks
 * increment each point of the set. The caller frees both, also where it fails. */
TESS_MUST_CHECK tess_status tess_table_incremented(const tess_page *page, int target,
                                                   uint8_t **incremented, int32_t **n_blocks);

/* Where blocks own points: SET_own_range[n_blocks][2], b.SET_own and b.SET_n_own, the least range
 * of a block's staged points, in the order of storage, that holds those that it owns: it has sums
 * of these alone. Before tess_page_stage_sums. */
TESS_MUST_CHECK tess_status tess_table_own_sums(tess_page *page);

/* With TESS_MARK_KEPT, of n staged points as stored and marked: SET_border, SET_border_offset,
 * SET_sums and DAT_kept(p, i, d), the sum of staged point i. Behind the functions of the points:
 * add_border(p, j), all sums of border point j, and its launch. */
TESS_MUST_CHECK tess_status tess_table_border_lists(tess_page *page, int target,
                                                    const int32_t *points,
                                                    const uint8_t *incremented, int64_t n);
TESS_MUST_CHECK tess_status tess_table_launch_border(tess_page *page, const char *kernel);

/* Those of all sets, in the order of the plan, and how they travel:
 *   stage(p, &b)           what is read is copied (where `reads`), sums start from nothing
 *   find_local(p, &e, k)   the points of the element at position k, among the block's
 *   give_sums(p, &b)       the sums back, by plain_add or as marked */
TESS_MUST_CHECK tess_status tess_table_points(tess_page *page, tess_marks marks, bool reads);

/* Prints a bit field of `words`, and the position of a point of element `e` as it stands in its
 * words.
 */
void tess_table_bits(tess_page *page, const char *words, int at, int bits);
void tess_table_local(tess_page *page, int target, int slot, int at, int bits);

/* Copies in the order of storage, asynchronously, and each element in a few words:
 *   stage(p, &b)            what is read is copied (where `reads`); sums start from what their
 *                           points have, or from nothing where these are marked
 *   fetch_words(p, &words, k), find_local(&e, &words)
 *   add_by_slot(&b, &e, &words, active)
 *                           a barrier after each slot, and each of its colours: the increments of a
 *                           block through one slot in one colour are of different points; where
 *                           they are made on the way, behind compute_terms(&e), instance after
 *                           instance
 *   give_sums(p, &b)        stored, or as marked
 * Ordered: the slots come in the order of tess_slot_steps, some more than once. Gathered: no
 * add_by_slot; what tess_table_gather gives, and sums start with give_sums. */
typedef enum tess_slot_sums {
    TESS_SUM_COMPUTED,
    TESS_SUM_MADE,
    TESS_SUM_GATHERED,
    TESS_SUM_ORDERED /* in steps, such that a point's increments come in the order of elements */
} tess_slot_sums;
TESS_MUST_CHECK tess_status tess_table_slots(tess_page *page, tess_marks marks, bool reads,
                                             tess_slot_sums sums);

/* Through which slots of a target increments are added, one step after another; the caller frees
 * the array, also where it fails. number[slot][n_executed]: of an element's, which of its slot's
 * steps it is in. */
typedef struct tess_slot_steps {
    int *slot; /* [n] */
    int n;
} tess_slot_steps;
TESS_MUST_CHECK tess_status tess_slot_steps_make(const tess_page *page, int target,
                                                 uint16_t *number, tess_slot_steps *steps);

/* The steps of a slot among the first n. */
int tess_slot_steps_of(const tess_slot_steps *steps, int n, int slot);

/* What each point of a set gathers of its block's increments (`position`: of the plan's points,
 * each among its block's): SET_gather[SET_gather_at(block, r, i)], r < SET_ROUNDS: increment r of
 * the point at place i, slot * MOST_EXECUTED + the element's place in the block, or all ones where
 * it has no more. */
TESS_MUST_CHECK tess_status tess_table_gather(tess_page *page, int target, const int32_t *position);

/* Where increments lie in shared memory from byte `start` on, [slot][dim][MOST_EXECUTED]:
 * DAT_increment(b, slot, d, i), and keep_increments(&b, &e, i). Gives where they end. */
int64_t tess_table_increments(tess_page *page, int64_t start);

/* Whether increments of slot 1 are minus those of slot 0, which are kept alone. */
bool tess_table_is_opposite(const tess_page *page, const tess_page_dat *dat);

/* What blocks of elements need to begin, in one row, and each element in a few words (packed.c). */
typedef struct tess_copies {
    bool reads, sums; /* what is staged */
    bool preload;     /* sums start from the old values and are stored; else they are added */
    bool async;       /* by asynchronous copies */
    bool vectors;     /* rows of AoS in pieces of up to 16 bytes */
} tess_copies;

/* Blocks are in the order of their colours: block_row[n_blocks][...].
 *   b.begin b.n b.n_colours     its elements, by position, and thread colours
 *   struct words  fetch_words(p, &words, k)  colour_of(&words)  find_local(&e, &words)
 *   stage(p, &b) give_sums(p, &b)
 * Points that the block increments come first. */
TESS_MUST_CHECK tess_status tess_table_packed(tess_page *page, const tess_copies *copies);

/* struct rounds, find_rounds(p, &rounds, k), add_in_round(&b, &e, &rounds, round): increment r of a
 * point is added in round r < b.n_rounds. */
TESS_MUST_CHECK tess_status tess_table_rounds(tess_page *page);

/* is_home(p, k): 1 in the one block, of those that execute the element at position k, that owns its
 * first incremented point; where blocks own elements (not `owned`), always. */
TESS_MUST_CHECK tess_status tess_table_home(tess_page *page, bool owned);

/* What a block stages of a set: a run of elements stored one behind the other, which pieces of 16
 * bytes can copy, and others. It begins at an element whose number is a multiple of
 * TESS_RUN_ALIGNED, so the run's first position is its begin modulo that; the others come behind,
 * from such a position on. */
enum { TESS_RUN_ALIGNED = 4 };
typedef struct tess_run {
    int32_t begin, length;
} tess_run;

/* The longest run of n ascending numbers; those that are not in a run, ascending, and how many; the
 * place of one (`outside`: of the others in any case). */
tess_run tess_run_longest(const int32_t *stored, int64_t n);
int64_t tess_run_others(tess_run run, const int32_t *stored, int64_t n, int32_t *others);
int32_t tess_run_position(tess_run run, bool outside, int32_t stored, const int32_t *others,
                          int64_t n_others);
static inline int32_t tess_run_end(tess_run run) {
    return (run.begin % TESS_RUN_ALIGNED + run.length + TESS_RUN_ALIGNED - 1) / TESS_RUN_ALIGNED *
           TESS_RUN_ALIGNED;
}

/* The positions that it and n others take. */
static inline int32_t tess_run_positions(tess_run run, int64_t n_others) {
    return n_others > 0 ? tess_run_end(run) + (int32_t)n_others
                        : run.begin % TESS_RUN_ALIGNED + run.length;
}

/* Puts n lists, each of offset[b + 1] items from begin[b] on, one behind the other; `offset`
 * becomes where each begins then. */
void tess_table_close_gaps(int32_t *items, const int64_t *begin, int64_t n, int64_t *offset);

/* SET_run_begin(p, block) SET_run_end(p, block) (runs NULL: the caller's), SET_others_begin(p,
 * block) SET_others_end(p, block) and SET_others, -1 behind a block's last. May fill up the lists.
 */
TESS_MUST_CHECK tess_status tess_table_runs(tess_page *page, const char *set, const tess_run *runs,
                                            int64_t *others_offset, int32_t **others);

/* As that, where the page's tables are made there: params.runs (0: the caller's) and others, which
 * are n_others of each block from its params.offsets on. */
TESS_MUST_CHECK tess_status tess_table_runs_there(tess_page *page, const char *set,
                                                  int64_t *others_offset);

/* b.SET_..., and find_SET_run(p, &b), which fills them. */
void tess_table_run_members(tess_page *page, const char *set);

/* Parts of functions of p and b: copies the run, or the others, of a set (their dats' words) to
 * @dat_COPY(b, i, d). */
void tess_table_copy_run(tess_page *page, const tess_page_dat *dat, const char *copy);
void tess_table_copy_others(tess_page *page, const tess_page_dat *dats, int n, const char *copy);

/* A loop over all values of n points in the order of memory: `i` the point's number, `d` the
 * component, `point` where it is stored. */
void tess_table_copy_rows(tess_page *page, const tess_page_dat *dat, const char *n,
                          const char *point, const char *what);

/* A part of bring: the run and the list of the others of block `ahead`. */
void tess_table_prefetch_run(tess_page *page, const tess_page_dat *dats, int n);

/* BEGIN(p, block) and END(p, block) of offsets[n_blocks + 1] by block: fetched from SET and NAME,
 * or computed where all blocks but one are alike. */
TESS_MUST_CHECK tess_status tess_table_ranges(tess_page *page, const char *begin, const char *end,
                                              const int64_t *offset, const char *set,
                                              const char *name);

/* Where the elements of blocks are among those that their block stages. */
typedef struct tess_staged_elements {
    int64_t n_positions; /* that one may have; 0: they are not staged */
    int32_t *position;   /* of each, by position in the plan, the caller's; */
    tess_address there;  /* or on the device, where tables are made there */
} tess_staged_elements;

/* What a block needs to copy its elements' own values to shared memory from byte *bytes on, which
 * then says where the copies end: the run and others of "own", DAT_own(b, i, d): where they lie,
 * read_element(p, &b, &e, i) by staged position and stored_element(p, &b, i). */
TESS_MUST_CHECK tess_status tess_table_elements(tess_page *page, int64_t *bytes,
                                                tess_staged_elements *out);

/* How many dats are read of elements themselves; these, with "own" for their set. */
int64_t tess_table_own_reads(const tess_page *page);
int tess_table_own_dats(const tess_page *page, tess_page_dat *dats);

typedef struct tess_entry_choices {
    bool reads;     /* what is read is staged */
    bool in_order;  /* a point's by slot, then as its block has the elements; false: such that
                       lanes read different banks */
    bool exchanged; /* the own point is slot 0 of each of its elements, whose two
                       slots are exchanged where it was slot 1 */
    bool elements;  /* an entry says where its element is, whatever reads it */
    tess_staged_elements staged;
    int64_t ahead; /* so many blocks on is the one that is brought to the L2 */
} tess_entry_choices;

typedef struct tess_entry_facts {
    bool mixed;          /* the lanes of a warp often differ in their slots */
    int64_t n_positions; /* of entry_place */
} tess_entry_facts;

/* What a thread needs that sums all increments of a point that its block owns, packed into words
 * that consecutive threads read one behind the other (entries.c). Points are staged in the order:
 * those that the block owns, then the others.
 *   own_begin(p, block) own_end(p, block)   own_at(p, k): where own point k is stored; k itself
 *                         after renumber=owner (OWN_IN_ORDER 1)
 *   b.first b.n_own b.own_place b.start b.stride b.n_rounds
 *   OWN_SLOTS OWN_INCREMENTED FIRST_SLOT    slots of the own set; bit s: slot s is incremented
 *   struct entry, struct entries, fetch_entries(p, &b, round, own), entry_of(&entries, round)
 *                         the first word is NO_ENTRY where the point has no such entry.
 *                         POINT_WORDS > 0: where all points have as many rounds and that takes
 *                         fewer words, all entries of a point lie one behind the other in so many
 *   entry_slot(&entry) entry_element(&entry)   the own point's slot; where the element is stored,
 *                         or its staged place
 *   find_local(&b, &e, &entry, own, own_slot)
 *   read_staged_own(&b, &e, own, own_slot) read_staged_others(&b, &e, own_slot)
 *                         what is read through that slot of the own set, and the rest
 *   read_own_ends(p, &e, point)   what is read of the own set, one point's for all slots
 *   stage(p, &b) prefetch(p, ahead)
 *   struct totals, load_totals(p, &t, point) load_staged_totals(&b, &t, own) take(&t, &e, own_slot)
 *   store_totals(p, &b, &t, own, point) give_rows(p, &b)
 * Of a split loop stage, find_local's copies and totals have a last parameter `phase`, and
 *   find_staged(p, &b)    what stage needs to know of the block, once
 *   MOST_ROUNDS           of a block; ROUNDS_ALIKE 1: of every block
 *   entry_place(&b, own, round)   a position for each entry */
TESS_MUST_CHECK tess_status tess_table_entries(tess_page *page, const tess_entry_choices *chosen,
                                               tess_entry_facts *out);

/* SET_list_offset by point as stored, SET_list: slot * N_POSITIONS + position; keep_increments(p,
 * &e, k) to temporary arrays, and gather(p, point) from them. */
TESS_MUST_CHECK tess_status tess_table_point_lists(tess_page *page);

/* Puts n 64-bit offsets on the device as int, named SET and NAME. Fails (INPUT) past 2^31. */
TESS_MUST_CHECK tess_status tess_table_offsets(tess_page *page, const int64_t *offset, int64_t n,
                                               const char *set, const char *name);
