/* The work of a sweep: its points made one after another, each archived as soon as it is there. */
#ifndef TESS_SWEEP_WORK_H
#define TESS_SWEEP_WORK_H

#include "experiments/archive/lab.h"
#include "experiments/bench/restart.h"
#include "experiments/campaign/sweep_points.h"

typedef enum tess_sweep_state {
    TESS_POINT_LEFT,          /* yet to be made */
    TESS_POINT_DONE_BEFORE,   /* the lab had it */
    TESS_POINT_FAILED_BEFORE, /* the lab had it, as failed */
    TESS_POINT_PASSED,
    TESS_POINT_FAILED,  /* archived as failed */
    TESS_POINT_SKIPPED, /* it does not fit, or this machine lacks what it needs: not archived */
    TESS_POINT_STATES
} tess_sweep_state;

const char *tess_sweep_state_name(tess_sweep_state state); /* "left", "done before" ... */

typedef struct tess_sweep_result {
    tess_sweep_state state;
    char *words; /* why it failed or was skipped; NULL; owned */
    char run[TESS_RUN_ID_SIZE];
    double seconds; /* that it took, 0 where it was not made */
} tess_sweep_result;

typedef struct tess_sweep_work {
    const tess_recipe *recipe;
    const tess_sweep_points *points;
    tess_lab *lab; /* the caller's; NULL: none is there yet */
    int argc;
    char *const *argv; /* for provenance */
    bool view, retry_failed, fresh, quiet;
    double memory; /* GiB of the device that runs timed in turns may hold; 0: the default */
    tess_sweep_result *results; /* [points->n]; owned */
    tess_restart *restart;      /* the caller's: points that failed, by their digests */
    bool lost;                  /* the device stays broken: tess_restart_go makes the rest */
} tess_sweep_work;

/* Allocates the results. */
TESS_MUST_CHECK tess_status tess_sweep_work_begin(tess_sweep_work *work);
void tess_sweep_work_clear(tess_sweep_work *work);

/* Makes the points that are left. Fails (INTERRUPTED) on Ctrl-C; all that is finished is kept. What
 * fails at one point is kept with it and does not end the others, unless the lab cannot be
 * written. */
TESS_MUST_CHECK tess_status tess_sweep_work_run(tess_sweep_work *work);

/* The mesh of a point as its command takes it: a file is looked for from here, from the recipe's
 * folder, in the recipe's folders and among the shipped meshes. The caller frees it. */
TESS_MUST_CHECK tess_status tess_sweep_mesh(const tess_recipe *recipe,
                                            const tess_sweep_point *point, char **out);

#endif
