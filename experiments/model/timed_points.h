/* Timed points: runs of a GPU with their times, from a lab or from a JSON file of such rows, and
 * the features that go with them. */
#pragma once

#include "experiments/model/prediction.h"

typedef struct tess_timed_points {
    json_t *rows;      /* owned; all that follows points into it, or is owned */
    int n, n_left_out; /* left out: runs that were not timed on a GPU, or have no model */
    tess_experiment *experiments; /* [n] */
    tess_fit_point *points;       /* [n] */
    json_t **row_of;              /* [n] */
} tess_timed_points;

/* Told how many points are done. */
typedef void (*tess_points_progress)(int n_done, int n);

/* Reads them from a lab's folder, or from a JSON file as `tess runs --json` prints it, and counts
 * the features of those that have none (the L2 of the predictor's machine is theirs, and registers
 * are those that the run had, where it says). Fails (INPUT) without one. */
TESS_MUST_CHECK tess_status tess_timed_points_read(const char *path,
                                                   const tess_predictor *predictor,
                                                   tess_points_progress progress,
                                                   tess_timed_points *out);
void tess_timed_points_clear(tess_timed_points *points);

/* Writes the points with their features, so that they need not be counted again. */
TESS_MUST_CHECK tess_status tess_timed_points_write(const tess_timed_points *points,
                                                    const char *path);

json_t *tess_features_json(const tess_features *features);
