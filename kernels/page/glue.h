/* The glue: the page between a strategy's text and a user kernel, generated from the loop.
 *
 * A strategy's text may use, beside the words of simt.h:
 *
 *   THREADS BLOCK_SIZE N_ELEMENTS N_POSITIONS      compile-time constants
 *   struct params *p      p->first, p->count (of the launch), the dats, the arrays of the plan that
 *                         the strategy asked for
 *   struct element e      what one thread knows of one element: its points and its locals
 *   find_points(p, &e, i)             its points in memory; i: where the element is stored
 *   find_local_points(p, &e, k)       its points among the block's; k: position in the plan
 *   read_direct(p, &e, i)             its own values, and global ones, into the locals
 *   read_staged_own(&e, shared, slot) read_staged_others(&e, shared, slot)   what is read through
 *                                     that slot of the set that blocks own, and the rest
 *   read_own_ends(p, &e, point)       apart: what is read of the own set, one point's for all slots
 *   read_own(p, &e, k, shared)        as read_direct, own values from the block's copies at place k
 *                                     (tess_table_elements)
 *   read_points(p, &e)                what it reads at its points, from global memory
 *   read_staged(&e, shared)           the same from the block's copies in shared memory
 *   read_changed(p, &e)               what it reads and writes at its points: one element at a time
 *                                     of those that share one (tess_strategy.writes_points)
 *   write_points(p, &e)               that, and what it only writes there, back
 *   WRITES_POINTS                     1 where the loop has such args
 *   compute(&e)                       clears the increments and calls the user kernel
 *   write_direct(p, &e, i)            its own values back
 *   struct sums s                     what a thread adds to global values
 *   sums_clear(&s) sums_take(&s, &e)
 *   sums_give(p, &s)                  by every thread, once, at the end
 *
 *   EACH_SET(X)         X(set)                       the to-sets
 *   EACH_READ(X)        X(set, dat)                  dats read through maps, once each
 *   EACH_SUM(X)         X(set, dat)                  dats incremented through maps, once each
 *   EACH_set_READ(X) EACH_set_SUM(X)                 those of one set (tess_table_entries, _slots)
 *   EACH_INCREMENT(X)   X(set, dat, slot, values)    what `struct element e` adds: values[dim] to
 *                                                    the point of that slot
 * and of a `dat`, say cells_q, or a `set`, say cells:
 *   cells_q_DIM  cells_q_type  cells_q_AOS (1 or 0)  cells_q_AT(i, d)  p->cells_q
 *   cells_SLOTS  cells_STAGED (points a block stages at most)  e.cells_point[slot] (-1: none)
 *   e.cells_local[slot]  edges_cells_ARITY of every map of the mesh
 *   cells_q_READ  cells_q_SUM        bytes from the start of shared memory to the copies
 *   READ_BYTES SUM_BYTES             of all copies; sums lie at SUM_START
 * Copies in shared memory are always [dim][STAGED]. */
#ifndef TESS_GLUE_H
#define TESS_GLUE_H

#include "kernels/page/page.h"

/* Completes a page that a strategy has prepared: constants, params, user kernel, functions, and the
 * strategy's text. */
TESS_MUST_CHECK tess_status tess_glue_write(tess_page *page, const char *text);

/* Writes its constants and adds the dats to the params; a step of tess_glue_write. */
TESS_MUST_CHECK tess_status tess_glue_constants(tess_page *page);

/* Writes struct sums and its functions, behind the launches' own shared memory; another step. */
void tess_glue_sums(tess_page *page);

#endif
