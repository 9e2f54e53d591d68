/* A chain's page under construction: what the files share that write it. */
#pragma once

#include "kernels/codegen/chain_setting.h"
#include "kernels/codegen/page.h"

/* The points that elements of a set reach through a slot, as an array: of gathered sets by entry,
 * of the owner by place. */
typedef struct tess_chain_column {
    char name[2 * TESS_NAME_SIZE];
    bool local;  /* places in the block, 16 bits; else where points are stored */
    bool padded; /* some have none */
    bool used;   /* by the group of loops that is being printed */
} tess_chain_column;

/* How points gather a set. */
typedef struct tess_chain_gather {
    const tess_chain_entries *entries;
    int own_slot;   /* of the adding ones, the point's: 0 for all entries; -1: as the entry's mark
                     * says
                     */
    bool exchanged; /* elements are turned such that it is slot 0 */
    bool marked;    /* entries have marks; else this column says where there is one */
    const tess_chain_column *witness;
    int rounds; /* of all points; 0: some have others */
} tess_chain_gather;

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
    int n_gathers;
    tess_chain_gather *gathers;
    int n_others;
    tess_chain_other others[4];
    int n_columns;
    tess_chain_column columns[256];
    /* While the stages are printed. */
    bool *in_point;    /* [n_dats]: the point's registers have the value */
    int *kept_version; /* [n_dats]: which of the kept ones is the last */
    int64_t kept_end;  /* bytes of shared memory for what is kept */
} tess_chain_writer;

/* Makes an array of the points that `set`'s elements (of the owner or gathered) reach through a
 * slot of a map, where the page has none; gives it. */
TESS_MUST_CHECK tess_status tess_chain_column_get(tess_chain_writer *w, const tess_map *map,
                                                  int slot, const tess_chain_column **out);

/* Adds the arrays of blocks and points, and of marks, elements and slices of gathered sets; prints
 * struct block, open_block and point_at, and of each gathered set SET_rounds and SET_at. */
TESS_MUST_CHECK tess_status tess_chain_tables(tess_chain_writer *w);

/* Lists the other sets' points, with their arrays; that of a name, or NULL; prints keep_SET(p, b,
 * k) and EACH_OTHER(run), run(SET) for each; frees the lists. */
TESS_MUST_CHECK tess_status tess_chain_others_list(tess_chain_writer *w);
const tess_chain_other *tess_chain_other_of(const tess_chain_writer *w, const char *set);
void tess_chain_others_print(tess_chain_writer *w);
void tess_chain_others_free(tess_chain_writer *w);

/* How a set is gathered. */
const tess_chain_gather *tess_chain_gather_of(const tess_chain_writer *w, const char *set);

/* Prints the functions of all stages, and keep_loaded. */
TESS_MUST_CHECK tess_status tess_chain_stages(tess_chain_writer *w);

/* In how many rings a stage leaves a dat for later ones in the block's memory; -1: it does not. */
int tess_chain_ring_left(const tess_chain *chain, int stage, int d);

/* The dat of an arg, its number and its words. */
int tess_chain_dat_number(const tess_chain_writer *w, const tess_arg *arg);
