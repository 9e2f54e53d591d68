/* A loop of a chain as its text is printed: what it is printed with, and the pieces that the loops'
 * and the stages' texts have in common. */
#pragma once

#include "kernels/codegen/chain_writer.h"

/* What a loop is printed with. */
typedef struct tess_printed {
    tess_chain_writer *w;
    const tess_chain *chain;
    int k; /* of the chain */
    const tess_loop *loop;
    const tess_kernel *kernel;
    const tess_chain_record *record; /* of its set */
    bool gathered, once;
} tess_printed;

tess_printed tess_printed_loop(tess_chain_writer *w, int k);

/* An arg's dat; whether it is the owner's. */
const tess_page_dat *tess_printed_words(const tess_printed *l, const tess_arg *arg);
bool tess_printed_is_owned(const tess_printed *l, const tess_arg *arg);

/* First and one past the last slot of the map that an arg goes through; 0, 1 where it goes through
 * none. */
const tess_map *tess_printed_map(const tess_printed *l, const tess_arg *arg, int *first, int *end);

/* Which of the slots by which elements of the set add a slot is; -1: none. */
int tess_printed_adds(const tess_printed *l, const tess_map *map, int slot);

/* Whether the slot of an element leads to the gathering point itself, whatever the entry. */
bool tess_printed_is_own(const tess_printed *l, const tess_map *map, int slot);

/* Where sums begin: x is x + -0.0 whatever x is, so that a compiler drops the first addition; not
 * so x + 0.0, which is 0.0 where x is -0.0. */
#define TESS_SUMS_BEGIN "-(@type)0"

/* Print the reading of n values of a row, from value `first` on: of one that is kept, at a place of
 * the block; from memory, of the element that is stored at `at`. And the storing of a row. */
void tess_print_load_kept(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                          const char *place);
void tess_print_fetch(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                      const char *at);
void tess_print_store_kept(tess_chain_writer *w, int d);
void tess_print_store(tess_chain_writer *w, int d, const char *at, const char *row);

/* Prints a loop's args, the call, and what it adds. */
TESS_MUST_CHECK tess_status tess_print_call(const tess_printed *l);

/* The first loop of the group that loop k is in; one past its last; the most rings of its loops. */
int tess_chain_group(const tess_chain *chain, int k);
int tess_chain_group_end(const tess_chain *chain, int k);
int tess_chain_group_ring(const tess_chain *chain, int k);

/* Prints loop_K of a direct loop; of a group of loops over one set; elements_STAGE, which
 * ends with a barrier where there are any. */
TESS_MUST_CHECK tess_status tess_print_direct(tess_chain_writer *w, int k);
TESS_MUST_CHECK tess_status tess_print_group(tess_chain_writer *w, int begin, int end);
bool tess_print_elements(tess_chain_writer *w, int stage);
