/* A step's bound: what the loops of a time step move and compute at least: loop by loop, in chains
 * (core/plan/chain.h), and as if each value were moved once. Nothing is executed but the kernels,
 * on some elements, to count what they do (kernels/loops/operation_count.h). */
#pragma once

#include "experiments/model/machine.h"
#include "kernels/codegen/chain_page.h"
#include "kernels/loops/operation_count.h"
#include "partitioners/partitioner.h"

typedef struct tess_bound_setting {
    int n;                             /* loops of the step, */
    const tess_kernel *const *kernels; /* ... in order; the mesh has their sets and maps */
    const tess_mesh *mesh;
    const tess_state *start;
    tess_arithmetic arithmetic;
    const tess_partitioner *partitioner; /* of the points that a chain's blocks own */
    const tess_spec *spec;
    int32_t block_size;
} tess_bound_setting;

/* Some loops of a step, one after another. */
typedef struct tess_bound_part {
    int first, n;
    int n_rings;                /* around a block; 0: none, or a loop alone */
    int64_t n_blocks;           /* 0: the part needs none */
    double points;              /* computed or loaded, with rings, of one that blocks own */
    double bytes;               /* dats and maps, each once; in and out are two */
    tess_operations operations; /* of all elements, also where several points or blocks compute
                                   one */
} tess_bound_part;

/* A step in chains: from the first loop on the longest with so many rings at most, and so on. */
typedef struct tess_bound_cut {
    int most_rings;
    tess_bound_part sum; /* of its chains, and of the loops that are in none */
} tess_bound_cut;

/* Why a run of loops is no chain: the shortest that begins at its first loop. */
typedef struct tess_bound_refusal {
    int first, n;
    char why[512];
} tess_bound_refusal;

typedef struct tess_step_bound {
    tess_type real;
    tess_arithmetic arithmetic;
    char points[TESS_NAME_SIZE]; /* the set that the numbers a point are of: the first that a loop
                                    adds to, else the set of the first loop */
    int64_t n_points;
    int n;                  /* loops of the step */
    tess_loop **own;        /* [n] */
    tess_bound_part *loops; /* [n]: each alone */
    int n_chains;
    tess_bound_part *chains; /* of two loops and more, each once; owned */
    int n_cuts;
    tess_bound_cut *cuts; /* by growing numbers of rings, each with a chain more; owned */
    int n_refusals;
    tess_bound_refusal *refusals;
    tess_bound_part once; /* the step, each value moved once */
} tess_step_bound;

/* Finds it; of chains those of the cuts, and all that are legal where `all`. Fails (INPUT) where a
 * kernel cannot be counted. */
TESS_MUST_CHECK tess_status tess_step_bound_find(const tess_bound_setting *setting, bool all,
                                                 tess_step_bound *out);
void tess_step_bound_clear(tess_step_bound *bound);

/* Adds what a chain computes in its blocks (NULL: it has none), with rings, a gathered element by
 * each point that it adds to or once a block; `each` [n_loops]: what a loop does of an element. */
TESS_MUST_CHECK tess_status tess_chain_operations(const tess_chain_setting *setting,
                                                  const tess_mesh *mesh,
                                                  const tess_operations *each,
                                                  tess_operations *out);

/* All of them in flops that a GPU does in their time: a division and a root are several. */
double tess_operations_cost(const tess_operations *operations, tess_type real,
                            tess_arithmetic arithmetic);

/* What a machine takes for a part at least, in seconds. */
typedef struct tess_bound_times {
    double bytes, flops; /* flops: NaN where the machine does not say how many it computes */
} tess_bound_times;

/* The bytes at the bandwidth of a copy, the flops at the machine's rate for `real`, a division and
 * a root as the flops that they cost (docs/predict.md, "The bound of a step"). Fails (INPUT) where
 * the machine has no bandwidth. */
TESS_MUST_CHECK tess_status tess_bound_times_of(const tess_step_bound *bound,
                                                const tess_bound_part *part,
                                                const tess_machine *machine, tess_bound_times *out);
