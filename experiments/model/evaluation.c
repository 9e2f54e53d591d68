/* An evaluation: how good predictions are for meshes or applications that no fit saw, or those of a
 * fit. */
#include "experiments/model/evaluation.h"

#include "core/base/array.h"
#include "core/base/statistics.h"
#include "experiments/model/correction.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluating {
    const tess_fit_point *points;
    const double *predicted;
    int n;
    double *values; /* [n] of room, as the next two */
    int *order, *taken;
} evaluating;

static double error_of(const evaluating *e, int i) {
    return fabs(e->predicted[i] / e->points[i].seconds - 1);
}

/* --- a group of points ------------------------------------------------------------------------ */

/* Lists the points of a mesh; `random` with those of random orders. */
static int list_mesh(const evaluating *e, const char *mesh, bool random, int *out) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        if (strcmp(e->points[i].mesh, mesh) == 0 && (random || !e->points[i].is_random))
            out[n++] = i;
    return n;
}

/* The position of the smallest of the values of n points. */
static int smallest(const double *values, const int *points, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (values[points[i]] < values[points[best]])
            best = i;
    return best;
}

static double best_of(const evaluating *e, const int *points, int n) {
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        best = fmin(best, e->points[points[i]].seconds);
    return best;
}

/* The rank of a value among those of n points, the mean of equal ones. */
static double rank_of(const double *values, int n, double value) {
    double below = 0, equal = 0;
    for (int i = 0; i < n; i++) {
        below += values[i] < value;
        equal += values[i] == value;
    }
    return below + (equal - 1) / 2;
}

static double correlation(const evaluating *e, const int *points, int n) {
    double *a = e->values, *b = e->values + n, sum = 0, squares_a = 0, squares_b = 0;
    const double mean = (n - 1) / 2.0;
    for (int i = 0; i < n; i++) {
        a[i] = e->predicted[points[i]];
        b[i] = e->points[points[i]].seconds;
    }
    for (int i = 0; i < n; i++) {
        const double x = rank_of(a, n, a[i]) - mean, y = rank_of(b, n, b[i]) - mean;
        sum += x * y;
        squares_a += x * x;
        squares_b += y * y;
    }
    return n > 1 ? sum / sqrt(squares_a * squares_b) : NAN;
}

/* The correction of a search among the points [n]. */
static tess_status correction_of(const evaluating *e, const int *points, int n,
                                 tess_correction **out) {
    tess_correction_case *cases = NULL;
    TRY(TESS_ALLOC(n, &cases));
    for (int i = 0; i < n; i++) {
        const tess_fit_point *one = &e->points[points[i]];
        cases[i] = (tess_correction_case){.base = one->base,
                                          .strategy = one->strategy,
                                          .layout = one->layout,
                                          .order = one->order,
                                          .predicted = e->predicted[points[i]]};
    }
    const tess_status status = tess_correction_new(cases, n, out);
    free(cases);
    return status;
}

/* Runs all points [n], the most hopeful first, and learns from each where it `corrects`; gives how
 * many are run until one is within 2 % of the best, and what is found in SEARCH_RUNS over it. */
static tess_status search(const evaluating *e, const int *points, int n, bool corrects,
                          int *n_until_close, double *regret) {
    tess_correction *correction = NULL;
    const double best = best_of(e, points, n);
    double found = INFINITY;
    *n_until_close = 0;
    TRY(correction_of(e, points, n, &correction));
    memset(e->taken, 0, (size_t)n * sizeof *e->taken);
    for (int runs = 1; runs <= n; runs++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!e->taken[i] && (next < 0 || tess_correction_hoped(correction, i) <
                                                 tess_correction_hoped(correction, next)))
                next = i;
        const double seconds = e->points[points[next]].seconds;
        e->taken[next] = 1;
        found = fmin(found, seconds);
        if (corrects)
            tess_correction_learn(correction, next, seconds);
        if (*n_until_close == 0 && found <= 1.02 * best)
            *n_until_close = runs;
        if (runs <= TESS_SEARCH_RUNS)
            *regret = found / best;
    }
    tess_correction_free(correction);
    return TESS_OK;
}

/* --- cases ------------------------------------------------------------------------------------ */

static bool same_case(const tess_fit_point *a, const tess_fit_point *b, bool by_order) {
    return !a->is_random && !b->is_random && strcmp(a->mesh, b->mesh) == 0 &&
           strcmp(by_order ? a->order : a->base, by_order ? b->order : b->base) == 0;
}

/* The cases of a mesh; NULL: of all. */
static tess_close_cases cases_of(const evaluating *e, const char *mesh, bool by_order) {
    tess_close_cases out = {.n = 0};
    for (int i = 0; i < e->n; i++) {
        int n = 0;
        bool first = !mesh || strcmp(e->points[i].mesh, mesh) == 0;
        for (int j = 0; j < e->n && first; j++)
            if (same_case(&e->points[i], &e->points[j], by_order)) {
                first &= j >= i;
                e->order[n++] = j;
            }
        if (!first || n < 3)
            continue;
        const int chosen = e->order[smallest(e->predicted, e->order, n)];
        out.n++;
        out.n_close += e->points[chosen].seconds <= 1.05 * best_of(e, e->order, n);
    }
    return out;
}

/* --- a mesh --------------------------------------------------------------------------------- */

