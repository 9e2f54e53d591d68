/* Statistics of samples: medians and their intervals. */
#include "experiments/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tess_median(double *values, int64_t n) {
    if (n == 0)
        return NAN;
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}
