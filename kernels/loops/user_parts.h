/* The parts of a user's kernel, and what they pass on:
 *
 *   between:
 *     - {name: w, dim: 12}     # values of one element, `real`, on chip, never in memory
 *   parts:                     # in the order in which they run
 *     - {name: terms, each: once, takes: [x, q], gives: [w]}
 *     - {name: block, each: pair, takes: [w, q], adds: [A]}
 *   whole: stiffness           # the same in one function, unless the parts are all there is
 *
 * `terms` is called as terms(x, q, w), `block` as block(k, w, q, a) for each pair k = n i + j of
 * the n slots of A's map; with `each: slot`, for each slot k; with `each: edge`, for each edge k of
 * a cell, whose second node gets what is made and whose first loses it; with `each: edge slot`, for
 * each k = n e + j, edge e and column j of A: likewise in rows; with `each: 5`, five times. What
 * such a part gives is instance k's share. `only: [lanes]` uses a part where several lanes have an
 * element, `[thread]` where one has, `[edges]` by edges, `[slots]` by slots.
 */
#pragma once

#include "core/base/yaml_file.h"
#include "kernels/loops/application.h"

enum { TESS_MOST_PARTS = 16 };

/* Names are the YAML's. */
typedef struct tess_user_parts {
    int n_between, n_parts;
    tess_between between[TESS_MOST_PARTS];
    tess_kernel_part parts[TESS_MOST_PARTS];
    const char *whole; /* or NULL */
} tess_user_parts;

/* Reads the parts of a description whose args the kernel has, those of matrices as dats; none where
 * it has no `parts`. */
TESS_MUST_CHECK tess_status tess_user_parts_read(tess_yaml *yaml, const tess_kernel *kernel,
                                                 tess_user_parts *out);
