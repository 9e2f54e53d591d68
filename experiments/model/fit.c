/* A fit: the model's constants found from timed runs by least squares of logarithms. */
#include "experiments/model/fit.h"

#include "core/base/array.h"
#include "core/base/statistics.h"
#include "experiments/model/linear.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 60 };

static const double outlier = 0.1; /* residuals beyond count by their size, not its square */

/* The constants that are fitted, as the logarithm of each. */
typedef struct fitting {
    const tess_fit_point *points;
    const bool *left_out;
    int n, n_free;
    int constant[TESS_N_CONSTANTS]; /* [n_free] */
    double constants[TESS_N_CONSTANTS];
    double *residual; /* [n] */
    double *slope;    /* [n][n_free] */
    int *kind, *mesh; /* [n] which of the fit's kinds (-1: left out) and of the meshes */
    int n_meshes;
} fitting;

/* The weight by which a residual r counts in least squares of 2 (sqrt(1 + (r / c)^2) - 1) c^2. */
static double weight_of(double r) {
    return 1 / sqrt(1 + r / outlier * (r / outlier));
}

/* Residuals of all points, and what is to become least. */
static double cost_of(const fitting *f, const double *constants, double *residual) {
    double cost = 0;
    for (int i = 0; i < f->n; i++) {
        residual[i] = 0;
        if (f->left_out && f->left_out[i])
            continue;
        const tess_model_time time = tess_model_predict(constants, &f->points[i].features);
        residual[i] = log(time.seconds / f->points[i].seconds);
        cost +=
            2 * outlier * outlier * (sqrt(1 + residual[i] / outlier * (residual[i] / outlier)) - 1);
    }
    return cost;
}

/* Moves a constant by a step of its logarithm, within its bounds. */
static double moved(const fitting *f, int k, double step) {
    const tess_constant_about *about = &tess_constants[f->constant[k]];
    const double value = f->constants[f->constant[k]] * exp(step);
    return value < about->low ? about->low : value > about->high ? about->high : value;
}

/* Slopes of the residuals, 0 for points that are left out. */
static void find_slopes(fitting *f) {
    for (int i = 0; i < f->n; i++) {
        double slopes[TESS_N_CONSTANTS] = {0};
        if (!f->left_out || !f->left_out[i])
            (void)tess_model_slopes(f->constants, &f->points[i].features, slopes);
        for (int k = 0; k < f->n_free; k++)
            f->slope[i * f->n_free + k] = slopes[f->constant[k]];
    }
}

/* The step that the normal equations, damped, ask for. */
static void find_step(const fitting *f, double damping, double *step) {
    double a[TESS_N_CONSTANTS * TESS_N_CONSTANTS] = {0};
    const int n = f->n_free;
    memset(step, 0, (size_t)n * sizeof *step);
    for (int i = 0; i < f->n; i++) {
        const double *slope = &f->slope[i * n], weight = weight_of(f->residual[i]);
        for (int k = 0; k < n; k++) {
            step[k] -= weight * slope[k] * f->residual[i];
            for (int j = k; j < n; j++)
                a[k * n + j] += weight * slope[k] * slope[j];
        }
    }
    for (int k = 0; k < n; k++)
        a[k * n + k] += damping * (a[k * n + k] + 1e-3);
    tess_linear_solve(a, step, n);
}

/* Levenberg and Marquardt's descent from the constants that are there. */
static void descend(fitting *f, double *other) {
    double cost = cost_of(f, f->constants, f->residual), damping = 1e-2;
    double step[TESS_N_CONSTANTS];
    bool moves = true;
    for (int i = 0; i < MOST_STEPS && damping < 1e8; i++) {
        double tried[TESS_N_CONSTANTS];
        if (moves)
            find_slopes(f);
        find_step(f, damping, step);
        memcpy(tried, f->constants, sizeof tried);
        for (int k = 0; k < f->n_free; k++)
            tried[f->constant[k]] = moved(f, k, fmax(-1, fmin(1, step[k])));
        const double then = cost_of(f, tried, other);
        moves = then < cost;
        if (!moves) {
            damping *= 8;
            continue;
        }
        const bool done = cost - then < 1e-7 * cost;
        memcpy(f->constants, tried, sizeof tried);
        memcpy(f->residual, other, (size_t)f->n * sizeof *other);
        cost = then;
        damping = fmax(damping / 4, 1e-6);
        if (done)
            break;
    }
}

/* --- kinds ------------------------------------------------------------------------------------ */

static bool is_kind(const tess_fit_kind *kind, const char *strategy, const char *layout) {
    return strcmp(kind->strategy, strategy) == 0 && strcmp(kind->layout, layout) == 0;
}

