/* A kernel: what a loop does with each element, its args and its parts.
 *
 * A user kernel is a plain C function in `real` over small local arrays, one per arg: no layout, no
 * strides, no thread index. One text serves every device and both precisions, and is compiled into
 * the program in double as the reference. */
#pragma once

#include "core/plan/plan.h"
#include "kernels/loops/state.h"

/* An arg of a kernel as it is written down: names, and a type that may follow the precision. */
typedef struct tess_kernel_arg {
    const char *dat, *set, *map; /* map: NULL where direct; set: NULL for a global value */
    int slot;                    /* of the map, -1 for all its slots */
    int dim;
    const char *type; /* "real", "float", "double" or "int" */
    tess_access access;
    bool cleared; /* of rw: zero behind the loop; declared, proved before it is used */
    /* A view: the arg is `dim` of the `of` values that an element has in the dat: `components`,
     * ascending [dim], or where that is NULL those from `first` on; of 0: all of them. */
    int first, of;
    const int *components;
    /* Of a matrix as its author writes it: an array of [slots][slots][dim], not one of the loop's
     * dats (user_matrix.h). */
    bool is_matrix;
} tess_kernel_arg;

/* Which of an element's values in the dat is value d of an arg. */
static inline int tess_kernel_arg_component(const tess_kernel_arg *arg, int d) {
    return arg->components ? arg->components[d] : arg->first + d;
}

/* Values that an element has in the dat of an arg. */
static inline int tess_kernel_arg_row(const tess_kernel_arg *arg) {
    return arg->of ? arg->of : arg->dim;
}

/* What a kernel declares of the two ends of an element (kernels/run/declarations.h). */
typedef enum tess_antisymmetry {
    TESS_NOT_ANTISYMMETRIC,
    TESS_OPPOSITE, /* slot 1 gets minus what slot 0 gets */
    TESS_EXCHANGE, /* and exchanged slots the same as before */
    TESS_ALIKE     /* exchanged slots the same as before, whatever the two get */
} tess_antisymmetry;
#define TESS_ANTISYMMETRY_NAMES "none", "opposite", "exchange", "alike"

/* Whether an element whose slots are exchanged adds the same to each point: either end may
 * compute it as if it were slot 0. */
static inline bool tess_antisymmetry_exchanges(tess_antisymmetry antisymmetry) {
    return antisymmetry == TESS_EXCHANGE || antisymmetry == TESS_ALIKE;
}

/* Whether slot 1 gets minus what slot 0 gets. */
static inline bool tess_antisymmetry_is_opposite(tess_antisymmetry antisymmetry) {
    return antisymmetry == TESS_OPPOSITE || antisymmetry == TESS_EXCHANGE;
}

/* Values of one element that parts of a kernel pass on: `real`, on chip, never in memory. */
typedef struct tess_between {
    const char *name;
    int dim;
} tess_between;

/* How often a part runs: once an element; for each slot of the map that the kernel's parts add
 * through; for each pair of slots of a matrix, row by row; for each edge of a cell, in the order of
 * its type (core/mesh/cell_type.h): what that makes is added at the edge's second node and taken
 * away at its first; for each edge and each column of a matrix, edge by edge: likewise, in the
 * edge's two rows; or a number of times. */
typedef enum tess_part_each {
    TESS_PART_ONCE,
    TESS_PART_SLOT,
    TESS_PART_PAIR,
    TESS_PART_EDGE,
    TESS_PART_EDGE_SLOT,
    TESS_PART_NUMBER
} tess_part_each;

/* Where a part is used, as flags: by a thread an element, or by several lanes; where what a slot
 * gets is made at once, or by edges; of several lanes, where they share what more than one of them
 * needs, or each makes it itself. */
typedef enum tess_part_use {
    TESS_USE_THREAD = 1,
    TESS_USE_LANES = 2,
    TESS_USE_SLOTS = 4,
    TESS_USE_EDGES = 8,
    TESS_USE_SHARED = 16,
    TESS_USE_OWN = 32
} tess_part_use;

enum { TESS_MOST_PART_VALUES = 16 };

/* A part of a kernel (kernel_parts.h): NAME(takes ..., gives ...) where it runs once, else
 * NAME(instance, takes ..., gives ..., made ...): what an instance gives is its share of each
 * value, what it made is added to arrays of what one instance adds. A part that runs once or a
 * number of times adds to the args' own arrays itself: ..., gives ..., adds ...). */
