/* A chain's page under construction: what the files share that write it. */
#pragma once

#include "kernels/codegen/chain_setting.h"
#include "kernels/codegen/page.h"

/* What a record says of its entry or point: a number of 16 bits, or of 32. */
typedef struct tess_chain_field {
    char name[2 * TESS_NAME_SIZE]; /* of the function that gives it */
    const tess_map *map;           /* the point that is reached through a slot of it; NULL: the
                                      entry's mark, or where its element is stored */
    int slot;
    bool local;      /* 16 bits: a mark, or a place in the block; else 32: where it is stored */
    bool is_row;     /* where the block keeps what the entry's element adds to the point, */
    int round;       /* of the entry that is */
    bool padded;     /* some have none: all bits are set */
    int word, shift; /* where in the record it begins */
} tess_chain_field;

/* The records of a gathered set, one for each entry, of one whose elements are computed once, one
 * for each of these, or of the owner, one for each point: what loops over the set need to know of
 * it, read at once. Of an entry that is not there all bits are set. */
typedef struct tess_chain_record {
    const char *set;                   /* of points' rows: SET_rows, */
    char rows[TESS_SYMBOL_SIZE];       /* which is this */
    const tess_chain_entries *entries; /* NULL: of the owner, or of elements */
    const tess_chain_list *once;       /* of elements, and of the points' rows; NULL: neither */
    int ring;                          /* in which some loop over the set is computed */
    int rounds;                        /* of all points; 0: some have others */
    int together;   /* entries of a point that one record is of; 0: each has one */
    int own_slot;   /* of the adding ones, the point's: 0 for all entries; -1: as the mark says */
    bool exchanged; /* elements are turned such that it is slot 0 */
    bool marked, has_element;
    int n_fields, n_words; /* words: of 32 bits */
    tess_chain_field fields[64];
    bool kept;  /* a block's lie in its memory, */
    int64_t at; /* from this byte on */
} tess_chain_record;

typedef struct tess_chain_writer {
    const tess_chain_setting *setting;
    const tess_mesh *mesh;
    tess_page *page;
    int64_t most_shared; /* bytes that a block may have */
    tess_page_dat *dats; /* [n_dats of the chain]: whole rows */
    int n_records;       /* the owner's is the last */
    tess_chain_record *records;
    tess_text_writer stages; /* their functions */
    /* While the stages are printed. */
    bool *in_point;    /* [n_dats]: the point's registers have the value */
    int *kept_version; /* [n_dats]: which of the kept ones is the last, */
    int *kept_since;   /* and behind how many barriers of a block it is written */
    int n_barriers;    /* before the points of the stage at hand */
    int64_t kept_end;  /* bytes of shared memory for what is kept */
    int64_t row_bytes; /* ... of these for rows */
} tess_chain_writer;

/* Where the set's elements are stored, by element; NULL: in their order. */
const int32_t *tess_chain_order(const tess_chain_writer *w, const char *set);

/* Adds the arrays of blocks, points and lists; prints struct block, open_block and point_at. */
TESS_MUST_CHECK tess_status tess_chain_tables(tess_chain_writer *w);

/* Opens the records of all gathered sets and of the owner; gives a set's. */
TESS_MUST_CHECK tess_status tess_chain_records_open(tess_chain_writer *w);
tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set);
/* The record of the rows of a set's elements. */
const tess_chain_record *tess_chain_rows_of(const tess_chain_writer *w,
                                            const tess_chain_list *once);

/* The field of the points that `set`'s elements reach through a slot of a map; made where the
 * record has none. */
TESS_MUST_CHECK tess_status tess_chain_field_get(tess_chain_writer *w, const tess_map *map,
                                                 int slot, const tess_chain_field **out);

/* Adds the arrays of records, when all fields are known; prints of each SET_entry_at, which gives
 * that of a point's entry, SET_none, SET_rounds and the functions of fields; of those that are kept
 * SET_kept and keep_SET. */
TESS_MUST_CHECK tess_status tess_chain_records_finish(tess_chain_writer *w);

/* Prints SET_kept and keep_SET of the sets that are only read. */
void tess_chain_others_print(tess_chain_writer *w);

/* The bit of a row by which its values are subtracted. */
static inline uint32_t tess_chain_minus(const tess_chain_field *row) {
    return row->local ? 1u << 15 : 1u << 30;
}

/* Elements that a row has places for. */
int64_t tess_chain_row_size(const tess_chain_list *once);

/* Prints rows_LOOP_ARG(b, d, row), where value d lies that elements add by an arg of a loop, and
 * gives the block's memory to them. */
void tess_chain_rows_print(tess_chain_writer *w);

/* Slots by which elements of a set add to the owner. */
tess_chain_slots tess_chain_adds(const tess_chain_setting *setting, const char *set);

/* The first arg of a loop that adds to the same values as arg a: its rows are of both. */
int tess_chain_rows_arg(const tess_kernel *kernel, const tess_loop *loop, int a);

/* Prints the functions of all stages, and keep_loaded. */
TESS_MUST_CHECK tess_status tess_chain_stages(tess_chain_writer *w);

/* Prints the copying of a row to version 0 of what the block keeps of it. */
void tess_chain_print_keep(tess_chain_writer *w, int d);

/* Values of a kept row that lie side by side: 16 bytes, or one. */
int tess_chain_kept_run(const tess_page_dat *dat);

/* In how many rings a stage leaves a dat for later ones in the block's memory; -1: it does not. */
int tess_chain_ring_left(const tess_chain *chain, int stage, int d);

/* The dat of an arg, its number and its words. */
int tess_chain_dat_number(const tess_chain_writer *w, const tess_arg *arg);