const tess_fit_kind *tess_fit_find(const tess_fit *fit, const char *strategy, const char *layout) {
    for (int i = 0; i < fit->n_kinds; i++)
        if (is_kind(&fit->kinds[i], strategy, layout))
            return &fit->kinds[i];
    return NULL;
}

static int find_base(const tess_fit_errors *errors, int n, const char *base) {
    int i = 0;
    while (i < n && strcmp(errors[i].base, base) != 0)
        i++;
    return i;
}

const tess_fit_errors *tess_fit_errors_of(const tess_fit *fit, const char *base) {
    const int i = find_base(fit->errors, fit->n_errors, base);
    return i < fit->n_errors ? &fit->errors[i] : NULL;
}

/* The kind of the same strategy whose sets all lie as this one's layout begins: that of soa for
 * soa,nodes=aos, or NULL, or it is the kind itself. */
static const tess_fit_kind *plain_kind(const tess_fit *fit, const char *strategy,
                                       const char *layout) {
    char plain[TESS_KIND_TEXT];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(layout, ","), layout);
    return strcmp(plain, layout) == 0 ? NULL : tess_fit_find(fit, strategy, plain);
}

/* Whether a point takes part, lies in some order, and is of the kind and the mesh. */
static bool says_of(const fitting *f, int i, int kind, int mesh) {
    return f->kind[i] == kind && f->mesh[i] == mesh && !f->points[i].is_random;
}

/* The median logarithm of measured / predicted of the plain kind's points that differ from this
 * point by their layout alone, or NaN. */
static double median_of_alike(const fitting *f, int plain, int of, double *ratios) {
    const tess_fit_point *point = &f->points[of];
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (says_of(f, i, plain, f->mesh[of]) && strcmp(f->points[i].order, point->order) == 0 &&
            f->points[i].features.threads == point->features.threads)
            ratios[n++] = -f->residual[i];
    return n > 0 ? tess_median(ratios, n) : NAN;
}

/* The median logarithm of measured / predicted of a kind's points on one mesh, less that of runs
 * alike of the plain kind (-1: it has none); NaN where the kind has no points. `ratios` has room
 * for those of all points twice. */
static double median_on_mesh(const fitting *f, int kind, int plain, int mesh, double *ratios) {
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        if (!says_of(f, i, kind, mesh))
            continue;
        const double alike = plain >= 0 ? median_of_alike(f, plain, i, ratios + f->n) : 0;
        if (!isnan(alike))
            ratios[n++] = -f->residual[i] - alike;
    }
    return n > 0 ? tess_median(ratios, n) : NAN;
}

/* The factor of a kind: the mean over meshes of their medians, drawn to 1 as if one mesh more had
 * said so. Layouts that name a set of their own were timed on few meshes: their factor is that of
 * the plain kind, times what they differ by from runs alike. */
static void find_factor(const fitting *f, const tess_fit_kind *plain, tess_fit *fit, int k,
                        double *ratios) {
    tess_fit_kind *kind = &fit->kinds[k];
    double sum = 0;
    kind->n_meshes = 0;
    for (int m = 0; m < f->n_meshes; m++) {
        const double median =
            median_on_mesh(f, k, plain ? (int)(plain - fit->kinds) : -1, m, ratios);
        if (isnan(median))
            continue;
        sum += median;
        kind->n_meshes++;
    }
    kind->factor = (plain ? plain->factor : 1) * exp(sum / (kind->n_meshes + 1));
}

/* Plain kinds first: the others' factors begin with theirs. */
static void find_factors(const fitting *f, tess_fit *out, double *ratios) {
    for (int is_plain = 1; is_plain >= 0; is_plain--)
        for (int k = 0; k < out->n_kinds; k++) {
            const tess_fit_kind *plain =
                plain_kind(out, out->kinds[k].strategy, out->kinds[k].layout);
            if ((plain == NULL) == is_plain)
                find_factor(f, plain, out, k, ratios);
        }
}

/* Numbers the meshes of all points. */
static void number_meshes(fitting *f) {
    for (int i = 0; i < f->n; i++) {
        int j = i; /* the last before of the same mesh */
        while (--j >= 0 && strcmp(f->points[j].mesh, f->points[i].mesh) != 0)
            ;
        f->mesh[i] = j >= 0 ? f->mesh[j] : f->n_meshes++;
    }
}

