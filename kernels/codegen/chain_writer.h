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
    bool local;      /* 16 bits: a mark, or a point's place in the block; else where it is stored */
    bool padded;     /* some have none: all bits are set */
    int word, shift; /* where in the record it begins */
} tess_chain_field;

/* The records of a gathered set, one for each entry, or of the owner, one for each point: what
 * loops over the set need to know of it, read at once. Of an entry that is not there all bits are
 * set. */
typedef struct tess_chain_record {
    const char *set;
    const tess_chain_entries *entries; /* NULL: of the owner */
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

/* A set that is neither the owner nor gathered, as nodes, in a chain with rings: what each block
 * reads of it, points[begin[b] ... begin[b + 1]), is brought to its memory. */
typedef struct tess_chain_other {
    char set[TESS_NAME_SIZE];
    int32_t *begin, *points;
    int64_t most; /* of a block */
} tess_chain_other;

typedef struct tess_chain_writer {
    const tess_chain_setting *setting;
    const tess_mesh *mesh;
    tess_page *page;
    tess_page_dat *dats; /* [n_dats of the chain]: whole rows */
    int n_records;       /* the owner's is the last */
    tess_chain_record *records;
    int n_others;
    tess_chain_other others[4];
    tess_text_writer stages; /* their functions */
    /* While the stages are printed. */
    bool *in_point;    /* [n_dats]: the point's registers have the value */
    int *kept_version; /* [n_dats]: which of the kept ones is the last */
    int64_t kept_end;  /* bytes of shared memory for what is kept */
} tess_chain_writer;

/* Where the set's elements are stored, by element; NULL: in their order. */
const int32_t *tess_chain_order(const tess_chain_writer *w, const char *set);

/* Adds the array of blocks, and that of points; prints struct block, open_block and point_at. */
TESS_MUST_CHECK tess_status tess_chain_tables(tess_chain_writer *w);

/* Opens the records of all gathered sets and of the owner; gives a set's. */
TESS_MUST_CHECK tess_status tess_chain_records_open(tess_chain_writer *w);
tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set);

/* The field of the points that `set`'s elements reach through a slot of a map; made where the
 * record has none. */
TESS_MUST_CHECK tess_status tess_chain_field_get(tess_chain_writer *w, const tess_map *map,
                                                 int slot, const tess_chain_field **out);

/* Adds the arrays of records, when all fields are known; prints of each SET_entry_at, which gives
 * that of a point's entry, SET_none, SET_rounds and the functions of fields; of those that are kept
 * SET_kept and keep_SET. */
TESS_MUST_CHECK tess_status tess_chain_records_finish(tess_chain_writer *w);

/* Lists the other sets' points, with their arrays; that of a name, or NULL; prints SET_kept and
 * keep_SET of each; frees the lists. */
TESS_MUST_CHECK tess_status tess_chain_others_list(tess_chain_writer *w);
const tess_chain_other *tess_chain_other_of(const tess_chain_writer *w, const char *set);
void tess_chain_others_print(tess_chain_writer *w);
void tess_chain_others_free(tess_chain_writer *w);

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
