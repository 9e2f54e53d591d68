/* A sequential test: whether one program is slower than another by a limit. */
#include "core/base/sequential_verdict.h"

#include "core/base/statistics.h"
#include <math.h>
#include <stddef.h>

double tess_ratio_of_pairs(const double *reference, double *ours, int n) {
    for (int i = 0; i < n; i++)
        ours[i] = log(ours[i] / reference[i]);
    return exp(tess_trimmed_mean(ours, n));
}

/* A mean with its standard error. */
typedef struct estimate {
    double mean, error;
    int64_t df;
} estimate;

static estimate mean_of_logarithms(const double *values, const double *divisors, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += log(divisors ? values[i] / divisors[i] : values[i]);
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double off = log(divisors ? values[i] / divisors[i] : values[i]) - mean;
        squares += off * off;
    }
    return (estimate){mean, sqrt(squares / (double)(n - 1) / (double)n), n - 1};
}

/* The probability of so large a mean where the true one is at most `bound`. */
static double p_above(const estimate *of, double bound) {
    const double off = of->mean - bound;
    if (of->error == 0)
        return off > 0 ? 0 : 1;
    const double p = tess_student_p(off / of->error, of->df) / 2;
    return off > 0 ? p : 1 - p;
}

/* The run from which on one looks: of n processes of ours and as many of the reference, or the
 * n_reference that there are. */
static int64_t first_look(const tess_sequential_test *test, int64_t n_reference) {
    const int64_t processes = (int64_t)ceil(log2(3 / test->error));
    const int64_t n = n_reference ? processes - n_reference : (processes + 1) / 2;
    return n > TESS_FEWEST_LOOKED_AT ? n : TESS_FEWEST_LOOKED_AT;
}

static tess_sequential_result judge(const tess_sequential_test *test, const estimate *of, int64_t n,
                                    int64_t first) {
    tess_sequential_result result = {TESS_SEQUENTIAL_OPEN, NAN, -INFINITY, INFINITY};
    if (n < 2 || of->df < 1)
        return result;
    const double reach = tess_student_t95(of->df) * of->error;
    result.ratio = exp(of->mean);
    result.low = exp(of->mean - reach);
    result.high = exp(of->mean + reach);
    if (n < first)
        return result;
    const double spent = test->error * (double)(first - 1) / (double)(n * (n - 1));
    if (p_above(of, log1p(test->limit / 2)) < spent)
        result.verdict = TESS_SEQUENTIAL_SLOWER;
    else if (1 - p_above(of, log1p(test->limit)) < spent)
        result.verdict = TESS_SEQUENTIAL_SAME;
    return result;
}

tess_sequential_result tess_sequential_pairs(const tess_sequential_test *test,
                                             const double *reference, const double *ours,
                                             int64_t n) {
    const estimate ratio = mean_of_logarithms(ours, reference, n);
    return judge(test, &ratio, n, first_look(test, 0));
}

int64_t tess_sequential_pairs_wanted(const tess_sequential_test *test, const double *reference,
                                     const double *ours, int64_t n) {
    const int64_t most = 1 << 24; /* where the mean is just between the two bounds */
    if (n < 2)
        return -1;
    const estimate seen = mean_of_logarithms(ours, reference, n);
    int64_t all = n + 1;
    for (; all < most; all += 1 + all / 64) {
        const estimate then = {seen.mean, seen.error * sqrt((double)n / (double)all), all - 1};
        if (judge(test, &then, all, first_look(test, 0)).verdict != TESS_SEQUENTIAL_OPEN)
            break;
    }
    return all - n;
}

/* The difference of two means: by Welch, or as if both deviated alike where that is less sure, for
 * a few processes may be alike by chance. */
static estimate difference_of(const estimate *a, int64_t n, const estimate *b, int64_t m) {
    const double va = a->error * a->error, vb = b->error * b->error;
    const double pooled = (va * (double)n * (double)a->df + vb * (double)m * (double)b->df) /
                          (double)(a->df + b->df) * (1 / (double)n + 1 / (double)m);
    const double welch = va + vb;
    const int64_t df =
        welch > pooled
            ? (int64_t)(welch * welch / (va * va / (double)a->df + vb * vb / (double)b->df))
            : a->df + b->df;
    return (estimate){b->mean - a->mean, sqrt(fmax(welch, pooled)), df};
}

tess_sequential_result tess_sequential_apart(const tess_sequential_test *test,
                                             const double *reference, int64_t n, const double *ours,
                                             int64_t n_ours) {
    estimate difference = {.df = 0};
    if (n >= 3 && n_ours >= 2) {
        const estimate a = mean_of_logarithms(reference, NULL, n);
        const estimate b = mean_of_logarithms(ours, NULL, n_ours);
        difference = difference_of(&a, n, &b, n_ours);
    }
    return judge(test, &difference, n_ours, first_look(test, n));
}
