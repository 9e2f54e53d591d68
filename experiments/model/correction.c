/* A correction: what a search has learned from its first runs about how far its predictions are
 * off.
 */
#include "experiments/model/correction.h"

#include "core/base/array.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EFFECT_MESH, EFFECT_STRATEGY, EFFECT_KIND, EFFECT_ORDER, N_PARTS };

/* Standard deviations of effects before anything is measured, in logarithms of time. A mesh's is
 * wide: that all is slower by one factor changes no order. The others are about what makes the 22
 * meshes of docs/results/h200_features.json likeliest when each is held out of the fit. */
static const double deviation[N_PARTS] = {0.5, 0.1, 0.1, 0.1};
static const double noise = 0.08;
static const double optimism = 1.5; /* standard deviations */

struct tess_correction {
    int64_t n, n_effects;
    double *logarithm;        /* [n] of the predicted time, or NaN */
    int64_t (*part)[N_PARTS]; /* [n] effects that a case has a part in */
    double *mean;             /* [n_effects] */
    double *covariance;       /* [n_effects][n_effects] */
    double *column;           /* [n_effects] of room */
};

static bool shares(const tess_correction_case *a, const tess_correction_case *b, int part) {
    const bool same_base = strcmp(a->base, b->base) == 0;
    switch (part) {
    case EFFECT_MESH:
        return true;
    case EFFECT_STRATEGY:
        return same_base;
    case EFFECT_KIND:
        return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->layout, b->layout) == 0;
    default:
        return same_base && strcmp(a->order, b->order) == 0;
    }
}

/* Numbers the effects: a case has a part in that of the first case that it shares one with. */
static void number_effects(const tess_correction_case *cases, tess_correction *out) {
    for (int part = 0; part < N_PARTS; part++)
        for (int64_t i = 0; i < out->n; i++) {
            int64_t first = 0;
            while (!shares(&cases[first], &cases[i], part))
                first++;
            out->part[i][part] = first < i ? out->part[first][part] : out->n_effects++;
        }
}

tess_status tess_correction_new(const tess_correction_case *cases, int64_t n,
                                tess_correction **out) {
    tess_status status = TESS_OK;
    tess_correction *correction = NULL;
    CHECK(TESS_ZEROS(1, &correction));
    correction->n = n;
    CHECK(TESS_ALLOC(n, &correction->logarithm));
    CHECK(TESS_ALLOC(n, &correction->part));
    for (int64_t i = 0; i < n; i++)
        correction->logarithm[i] = log(cases[i].predicted);
    number_effects(cases, correction);
    const int64_t n_effects = correction->n_effects;
    CHECK(TESS_ZEROS(n_effects, &correction->mean));
    CHECK(TESS_ZEROS(n_effects * n_effects, &correction->covariance));
    CHECK(TESS_ALLOC(n_effects, &correction->column));
    for (int64_t i = 0; i < n; i++)
        for (int part = 0; part < N_PARTS; part++) {
            const int64_t effect = correction->part[i][part];
            correction->covariance[effect * n_effects + effect] = deviation[part] * deviation[part];
        }
    *out = TESS_TAKE(correction);
done:
    tess_correction_free(correction);
    return status;
}

void tess_correction_free(tess_correction *correction) {
    if (!correction)
        return;
    free(correction->logarithm);
    free(correction->part);
    free(correction->mean);
    free(correction->covariance);
    free(correction->column);
    free(correction);
}

static double mean_of(const tess_correction *c, int64_t i) {
    double mean = 0;
    for (int part = 0; part < N_PARTS; part++)
        mean += c->mean[c->part[i][part]];
    return mean;
}

/* The covariance of an effect and the sum of those of case i. */
static double shared_with(const tess_correction *c, int64_t effect, int64_t i) {
    double sum = 0;
    for (int part = 0; part < N_PARTS; part++)
        sum += c->covariance[effect * c->n_effects + c->part[i][part]];
    return sum;
}

static double variance_of(const tess_correction *c, int64_t i) {
    double variance = 0;
    for (int part = 0; part < N_PARTS; part++)
        variance += shared_with(c, c->part[i][part], i);
    return variance;
}

void tess_correction_learn(tess_correction *c, int64_t i, double seconds) {
    if (isnan(c->logarithm[i]))
        return;
    const double variance = variance_of(c, i) + noise * noise;
    const double surprise = log(seconds) - c->logarithm[i] - mean_of(c, i);
    for (int64_t e = 0; e < c->n_effects; e++)
        c->column[e] = shared_with(c, e, i);
    for (int64_t e = 0; e < c->n_effects; e++) {
        c->mean[e] += c->column[e] / variance * surprise;
        for (int64_t f = 0; f < c->n_effects; f++)
            c->covariance[e * c->n_effects + f] -= c->column[e] * c->column[f] / variance;
    }
}

double tess_correction_expected(const tess_correction *c, int64_t i) {
    return isnan(c->logarithm[i]) ? INFINITY : exp(c->logarithm[i] + mean_of(c, i));
}

double tess_correction_hoped(const tess_correction *c, int64_t i) {
    return tess_correction_expected(c, i) * exp(-optimism * sqrt(fmax(variance_of(c, i), 0)));
}