typedef struct tess_kernel_part {
    const char *name;
    tess_part_each each;
    int n_takes, n_gives, n_adds;
    int takes[TESS_MOST_PART_VALUES]; /* args, and ~i for what is passed on as `between` i */
    int gives[TESS_MOST_PART_VALUES]; /* of `between` */
    int adds[TESS_MOST_PART_VALUES];  /* args; of a pair that of the diagonal, before the others' */
    const char *made;                 /* type of the arrays of an instance; NULL: real */
    int number;                       /* of instances, of TESS_PART_NUMBER */
    int only;                         /* where it is used (tess_part_use); 0: everywhere */
} tess_kernel_part;

/* Whether instances of a part make blocks of a matrix. */
static inline bool tess_part_is_of_matrix(const tess_kernel_part *part) {
    return part->each == TESS_PART_PAIR || part->each == TESS_PART_EDGE_SLOT;
}

/* Whether instances of a part are edges of a cell. */
static inline bool tess_part_is_of_edges(const tess_kernel_part *part) {
    return part->each == TESS_PART_EDGE || part->each == TESS_PART_EDGE_SLOT;
}

/* Whether a part adds to the args' own arrays itself, instead of making what a slot, edge or
 * pair gets. */
static inline bool tess_part_adds_itself(const tess_kernel_part *part) {
    return part->n_adds > 0 && (part->each == TESS_PART_ONCE || part->each == TESS_PART_NUMBER);
}

typedef struct tess_kernel {
    const char *name; /* of the loop, and mostly of the function in the text */
    const char *set;  /* the loop's from-set */
    int n_args;
    const tess_kernel_arg *args;
    const char *text;     /* C, `real` not yet defined */
    const char *function; /* in the text, where it is not called as the loop is; or NULL */
    /* The function in double on its args' local arrays; `arity` is that of the map whose slots one
     * arg takes all of. NULL where not compiled in. */
    void (*reference)(void *const *locals, int arity);
    int flops;                      /* an element, counted by hand; 0 where nobody did */
    tess_antisymmetry antisymmetry; /* declared; proved before it is used */
    /* What an element adds to a point depends on no other point of that set: declared, proved
     * before it is used. */
    bool independent_ends;
    /* The kernel in parts, one after another; proved before they are used. */
    int n_between, n_parts;
    const tess_between *between;
    const tess_kernel_part *parts;
} tess_kernel;

static inline const char *tess_kernel_function(const tess_kernel *kernel) {
    return kernel->function ? kernel->function : kernel->name;
}

/* Whether a mesh has the set that a loop is over. A time step leaves a loop out whose elements a
 * mesh has none of, as that over prisms on tets alone. */
bool tess_kernel_applies(const tess_kernel *kernel, const tess_mesh *mesh);

/* Derives the maps that a loop's args go through, as those of a matrix, which no other loop needs:
 * before the state is made, which has dats only on the sets that are there. Fails (USAGE) where the
 * mesh cannot have them, unless it has none of the elements that the loop is over. */
TESS_MUST_CHECK tess_status tess_kernel_derive(const tess_kernel *kernel, tess_mesh *mesh);

/* Gives the loop of a kernel in a precision (TESS_FLOAT or TESS_DOUBLE). Fails (USAGE) by naming
 * the arg that is wrong. Global args (set "") follow the others' order but reach nothing. */
TESS_MUST_CHECK tess_status tess_kernel_loop(const tess_kernel *kernel, tess_type real,
                                             tess_loop **out);

/* tess_loop_bind, which also takes a loop without any indirect arg. */
TESS_MUST_CHECK tess_status tess_kernel_bind(const tess_loop *loop, const tess_mesh *mesh,
                                             tess_bound_loop **out);

/* The plan of a loop without indirect args: blocks of consecutive elements, by position in
 * memory [n_elements], NULL: by their ids. */
TESS_MUST_CHECK tess_status tess_kernel_plan_direct(const tess_bound_loop *bound,
                                                    const int32_t *position, int32_t block_size,
                                                    tess_plan **out);

/* Runs a kernel's loop by its compiled-in reference on a state whose `real` dats are double: on any
 * number of threads with the bits of the mesh's order. Fails (MISSING) where none is compiled in.
 */
TESS_MUST_CHECK tess_status tess_kernel_reference(const tess_kernel *kernel,
                                                  const tess_bound_loop *bound, tess_state *state);
