/* A page: the text of one module under construction, the arrays and parameters that its kernels
 * get, and their launches.
 *
 * A strategy and its tables add to a page: #defines, parameters, what struct block holds, and
 * functions, which may name the loop's dats. The glue (kernels/codegen/glue.h) then puts the text
 * together. Printing never fails at once: see kernels/devices/text_writer.h. */
#pragma once

#include "core/base/spec.h"
#include "core/plan/plan.h"
#include "kernels/devices/text_writer.h"
#include "kernels/loops/application.h"
#include "kernels/loops/kernel_text.h"
#include "kernels/loops/store.h"

enum { TESS_SYMBOL_SIZE = 2 * TESS_NAME_SIZE + 1 };

/* A dat of the loop. */
typedef struct tess_page_dat {
    char symbol[TESS_SYMBOL_SIZE]; /* cells_q, global_rms */
    const char *set;               /* "" where global */
    const char *type;              /* float, double, int */
    int dim, size;                 /* size: bytes of a value */
    int row;                       /* values of an element in memory; dim, but for a view */
    const tess_kernel_arg *view;   /* the arg that says which values they are */
    int target;                    /* of its points; -1: not through a map */
    bool aos, written;
    bool read;                 /* through a map and not written; a block may stage it */
    bool summed;               /* incremented through a map */
    bool read_directly;        /* of elements themselves */
    unsigned phases;           /* in which a block stages it, or an element reads its own, as flags:
                                  page_phases.h */
    int64_t position;          /* of what is staged, in shared memory, where the loop is split */
    const tess_stored *stored; /* where it lies on the device */
} tess_page_dat;

/* An arg through one slot of its map. */
typedef struct tess_page_access {
    int arg;
    const tess_page_dat *dat;
    tess_access access;
    int slot;        /* of the dat's target */
    int offset;      /* of its values in the arg's local array */
    unsigned phases; /* in which it is read or added to, as flags: page_phases.h */
} tess_page_access;

/* A set that the loop reaches through maps. */
typedef struct tess_page_set {
    const char *name;
    bool padded;      /* some element has no point in some slot */
    int64_t n_border; /* points whose sums a launch of their own adds up (TESS_MARK_KEPT) */
    int64_t n_own;    /* sums that a block has at most, where these are a range of what it stages
                         (tess_table_own_sums); 0: of all that it stages */
} tess_page_set;

/* Values of the loop's elements in an array: value d < n of the element stored at i is value
 * i * next_element + d * next_value; n = 0: the array keeps something else. */
typedef struct tess_page_own {
    int n, size; /* size: bytes of a value */
    int64_t next_element, next_value;
} tess_page_own;

/* How the phases of a split loop follow each other. */
typedef enum tess_phase_order {
    TESS_PHASES_AHEAD,   /* one is staged while the one before it is computed */
    TESS_PHASES_AFTER,   /* ... after it, in its place */
    TESS_PHASES_LAUNCHED /* each has a launch of its own: nothing stays on the chip */
} tess_phase_order;

/* A member of struct params: 8 bytes, a pointer or an int64_t. */
typedef struct tess_param {
    char type[48];
    char name[80];
    uint64_t value;
    const tess_stored *stored; /* NULL: it does not say where a dat lies, */
    bool other;                /* or its second buffer */
    tess_page_own own;         /* what only its element reads, and this loop does not change */
} tess_param;

/* An array of the plan's, in the memory of the device once it is placed. */
typedef struct tess_page_table {
    char name[80]; /* of its parameter */
    int64_t bytes;
    void *values;          /* until then; NULL: zeros; owned */
    unsigned given, taken; /* phases that write and read it, as flags: page_phases.h */
    bool placed;
    tess_address address; /* owned device memory */
} tess_page_table;

typedef struct tess_tables_there tess_tables_there;

