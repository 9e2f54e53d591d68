/* Loop names: what the generated page calls the dats and sets of a loop, and how args reach them.
 */
#ifndef TESS_LOOP_NAMES_H
#define TESS_LOOP_NAMES_H

#include "kernels/page/page.h"

enum { TESS_SYMBOL_SIZE = 2 * TESS_NAME_SIZE };

/* What the page calls a dat: cells_q, global_rms. */
void tess_dat_symbol(const tess_arg *arg, char symbol[TESS_SYMBOL_SIZE]);

bool tess_same_dat(const tess_arg *a, const tess_arg *b);

/* True for an arg that is one global value. */
bool tess_arg_is_global(const tess_arg *arg);

/* True when an earlier arg of the loop names the same dat. */
bool tess_dat_named_before(const tess_loop *loop, int a);

/* True when some arg of the loop writes the dat. */
bool tess_dat_is_written(const tess_loop *loop, const tess_arg *arg);

/* The name of the set of a target. */
const char *tess_reach_name(const tess_page *page, int reach);

/* True for an arg that reads (or, summed, increments) at points, so that the strategy may stage it.
 */
bool tess_arg_travels(const tess_page *page, const tess_arg *arg, bool summed);

/* The first arg that writes at points otherwise than by increments; -1: none does. */
int tess_loop_point_writer(const tess_loop *loop);

/* The target of an arg that reads (or, summed, increments) a dat through a map for the first time
 * in the loop; -1 for all others. */
int tess_arg_first_reach(const tess_page *page, int a, bool summed);

/* First and one past the last slot of the map that an arg goes through. */
void tess_arg_slots(const tess_page *page, const tess_arg *arg, int *first, int *end);

/* The target and its slot that slot `k` of an arg's map is. */
void tess_arg_reach_slot(const tess_page *page, const tess_arg *arg, int k, int *reach, int *slot);

/* The target of the set that blocks own, and its first incremented slot. */
int tess_owned_reach(const tess_page *page, int *first_slot);

/* Number of values of an arg's local array. */
int tess_arg_local_size(const tess_page *page, const tess_arg *arg);

#endif
