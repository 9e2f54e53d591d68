/* The renumbering of a whole mesh: all of its sets in an order that follows from that of one. */
#pragma once

#include "core/plan/order/renumber.h"

struct tess_plan;

/* Gives the renumbering of a mesh by a plan whose blocks share no elements: the elements of the
 * loop as they are executed, block after block, and all other sets as tess_renumber_others has
 * them. */
TESS_MUST_CHECK tess_status tess_renumber(const tess_bound_loop *bound,
                                          const struct tess_plan *plan, tess_renumbering **out);

/* Adds the permutations of all sets of the mesh that have none and reach renumbered ones. Where
 * cells have none, but what leads to them has: in the order in which that does first, and nodes in
 * that in which cells do; cells lexicographically by the places of their nodes; every other set by
 * those of its cells, or else of its nodes, so that faces are upper triangular, `by_nodes` the
 * other way round; or in the order in which what leads to it does first. What nothing leads to or
 * from keeps its numbers. */
TESS_MUST_CHECK tess_status tess_renumber_others(const tess_mesh *mesh, bool by_nodes,
                                                 tess_renumbering *renumbering);
