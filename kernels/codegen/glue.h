/* The glue: what stands between a strategy's text and a user kernel, generated from the loop.
 *
 * A strategy's text names no dat. Beside the words of simt.h it may use
 *
 *   THREADS BLOCK_SIZE N_ELEMENTS N_POSITIONS   compile-time constants (the last two are parameters
 *                                     where the text serves ranks of any size)
 *   WRITES_POINTS                     1 where args write otherwise than by increments through maps
 *   struct params *p                  p->first, p->count (of the launch), and the plan's arrays
 *   struct element e                  what one thread knows of one element: its points in memory
 *                                     and among the block's (-1: none), and its locals
 *   struct block b = open_block(p, i) what the threads of block i know of it: b.index, b.shared,
 *                                     and what tables add
 *   struct sums s                     what a thread adds to global values
 *
 *   read_direct(p, &e, i)     own values of the element stored at i, and global ones, into locals
 *   read_points(p, &e)        what it reads at its points, from global memory
 *   read_changed(p, &e)       what it reads and writes at its points: one element at a time of
 *                             those that share one (tess_strategy.writes_points)
 *   compute_terms(&e)         where the kernel is in parts: those that give what others take
 *   compute(&e)               clears the increments and calls the user kernel
 *   add_points(p, &e)         increments in global memory that nobody else adds to
 *   write_points(p, &e)       what read_changed read, and what it only writes there, back
 *   write_direct(p, &e, i)    own values back
 *   sums_clear(&s)            before the first element
 *   sums_take(&s, &e)         after each
 *   sums_give(p, &s)          by every thread, once, at the end
 *
 * and what the page (kernels/codegen/page.h) and the tables (kernels/codegen/tables.h) that the
 * strategy asks for print. User kernels find FROM_TO_ARITY of every map of the mesh. */
#pragma once

#include "kernels/codegen/page.h"
#include "kernels/loops/kernel_parts.h"

/* Texts that strategies share, as flags. */
typedef enum tess_wants {
    TESS_WANT_BLOCK_SUM = 1,     /* text/block_sum.h; phase_sum.h where the loop is split */
    TESS_WANT_WHOLE_ELEMENT = 2, /* text/whole_element.h */
    TESS_WANT_PHASE_SUM = 4,     /* text/phase_sum.h where the loop is split, else nothing */
    TESS_WANT_PHASE_POINTS = 8   /* text/phase_points.h, likewise */
} tess_wants;

/* Completes a page that a strategy has prepared: constants, params, user kernel, functions, the
 * texts that it wants, and its own. */
TESS_MUST_CHECK tess_status tess_glue_write(tess_page *page, const char *text, int wants);

/* Prints what a part's instance makes as made0, made1 ... of an element `e`: of a part that runs
 * for each slot, or for each pair of slots. */
void tess_glue_make(tess_page *page, const tess_kernel_part *part, int instance);

/* Writes struct sums and its functions, behind the launches' own shared memory; a step of
 * tess_glue_write. */
void tess_glue_sums(tess_page *page);

/* Writes them but for sums_take, of the global dats [n] that are written; what warps sum lies in
 * the block's memory from `start` on: gives where it ends. */
int64_t tess_glue_sums_print(tess_page *page, const tess_page_dat *dats, int n, int64_t start);

/* Steps of it that a chain's page takes, too: struct params of what parameters the page has,
 * @dat_at(i, d), where value d of element i lies, struct block and open_block of what tables added.
 */
void tess_glue_params(tess_page *page);
void tess_glue_at(tess_page *page, const tess_page_dat *dat);
void tess_glue_block(tess_page *page);
void tess_glue_open_block(tess_page *page);
