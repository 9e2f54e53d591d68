/* Statistics of samples: medians, their ratio with its interval, and whether two sets differ. */
#include "core/base/statistics.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/splitmix.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 4000, FEWEST_SAMPLES = 5 };

static const double certain = 0.01; /* p below this */

double tess_median(double *values, int64_t n) {
    if (n == 0)
        return NAN;
    tess_sort_reals(values, n);
    return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

double tess_quantile(double *values, int64_t n, double q) {
    if (n == 0)
        return NAN;
    tess_sort_reals(values, n);
    const double at = q * (double)(n - 1);
    const int64_t i = (int64_t)at;
    return i + 1 < n ? values[i] + (at - (double)i) * (values[i + 1] - values[i]) : values[n - 1];
}

double tess_trimmed_mean(double *values, int64_t n) {
    const int64_t left_out = n / 5;
    double sum = 0;
    tess_sort_reals(values, n);
    for (int64_t i = left_out; i < n - left_out; i++)
        sum += values[i];
    return sum / (double)(n - 2 * left_out);
}

static tess_status sorted_copy(const double *values, int64_t n, double **out) {
    TRY(TESS_COPY(n, values, out));
    tess_sort_reals(*out, n);
    return TESS_OK;
}

tess_status tess_median_of(const double *values, int64_t n, double *median) {
    double *sorted = NULL;
    TRY(sorted_copy(values, n, &sorted));
    *median = tess_median(sorted, n);
    free(sorted);
    return TESS_OK;
}

void tess_median_interval(const double *sorted, int64_t n, double *low, double *high) {
    double log_term = -(double)n * log(2), below = 0; /* P(at most k of n lie below the median) */
    int64_t k = -1;
    while (k + 1 < n / 2 && below + exp(log_term) <= 0.025) {
        k++;
        below += exp(log_term);
        log_term += log((double)(n - k)) - log((double)(k + 1));
    }
    *low = k >= 0 ? sorted[k] : -INFINITY;
    *high = k >= 0 ? sorted[n - 1 - k] : INFINITY;
}

/* A value and which of two sets it is of. */
typedef struct ranked {
    double value;
    int set;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

/* z of Mann and Whitney's U, corrected for ties and continuity; 0 where all values are equal. */
static double mann_whitney_z(const ranked *ranks, double n_a, double n_b) {
    const int64_t n = (int64_t)(n_a + n_b);
    double rank_sum = 0, ties = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        int64_t of_a = 0;
        for (end = i; end < n && ranks[end].value == ranks[i].value; end++)
            of_a += ranks[end].set == 0;
        const double tied = (double)(end - i);
        rank_sum += (double)of_a * ((double)(i + end) + 1) / 2; /* mean rank, from 1 */
        ties += tied * tied * tied - tied;
    }
    const double u = rank_sum - n_a * (n_a + 1) / 2, total = n_a + n_b;
    const double variance = n_a * n_b / 12 * (total + 1 - ties / (total * (total - 1)));
    const double distance = fabs(u - n_a * n_b / 2) - 0.5;
    return variance > 0 ? distance / sqrt(variance) : 0;
}

static tess_status two_sided_z(const double *a, int64_t n_a, const double *b, int64_t n_b,
                               double *z) {
    ranked *ranks = NULL;
    *z = 0;
    if (n_a == 0 || n_b == 0)
        return TESS_OK;
    TRY(TESS_ALLOC(n_a + n_b, &ranks));
    for (int64_t i = 0; i < n_a; i++)
        ranks[i] = (ranked){a[i], 0};
    for (int64_t i = 0; i < n_b; i++)
        ranks[n_a + i] = (ranked){b[i], 1};
    qsort(ranks, (size_t)(n_a + n_b), sizeof *ranks, compare_ranked);
    *z = mann_whitney_z(ranks, (double)n_a, (double)n_b);
    free(ranks);
    return TESS_OK;
}

static double p_of(double z) {
    return fmin(1, erfc(z / sqrt(2)));
}

/* How many of n differences are not 0, and how many of the rarer sign there are. */
static int64_t count_signs(const double *differences, int64_t n, int64_t *n_rarer) {
    int64_t above = 0, below = 0;
    for (int64_t i = 0; i < n; i++) {
        above += differences[i] > 0;
        below += differences[i] < 0;
    }
    *n_rarer = above < below ? above : below;
    return above + below;
}

double tess_sign_test(const double *differences, int64_t n) {
    int64_t n_rarer = 0;
    const int64_t m = count_signs(differences, n, &n_rarer);
    double log_term = -(double)m * log(2), p = 0;
    for (int64_t k = 0; k <= n_rarer; k++) {
        p += exp(log_term);
        log_term += log((double)(m - k)) - log((double)(k + 1));
    }
    return fmin(1, 2 * p);
}

/* How much wider an interval must be because neighbouring samples resemble each other:
 * sqrt((1 + r) / (1 - r)) with r the lag-1 autocorrelation, 1 unless r is significant. Counted from
 * the first value, so that equal ones differ by 0 from their mean. */
static double autocorrelation_factor(const double *values, int64_t n) {
    double mean = 0, variance = 0, covariance = 0;
    for (int64_t i = 0; i < n; i++)
        mean += (values[i] - values[0]) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double off = values[i] - values[0] - mean;
        variance += off * off;
        if (i > 0)
            covariance += off * (values[i - 1] - values[0] - mean);
    }
    const double r = variance > 0 ? fmin(covariance / variance, 0.9) : 0;
    return n > 1 && r > 2 / sqrt((double)n) ? sqrt((1 + r) / (1 - r)) : 1;
}

