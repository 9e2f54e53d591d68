/* An evaluation: how good predictions are for meshes or applications that no fit saw, or those of a
 * fit. */
#pragma once

#include "experiments/model/fit.h"

enum { TESS_MOST_MESHES = 64, TESS_SEARCH_RUNS = 10 };

/* Cases of at least three points of a mesh in one order, or by one strategy, and how many of them
 * have a predicted best within 5 % of the best. */
typedef struct tess_close_cases {
    int n, n_close;
} tess_close_cases;

/* What predictions are worth on one mesh, random orders left out but in the correlation. */
typedef struct tess_mesh_evaluation {
    const char *mesh, *application;
    int n_points;
    double median;           /* of |predicted / measured - 1| */
    double correlation;      /* Spearman's, of all points */
    double regret;           /* the time of the predicted best over the best */
    int n_until_close;       /* runs in predicted order until one is within 2 % of the best */
    int n_corrected;         /* the same where each run corrects the order of the rest */
    double regret_corrected; /* of the best of TESS_SEARCH_RUNS such runs */
    tess_close_cases orders, strategies;
} tess_mesh_evaluation;

typedef struct tess_evaluation {
    int n_points; /* without random orders */
    double median, p90, bias, p90_with_random;
    double covered; /* share of times in the interval of their strategy, which other meshes give,
                       or the fit */
    tess_close_cases orders, strategies; /* of all meshes */
    int n_meshes, n_errors;
    tess_mesh_evaluation meshes[TESS_MOST_MESHES];
    tess_fit_errors errors[TESS_MOST_STRATEGIES];
} tess_evaluation;

TESS_MUST_CHECK tess_status tess_evaluate(const tess_machine *machine, const tess_fit_point *points,
                                          int n, tess_held_out what, tess_evaluation *out);

/* Judges what a fit says of the points, whose intervals it has itself. */
TESS_MUST_CHECK tess_status tess_evaluate_fit(const tess_fit *fit, const tess_fit_point *points,
                                              int n, tess_evaluation *out);
