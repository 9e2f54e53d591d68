/* Slopes: how far times of a strategy are from the model's, by what else is known of a run. */
#include "kernels/predict/slopes.h"

#include "core/base/array.h"
#include "kernels/predict/linear.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN = TESS_N_TRAITS + 1 }; /* unknowns of a strategy: the offset, then its slopes */

static const double drawn = 10;     /* to 0: as so many runs of deviation 1 that say so */
static const double most_off = 0.6; /* of a logarithm */
static const double most_trait = 3; /* deviations from the mean */

static const char *const trait_names[TESS_N_TRAITS] = {
    "memory",   "l2",      "atomics",      "shared",      "latency", "flops",        "launches",
    "resident", "threads", "shared_bytes", "block_reads", "lines",   "memory_bytes", "moved_bytes"};

const char *tess_trait_name(int trait) {
    return trait_names[trait];
}

static double logarithm(double value) {
    return log(fmax(value, 1e-12));
}

static double part(double a, double b) {
    return b > 0 ? a / b : 0;
}

/* The traits: what share of the time each term has; how a multiprocessor is filled; what accesses
 * share. Small numbers are added where a share may be 0. */
static void find_traits(const tess_features *f, const tess_model_time *time, double *out) {
    static const tess_term terms[] = {TESS_TERM_MEMORY, TESS_TERM_L2,      TESS_TERM_ATOMICS,
                                      TESS_TERM_SHARED, TESS_TERM_LATENCY, TESS_TERM_FLOPS};
    const tess_traffic_counts *n = &f->traffic;
    int i = 0;
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        out[i++] = logarithm(time->terms[terms[k]] / time->seconds + 0.02);
    const double others[] = {
        time->terms[TESS_TERM_LAUNCHES] / time->seconds,
        time->resident,
        f->threads,
        f->shared_bytes + 1000,
        part(n->block_reads, n->reads),
        part(n->lines + 1, n->block_reads + n->writes + n->passes),
        part(TESS_SECTOR * (n->memory_reads + n->memory_writes), f->moved_bytes),
        f->moved_bytes};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        out[i++] = logarithm(others[k]);
}

/* The traits less their means, over their deviations, within limits. */
static void scale_traits(const tess_slopes *slopes, double *traits) {
    for (int t = 0; t < TESS_N_TRAITS; t++)
        traits[t] = fmax(-most_trait, fmin(most_trait, (traits[t] - slopes->mean[t]) /
                                                           (slopes->deviation[t] + 1e-9)));
}

static int find_way(const tess_slopes *slopes, const char *base) {
    int w = 0;
    while (w < slopes->n && strcmp(slopes->ways[w].base, base) != 0)
        w++;
    return w;
}

double tess_slopes_factor(const tess_slopes *slopes, const char *base,
                          const tess_features *features, const tess_model_time *time) {
    double traits[TESS_N_TRAITS], sum = 0;
    if (slopes->n == 0)
        return 1;
    find_traits(features, time, traits);
    scale_traits(slopes, traits);
    const int w = find_way(slopes, base);
    const tess_slopes_way *way = w < slopes->n ? &slopes->ways[w] : NULL;
    for (int t = 0; t < TESS_N_TRAITS; t++)
        sum += traits[t] * (slopes->slope[t] + (way ? way->slope[t] : 0));
    sum += way ? way->offset : 0;
    return exp(fmax(-most_off, fmin(most_off, sum)));
}

/* --- finding them ----------------------------------------------------------------------------- */

/* Means and deviations of the traits [n][TESS_N_TRAITS] of samples that take part. */
static void find_scales(const tess_slopes_sample *samples, int n, const double *traits,
                        tess_slopes *out) {
    for (int t = 0; t < TESS_N_TRAITS; t++) {
        double sum = 0, squares = 0, many = 0;
        for (int i = 0; i < n; i++)
            if (samples[i].weight > 0) {
                sum += traits[i * TESS_N_TRAITS + t];
                many++;
            }
        out->mean[t] = sum / many;
        for (int i = 0; i < n; i++)
            if (samples[i].weight > 0)
                squares += pow(traits[i * TESS_N_TRAITS + t] - out->mean[t], 2);
        out->deviation[t] = sqrt(squares / many);
    }
}

static tess_status list_ways(const tess_slopes_sample *samples, int n, tess_slopes *out) {
    for (int i = 0; i < n; i++) {
        if (samples[i].weight <= 0 || find_way(out, samples[i].base) < out->n)
            continue;
        if (out->n == TESS_MOST_STRATEGIES)
            FAIL(TESS_ERROR_INPUT, "the points are of over %d strategies", TESS_MOST_STRATEGIES);
        tess_slopes_way *way = &out->ways[out->n++];
        snprintf(way->base, sizeof way->base, "%s", samples[i].base);
    }
    return TESS_OK;
}

/* Adds a sample to the normal equations: slopes of all, then of each strategy its own unknowns. */
static void add_sample(const tess_slopes_sample *sample, const double *traits, int way, int n,
                       double *a, double *b) {
    int at[TESS_N_TRAITS + OWN];
    double value[TESS_N_TRAITS + OWN];
    const double ratio = fmax(-most_off, fmin(most_off, sample->ratio));
    for (int t = 0; t < TESS_N_TRAITS; t++) {
        at[t] = t;
        at[TESS_N_TRAITS + 1 + t] = TESS_N_TRAITS + way * OWN + 1 + t;
        value[t] = value[TESS_N_TRAITS + 1 + t] = traits[t];
    }
    at[TESS_N_TRAITS] = TESS_N_TRAITS + way * OWN;
    value[TESS_N_TRAITS] = 1;
    for (int i = 0; i < TESS_N_TRAITS + OWN; i++) {
        b[at[i]] += sample->weight * value[i] * ratio;
        for (int j = 0; j < TESS_N_TRAITS + OWN; j++)
            a[at[i] * n + at[j]] += sample->weight * value[i] * value[j];
    }
}

static void take_slopes(const double *x, tess_slopes *out) {
    memcpy(out->slope, x, sizeof out->slope);
    for (int w = 0; w < out->n; w++) {
        const double *own = &x[TESS_N_TRAITS + w * OWN];
        out->ways[w].offset = own[0];
        memcpy(out->ways[w].slope, own + 1, sizeof out->ways[w].slope);
    }
}

tess_status tess_slopes_find(const tess_slopes_sample *samples, int n, tess_slopes *out) {
    tess_status status = TESS_OK;
    double *traits = NULL, *a = NULL, *b = NULL;
    *out = (tess_slopes){.n = 0};
    CHECK(list_ways(samples, n, out));
    const int m = TESS_N_TRAITS + out->n * OWN;
    CHECK(TESS_ALLOC((int64_t)n * TESS_N_TRAITS, &traits));
    CHECK(TESS_ZEROS((int64_t)m * m, &a));
    CHECK(TESS_ZEROS(m, &b));
    for (int i = 0; i < n; i++)
        find_traits(samples[i].features, &samples[i].time, &traits[i * TESS_N_TRAITS]);
    find_scales(samples, n, traits, out);
    for (int i = 0; i < m; i++)
        a[i * m + i] = drawn;
    for (int i = 0; i < n; i++) {
        double *own = &traits[i * TESS_N_TRAITS];
        if (samples[i].weight <= 0)
            continue;
        scale_traits(out, own);
        add_sample(&samples[i], own, find_way(out, samples[i].base), m, a, b);
    }
    tess_linear_solve(a, b, m);
    take_slopes(b, out);
done:
    free(b);
    free(a);
    free(traits);
    return status;
}
