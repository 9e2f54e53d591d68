/* Statistics of samples: medians, their ratio with its interval, and whether two sets differ. */
#ifndef TESS_STATISTICS_H
#define TESS_STATISTICS_H

#include "core/status.h"
#include <stdint.h>

/* The median of n values, which are sorted in place; NaN where n is 0. */
double tess_median(double *values, int64_t n);

/* The same of values that stay as they are. */
TESS_MUST_CHECK tess_status tess_median_of(const double *values, int64_t n, double *median);

/* An interval that holds the median with at least 95 % probability, whatever the distribution: two
 * of the n sorted values, by the binomial distribution of how many lie below it. Infinite where n
 * is too small (below 6) for any two. */
void tess_median_interval(const double *sorted, int64_t n, double *low, double *high);

/* Two-sided p-value of the Mann-Whitney U test that neither of two sets tends to be larger, by the
 * normal approximation with corrections for ties and continuity. 1 where a set is empty or all
 * values are equal. */
TESS_MUST_CHECK tess_status tess_mann_whitney(const double *a, int64_t n_a, const double *b,
                                              int64_t n_b, double *p);

/* How much wider an interval must be because neighbouring samples resemble each other:
 * sqrt((1 + r) / (1 - r)) with r the lag-1 autocorrelation, 1 unless r is significant. */
double tess_autocorrelation_factor(const double *values, int64_t n);

/* A comparison of two sets of samples. */
typedef struct tess_comparison {
    double median_a, median_b;
    double ratio;     /* median_b / median_a */
    double low, high; /* its 95 % interval: percentile bootstrap, widened for autocorrelation */
    double p;         /* Mann-Whitney, its z shrunk for autocorrelation */
} tess_comparison;

/* Compares samples, in the order in which they were taken. Deterministic. The interval is infinite
 * where a set has less than 5 samples. */
TESS_MUST_CHECK tess_status tess_compare(const double *a, int64_t n_a, const double *b, int64_t n_b,
                                         tess_comparison *out);

typedef enum tess_verdict {
    TESS_UNCLEAR, /* none of the others is sure */
    TESS_SAME,    /* the whole interval is within 1 +- the margin */
    TESS_LARGER,  /* the interval excludes 1, and p < 0.01 says so, too */
    TESS_SMALLER
} tess_verdict;

/* Both must agree before two sets are called different: an interval alone is wrong in one of twenty
 * comparisons of equals. */
tess_verdict tess_comparison_verdict(const tess_comparison *comparison, double margin);

#endif
