/* Entries under construction: what the files that make up tess_table_entries share. */
#pragma once

#include "kernels/codegen/banks.h"
#include "kernels/codegen/tables_there.h"

enum { TESS_MOST_SLOTS = 64 };

/* Where the places of a set's points stand in an entry: `bits` wide from bit at[]. */
typedef struct tess_positions {
    int bits, n;
    int at[TESS_MOST_SLOTS];
} tess_positions;

typedef struct tess_entries {
    tess_page *page;
    int target; /* of the set that blocks own */
    tess_entry_choices chosen;
    int64_t *own_offset; /* [n_blocks + 1] */
    bool own_in_order;   /* own points are stored one behind the other */
    int32_t *rank;       /* [points]: the position of a point among all blocks' own ones */
    int slot_bits, element_bits;
    tess_positions *positions; /* [n_targets]; n = 0 where the set is not read */
    int n_bits, n_words;       /* of an entry */
    bool *is_staged;           /* [n_targets] */
    int32_t **staged_at; /* [n_targets]: the staged positions of all blocks' points; NULL: there */
    int64_t *start;      /* [n_blocks + 1] into words */
    int32_t *n_rounds;   /* [n_blocks] */
    uint32_t *words;
    int64_t n_positions;            /* of entries, empty ones too */
    int32_t *seen;                  /* entries of each own point so far, by its rank */
    int64_t n_slots, n_warp_rounds; /* rounds of warps that have an entry, the slots in them */
    /* What is made on the device in place of rank, staged_at and words. */
    struct {
        tess_there_own own;
        tess_address *staged_at, words;
    } there;
} tess_entries;

/* Fills own_offset, own_in_order and rank, and prints own_at, own_begin and own_end. */
TESS_MUST_CHECK tess_status tess_entries_put_own(tess_entries *all);

/* The run and the others of each block in target r, and the positions of all blocks' points. */
TESS_MUST_CHECK tess_status tess_entries_put_staged(tess_entries *all, int r);

/* Says where the words of blocks begin, by their rounds. */
TESS_MUST_CHECK tess_status tess_entries_begin_words(tess_entries *all);

/* The other slot of the map that slot s of a target is of, where that map has two; else s. */
int tess_entries_exchanged_slot(const tess_loop_target *target, int s);

/* Of tables made there: own points, whose list *own is; entries, as the host lists, packs and
 * spreads them; the joining of those of a point. */
TESS_MUST_CHECK tess_status tess_entries_own_there(tess_entries *all, tess_address *own);
TESS_MUST_CHECK tess_status tess_entries_list_there(tess_entries *all);
TESS_MUST_CHECK tess_status tess_entries_join_there(tess_entries *all, int n_words);

/* The positions that an entry names, [TESS_BANK_FIELDS], and what is read there; gives how many. */
int tess_entries_bank_fields(const tess_entries *all, tess_bank_field *fields);

/* Whether entries are exchanged by them. */
bool tess_entries_are_spread(const tess_entries *all);

/* Exchanges entries of one point where that lessens conflicts (kernels/codegen/banks.h). */
void tess_entries_spread(tess_entries *all);

/* Prints a loop over the values of own points that are not stored one behind the other: `what` is
 * done with value `d` of each, the block's i-th, which is stored at `point`. */
void tess_entries_copy_rows(tess_page *page, const tess_page_dat *dat, const char *what);

/* Prints struct totals and its functions. A sum starts from what the point has: loaded early from
 * memory (SoA), or lying in shared memory, from where rows travel (AoS). */
void tess_entries_print_totals(tess_page *page);
