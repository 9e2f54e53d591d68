/* An application: user kernels, the loops that apply them, the dats they work on and their start.
 */
#pragma once

#include "kernels/loops/kernel.h"

/* A field that people look at, from the values of one dat at one element. */
typedef struct tess_shown_field {
    const char *name; /* "density" */
    const char *dat, *set;
    double (*value)(const double *values);
} tess_shown_field;

typedef struct tess_application {
    const char *name;
    const char *summary;   /* one line */
    const char *reference; /* the equations */
    tess_type precision;   /* the papers' */
    int dimension;         /* of its meshes; 0: any */
    int n_kernels;
    const tess_kernel *kernels; /* the first is the primary loop */
    const char *const *maps;    /* that the mesh must have or derive; NULL-terminated */
    const char *const *cells; /* sets of the only cells that its meshes have; NULL-terminated; NULL:
                                 cells of all types */
    const char *const *step;  /* names of the loops of a time step, in order; NULL-terminated */
    const tess_shown_field *shown; /* ends with name = NULL; NULL: the dats themselves are shown */
    /* Of the cells at walls, where the dat `bound` of bedges is 1; ends likewise; NULL: no walls.
     */
    const tess_shown_field *on_walls;
    /* Adds to a mesh that has the maps what else the application needs; NULL: nothing. */
    tess_status (*bind)(tess_mesh *mesh);
    /* Fills the dats, which are zero, with their values at the start. */
    tess_status (*start)(const tess_mesh *mesh, tess_state *state);
    /* Instead of it where the application is read from a file (user_step.h), with what was read. */
    tess_status (*start_as_read)(const void *read, tess_state *state);
    const void *read;
} tess_application;

/* The kernel of that name (NULL: the primary one); fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_application_kernel(const tess_application *application,
                                                    const char *name, const tess_kernel **out);

/* Fails where the mesh does not fit the application: (USAGE) of another dimension, (INPUT) with
 * cells that the application leaves out. */
TESS_MUST_CHECK tess_status tess_application_check(const tess_application *application,
                                                   const tess_mesh *mesh);

/* Checks the mesh, derives the maps that the application needs and whatever else it adds to a mesh.
 * Fails as the above, and (USAGE) where the mesh cannot have them. */
TESS_MUST_CHECK tess_status tess_application_bind(const tess_application *application,
                                                  tess_mesh *mesh);

/* Gives the state at the start on a bound mesh, in a precision (TESS_FLOAT or TESS_DOUBLE). */
TESS_MUST_CHECK tess_status tess_application_start(const tess_application *application,
                                                   const tess_mesh *mesh, tess_type real,
                                                   tess_state **out);

/* Takes out of a state the dats that neither a time step nor this kernel has. */
TESS_MUST_CHECK tess_status tess_application_keep(const tess_application *application,
                                                  const tess_kernel *kernel, tess_state *state);

/* Brings a state at the start to where the first time step comes to this kernel, by the references
 * of the loops before it. What the kernel overwrites gets values between 0.5 and 1.5, and so does
 * what it reads and no time step has, as a matrix, where the start left zeros. */
TESS_MUST_CHECK tess_status tess_application_prepare(const tess_application *application,
                                                     const tess_kernel *kernel, tess_state *state);

/* Brings a state at the start to where the first time step comes to its loop `position`, of those
 * that the mesh has elements for. */
TESS_MUST_CHECK tess_status tess_application_prepare_at(const tess_application *application,
                                                        int position, tess_state *state);

/* Marches a state whose `real` dats are double by one time step, by the references of its loops. */
TESS_MUST_CHECK tess_status tess_application_march(const tess_application *application,
                                                   tess_state *state);
