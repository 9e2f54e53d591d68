/* Giving: how the lanes of a warp put the increments of one slot together before they add them to
 * global memory; each slot in its own way. */
#pragma once

#include "kernels/codegen/page.h"

/* The options that choose the way: a list each, an item a slot. */
#define TESS_GIVE_OPTIONS                                                                          \
    TESS_LEAVE_OPTIONS,                                                                            \
        TESS_CHOICE_OPTION("made", "together", "together|per-part",                                \
                           "when increments are given away: together, or each instance of a part " \
                           "(a slot, a pair) "                                                     \
                           "before the next is computed, for kernels in parts"),                   \
        TESS_CHOICE_OPTION(                                                                        \
            "by", "slots", "slots|edges",                                                          \
            "of made=per-part and parts that run for each edge of a cell: whether a "              \
            "slot gets the sum of its edges, which both ends then compute, or each "               \
            "edge gives to its two ends")
#define TESS_LEAVE_OPTIONS                                                                         \
    TESS_LIST_OPTION(                                                                              \
        "aggregate", "no", "no|unsorted|sorted|shared",                                            \
        "whether lanes of a warp that increment one point sum up first: wherever they are by "     \
        "shuffles (unsorted) or in shared memory (shared, with transpose=shared), or neighbours "  \
        "only (sorted); sorted+no: slot 0, and all others"),                                       \
        TESS_LIST_OPTION(                                                                          \
            "transpose", "no", "no|shared|shuffles|groups",                                        \
            "whether lanes exchange increments so that they hit one point's values together (for " \
            "aos), and through what: groups are shuffles among as many lanes as a point has "      \
            "values, a power of two; a list as aggregate"),                                        \
        TESS_CHOICE_OPTION(                                                                        \
            "adds", "values", "values|vectors|widest",                                             \
            "whether a lane adds value by value, or four floats of a point that lie in 16 bytes "  \
            "of aos at once (vectors), or these and a point's whole row of doubles, through "      \
            "shared memory (widest: rows of 16, 32 ... bytes, aos16; from sm_90 on)")

/* How the lanes put increments together, by slot; a strategy's, until its page is printed. */
typedef struct tess_reduction_variants {
    const tess_spec *spec;
    const tess_option *options;
    bool together;        /* in some slot */
    int64_t row_bytes;    /* of shared memory for each lane: */
    int64_t lists;        /* of these, rows that lanes turn; behind them is what lies there ... */
    int64_t turned_bytes; /* ... up to the rows that are added whole: */
    int64_t run_bytes;    /* of any dat so many, since others' may still be on their way */
} tess_reduction_variants;

/* Checks the options of a checked spec, and prints the functions of text/warp_sum.h and
 * wait_given(), which a thread calls at its end. Fails (USAGE) on a list of more items than the
 * loop has slots. */
TESS_MUST_CHECK tess_status tess_reduction_variants_open(tess_page *page, const tess_spec *spec,
                                                         const tess_option *options,
                                                         tess_reduction_variants *out);

/* What a lane gives to a point of a dat. Texts are expressions of C. */
typedef struct tess_scatter {
    const tess_page_dat *dat;
    int slot;           /* whose options it follows */
    const char *point;  /* where it is stored, of lanes that are `active` */
    const char *values; /* an array, the dat's values from `first` on */
    int first;
    const char *active;
    const char *turn; /* tells scatters apart */
} tess_scatter;

/* Prints the adding of a scatter, by all lanes of a warp; `p` and `rows`, the warp's
 * ways->row_bytes a lane, are at hand. */
void tess_give_one(tess_page *page, const tess_reduction_variants *variants,
                   const tess_scatter *scatter);

typedef struct tess_warp_reduction {
    bool together;     /* false: every lane adds its own alone */
    bool each;         /* what an instance of a part made is given before the next is computed */
    int64_t row_bytes; /* of shared memory for each lane */
} tess_warp_reduction;

/* Prints add_together(p, &e, active, turn, rows), which adds the increments of an element by the
 * options of a checked spec, and with made=per-part computes them behind compute_terms(&e); and the
 * functions of text/warp_sum.h. Fails (USAGE) on a list of more items than the loop has slots, and
 * on made=per-part where the kernel has no parts. */
TESS_MUST_CHECK tess_status tess_give_print(tess_page *page, const tess_spec *spec,
                                            const tess_option *options, tess_warp_reduction *out);
