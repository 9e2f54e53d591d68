/* A sweep: the points of a recipe that a lab lacks, made as a campaign. */
#pragma once

#include "experiments/campaign/campaign.h"
#include "experiments/campaign/sweep_claims.h"
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

const char *tess_sweep_state_name(tess_sweep_state state); /* "to do", "done before" ... */

typedef struct tess_sweep_result {
    tess_sweep_state state;
    char *message; /* why it failed or was skipped; NULL; owned */
    char run[TESS_RUN_ID_SIZE];
    double seconds; /* that it took, 0 where it was not made */
} tess_sweep_result;

typedef struct tess_sweep {
    const tess_recipe *recipe;
    const tess_sweep_points *points;
    tess_campaign_options options; /* options.bench.lab NULL: there is no lab yet */
    const char *launcher;          /* of points whose ranks are processes; NULL: the usual one */
    bool retry_failed, quiet;
    void (*show)(const struct tess_sweep *sweep, int64_t point); /* is the next; NULL */
    tess_sweep_result *results;                                  /* [points->n]; owned */
    const tess_experiment *experiments;                          /* [points->n] while it runs */
    double looked, look_seconds; /* when the lab was looked at, and what it took */
    tess_sweep_claims claims;
    int64_t family;    /* the first of the points on the same blocks whose turn it is; -1: none */
    bool is_claimed;   /* that family is ours */
    int64_t elsewhere; /* points left to others, which are making them */
} tess_sweep;

/* Allocates the results and marks those that the lab has. Fails (INPUT) as tess_sweep_mesh does. */
TESS_MUST_CHECK tess_status tess_sweep_begin(tess_sweep *sweep);
void tess_sweep_clear(tess_sweep *sweep);

/* Makes the points that are left, but those that another process is making. Fails (INTERRUPTED) on
 * Ctrl-C; all that is finished is kept. What fails at one point is kept with it and does not end
 * the others, unless the lab cannot be written. */
TESS_MUST_CHECK tess_status tess_sweep_run(tess_sweep *sweep);

/* The experiment that a point on a mesh is, which the caller clears. */
TESS_MUST_CHECK tess_status tess_sweep_experiment(const tess_sweep_point *point, const char *mesh,
                                                  tess_experiment *out);

/* The mesh of a point as commands take it: a file is looked for from here, from the recipe's
 * folder, in the recipe's folders and among the shipped meshes. The caller frees it. Fails
 * (MISSING) on a file that is in none of them, (INPUT) on what is neither a file's name nor a
 * generator's. */
TESS_MUST_CHECK tess_status tess_sweep_mesh(const tess_recipe *recipe,
                                            const tess_sweep_point *point, char **out);

/* How many points are in a state, and how many were skipped that the recipe does not know of. */
int64_t tess_sweep_count(const tess_sweep *sweep, tess_sweep_state state);
int64_t tess_sweep_unknown_skips(const tess_sweep *sweep);