static tess_status list_kinds(const fitting *f, tess_fit *out) {
    for (int i = 0; i < f->n; i++) {
        const tess_fit_point *point = &f->points[i];
        f->kind[i] = -1;
        if (f->left_out && f->left_out[i])
            continue;
        int k = 0;
        while (k < out->n_kinds && !is_kind(&out->kinds[k], point->strategy, point->layout))
            k++;
        if (k == TESS_MOST_KINDS)
            FAIL(TESS_ERROR_INPUT, "the points are of over %d kinds", TESS_MOST_KINDS);
        if (k == out->n_kinds) {
            out->kinds[out->n_kinds++] = (tess_fit_kind){.factor = 1};
            snprintf(out->kinds[k].strategy, TESS_KIND_TEXT, "%s", point->strategy);
            snprintf(out->kinds[k].layout, TESS_KIND_TEXT, "%s", point->layout);
        }
        f->kind[i] = k;
        out->kinds[k].n_points++;
    }
    return TESS_OK;
}

static tess_configuration variant_of(const tess_fit_point *point) {
    return (tess_configuration){.application = point->application,
                                .base = point->base,
                                .strategy = point->strategy,
                                .layout = point->layout,
                                .block_size = point->block_size};
}

double tess_fit_seconds(const tess_fit *fit, const tess_configuration *variant,
                        const tess_features *features, const tess_model_time *time) {
    const tess_fit_kind *kind = tess_fit_find(fit, variant->strategy, variant->layout);
    if (!kind)
        kind = plain_kind(fit, variant->strategy, variant->layout);
    return time->seconds * (kind ? kind->factor : 1) *
           tess_slopes_factor(&fit->slopes, variant, features, time);
}

/* The prediction of a point by a fit. */
static double predict(const tess_fit *fit, const tess_fit_point *point) {
    const tess_configuration variant = variant_of(point);
    const tess_model_time time = tess_model_predict(fit->constants, &point->features);
    return tess_fit_seconds(fit, &variant, &point->features, &time);
}

/* Points of a mesh that take part. */
static int count_mesh(const fitting *f, const char *mesh) {
    int n = 0;
    for (int i = 0; i < f->n; i++)
        n += !(f->left_out && f->left_out[i]) && !f->points[i].is_random &&
             strcmp(f->points[i].mesh, mesh) == 0;
    return n;
}

/* The slopes of what constants and factors leave; the points of a mesh count as MOST_OF_MESH at
 * most. */
static tess_status find_slopes_of_variants(const fitting *f, tess_fit *out) {
    enum { MOST_OF_MESH = 40 };
    tess_slopes_sample *samples = NULL;
    int n_of_mesh = 0;
    TRY(TESS_ZEROS(f->n, &samples));
    out->slopes.n = 0;
    for (int i = 0; i < f->n; i++) {
        const tess_fit_point *point = &f->points[i];
        if (i == 0 || strcmp(f->points[i - 1].mesh, point->mesh) != 0)
            n_of_mesh = count_mesh(f, point->mesh);
        samples[i] =
            (tess_slopes_sample){.features = &point->features,
                                 .time = tess_model_predict(out->constants, &point->features),
                                 .variant = variant_of(point),
                                 .mesh = point->mesh,
                                 .ratio = log(point->seconds / predict(out, point))};
        if (!(f->left_out && f->left_out[i]) && !point->is_random)
            samples[i].weight = fmin(1, (double)MOST_OF_MESH / n_of_mesh);
    }
    const tess_status status = tess_slopes_find(samples, f->n, &out->slopes);
    free(samples);
    return status;
}

/* What slopes say of a point is no residual any more. */
static void take_out_slopes(const fitting *f, const tess_fit *fit) {
    for (int i = 0; i < f->n; i++) {
        const tess_fit_point *point = &f->points[i];
        const tess_model_time time = tess_model_predict(fit->constants, &point->features);
        const tess_configuration variant = variant_of(point);
        f->residual[i] += log(tess_slopes_factor(&fit->slopes, &variant, &point->features, &time));
    }
}

/* Factors, then slopes of what they leave; then both again, factors of what slopes leave. `ratios`
 * has room for those of all points twice. */
static tess_status find_corrections(fitting *f, tess_fit *out, double *ratios) {
    enum { ROUNDS = 2 };
    TRY(list_kinds(f, out));
    number_meshes(f);
    for (int round = 0; round < ROUNDS; round++) {
        if (round > 0)
            take_out_slopes(f, out);
        find_factors(f, out, ratios);
        TRY(find_slopes_of_variants(f, out));
    }
    return TESS_OK;
}

