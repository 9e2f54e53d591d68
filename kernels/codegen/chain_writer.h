/* A chain's page under construction: what the files share that write it. */
#pragma once

#include "kernels/codegen/chain_page.h"

/* Prints to the page's functions, with words of the dat. */
#define PUT(w, dat, ...) tess_page_code((w)->page, dat, __VA_ARGS__)

/* Where sums begin: x is x + -0.0 whatever x is, so that a compiler drops the first addition; not
 * so x + 0.0, which is 0.0 where x is -0.0. */
#define TESS_SUMS_BEGIN "-(@type)0"

/* The bit of a row's number by which its values are subtracted. */
enum { TESS_ROW_MINUS = 1 << 30 };

/* What a record says of its entry or point: the point that is reached through a slot of a map, by
 * its place in the block (16 bits) or where it is stored (32); all bits are set where an element
 * has no such point. Or the entry's mark (16); where its element is stored, or the row of the
 * block's memory where what it adds to the point is. */
typedef struct tess_chain_field {
    char value[48];      /* of an entry e, as the text has it */
    const tess_map *map; /* NULL: none */
    int slot, bits;
    int at; /* from this bit of the record on */
} tess_chain_field;

/* The records of a gathered set, one for each entry, of one whose elements are computed once, one
 * for each of these, or of the owner, one for each point: what loops over the set need to know of
 * it, read at once. Of an entry that is not there all bits are set. */
typedef struct tess_chain_record {
    const char *set;                         /* of points' rows: SET_rows, */
    char rows[TESS_SYMBOL_SIZE];             /* which is this */
    tess_page_dat words;                     /* @set */
    const tess_chain_entries *entries;       /* NULL: of the owner, or of elements */
    const tess_chain_list *once;             /* of elements, and of the points' rows; else NULL */
    const int32_t *element;                  /* of each of its own rows; -1: none */
    const uint8_t *mark;                     /* likewise; NULL: none */
    const struct tess_chain_record *rows_of; /* of elements: that of the points' rows */
    int ring;                                /* in which some loop over the set is computed */
    int rounds;                              /* of all points; 0: some have others */
    bool own_first; /* the point's slot, of the adding ones, is the first; else the mark says it */
    bool exchanged; /* elements are turned such that it is */
    bool marked, has_element; /* its first field is the mark, its last one the element */
    int n_fields, n_bits, n_words;
    tess_chain_field fields[64];
    bool kept;  /* a block's lie in its memory, */
    int64_t at; /* from this byte on */
} tess_chain_record;

/* Arg a of loop k. */
typedef struct tess_chain_use {
    const tess_arg *arg; /* NULL: behind the last, of which k is n_loops */
    char name[32];       /* of its array */
    int k, a, d;         /* d: its dat, */
    const tess_page_dat *words;
    int component;       /* from this value of a row on */
    const tess_map *map; /* NULL: none */
    int first, end;      /* slots of the map; 0, 1 without a map */
    bool adds;           /* to points */
    bool is_owned;       /* the dat is the owner's */
    bool is_row;         /* a row of the point or of the element itself */
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
    tess_page_dat *dats;  /* the page's, as the chain has them: whole rows */
    tess_chain_now *now;  /* [n_dats] */
    tess_chain_use *uses; /* in the order of loops and args */
    int n_records;        /* the owner's is the last but for rows */
    tess_chain_record *records;
    int stage_ring, n_barriers; /* of the stage at hand; before its points */
    int n_block_words;          /* that a block knows */
    int64_t kept_end;           /* bytes of shared memory for what is kept */
} tess_chain_writer;

/* The first arg of loop k. */
const tess_chain_use *tess_chain_uses(const tess_chain_writer *w, int k);

/* Adds the arrays of blocks, points and lists, and of records of all gathered sets and of the
 * owner; prints what struct block has of them, point_at, keep_SET of points that are read, and of
 * each record SET_entry_at, which gives that of a point's entry, SET_none, the functions of fields,
 * and keep_SET_entries where it is kept. */
TESS_MUST_CHECK tess_status tess_chain_tables(tess_chain_writer *w);

/* The record of a set; its field of the points that elements reach through a slot of a map. */
tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set);
const tess_chain_field *tess_chain_field_of(const tess_chain_record *record, const tess_map *map,
                                            int slot);

/* Prints ARG_rows(b, d, row), where value d lies that elements add by it, and gives the block's
 * memory to them. */
void tess_chain_rows_print(tess_chain_writer *w);

/* Prints the moving of n values of a row, from value `first` on, to or from the thread's array
 * `here`: of what is kept of the point at place `at` of the block; or in memory, of the element
 * that is stored there. */
typedef enum tess_move { TESS_LOAD_KEPT, TESS_STORE_KEPT, TESS_FETCH, TESS_STORE } tess_move;
void tess_print_move(tess_chain_writer *w, int d, tess_move way, const int first_n[2],
                     const char *here, const char *at);

/* Prints the copying of a row to version 0 of what the block keeps of it; values of a kept row that
 * lie side by side: 16 bytes, or one. */
void tess_print_keep(tess_chain_writer *w, int d);
int tess_chain_kept_run(const tess_page_dat *dat);

/* Whether the slot of an element leads to the gathering point itself, whatever the entry. */
bool tess_chain_is_own(const tess_chain_writer *w, const tess_chain_use *use, int slot);

/* One past the last loop of the group that begins with loop k; the most rings of some loops. */
int tess_chain_group_end(const tess_chain *chain, int k);
int tess_chain_most_ring(const tess_chain *chain, int begin, int end);

/* Prints loop_K of a direct loop, or of a group of loops over one set; elements_STAGE, which ends
 * with a barrier where there are any. */
void tess_print_loops(tess_chain_writer *w, int begin, int end);
bool tess_print_elements(tess_chain_writer *w, int stage);
