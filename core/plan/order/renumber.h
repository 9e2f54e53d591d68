/* A renumbering: a new order of the elements of some sets, for locality in memory.
 *
 * It never changes the mesh or the plan, whose ids stay the mesh's own: it says where the executor
 * puts each element's data. */
#pragma once

#include "core/plan/loop.h"
#include "core/plan/order/renumber_method.h"

struct tess_plan;

const char *tess_renumber_name(tess_renumber_method method);
TESS_MUST_CHECK tess_status tess_renumber_parse(const char *name, tess_renumber_method *method);
bool tess_renumber_needs_plan(tess_renumber_method method); /* BLOCKS, OWNER, EXECUTED */

typedef struct tess_permutation {
    int set; /* index into mesh->sets */
    int64_t size;
    int32_t *new_to_old; /* [size]; owned */
    int32_t *old_to_new; /* [size]; owned */
    bool by_rows;        /* pairs in the order of their rows as stored, then of their columns */
} tess_permutation;

typedef struct tess_renumbering {
    tess_renumber_method method;
    int n_sets;
    tess_permutation *sets;
} tess_renumbering;

/* Renumbers the loop's from-set and every set it reaches; `pairs_by_rows`: pairs
 * (core/mesh/pairs.h) follow their rows, as any method orders these. GPS, RCM and COLOURS need no
 * plan (NULL); BLOCKS, OWNER and EXECUTED take the block structure from it. Where the from-set is
 * reached, too, its order is that of the points; by BLOCKS and OWNER that of execution, if nothing
 * is incremented. */
TESS_MUST_CHECK tess_status tess_renumber_build(const tess_bound_loop *bound,
                                                const struct tess_plan *plan,
                                                tess_renumber_method method, bool pairs_by_rows,
                                                tess_renumbering **out);

/* Adds the permutation of a set that has none and takes over new_to_old, each element once. */
TESS_MUST_CHECK tess_status tess_renumbering_add(const tess_mesh *mesh, int set,
                                                 int32_t *new_to_old,
                                                 tess_renumbering *renumbering);

/* Lets the elements of another loop, whose set has kept its numbers, follow its plan: does nothing
 * where the set is renumbered, or the method needs no plan. */
TESS_MUST_CHECK tess_status tess_renumber_follow(const tess_bound_loop *bound,
                                                 const struct tess_plan *plan,
                                                 tess_renumbering *renumbering);

/* Numbers sides and pairs that no file states, and sides of polytopes, which any file states anew,
 * as they will be derived from the cells in their new order: sides by their cells, so that they are
 * upper triangular, pairs by their rows. */
TESS_MUST_CHECK tess_status tess_renumber_as_derived(const tess_mesh *mesh,
                                                     tess_renumbering *renumbering);

/* Lets elements of a set change places within segments alone, which end at end [n_segments],
 * ascending, and keep their order otherwise. Does nothing where the set has kept its numbers. */
TESS_MUST_CHECK tess_status tess_renumbering_keep_segments(tess_renumbering *renumbering, int set,
                                                           const int64_t *end, int n_segments);

/* TESS_OK when every permutation is one, with its inverse, of a set of the mesh's, no set has two,
 * and pairs that are to follow their rows do; else TESS_ERROR_CHECK and the first defect by name.
 */
TESS_MUST_CHECK tess_status tess_renumbering_check(const tess_mesh *mesh,
                                                   const tess_renumbering *renumbering);

/* The permutation of a set, or NULL where it keeps its numbers. */
const tess_permutation *tess_renumbering_of(const tess_renumbering *renumbering, int set);
void tess_renumbering_free(tess_renumbering *renumbering);
