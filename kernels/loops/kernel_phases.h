/* Phases: a kernel split into sub-kernels that run one after another, so that a block stages only
 * what one of them needs, not what all need (as OP2's authors split loops of Hydra). */
#pragma once

#include "kernels/loops/application.h"

/* Where a kernel is cut. */
typedef enum tess_split {
    TESS_SPLIT_PARTS,     /* a phase for each part, and for each instance of those that run a number
                             of times */
    TESS_SPLIT_OUTPUTS,   /* a phase for each dat that is added to: the whole function, of which the
                             compiler leaves out what only other dats get */
    TESS_SPLIT_COMPONENTS /* likewise, for those values that are found to need the same */
} tess_split;

enum { TESS_MOST_PHASES = 32 };

typedef struct tess_phase {
    const tess_kernel_part *part; /* NULL: the whole function */
    int instance;                 /* of the part; -1: all */
    bool *reads, *adds;           /* [n_values]; owned */
} tess_phase;

/* Value i of arg a's local array, which has those of all slots, is value first[a] + i. */
typedef struct tess_phases {
    const tess_kernel *kernel;
    int *first;   /* [n_args + 1]; owned */
    int n_values; /* of all args */
    int n_phases;
    tess_phase *phase; /* owned */
} tess_phases;

/* What each phase reads of the args is found by changing value after value on random elements, as
 * declarations are proved; the sums of a run are checked as always. The phases hold for maps with
 * the arities of the bound loop's, whose mesh may be a rank's part of the whole one: the kernel's
 * text may name maps that a part lacks. Fails (USAGE) where the loop does not only add through
 * maps, where it has no parts or there is nothing to split, and past TESS_MOST_PHASES; (INPUT)
 * where the kernel does not compile. */
TESS_MUST_CHECK tess_status tess_phases_find(const tess_kernel *kernel,
                                             const tess_bound_loop *bound, const tess_mesh *whole,
                                             tess_split split, tess_phases *out);
void tess_phases_clear(tess_phases *phases);

/* The split that is best where none is chosen: by parts where the kernel has them. */
static inline tess_split tess_split_of(const tess_kernel *kernel) {
    return kernel->n_parts > 0 ? TESS_SPLIT_PARTS : TESS_SPLIT_COMPONENTS;
}