typedef struct tess_page {
    /* what is executed, where and how; all outlive the page */
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    tess_store *store;
    const char *strategy;       /* its name, */
    const tess_spec *spec;      /* what is said of it, checked */
    const tess_option *options; /* ... and what it knows */
    int threads;                /* a block */
    tess_arithmetic arithmetic; /* of the user kernel */
    bool one_thread;            /* a block is one thread of the host */
    int64_t thread_bytes;       /* ... which has so much memory of its own for it */
    const tess_mesh *whole; /* of which the bound loop's mesh is a rank's part; NULL: it is whole */
    bool any_size;          /* sizes of sets are parameters, so that one text serves all ranks */
    bool on_paper;          /* nothing will run: tables lack what only makes them fast */
    /* found by tess_page_open */
    int n_dats, n_accesses;
    tess_page_dat *dats;        /* once each, in the order of args */
    int *dat_of;                /* [n_args], into dats */
    tess_page_access *accesses; /* through maps, in the order of args and slots */
    int n_phases;               /* 0: the loop is not split (page_phases.h) */
    tess_phase_order phase_order;
    bool by_points;          /* a split loop's phases run point by point: a thread sums in registers
                                what lies in columns, and reads elements' own values by phase */
    tess_kernel_arg *pieces; /* the views of its pieces; NULL */
    tess_page_set *sets;     /* [n_targets of the bound loop] */
    /* what strategies and tables add */
    tess_text_writer text;       /* #defines; in the end all of the page */
    tess_text_writer block;      /* members of struct block ... */
    tess_text_writer open_block; /* ... and what fills `b` of them */
    tess_text_writer functions;
    int n_params, n_arrays, n_launches;
    int64_t param_capacity, array_capacity, launch_capacity;
    tess_param *params;
    tess_page_table *arrays;
    int64_t array_bytes; /* of all of them */
    tess_launch *launches;
    tess_status failure;      /* of a parameter */
    int use;                  /* which parts of the kernel the strategy runs (tess_part_use) */
    bool wide_reads;          /* rows of 16, 32 ... bytes are read 16 bytes at once */
    int staged_more;          /* places that a block may leave empty among those it stages */
    tess_tables_there *there; /* makes the tables (tables_there.h); NULL: the host does */
    bool thread_copies;       /* each thread of the host has copies of its own (kernels/run) */
} tess_page;

/* Finds the loop's dats and how args target them. Fails (USAGE) where the store lacks one. */
TESS_MUST_CHECK tess_status tess_page_open(tess_page *page);

/* The dat of arg a of a loop, as the store has it. Fails (USAGE) where it lacks it. */
TESS_MUST_CHECK tess_status tess_page_dat_open(const tess_store *store, const tess_loop *loop,
                                               int a, const tess_kernel_arg *view,
                                               tess_page_dat *out);

/* The mesh with all maps that a kernel's text may name. */
static inline const tess_mesh *tess_page_whole(const tess_page *page) {
    return page->whole ? page->whole : page->bound->mesh;
}

/* The dat of an arg. */
static inline const tess_page_dat *tess_page_dat_of(const tess_page *page, int arg) {
    return &page->dats[page->dat_of[arg]];
}

/* Values of an arg's local array. */
int tess_page_local_size(const tess_page *page, int arg);

/* Slots of the map through which a part of the kernel adds. */
int tess_page_part_slots(const tess_page *page, const tess_kernel_part *part);

/* The access through slot k of what an arg adds. */
const tess_page_access *tess_page_access_of(const tess_page *page, int arg, int k);

/* What `real` is in the loop: a loop in which all `real` args are float is compiled with that. */
const char *tess_page_real(const tess_page *page);

