/* Comparisons for tests: reads lines "n a... m b..." and prints for each what tess_compare and the
 * others find: median_a low_a high_a ratio low high p verdict mann_whitney. */
#include "core/array.h"
#include "experiments/statistics.h"

#include <stdio.h>
#include <stdlib.h>

static int read_samples(double **values, long *n) {
    if (scanf("%ld", n) != 1 || TESS_ALLOC(*n, values) != TESS_OK)
        return 0;
    for (long i = 0; i < *n; i++)
        if (scanf("%lf", &(*values)[i]) != 1)
            return 0;
    return 1;
}

int main(void) {
    double *a = NULL, *b = NULL;
    long n_a = 0, n_b = 0;
    while (read_samples(&a, &n_a) && read_samples(&b, &n_b)) {
        tess_comparison found;
        double p = 0, low = 0, high = 0;
        if (tess_compare(a, n_a, b, n_b, &found) != TESS_OK ||
            tess_mann_whitney(a, n_a, b, n_b, &p) != TESS_OK)
            return 1;
        const double median = tess_median(a, n_a);
        tess_median_interval(a, n_a, &low, &high);
        printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %d %.17g\n", median, low, high,
               found.ratio, found.low, found.high, found.p, tess_comparison_verdict(&found, 0.01),
               p);
        free(a);
        free(b);
        a = b = NULL;
    }
    free(a);
    return 0;
}
