/* A strategy: how a loop is executed: how races are resolved, what is staged where.
 *
 * A plug-in: one const struct in NAME.c, its text in NAME.cu, one line in strategies/list.h. The
 * text knows blocks, colours, staging and lanes, never the loop's args: it uses the words of
 * simt.h and of the glue (kernels/codegen/glue.h), so one text serves all loops, layouts,
 * precisions, block sizes and numbers of threads. */
#pragma once

#include "kernels/codegen/glue.h"

/* Kinds of loops: what `tess tune` and `tess predict` choose strategies by. */
enum {
    TESS_LOOPS_THAT_READ = 1, /* nothing but reads goes through maps */
    TESS_LOOPS_THAT_ADD = 2,  /* the others */
    TESS_LOOPS_IN_PARTS = 4,  /* those of the others whose kernel is in parts */
    TESS_LOOPS_OF_ANY_KIND = 7
};

/* A variant of a strategy, options and all. */
typedef struct tess_variant {
    const char *spec;
    int tuned;     /* kinds of loops for which `tess tune` tries it */
    int predicted; /* more of them, for which `tess predict` has a model of it */
    int same_bits; /* more of them, for which it is tried where the same bits are asked for */
} tess_variant;

/* What is sure of the bits of a result. */
typedef enum tess_same_bits {
    TESS_BITS_VARY,   /* sums are taken in any order */
    TESS_BITS_OF_RUN, /* they are the same in every run of a plan ... */
    TESS_BITS_OF_ANY  /* ... and with blocks of any size and partitioner */
} tess_same_bits;

#define TESS_SAME_BITS_NAMES                                                                       \
    [TESS_BITS_VARY] = "no", [TESS_BITS_OF_RUN] = "run", [TESS_BITS_OF_ANY] = "any"

typedef struct tess_strategy {
    const char *name;
    const char *summary;          /* one line */
    const char *reference;        /* paper and section, or "Tesselab" */
    const tess_option *options;   /* ends with key = NULL */
    const tess_variant *variants; /* that may be the fastest; end with spec = NULL; NULL: none */
    const char *text;             /* device text */
    int wants;                    /* tess_wants: texts that it shares with others */
    bool one_thread;              /* a block is one thread: runs on the host */
    bool anywhere;                /* runs on the host as well, a thread a block */
    bool elsewhere;        /* a process of others runs the loop (kernels/peers): there is no text */
    bool writes_points;    /* elements that share a point run one after another, so that args may
                              be write or rw through maps */
    bool in_storage_order; /* goes through all elements as they are stored, whatever the plan */
    bool colourless;       /* looks at no colours of the plan, but for sum=thread-colours */
    bool tables_there;     /* the device makes its tables where that is asked for */
    bool owns_points;      /* blocks own points: takes a plan of tess_plan_build_owned */
    tess_same_bits same_bits; /* where the loop adds to points, and options do not say otherwise */
    /* By its options; NULL: same_bits. */
    tess_same_bits (*bits_by)(const tess_spec *spec);
    tess_renumber_method renumber; /* the order of data that it likes; NONE: OWNER where blocks own
                                      points, else BLOCKS */
    /* Places of a block for each thread, where no number of threads is asked for; NULL: 1. */
    int (*places_a_thread)(const tess_page *page);
    /* Fails (USAGE) with the reason where this strategy does not fit the loop; NULL: fits all. */
    tess_status (*fits)(const tess_bound_loop *bound, const tess_spec *spec);
    /* Adds to the page what the text needs of the plan: #defines (tess_page_print), arrays
     * (tess_page_array), launches (tess_page_launch). `spec` is the strategy's, checked. */
    tess_status (*prepare)(tess_page *page, const tess_spec *spec);
} tess_strategy;

/* The strategies of this build, in the order of list.h; NULL past the last. */
const tess_strategy *tess_strategy_at(int i);

/* Finds one by name; fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_strategy_find(const char *name, const tess_strategy **out);

/* The order of data that a strategy likes; NULL: any strategy. */
tess_renumber_method tess_strategy_renumber(const tess_strategy *strategy);

/* What is sure of the bits of a loop's result by a strategy. */
tess_same_bits tess_strategy_same_bits(const tess_strategy *strategy, const tess_spec *spec,
                                       const tess_loop *loop);

/* Gives today's text of a strategy in a record, whose unsaid options may have been others when it
 * was written; the caller frees it. Fails (USAGE) as parsing and tess_strategy_find do. */
TESS_MUST_CHECK tess_status tess_strategy_restore(const char *recorded, char **out);
