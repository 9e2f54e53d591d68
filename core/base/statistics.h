/* Statistics of samples: medians, their ratio with its interval, and whether two sets differ. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* The median of n values, which are sorted in place; NaN where n is 0. */
double tess_median(double *values, int64_t n);

/* The quantile q in [0, 1] of n values, interpolated between two of them. As before. */
double tess_quantile(double *values, int64_t n, double q);

/* The mean without the fifths of them that are least and most, likewise. Of times of two kinds it
 * deviates by less than the median, which is of the one or the other. */
double tess_trimmed_mean(double *values, int64_t n);

/* The median of values that stay as they are. */
TESS_MUST_CHECK tess_status tess_median_of(const double *values, int64_t n, double *median);

/* An interval that holds the median with at least 95 % probability, whatever the distribution: two
 * of the n sorted values, by the binomial distribution of how many lie below it. Infinite where n
 * is too small (below 6) for any two. */
void tess_median_interval(const double *sorted, int64_t n, double *low, double *high);

/* Two-sided p-value of the sign test that as many of n differences lie above as below 0, by the
 * binomial distribution; differences of 0 are left out. 1 where none is left. */
double tess_sign_test(const double *differences, int64_t n);

/* Two-sided p-value of Student's t with df degrees of freedom, of the normal distribution where df
 * is 0; and the t that has the p-value 0.05. */
double tess_student_p(double t, int64_t df);
double tess_student_t95(int64_t df);

/* A comparison of two sets of samples. */
typedef struct tess_comparison {
    double median_a, median_b;
    double ratio;     /* median_b / median_a */
    double low, high; /* its 95 % interval: percentile bootstrap, widened for autocorrelation */
    double p;         /* of the test, its z shrunk for autocorrelation */
} tess_comparison;

/* Compares samples that were taken one set after the other, in the order in which they were taken,
 * by a bootstrap and Mann and Whitney's test (by the normal approximation, corrected for ties and
 * continuity). Deterministic. The interval is infinite, and p is 1, where a set has less than 5
 * samples. */
TESS_MUST_CHECK tess_status tess_compare(const double *a, int64_t n_a, const double *b, int64_t n_b,
                                         tess_comparison *out);

/* Compares samples that were taken in turns, a[i] and b[i] in one round, by the ratios of the
 * rounds: `ratio` is their median, with the interval of tess_median_interval and the p-value of
 * tess_sign_test, both widened for autocorrelation; then p is of Student's t where that, taken 20
 * times, is less. What slows both of a round down cancels; what slows one of them counts as one
 * round, however long it takes. The interval is infinite below 6 rounds. */
TESS_MUST_CHECK tess_status tess_compare_rounds(const double *a, const double *b, int64_t n,
                                                tess_comparison *out);

/* Makes the interval as wide and p as large as sessions ask for: sets of k_a and k_b sessions whose
 * logarithms differ by `spread` (a standard deviation) from session to session, as found with df
 * degrees of freedom (0: it is known). */
void tess_comparison_widen(tess_comparison *comparison, double spread, int64_t df, int64_t k_a,
                           int64_t k_b);

typedef enum tess_verdict {
    TESS_UNCLEAR, /* none of the others is sure */
    TESS_SAME,    /* the whole interval is within 1 +- the margin */
    TESS_LARGER,  /* the whole interval is above 1 + the margin, and p < 0.01 says so, too */
    TESS_SMALLER  /* the whole interval is below 1 - the margin, and so on */
} tess_verdict;

/* Part by which values may differ and count as the same, unless another is asked for. */
#define TESS_SAME_MARGIN 0.01

/* Interval and test must agree before two sets are called different: an interval alone is wrong in
 * one of twenty comparisons of equals. The margin is what is not worth calling: copies of one run
 * differ by what their places in memory make of them, and more samples find it. */
tess_verdict tess_comparison_verdict(const tess_comparison *comparison, double margin);