tess_status tess_fit_make(const tess_machine *machine, const tess_fit_point *points, int n,
                          const bool *left_out, tess_fit *out) {
    tess_status status = TESS_OK;
    fitting f = {.points = points, .left_out = left_out, .n = n};
    double *other = NULL;
    *out = (tess_fit){.n_points = 0};
    for (int i = 0; i < n; i++)
        out->n_points += !(left_out && left_out[i]);
    if (out->n_points <= TESS_N_CONSTANTS)
        FAIL(TESS_ERROR_INPUT, "%d timed runs are too few for a fit: more than %d are needed",
             out->n_points, TESS_N_CONSTANTS);
    for (int c = 0; c < TESS_N_CONSTANTS; c++) {
        f.constants[c] = machine->number[c];
        if (tess_constants[c].fitted)
            f.constant[f.n_free++] = c;
    }
    CHECK(TESS_ALLOC(n, &f.residual));
    CHECK(TESS_ALLOC(2 * (int64_t)n, &other));
    CHECK(TESS_ALLOC((int64_t)n * f.n_free, &f.slope));
    CHECK(TESS_ALLOC(n, &f.kind));
    CHECK(TESS_ALLOC(n, &f.mesh));
    descend(&f, other);
    memcpy(out->constants, f.constants, sizeof f.constants);
    snprintf(out->machine, sizeof out->machine, "%s", machine->name);
    snprintf(out->device, sizeof out->device, "%s", machine->device);
    snprintf(out->digest, sizeof out->digest, "%s", machine->digest);
    CHECK(find_corrections(&f, out, other));
done:
    free(f.residual);
    free(f.slope);
    free(f.kind);
    free(f.mesh);
    free(other);
    return status;
}

/* --- held out --------------------------------------------------------------------------------- */

static const char *group_of(const tess_fit_point *point, tess_held_out what) {
    return what == TESS_HELD_OUT_MESH ? point->mesh : point->application;
}

tess_status tess_fit_hold_out(const tess_machine *machine, const tess_fit_point *points, int n,
                              tess_held_out what, double *predicted) {
    tess_status status = TESS_OK;
    bool *left_out = NULL, *done_with = NULL;
    tess_fit *fit = NULL;
    CHECK(TESS_ZEROS(n, &left_out));
    CHECK(TESS_ZEROS(n, &done_with));
    CHECK(TESS_ZEROS(1, &fit));
    for (int i = 0; i < n; i++) {
        int n_left = 0;
        if (done_with[i])
            continue;
        for (int j = 0; j < n; j++) {
            left_out[j] = strcmp(group_of(&points[j], what), group_of(&points[i], what)) == 0;
            n_left += !left_out[j];
        }
        if (n_left <= TESS_N_CONSTANTS)
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "without %s %s there are only %d timed runs, and more than %d are "
                            "needed: time another %s, too",
                            what == TESS_HELD_OUT_MESH ? "mesh" : "application",
                            group_of(&points[i], what), n_left, TESS_N_CONSTANTS,
                            what == TESS_HELD_OUT_MESH ? "mesh" : "application"));
        CHECK(tess_fit_make(machine, points, n, left_out, fit));
        for (int j = 0; j < n; j++)
            if (left_out[j]) {
                predicted[j] = predict(fit, &points[j]);
                done_with[j] = true;
            }
    }
done:
    free(fit);
    free(left_out);
    free(done_with);
    return status;
}

void tess_fit_predict(const tess_fit *fit, const tess_fit_point *points, int n, double *predicted) {
    for (int i = 0; i < n; i++)
        predicted[i] = predict(fit, &points[i]);
}

static void find_errors_of(const tess_fit_point *points, int n, const double *predicted,
                           tess_fit_errors *out, double *values) {
    int m = 0;
    for (int i = 0; i < n; i++)
        if (strcmp(points[i].base, out->base) == 0)
            values[m++] = points[i].seconds / predicted[i];
    out->n_points = m;
    out->low = tess_quantile(values, m, 0.05);
    out->high = tess_quantile(values, m, 0.95);
    out->bias = 1 / tess_quantile(values, m, 0.5);
    for (int i = 0; i < m; i++)
        values[i] = fabs(1 / values[i] - 1);
    out->median = tess_quantile(values, m, 0.5);
    out->p90 = tess_quantile(values, m, 0.9);
}

tess_status tess_fit_find_errors(const tess_fit_point *points, int n, const double *predicted,
                                 tess_fit_errors *out, int *n_errors) {
    double *values = NULL;
    TRY(TESS_ALLOC(n, &values));
    *n_errors = 0;
    for (int i = 0; i < n && *n_errors < TESS_MOST_STRATEGIES; i++) {
        if (find_base(out, *n_errors, points[i].base) < *n_errors)
            continue;
        tess_fit_errors *errors = &out[(*n_errors)++];
        *errors = (tess_fit_errors){.n_points = 0};
        snprintf(errors->base, sizeof errors->base, "%s", points[i].base);
        find_errors_of(points, n, predicted, errors, values);
    }
    free(values);
    return TESS_OK;
}
