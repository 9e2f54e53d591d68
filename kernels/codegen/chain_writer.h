/* A chain's page under construction: what the files share that write it. */
#pragma once

#include "kernels/codegen/chain_setting.h"

/* Prints to the page's functions, with words of the dat. */
#define PUT(w, dat, ...) tess_page_code((w)->page, dat, __VA_ARGS__)

/* What a record says of its entry or point: a number of 16 bits, or of 32. */
typedef struct tess_chain_field {
    char name[2 * TESS_NAME_SIZE]; /* of the function that gives it */
    const tess_map *map;           /* the point that is reached through a slot of it; NULL: the
                                      entry's mark, where its element is stored, or the row of the
                                      block's memory where what it adds to the point is */
    int slot;
    bool local;      /* 16 bits: a mark, or a place in the block; else 32: where it is stored */
    bool padded;     /* some have none: all bits are set */
    int word, shift; /* where in the record it begins */
} tess_chain_field;

/* The records of a gathered set, one for each entry, of one whose elements are computed once, one
 * for each of these, or of the owner, one for each point: what loops over the set need to know of
 * it, read at once. Of an entry that is not there all bits are set. */
typedef struct tess_chain_record {
    const char *set;                   /* of points' rows: SET_rows, */
    char rows[TESS_SYMBOL_SIZE];       /* which is this */
    tess_page_dat words;               /* @set */
    const tess_chain_entries *entries; /* NULL: of the owner, or of elements */
    const tess_chain_list *once;       /* of elements, and of the points' rows; NULL: neither */
    int ring;                          /* in which some loop over the set is computed */
    int rounds;                        /* of all points; 0: some have others */
    int own_slot;   /* of the adding ones, the point's: 0 for all entries; -1: as the mark says */
    bool exchanged; /* elements are turned such that it is slot 0 */
    bool marked, has_element;
    int n_fields, n_words; /* words: of 32 bits */
    tess_chain_field fields[64];
    bool kept;  /* a block's lie in its memory, */
    int64_t at; /* from this byte on */
} tess_chain_record;

/* Arg a of loop k. */
typedef struct tess_chain_use {
    const tess_arg *arg; /* NULL: behind the last, of which k is n_loops */
    int k, a, d;         /* d: its dat, */
    const tess_page_dat *words;
    int component;       /* from this value of a row on */
    const tess_map *map; /* NULL: none */
    int first, end;      /* slots of the map; 0, 1 without a map */
    bool is_owned;       /* the dat is the owner's */
    bool is_row;         /* a row of the point or of the element itself, not to be added to */
} tess_chain_use;

/* Of a dat, while the stages are printed. */
typedef struct tess_chain_now {
    bool in_point; /* the point's registers have its values */
    int version,
        since; /* which of the kept ones is the last; it is written behind so many barriers */
} tess_chain_now;

typedef struct tess_chain_writer {
    const tess_chain_setting *setting;
    const tess_chain *chain;
    const tess_mesh *mesh;
    tess_page *page;
    int64_t most_shared;  /* bytes that a block may have */
    tess_page_dat *dats;  /* [n_dats of the chain]: whole rows */
    tess_chain_now *now;  /* [n_dats] */
    tess_chain_use *uses; /* in the order of loops and args */
    int n_records;        /* the owner's is the last but for rows */
    tess_chain_record *records;
    tess_text_writer stages; /* their functions */
    int n_barriers;          /* before the points of the stage at hand */
    int64_t kept_end;        /* bytes of shared memory for what is kept */
    int64_t row_bytes;       /* ... of these for rows */
} tess_chain_writer;

/* Where the set's elements are stored, by element; NULL: in their order. */
const int32_t *tess_chain_order(const tess_chain_writer *w, const char *set);

/* Adds the arrays of blocks, points and lists; prints struct block, open_block and point_at;
 * SET_kept and keep_SET of the sets that are only read. */
TESS_MUST_CHECK tess_status tess_chain_tables(tess_chain_writer *w);
void tess_chain_others_print(tess_chain_writer *w);

/* Opens the records of all gathered sets and of the owner; gives a set's, and that of the rows of a
 * set's elements. */
TESS_MUST_CHECK tess_status tess_chain_records_open(tess_chain_writer *w);
tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set);
const tess_chain_record *tess_chain_rows_of(const tess_chain_writer *w,
                                            const tess_chain_list *once);

/* The field of the points that the map's elements reach through a slot; made where the record has
 * none. */
TESS_MUST_CHECK tess_status tess_chain_field_get(tess_chain_writer *w, const tess_map *map,
                                                 int slot, const tess_chain_field **out);

/* Adds the arrays of records, when all fields are known; prints of each SET_entry_at, which gives
 * that of a point's entry, SET_none, SET_rounds and the functions of fields; of those that are kept
 * SET_kept and keep_SET. */
TESS_MUST_CHECK tess_status tess_chain_records_finish(tess_chain_writer *w);

/* The bit of a row by which its values are subtracted; elements that a row has places for. */
uint32_t tess_chain_minus(const tess_chain_field *row);
int64_t tess_chain_row_size(const tess_chain_list *once);

/* The first arg of a loop that adds to the same values as arg a: its rows are of both. Prints
 * rows_LOOP_ARG(b, d, row), where value d lies that elements add by it, and gives the block's
 * memory to them. */
int tess_chain_rows_arg(const tess_kernel *kernel, const tess_loop *loop, int a);
void tess_chain_rows_print(tess_chain_writer *w);

/* Print the reading of n values of a row, from value `first` on: of one that is kept, at a place of
 * the block; from memory, of the element that is stored at `at`. And the storing of a row. */
void tess_print_load_kept(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                          const char *place);
void tess_print_fetch(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                      const char *at);
void tess_print_store_kept(tess_chain_writer *w, int d);
void tess_print_store(tess_chain_writer *w, int d, const char *at, const char *row);

/* Prints the copying of a row to version 0 of what the block keeps of it. */
void tess_print_keep(tess_chain_writer *w, int d);

/* Values of a kept row that lie side by side: 16 bytes, or one. */
int tess_chain_kept_run(const tess_page_dat *dat);

/* Where sums begin: x is x + -0.0 whatever x is, so that a compiler drops the first addition; not
 * so x + 0.0, which is 0.0 where x is -0.0. */
#define TESS_SUMS_BEGIN "-(@type)0"

/* Whether the slot of an element leads to the gathering point itself, whatever the entry. */
bool tess_chain_is_own(const tess_chain_writer *w, const tess_chain_use *use, int slot);

/* The first loop of the group that loop k is in; one past its last; the most rings of its loops. */
int tess_chain_group(const tess_chain *chain, int k);
int tess_chain_group_end(const tess_chain *chain, int k);
int tess_chain_group_ring(const tess_chain *chain, int k);

/* Prints loop_K of a direct loop, or of a group of loops over one set; elements_STAGE, which ends
 * with a barrier where there are any. */
TESS_MUST_CHECK tess_status tess_print_loops(tess_chain_writer *w, int begin, int end);
bool tess_print_elements(tess_chain_writer *w, int stage);

/* In how many rings a stage leaves a dat for later ones in the block's memory; -1: it does not. */
int tess_chain_ring_left(const tess_chain_writer *w, int stage, int d);

/* Prints the functions of all stages, and keep_loaded. */
TESS_MUST_CHECK tess_status tess_chain_stages(tess_chain_writer *w);
