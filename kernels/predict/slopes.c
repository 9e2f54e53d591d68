/* Slopes: how far times of a strategy are from the model's, by what else is known of a run. */
#include "kernels/predict/slopes.h"

#include "core/base/array.h"
#include "kernels/predict/linear.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN = TESS_N_TRAITS + 1, /* unknowns of a way: the offset, then its slopes */
    WAYS_OF_RUN = 2,         /* the strategy, and the strategy in its layout */
};

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

static int find_way(const tess_slopes *slopes, const char *base, const char *layout,
                    size_t length) {
    int w = 0;
    while (w < slopes->n &&
           (strcmp(slopes->ways[w].base, base) != 0 || strlen(slopes->ways[w].layout) != length ||
            strncmp(slopes->ways[w].layout, layout, length) != 0))
        w++;
    return w;
}

/* The ways of a run; slopes->n for one that nobody timed. */
static void find_ways(const tess_slopes *slopes, const char *base, const char *layout,
                      int ways[WAYS_OF_RUN]) {
    ways[0] = find_way(slopes, base, "", 0);
    ways[1] = find_way(slopes, base, layout, strcspn(layout, ","));
}

double tess_slopes_factor(const tess_slopes *slopes, const char *base, const char *layout,
                          const tess_features *features, const tess_model_time *time) {
    double traits[TESS_N_TRAITS], sum = 0;
    int ways[WAYS_OF_RUN];
    if (slopes->n == 0)
        return 1;
    find_traits(features, time, traits);
    scale_traits(slopes, traits);
    for (int t = 0; t < TESS_N_TRAITS; t++)
        sum += traits[t] * slopes->slope[t];
    find_ways(slopes, base, layout, ways);
    for (int k = 0; k < WAYS_OF_RUN; k++) {
        if (ways[k] == slopes->n)
            continue;
        const tess_slopes_way *way = &slopes->ways[ways[k]];
        sum += way->offset;
        for (int t = 0; t < TESS_N_TRAITS; t++)
            sum += traits[t] * way->slope[t];
    }
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

static tess_status list_way(const char *base, const char *layout, size_t length, tess_slopes *out) {
    if (find_way(out, base, layout, length) < out->n)
        return TESS_OK;
    if (out->n == TESS_MOST_WAYS)
        FAIL(TESS_ERROR_INPUT, "the points are of over %d strategies in their layouts",
             TESS_MOST_WAYS);
    tess_slopes_way *way = &out->ways[out->n++];
    snprintf(way->base, sizeof way->base, "%s", base);
    snprintf(way->layout, sizeof way->layout, "%.*s", (int)length, layout);
    return TESS_OK;
}

/* Strategies first, then those in their layouts. */
static tess_status list_ways(const tess_slopes_sample *samples, int n, tess_slopes *out) {
    for (int layouts = 0; layouts <= 1; layouts++)
        for (int i = 0; i < n; i++)
            if (samples[i].weight > 0)
                TRY(list_way(samples[i].base, samples[i].layout,
                             layouts ? strcspn(samples[i].layout, ",") : 0, out));
    return TESS_OK;
}

/* Adds a sample to the normal equations of n unknowns: slopes of all, then of each way its own. */
static void add_sample(const tess_slopes_sample *sample, const double *traits,
                       const int ways[WAYS_OF_RUN], int n, double *a, double *b) {
    enum { N = TESS_N_TRAITS + WAYS_OF_RUN * OWN };
    int at[N];
    double value[N];
    const double ratio = fmax(-most_off, fmin(most_off, sample->ratio));
    for (int t = 0; t < TESS_N_TRAITS; t++) {
        at[t] = t;
        value[t] = traits[t];
    }
    for (int k = 0; k < WAYS_OF_RUN; k++)
        for (int u = 0; u < OWN; u++) {
            at[TESS_N_TRAITS + k * OWN + u] = TESS_N_TRAITS + ways[k] * OWN + u;
            value[TESS_N_TRAITS + k * OWN + u] = u == 0 ? 1 : traits[u - 1];
        }
    for (int i = 0; i < N; i++) {
        b[at[i]] += sample->weight * value[i] * ratio;
        for (int j = 0; j < N; j++)
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
        int ways[WAYS_OF_RUN];
        if (samples[i].weight <= 0)
            continue;
        scale_traits(out, own);
        find_ways(out, samples[i].base, samples[i].layout, ways);
        add_sample(&samples[i], own, ways, m, a, b);
    }
    tess_linear_solve(a, b, m);
    take_slopes(b, out);
done:
    free(b);
    free(a);
    free(traits);
    return status;
}
