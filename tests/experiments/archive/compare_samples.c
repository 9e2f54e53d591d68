/* Comparisons for tests. Reads lines "n a... m b..." and prints for each what tess_compare and the
 * others find: median_a low_a high_a ratio low high p verdict; where n = m the same as rounds, too:
 * ratio low high p verdict sign_test. With the word `student`: reads lines "t df"
 * and prints p and the t of p = 0.05; with `quantile`: lines "q n a...". */
#include "core/base/array.h"
#include "core/base/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_samples(double **values, long *n) {
    if (scanf("%ld", n) != 1 || TESS_ALLOC(*n, values) != TESS_OK)
        return 0;
    for (long i = 0; i < *n; i++)
        if (scanf("%lf", &(*values)[i]) != 1)
            return 0;
    return 1;
}

static void print_comparison(const tess_comparison *found) {
    printf(" %.17g %.17g %.17g %.17g %d", found->ratio, found->low, found->high, found->p,
           tess_comparison_verdict(found, 0.01));
}

static tess_status print_rounds(const double *a, double *b, long n) {
    tess_comparison found;
    TRY(tess_compare_rounds(a, b, n, &found));
    print_comparison(&found);
    for (long i = 0; i < n; i++)
        b[i] -= a[i];
    printf(" %.17g", tess_sign_test(b, n));
    return TESS_OK;
}

static tess_status print_pair(double *a, long n_a, double *b, long n_b) {
    tess_comparison found;
    double low = 0, high = 0;
    TRY(tess_compare(a, n_a, b, n_b, &found));
    double *sorted = NULL;
    TRY(TESS_ALLOC(n_a, &sorted));
    memcpy(sorted, a, (size_t)n_a * sizeof *a);
    printf("%.17g", tess_median(sorted, n_a));
    tess_median_interval(sorted, n_a, &low, &high);
    free(sorted);
    printf(" %.17g %.17g", low, high);
    print_comparison(&found);
    if (n_a == n_b)
        TRY(print_rounds(a, b, n_a));
    putchar('\n');
    return TESS_OK;
}

int main(int argc, char **argv) {
    double *a = NULL, *b = NULL, t = 0;
    long n_a = 0, n_b = 0, df = 0;
    if (argc > 1 && strcmp(argv[1], "student") == 0) {
        while (scanf("%lf %ld", &t, &df) == 2)
            printf("%.17g %.17g\n", tess_student_p(t, df), tess_student_t95(df));
        return 0;
    }
    while (argc > 1 && scanf("%lf", &t) == 1 && read_samples(&a, &n_a)) {
        printf("%.17g\n", tess_quantile(a, n_a, t));
        free(a);
        a = NULL;
    }
    while (read_samples(&a, &n_a) && read_samples(&b, &n_b)) {
        if (print_pair(a, n_a, b, n_b) != TESS_OK)
            return 1;
        free(a);
        free(b);
        a = b = NULL;
    }
    free(a);
    free(b);
    return 0;
}
