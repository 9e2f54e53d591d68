/* A user's step: several functions in a header of the user's, described by one YAML file, as an
 * application like those that ship: each loop is run, all are marched, runs of them are chains.
 *
 *   name: diffusion
 *   header: diffusion.h        # beside this file; unless said its name with .h
 *   dats:                      # of all loops, as user_kernel.h has them
 *     - {name: u, set: cells, dim: 1}
 *     - {name: gain, set: cells, dim: 1, start: zero}
 *   loops:                     # in the order of a time step
 *     - name: exchange         # the function
 *       over: edges
 *       args: [...]            # and antisymmetry, independent_ends
 *     - name: advance
 *       over: cells
 *       args: [...]
 *   step: [exchange, advance, exchange, advance]   # where a loop comes more than once
 *
 * A dat starts from random values where the first loop that has it reads it, else from zero. */
#pragma once

#include "kernels/loops/user_kernel.h"

typedef struct tess_user_step tess_user_step;

/* Whether a kernel's file is a description of a step: it ends in .yaml or .yml. */
bool tess_user_step_is(const char *path);

/* Reads the description and its header. Fails (INPUT) by file, line and column. */
TESS_MUST_CHECK tess_status tess_user_step_read(const char *path, tess_user_step **out);
void tess_user_step_free(tess_user_step *step);

/* The application that it is; the step's. */
const tess_application *tess_user_step_application(const tess_user_step *step);

/* The header, for messages. */
const char *tess_user_step_header(const tess_user_step *step);

/* Derives the maps that its loops go through, and compiles the functions as their own references.
 */
TESS_MUST_CHECK tess_status tess_user_step_bind(tess_user_step *step, tess_mesh *mesh);
