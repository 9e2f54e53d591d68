/* A workload: a loop of an application, or a chain of loops, bound to a mesh, with the state it
 * starts from and the state it must come to. */
#pragma once

#include "experiments/bench/experiment_value.h"
#include "kernels/loops/user_step.h"
#include "kernels/run/chained_step.h"

typedef struct tess_workload {
    tess_mesh *mesh;
    bool is_given;                       /* the mesh is somebody else's */
    int64_t n_left_out;                  /* cells of it, that were more than asked for */
    const tess_application *application; /* NULL: a user's kernel */
    tess_user_kernel *user;              /* NULL: an application's */
    tess_user_step *step;                /* whose the application is; NULL: it ships; owned */
    const tess_kernel *kernel;
    tess_type real;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_chained_step *chained; /* a chain is executed: the step with it alone, not opened; kernel,
                                   loop and bound are of the loop that blocks are cut for; NULL: the
                                   loop is; owned, as the next */
    int first;                  /* its first loop */
    char *chain;                /* its loops, "adt_calc+res_calc"; NULL */
    tess_state *start, *want; /* want: in double, from the reference; NULL: not yet, but awaited */
    struct tess_values_beside *beside; /* who makes both; NULL: nobody */
} tess_workload;

/* What is asked for, as typed; NULL where it is not. */
typedef struct tess_workload_names {
    const char *mesh, *application, *loop;
    tess_mesh *given;      /* in place of the mesh that is named; NULL */
    const char *kernel;    /* a user's header; `loop` is then the file that describes it; or the
                              description of a user's step, which is then the application */
    const char *chain;     /* of the application's step, instead of a loop: A+B+C */
    const char *map, *dat; /* instead: a loop that increments the dat through the map */
    tess_precision precision;
    bool all_maps;         /* derive all that the mesh can have: it will be archived */
    bool to_be_seen;       /* derive what views of the loop's set need */
    int64_t most_cells;    /* of a mesh with more a part is opened; 0: all */
    bool reference_beside; /* another thread runs the reference, which is waited for later ... */
    bool start_beside;     /* ... and makes the data before the loop as well, and the reference no
                              sooner than it is told to, or waited for ... */
    bool reference_soon;   /* ... or as soon as it can be, and leaves no processor to others */
    bool unexecuted;       /* values do not matter: no loop before it and no reference is run */
    /* What that other thread does with the data before the loop, as soon as they are there, and
     * before others have them; NULL. */
    void (*started)(void *context, const struct tess_workload *workload);
    void *context;
} tess_workload_names;

/* Opens the mesh, binds the application, prepares the state up to the loop and runs the reference;
 * or binds the loop of a map, which is not executed. The caller clears the workload. */
TESS_MUST_CHECK tess_status tess_workload_open(const tess_workload_names *names,
                                               tess_workload *out);

/* Waits for the data before the loop, or for the reference as well, where another thread makes
 * them; fails as it did. The first may be asked by any thread. */
TESS_MUST_CHECK tess_status tess_workload_await_start(tess_workload *workload);
TESS_MUST_CHECK tess_status tess_workload_await(tess_workload *workload);

/* Has another thread make the reference from now on, where that is its way and it has not begun. */
TESS_MUST_CHECK tess_status tess_workload_begin_reference(tess_workload *workload);

/* Whether the reference is there. */
bool tess_workload_is_ready(const tess_workload *workload);

void tess_workload_clear(tess_workload *workload);

/* The name of what is executed: of the loop, or of all loops of the chain. */
const char *tess_workload_name(const tess_workload *workload);

/* Elements that it goes through: the loop's, or the points of the chain. */
int64_t tess_workload_size(const tess_workload *workload);

/* Whether the loop that is asked for only reads through maps, and whether it is in parts; the mesh
 * is not opened. */
TESS_MUST_CHECK tess_status tess_workload_kind(const tess_workload_names *names, bool *gathers,
                                               bool *in_parts);

/* Gives of which args of the loop [n_args] the dat changes between two runs of it: some loop of the
 * application writes it; what a user's kernel reads does, but for coordinates. The caller frees
 * *out. */
TESS_MUST_CHECK tess_status tess_workload_changes(const tess_workload *workload, bool **out);

/* The to-set that blocks own in strategies over points: the one that the loop increments (the first
 * it reads where it increments nothing); NULL where it has no indirect arg. */
const char *tess_workload_points(const tess_workload *workload);