/* Adds formatted words to the #defines. */
void tess_page_print(tess_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds formatted words to the functions, to the members of struct block, or to what fills it, with
 * the dat's own in place of @dat, @set, @type and @dim. `dat` may be NULL, or tess_page_set_words.
 */
void tess_page_code(tess_page *page, const tess_page_dat *dat, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tess_page_member(tess_page *page, const tess_page_dat *dat, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tess_page_open_code(tess_page *page, const tess_page_dat *dat, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Words for a set alone: @set. */
tess_page_dat tess_page_set_words(const tess_page *page, int target);

/* Adds a parameter: its C type, name (in printf's words) and value. */
void tess_page_param(tess_page *page, const char *type, uint64_t value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a parameter of that type that says where a dat lies: DAT, or DAT_next, its second buffer. */
void tess_page_param_dat(tess_page *page, const char *type, const tess_page_dat *dat, bool other);

/* Says that the parameter added last keeps elements' own values. */
void tess_page_param_own(tess_page *page, tess_page_own own);

/* Makes an array a parameter, named in printf's words. It is put on the device at once where the
 * store is placed; else a copy is kept until tess_page_place. */
TESS_MUST_CHECK tess_status tess_page_array(tess_page *page, const char *type, const void *values,
                                            int64_t bytes, const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* That of what is filled on its way to the device. */
TESS_MUST_CHECK tess_status tess_page_array_filled(tess_page *page, const char *type,
                                                   tess_filler values, int64_t bytes,
                                                   const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* That of what lies on the device: it is the page's then, which frees it. */
TESS_MUST_CHECK tess_status tess_page_array_placed(tess_page *page, const char *type,
                                                   tess_address values, int64_t bytes,
                                                   const char *name);

/* Puts the arrays that are kept on the device, and where they and the store's dats lie into the
 * parameters. The store is placed. */
TESS_MUST_CHECK tess_status tess_page_place(tess_page *page);

/* Does the latter again, where dats, or arrays, may lie elsewhere now (tess_stored_swap). */
void tess_page_find_dats(tess_page *page);
void tess_page_find_arrays(tess_page *page);

/* Adds a launch to those that run the loop, in order. */
TESS_MUST_CHECK tess_status tess_page_launch(tess_page *page, const tess_launch *launch);

/* Points of a target that a block stages at most, rounded up to whole words of any type. */
int64_t tess_page_staged(const tess_page *page, int target);

/* Where a loop is split functions that act on what is staged have a last parameter, ", int phase".
 */
const char *tess_page_phase(const tess_page *page);

/* Of the phases in which something lies in shared memory those in which that begins, and ends: in
 * between it stays, but for phases with launches of their own. */
static inline unsigned tess_phases_begin(const tess_page *page, unsigned phases) {
    return page->phase_order == TESS_PHASES_LAUNCHED ? phases : phases & ~(phases << 1);
}
static inline unsigned tess_phases_end(const tess_page *page, unsigned phases) {
    return page->phase_order == TESS_PHASES_LAUNCHED ? phases : phases & ~(phases >> 1);
}

/* Prints the condition of what follows: a phase among these; nothing where the loop is not split.
 */
void tess_page_if_phase(tess_page *page, unsigned phases);

/* Chooses where the copies of what is read at a block's points lie in shared memory, from its first
 * byte on; gives where they end. Prints @dat_copy(b, i, d), the address of component d of the
 * point at place i, [dim][staged], and read_staged(b, e). */
int64_t tess_page_stage_reads(tess_page *page);

/* The functions for the sums of what is incremented: @dat_sum(b, i, d), add_staged(b, e),
 * add_staged_atomically(b, e), clear_sums(b). */
int64_t tess_page_stage_sums(tess_page *page, int64_t start);

/* Whether an arg is read and is the element's own, or global. Prints its reading from global
 * memory, of an element `e` that is stored at `i`. */
bool tess_page_reads_own(const tess_page *page, int arg);
void tess_page_read_own(tess_page *page, int arg);
/* Whether a dat's floats or doubles lie in rows of 16, 32 ... bytes, one behind the other, so
 * that 16 bytes may be fetched at once. */
bool tess_page_has_pieces(const tess_page_dat *dat);

/* Prints the reading of one slot from the block's copies, of an element `e`. */
void tess_page_read_staged(tess_page *page, const tess_page_access *from);

/* Where an element of the loop's set, or a point of a target, is stored. */
int32_t tess_page_element(const tess_page *page, int32_t element);

/* The elements of the largest block, as they are executed; at least 1. */
int64_t tess_page_most_executed(const tess_page *page);
int32_t tess_page_point(const tess_page *page, int target, int32_t point);

/* The target of the set that blocks own, and its first incremented slot. */
int tess_page_owned_target(const tess_page *page, int *first_slot);

/* The first failure of all that was added. */
TESS_MUST_CHECK tess_status tess_page_finish(const tess_page *page);

/* Chooses the threads of a block for so many positions: as many as `asked`, or (0) whole warps of
 * them; one on a device that has no more. Fails (USAGE) where a GPU has no such block. */
TESS_MUST_CHECK tess_status tess_page_threads(const tess_device *device, int64_t positions,
                                              int asked, int *threads);

/* Keeps the text of a page as FOLDER/NAME-DEVICE.cu; makes the folder. */
TESS_MUST_CHECK tess_status tess_page_keep_text(const tess_page *page, const char *folder,
                                                const char *name);

/* Frees what the page owns, on the device too. */
void tess_page_clear(tess_page *page);