/* The k-th smallest of the sample that takes sorted[i] counts[i] times. */
static double at_rank(const double *sorted, const int32_t *counts, int64_t k) {
    int64_t i = 0;
    for (int64_t below = counts[0]; below <= k; below += counts[++i])
        ;
    return sorted[i];
}

/* The median of n values drawn from the n sorted ones, each as often as chance has it. */
static double resampled_median(const double *sorted, int64_t n, int32_t *counts, uint64_t *state) {
    memset(counts, 0, (size_t)n * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        counts[tess_random_below(state, n)]++;
    const double upper = at_rank(sorted, counts, n / 2);
    return n % 2 ? upper : (upper + at_rank(sorted, counts, n / 2 - 1)) / 2;
}

/* The percentile bootstrap of the ratio of medians of two sorted sets. */
static tess_status bootstrap(const double *a, int64_t n_a, const double *b, int64_t n_b,
                             double *low, double *high) {
    tess_status status = TESS_OK;
    double *ratios = NULL;
    int32_t *counts = NULL;
    uint64_t state = 1;
    CHECK(TESS_ALLOC(RESAMPLES, &ratios));
    CHECK(TESS_ALLOC(n_a > n_b ? n_a : n_b, &counts));
    for (int i = 0; i < RESAMPLES; i++) {
        const double median_a = resampled_median(a, n_a, counts, &state);
        ratios[i] = resampled_median(b, n_b, counts, &state) / median_a;
    }
    *low = tess_quantile(ratios, RESAMPLES, 0.025);
    *high = tess_quantile(ratios, RESAMPLES, 0.975);
done:
    free(counts);
    free(ratios);
    return status;
}

tess_status tess_compare(const double *a, int64_t n_a, const double *b, int64_t n_b,
                         tess_comparison *out) {
    tess_status status = TESS_OK;
    double *sorted_a = NULL, *sorted_b = NULL, z = 0;
    CHECK(sorted_copy(a, n_a, &sorted_a));
    CHECK(sorted_copy(b, n_b, &sorted_b));
    *out = (tess_comparison){.low = 0, .high = INFINITY, .p = 1};
    out->median_a = tess_median(sorted_a, n_a);
    out->median_b = tess_median(sorted_b, n_b);
    out->ratio = out->median_b / out->median_a;
    if (n_a < FEWEST_SAMPLES || n_b < FEWEST_SAMPLES)
        goto done;
    const double factor = fmax(autocorrelation_factor(a, n_a), autocorrelation_factor(b, n_b));
    CHECK(bootstrap(sorted_a, n_a, sorted_b, n_b, &out->low, &out->high));
    out->low = out->ratio * pow(out->low / out->ratio, factor);
    out->high = out->ratio * pow(out->high / out->ratio, factor);
    CHECK(two_sided_z(a, n_a, b, n_b, &z));
    out->p = p_of(z / factor);
done:
    free(sorted_a);
    free(sorted_b);
    return status;
}

/* The test of differences that resemble their neighbours: the sign test by the normal
 * approximation. As many as n / factor^2 count, and where these are few no signs are sure, however
 * far from 0 all of them are: Student's t finds that, with a twentieth of the error. */
static double correlated_test(const double *differences, int64_t n, double factor) {
    int64_t n_rarer = 0;
    const double m = (double)count_signs(differences, n, &n_rarer);
    const double counted = (double)n / (factor * factor);
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++)
        mean += differences[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        variance += (differences[i] - mean) * (differences[i] - mean) / (double)(n - 1);
    const double by_signs = p_of((m / 2 - (double)n_rarer - 0.5) / sqrt(m / 4) / factor);
    const double t = mean / sqrt(variance / counted);
    return fmin(by_signs, 20 * tess_student_p(t, counted < 2 ? 1 : (int64_t)counted - 1));
}

tess_status tess_compare_rounds(const double *a, const double *b, int64_t n, tess_comparison *out) {
    tess_status status = TESS_OK;
    double *logarithms = NULL, *sorted = NULL;
    *out = (tess_comparison){.low = 0, .high = INFINITY, .p = 1};
    CHECK(TESS_ALLOC(n, &logarithms));
    for (int64_t i = 0; i < n; i++)
        logarithms[i] = log(b[i] / a[i]);
    CHECK(tess_median_of(a, n, &out->median_a));
    CHECK(tess_median_of(b, n, &out->median_b));
    CHECK(sorted_copy(logarithms, n, &sorted));
    const double centre = tess_median(sorted, n), factor = autocorrelation_factor(logarithms, n);
    double low = -INFINITY, high = INFINITY;
    tess_median_interval(sorted, n, &low, &high);
    out->ratio = exp(centre);
    out->low = exp(centre + (low - centre) * factor);
    out->high = exp(centre + (high - centre) * factor);
    out->p = factor > 1 ? correlated_test(logarithms, n, factor) : tess_sign_test(logarithms, n);
done:
    free(sorted);
    free(logarithms);
    return status;
}

/* The probability that |t| of Student's distribution is below `t` (Abramowitz and Stegun, 26.7.3
 * and 26.7.4). */
static double student_within(double t, int64_t df) {
    static const double pi = 3.14159265358979323846;
    const double angle = atan(t / sqrt((double)df)), cosine = cos(angle);
    const bool odd = df % 2;
    double term = odd ? cosine : 1, sum = df == 1 ? 0 : term;
    for (int64_t i = odd ? 3 : 2; i <= df - 2; i += 2) {
        term *= cosine * cosine * (double)(i - 1) / (double)i;
        sum += term;
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double tess_student_p(double t, int64_t df) {
    return df > 0 ? fmax(0, 1 - student_within(fabs(t), df)) : p_of(fabs(t));
}

double tess_student_t95(int64_t df) {
    double low = 0, high = 13; /* that of one degree of freedom is 12.7 */
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (tess_student_p(middle, df) > 0.05)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tess_comparison_widen(tess_comparison *comparison, double spread, int64_t df, int64_t k_a,
                           int64_t k_b) {
    const double error = spread * sqrt(1 / (double)k_a + 1 / (double)k_b);
    const double reach = exp(tess_student_t95(df) * error);
    comparison->low = fmin(comparison->low, comparison->ratio / reach);
    comparison->high = fmax(comparison->high, comparison->ratio * reach);
    if (error > 0)
        comparison->p = fmax(comparison->p, tess_student_p(log(comparison->ratio) / error, df));
}

tess_verdict tess_comparison_verdict(const tess_comparison *comparison, double margin) {
    if (comparison->low > 1 - margin && comparison->high < 1 + margin)
        return TESS_SAME;
    if (comparison->p < certain && comparison->low > 1 + margin)
        return TESS_LARGER;
    if (comparison->p < certain && comparison->high < 1 - margin)
        return TESS_SMALLER;
    return TESS_UNCLEAR;
}
