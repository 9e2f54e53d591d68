/* A user's kernel: a C function in a header of the user's, described by a short YAML file, run like
 * any application's and without rebuilding anything.
 *
 *   name: diffuse              # the function
 *   over: edges                # the set whose elements it is applied to
 *   dats:
 *     - {name: u, set: cells, dim: 2}                    # type: real unless said
 *     - {name: kind, set: edges, dim: 1, type: int}
 *     - {name: du, set: cells, dim: 2, start: zero}
 *   args:                      # in the order of the function's parameters
 *     - {dat: u, map: edges:cells, slot: 0, access: read}
 *     - {dat: u, map: edges:cells, slot: 1, access: read}
 *     - {dat: kind, access: read}                        # no map: the element's own
 *     - {dat: du, map: edges:cells, access: inc}         # no slot: all slots, one after another
 *     - {dat: q, components: [1, 2], access: read}       # values 1 and 2 of each element alone
 *     - {dat: sum, access: rw, cleared: yes}           # zero behind the loop: for chains
 *     - {matrix: A, map: edges:cells, access: inc}       # of `matrices`: see user_matrix.h
 *
 *   parts, between, whole      # the function in parts: see user_parts.h
 *   antisymmetry: opposite     # slot 1 gets minus what slot 0 gets; see kernels/run/declarations.h
 *   independent_ends: yes      # what a point gets depends on no other point of that set
 *
 * antisymmetry (none unless said) and independent_ends are proved on random values before they are
 * used. start: random (the default for what is read; the same on every machine), zero (for what is
 * not), index, or coordinates (of nodes). A dat without a set is one global value. */
#pragma once

#include "kernels/loops/application.h"

typedef struct tess_user_kernel {
    tess_kernel kernel;  /* of args that are dats; what runs */
    tess_kernel written; /* as its author writes it: an arg that is a matrix is one array ... */
    bool is_whole;       /* ... where it is one function; else there are its parts alone */
    struct tess_user_description *description; /* what the YAML says */
    char *text;                                /* of the header */
    const char *note; /* of an older word that the YAML uses, for its author; or NULL */
} tess_user_kernel;

/* Reads both files. Fails (INPUT) by file, line and column, and by the arg or dat that is wrong. */
TESS_MUST_CHECK tess_status tess_user_kernel_read(const char *header, const char *description,
                                                  tess_user_kernel **out);

/* Reads loop `number` of a step of several (user_step.h), one function without matrices. */
TESS_MUST_CHECK tess_status tess_user_kernel_read_loop(const char *header, const char *description,
                                                       int number, tess_user_kernel **out);
void tess_user_kernel_free(tess_user_kernel *user);

/* Derives the maps that its args go through. */
TESS_MUST_CHECK tess_status tess_user_kernel_bind(const tess_user_kernel *user, tess_mesh *mesh);

/* Whether a dat is the coordinates of nodes. */
bool tess_user_kernel_is_coordinates(const tess_user_kernel *user, const char *dat);

/* Gives the state that it starts from. */
TESS_MUST_CHECK tess_status tess_user_kernel_start(const tess_user_kernel *user,
                                                   const tess_mesh *mesh, tess_type real,
                                                   tess_state **out);

/* Fills the dats of a state that n kernels of one description name: by default with random values
 * where the first kernel that has one reads it, else with zeros. */
TESS_MUST_CHECK tess_status tess_user_kernels_fill(const tess_user_kernel *const *users, int n,
                                                   tess_state *state);
