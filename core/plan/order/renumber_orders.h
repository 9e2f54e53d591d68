/* The orders that a renumbering is made of: of points by the blocks that access them, of points
 * along a graph, of elements by their points; for core/plan/order/renumber*.c only.
 *
 * Each gives new_to_old, which the caller frees. What is reached by nothing comes last; ties keep
 * the mesh's order. All take time linear in the loop's maps, but for points by blocks, where those
 * with many blocks are compared. */
#ifndef TESS_RENUMBER_ORDERS_H
#define TESS_RENUMBER_ORDERS_H

#include "core/plan/incidence.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan.h"

/* Points by the number of their blocks, then by these, lexicographically. */
TESS_MUST_CHECK tess_status tess_order_points_by_blocks(const tess_rows *blocks, int32_t n_blocks,
                                                        int32_t **new_to_old);

/* Points by owner, those of no other block first, the others in the order of their blocks, so that
 * what a block shares with another lies together; owner NULL: the first block that accesses. */
TESS_MUST_CHECK tess_status tess_order_points_by_owner(const tess_rows *blocks,
                                                       const int32_t *owner, int32_t n_blocks,
                                                       int32_t **new_to_old);

/* Points of a reach along the graph of those that share an element. */
TESS_MUST_CHECK tess_status tess_order_points_by_graph(const tess_bound_loop *bound,
                                                       const tess_reach *reach,
                                                       tess_renumber_method method,
                                                       int32_t **new_to_old);

/* Points of a reach in the order in which elements in the order `elements` reach them. */
TESS_MUST_CHECK tess_status tess_order_points_by_elements(const tess_bound_loop *bound,
                                                          const tess_reach *reach,
                                                          const int32_t *elements,
                                                          int32_t **new_to_old);

/* Elements by the places of their points, ascending, lexicographically. */
TESS_MUST_CHECK tess_status tess_order_elements_by_points(const tess_bound_loop *bound,
                                                          const tess_reach *reach,
                                                          const int32_t *place,
                                                          int32_t **new_to_old);

/* Elements in the order in which a plan executes them; where blocks share them, by the first block
 * that executes them, those of no other block first, the others in the order of their blocks. */
TESS_MUST_CHECK tess_status tess_order_elements_by_plan(const tess_plan *plan,
                                                        int32_t **new_to_old);

/* Elements of a permutation by their colour [in 0, n_colours), those of one in their order. */
TESS_MUST_CHECK tess_status tess_order_elements_by_colour(const tess_permutation *elements,
                                                          const int32_t *colour, int32_t n_colours,
                                                          int32_t **new_to_old);

#endif
