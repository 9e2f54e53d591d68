/* A sequential test: whether one program is slower than another by a limit, asked again after each
 * run of both, until it is sure.
 *
 * Each look spends its share of the probability of an error, (f - 1) / (n (n - 1)) at n runs from
 * the first look at f on, so that all looks together err with at most that (Bonferroni's bound;
 * Student's t of the logarithms). A few processes that were all of the slow kind by chance, of two
 * that are as frequent, show no deviation: the first look waits until that has a third of the
 * error's probability at most. */
#pragma once

#include <stdint.h>

enum { TESS_FEWEST_LOOKED_AT = 4 }; /* runs */

/* The ratio of n times that were taken in pairs, ours[i] right beside reference[i]: the trimmed
 * mean of the pairs' logarithms. What slows a machine down for a while slows down both of a pair.
 * Ours are overwritten. */
double tess_ratio_of_pairs(const double *reference, double *ours, int n);

typedef struct tess_sequential_test {
    double limit; /* 0.02: slower by a fiftieth is what is looked for */
    double error; /* probability that a verdict is wrong, whenever it comes */
} tess_sequential_test;

typedef enum tess_sequential_verdict {
    TESS_SEQUENTIAL_OPEN,   /* neither is sure yet */
    TESS_SEQUENTIAL_SLOWER, /* by more than half of the limit */
    TESS_SEQUENTIAL_SAME    /* slower by less than the limit, or faster */
} tess_sequential_verdict;

typedef struct tess_sequential_result {
    tess_sequential_verdict verdict;
    double ratio, low, high; /* of the times, and its 95 % interval if this were the only look */
} tess_sequential_result;

/* Times that were taken in turns, reference[i] beside ours[i], each by a process of its own. */
tess_sequential_result tess_sequential_pairs(const tess_sequential_test *test,
                                             const double *reference, const double *ours,
                                             int64_t n);

/* How many turns more are likely to decide, if times go on as they did: as many as a verdict takes
 * of the same mean and deviation. -1 where two turns have not been seen. */
int64_t tess_sequential_pairs_wanted(const tess_sequential_test *test, const double *reference,
                                     const double *ours, int64_t n);

/* Times of processes of another day: n of the reference, which are all there are, n_ours so far. At
 * least three are needed. */
tess_sequential_result tess_sequential_apart(const tess_sequential_test *test,
                                             const double *reference, int64_t n, const double *ours,
                                             int64_t n_ours);
