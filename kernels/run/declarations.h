/* Declarations: what a loop may declare of the ends of an element, and its proof on numbers.
 *
 * `opposite`: what an element adds through slot 1 of a map is minus what it adds through slot 0.
 * `exchange`: moreover, an element whose two slots are exchanged, of all maps with two, adds to
 * each point what it added before: so every end may compute the element as if it were slot 0.
 * `alike`: the latter alone; what the two ends get need not cancel.
 * `cleared`: a loop leaves a dat zero that it reads and writes, as a sum that it has used. */
#pragma once

#include "kernels/loops/application.h"

/* "none", "opposite", "exchange", "alike". */
const char *tess_antisymmetry_name(tess_antisymmetry antisymmetry);

/* TESS_OK where the kernel declares nothing, or what it declares holds for random values of all
 * that it reads; maps have the arities of the bound loop's. Fails (INPUT) where it does not, by the
 * dat that shows it, and where the loop cannot have it. */
TESS_MUST_CHECK tess_status tess_antisymmetry_check(const tess_kernel *kernel,
                                                    const tess_bound_loop *bound);

/* Checks independent ends: what an element adds to a point depends on nothing that is read at
 * another point of the sets that it increments. Fails by the dat and the slot that show it. */
TESS_MUST_CHECK tess_status tess_independent_ends_check(const tess_kernel *kernel,
                                                        const tess_bound_loop *bound);

/* Checks what args declare cleared: read and written of the loop's own elements, and zero behind it
 * for random values. Fails by the dat that is not. */
TESS_MUST_CHECK tess_status tess_cleared_check(const tess_kernel *kernel,
                                               const tess_bound_loop *bound);

/* Checks a kernel in parts: one after another, on random values, they add what the whole
 * function adds, and take nothing that was not given. Fails by the dat and the two values, or by
 * what is passed on; (USAGE) as tess_parts_check. Compiles the parts. */
TESS_MUST_CHECK tess_status tess_parts_prove(const tess_kernel *kernel,
                                             const tess_bound_loop *bound);

/* All that a loop declares; the parts of those that were compiled into the program are proved by
 * its tests. */
TESS_MUST_CHECK tess_status tess_declarations_check(const tess_kernel *kernel,
                                                    const tess_bound_loop *bound);
