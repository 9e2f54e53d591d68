/* Linear equations: few unknowns, a matrix that is symmetric and positive. */
#include "experiments/model/linear.h"

void tess_linear_solve(double *a, double *b, int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            const double factor = a[k * n + i] / a[k * n + k];
            if (factor == 0)
                continue;
            for (int j = i; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}
