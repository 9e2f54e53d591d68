/* Slopes: how far times of a strategy are from the model's, by what else is known of a run. */
#include "experiments/model/slopes.h"

#include "core/base/array.h"
#include "experiments/model/linear.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN = TESS_N_TRAITS + 1, /* unknowns of a way: the offset, then its slopes */
    VARIANTS_OF_RUN = 3,     /* the strategy, it in its layout, and it with its options */
    MOST_UNKNOWNS = TESS_N_TRAITS + VARIANTS_OF_RUN * OWN + TESS_OFFSETS_OF_VARIANT + 1
};

static const double drawn = 10;       /* to 0: as so many runs of deviation 1 that say so */
static const double drawn_offset = 3; /* of an application or a mesh: the same */
static const double most_off = 0.6;   /* of a logarithm */
static const double most_trait = 3;   /* deviations from the mean */

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

static int find_variant(const tess_slopes *slopes, const char *strategy, const char *layout,
                        size_t length) {
    int w = 0;
    while (w < slopes->n && (strcmp(slopes->variants[w].strategy, strategy) != 0 ||
                             strlen(slopes->variants[w].layout) != length ||
                             strncmp(slopes->variants[w].layout, layout, length) != 0))
        w++;
    return w;
}

static bool has_options(const tess_configuration *variant) {
    return strcmp(variant->strategy, variant->base) != 0;
}

/* The ways of a run; slopes->n for one that nobody timed. */
static void find_variants(const tess_slopes *slopes, const tess_configuration *variant,
                          int variants[VARIANTS_OF_RUN]) {
    variants[0] = find_variant(slopes, variant->base, "", 0);
    variants[1] =
        find_variant(slopes, variant->base, variant->layout, strcspn(variant->layout, ","));
    variants[2] = has_options(variant) ? find_variant(slopes, variant->strategy, "", 0) : slopes->n;
}

static double sum_of_offsets(const tess_slopes *slopes, const tess_configuration *variant) {
    int offsets[TESS_OFFSETS_OF_VARIANT];
    const int n = tess_offsets_find(&slopes->offsets, variant, offsets);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += slopes->offsets.one[offsets[i]].value;
    return sum;
}