static tess_status evaluate_mesh(const evaluating *e, const char *mesh, tess_mesh_evaluation *out) {
    double regret = NAN;
    *out = (tess_mesh_evaluation){
        .mesh = mesh, .orders = cases_of(e, mesh, true), .strategies = cases_of(e, mesh, false)};
    int n = list_mesh(e, mesh, true, e->order);
    out->application = e->points[e->order[0]].application;
    out->correlation = correlation(e, e->order, n);
    n = list_mesh(e, mesh, false, e->order);
    out->n_points = n;
    out->regret = NAN;
    if (n == 0)
        return TESS_OK;
    for (int i = 0; i < n; i++)
        e->values[i] = error_of(e, e->order[i]);
    out->median = tess_quantile(e->values, n, 0.5);
    const int first = e->order[smallest(e->predicted, e->order, n)];
    out->regret = e->points[first].seconds / best_of(e, e->order, n);
    TRY(search(e, e->order, n, false, &out->n_until_close, &regret));
    return search(e, e->order, n, true, &out->n_corrected, &out->regret_corrected);
}

/* --- all ------------------------------------------------------------------------------------ */

/* Share of points whose time lies in the middle 90 % of measured / predicted of their strategy on
 * the other meshes. */
static double covered(const evaluating *e) {
    int n_in = 0, n_all = 0;
    for (int i = 0; i < e->n; i++) {
        int n = 0;
        if (e->points[i].is_random)
            continue;
        for (int j = 0; j < e->n; j++)
            if (strcmp(e->points[j].base, e->points[i].base) == 0 &&
                strcmp(e->points[j].mesh, e->points[i].mesh) != 0)
                e->values[n++] = e->points[j].seconds / e->predicted[j];
        if (n < 10)
            continue;
        const double low = tess_quantile(e->values, n, 0.05),
                     high = tess_quantile(e->values, n, 0.95);
        const double ratio = e->points[i].seconds / e->predicted[i];
        n_all++;
        n_in += ratio >= low && ratio <= high;
    }
    return n_all ? (double)n_in / n_all : NAN;
}

static void evaluate_all(const evaluating *e, tess_evaluation *out) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        e->values[i] = error_of(e, i);
    out->p90_with_random = tess_quantile(e->values, e->n, 0.9);
    for (int i = 0; i < e->n; i++)
        if (!e->points[i].is_random)
            e->values[n++] = error_of(e, i);
    out->n_points = n;
    out->median = tess_quantile(e->values, n, 0.5);
    out->p90 = tess_quantile(e->values, n, 0.9);
    n = 0;
    for (int i = 0; i < e->n; i++)
        if (!e->points[i].is_random)
            e->values[n++] = e->predicted[i] / e->points[i].seconds;
    out->bias = tess_quantile(e->values, n, 0.5);
    out->orders = cases_of(e, NULL, true);
    out->strategies = cases_of(e, NULL, false);
}

static bool is_first_of_mesh(const evaluating *e, int i) {
    for (int j = 0; j < i; j++)
        if (strcmp(e->points[j].mesh, e->points[i].mesh) == 0)
            return false;
    return true;
}

/* Share of points whose time lies in the interval that the fit states. */
static double covered_by(const tess_fit *fit, const evaluating *e) {
    int n_in = 0, n_all = 0;
    for (int i = 0; i < e->n; i++) {
        const tess_fit_errors *errors = tess_fit_errors_of(fit, e->points[i].base);
        if (!errors || e->points[i].is_random)
            continue;
        const double ratio = e->points[i].seconds / e->predicted[i];
        n_all++;
        n_in += ratio >= errors->low && ratio <= errors->high;
    }
    return n_all ? (double)n_in / n_all : NAN;
}

/* Evaluates what is predicted of the points: by a fit, or (NULL) by fits without each point's mesh
 * or application. */
static tess_status evaluate(const tess_fit *fit, const tess_machine *machine, tess_held_out what,
                            evaluating *e, tess_evaluation *out) {
    tess_status status = TESS_OK;
    double *predicted = NULL;
    *out = (tess_evaluation){.n_points = 0};
    CHECK(TESS_ZEROS(e->n, &predicted));
    CHECK(TESS_ALLOC(2 * (int64_t)e->n, &e->values));
    CHECK(TESS_ALLOC(e->n, &e->order));
    CHECK(TESS_ZEROS(e->n, &e->taken));
    if (fit)
        tess_fit_predict(fit, e->points, e->n, predicted);
    else
        CHECK(tess_fit_hold_out(machine, e->points, e->n, what, predicted));
    e->predicted = predicted;
    evaluate_all(e, out);
    out->covered = fit ? covered_by(fit, e) : covered(e);
    for (int i = 0; i < e->n && out->n_meshes < TESS_MOST_MESHES; i++)
        if (is_first_of_mesh(e, i))
            CHECK(evaluate_mesh(e, e->points[i].mesh, &out->meshes[out->n_meshes++]));
    CHECK(tess_fit_find_errors(e->points, e->n, predicted, out->errors, &out->n_errors));
done:
    free(predicted);
    free(e->values);
    free(e->order);
    free(e->taken);
    return status;
}

tess_status tess_evaluate(const tess_machine *machine, const tess_fit_point *points, int n,
                          tess_held_out what, tess_evaluation *out) {
    evaluating e = {.points = points, .n = n};
    return evaluate(NULL, machine, what, &e, out);
}

tess_status tess_evaluate_fit(const tess_fit *fit, const tess_fit_point *points, int n,
                              tess_evaluation *out) {
    evaluating e = {.points = points, .n = n};
    return evaluate(fit, NULL, TESS_HELD_OUT_MESH, &e, out);
}
