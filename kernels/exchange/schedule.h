/* A schedule: which dats arrive from other ranks before which loop of a time step, found from the
 * access descriptors of the loops and their order alone. */
#pragma once

#include "core/ranks/halo.h"
#include "kernels/run/chained_step.h"

/* One loop of the time step. */
typedef struct tess_schedule_part {
    int loop;       /* which of the distinct ones */
    bool *arrives;  /* [n_args of the loop]: at the first arg that names a dat: it arrives before
                       this part; owned */
    bool exchanges; /* some dat does */
} tess_schedule_part;

typedef struct tess_schedule {
    int n_loops;
    const tess_kernel **kernels; /* [n_loops], distinct, of a chain its first; owned, not what it
                                    points to */
    tess_loop **bare;            /* [n_loops]: their loops; owned */
    tess_ranked_loop *loops;     /* [n_loops]; owned */
    int n_parts;
    tess_schedule_part *parts; /* owned */
    bool is_alone;             /* others write what arrives between two steps of its one loop */
} tess_schedule;

/* Gives the schedule of an application's time step on a mesh in a precision, without the loops over
 * what the mesh lacks. A dat arrives before a loop that
 * reads it at elements of other ranks, if it was written since the same values arrived last; before
 * the first step all values are there. By TESS_HALO_REDUNDANT, a loop that also adds to a global
 * value runs by TESS_HALO_PARTIAL_SUMS: an element that two ranks execute would count twice. Fails
 * (USAGE) where a loop reads a global value that another one adds to. */
TESS_MUST_CHECK tess_status tess_schedule_build(const tess_application *application,
                                                const tess_mesh *mesh, tess_type real,
                                                tess_halo_mode mode, tess_schedule **out);
/* As this, of a step in chains: each stands for its loops, exchanges once, and computes at elements
 * of others what it needs of them. Fails (USAGE) where a chain stores values of elements that it
 * gathers: they are of their own rank. The chained step outlives the schedule. */
TESS_MUST_CHECK tess_status tess_schedule_build_chained(const tess_chained_step *chained,
                                                        tess_type real, tess_halo_mode mode,
                                                        tess_schedule **out);

/* Gives the schedule of one loop that runs again and again: what it reads at elements of other
 * ranks arrives each time, where others write it between; changes [n_args of the kernel] says of
 * which args they do. As above but for global values, which are there. */
TESS_MUST_CHECK tess_status tess_schedule_build_alone(const tess_kernel *kernel,
                                                      const bool *changes, tess_type real,
                                                      tess_halo_mode mode, tess_schedule **out);
void tess_schedule_free(tess_schedule *schedule);

/* Drops what arrives at no rank: a boundary edge belongs to the rank of its cell, for instance. */
void tess_schedule_fit(tess_schedule *schedule, const tess_halo *halo);

/* A proof of a schedule on a halo, element by element: in each part of a step that follows another,
 * every value that a rank reads at an element of another is the last one written, and none arrives
 * that had arrived. Else TESS_ERROR_CHECK by loop, dat and rank. */
TESS_MUST_CHECK tess_status tess_schedule_check(const tess_schedule *schedule,
                                                const tess_halo *halo);