double tess_slopes_factor(const tess_slopes *slopes, const tess_configuration *variant,
                          const tess_features *features, const tess_model_time *time) {
    double traits[TESS_N_TRAITS], sum = sum_of_offsets(slopes, variant);
    int variants[VARIANTS_OF_RUN];
    if (slopes->n == 0)
        return 1;
    find_traits(features, time, traits);
    scale_traits(slopes, traits);
    for (int t = 0; t < TESS_N_TRAITS; t++)
        sum += traits[t] * slopes->slope[t];
    find_variants(slopes, variant, variants);
    for (int k = 0; k < VARIANTS_OF_RUN; k++) {
        if (variants[k] == slopes->n)
            continue;
        const tess_slopes_variant *own = &slopes->variants[variants[k]];
        sum += own->offset;
        for (int t = 0; t < TESS_N_TRAITS; t++)
            sum += traits[t] * own->slope[t];
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

static tess_status list_variant(const char *strategy, const char *layout, size_t length,
                                tess_slopes *out) {
    if (find_variant(out, strategy, layout, length) < out->n)
        return TESS_OK;
    if (out->n == TESS_MOST_VARIANTS)
        FAIL(TESS_ERROR_INPUT, "the points are of over %d strategies in their layouts",
             TESS_MOST_VARIANTS);
    tess_slopes_variant *variant = &out->variants[out->n++];
    snprintf(variant->strategy, sizeof variant->strategy, "%s", strategy);
    snprintf(variant->layout, sizeof variant->layout, "%.*s", (int)length, layout);
    return TESS_OK;
}

/* The ways of the samples that take part, the offsets of their applications, and their meshes. */
static tess_status list_variants(const tess_slopes_sample *samples, int n, tess_slopes *out,
                                 tess_offsets *meshes) {
    for (int i = 0; i < n; i++) {
        const tess_configuration *variant = &samples[i].variant;
        if (samples[i].weight <= 0)
            continue;
        TRY(list_variant(variant->base, "", 0, out));
        TRY(list_variant(variant->base, variant->layout, strcspn(variant->layout, ","), out));
        if (has_options(variant))
            TRY(list_variant(variant->strategy, "", 0, out));
        TRY(tess_offsets_add_variant(&out->offsets, variant));
        if (samples[i].mesh)
            TRY(tess_offsets_add(meshes, samples[i].mesh, 0));
    }
    return TESS_OK;
}

/* Unknowns: the offsets of applications, then each way's own, then slopes of all, then the offsets
 * of meshes: what few ways know comes first, so that elimination leaves most zeros. */
static int first_of_variant(const tess_slopes *slopes, int variant) {
    return slopes->offsets.n + variant * OWN;
}

/* The unknowns whose sum a sample's ratio is, each times a value. */
typedef struct unknowns {
    int n, at[MOST_UNKNOWNS];
    double value[MOST_UNKNOWNS];
} unknowns;

static void add_unknown(unknowns *out, int at, double value) {
    out->at[out->n] = at;
    out->value[out->n++] = value;
}

static void list_unknowns(const tess_slopes_sample *sample, const double *traits,
                          const tess_slopes *slopes, const tess_offsets *meshes, unknowns *out) {
    const int first_of_all = first_of_variant(slopes, slopes->n);
    int offsets[TESS_OFFSETS_OF_VARIANT], variants[VARIANTS_OF_RUN];
    const int n_offsets = tess_offsets_find(&slopes->offsets, &sample->variant, offsets);
    out->n = 0;
    for (int i = 0; i < n_offsets; i++)
        add_unknown(out, offsets[i], 1);
    find_variants(slopes, &sample->variant, variants);
    for (int k = 0; k < VARIANTS_OF_RUN; k++)
        for (int u = 0; u < OWN && variants[k] < slopes->n; u++)
            add_unknown(out, first_of_variant(slopes, variants[k]) + u, u == 0 ? 1 : traits[u - 1]);
    for (int t = 0; t < TESS_N_TRAITS; t++)
        add_unknown(out, first_of_all + t, traits[t]);
    if (sample->mesh)
        add_unknown(out, first_of_all + TESS_N_TRAITS + tess_offsets_position(meshes, sample->mesh),
                    1);
}

/* Adds a sample to the normal equations of n unknowns, of which the upper half is kept. */
static void add_sample(const tess_slopes_sample *sample, const unknowns *own, int n, double *a,
                       double *b) {
    const double ratio = fmax(-most_off, fmin(most_off, sample->ratio));
    for (int i = 0; i < own->n; i++) {
        b[own->at[i]] += sample->weight * own->value[i] * ratio;
        for (int j = 0; j < own->n; j++)
            if (own->at[j] >= own->at[i])
                a[own->at[i] * n + own->at[j]] += sample->weight * own->value[i] * own->value[j];
    }
}

static void take_slopes(const double *x, tess_slopes *out) {
    memcpy(out->slope, &x[first_of_variant(out, out->n)], sizeof out->slope);
    for (int w = 0; w < out->n; w++) {
        const double *own = &x[first_of_variant(out, w)];
        out->variants[w].offset = own[0];
        memcpy(out->variants[w].slope, own + 1, sizeof out->variants[w].slope);
    }
    for (int i = 0; i < out->offsets.n; i++)
        out->offsets.one[i].value = x[i];
}

tess_status tess_slopes_find(const tess_slopes_sample *samples, int n, tess_slopes *out) {
    tess_status status = TESS_OK;
    double *traits = NULL, *a = NULL, *b = NULL;
    tess_offsets *meshes = NULL;
    *out = (tess_slopes){.n = 0};
    CHECK(TESS_ZEROS(1, &meshes));
    CHECK(list_variants(samples, n, out, meshes));
    const int n_own = first_of_variant(out, out->n) + TESS_N_TRAITS, m = n_own + meshes->n;
    CHECK(TESS_ALLOC((int64_t)n * TESS_N_TRAITS, &traits));
    CHECK(TESS_ZEROS((int64_t)m * m, &a));
    CHECK(TESS_ZEROS(m, &b));
    for (int i = 0; i < n; i++)
        find_traits(samples[i].features, &samples[i].time, &traits[i * TESS_N_TRAITS]);
    find_scales(samples, n, traits, out);
    for (int i = 0; i < m; i++)
        a[i * m + i] = i < out->offsets.n || i >= n_own ? drawn_offset : drawn;
    for (int i = 0; i < n; i++) {
        unknowns own;
        if (samples[i].weight <= 0)
            continue;
        scale_traits(out, &traits[i * TESS_N_TRAITS]);
        list_unknowns(&samples[i], &traits[i * TESS_N_TRAITS], out, meshes, &own);
        add_sample(&samples[i], &own, m, a, b);
    }
    tess_linear_solve(a, b, m);
    take_slopes(b, out);
done:
    free(meshes);
    free(b);
    free(a);
    free(traits);
    return status;
}
