/* Statistics of samples: medians and their intervals. */
#ifndef TESS_STATISTICS_H
#define TESS_STATISTICS_H

#include "core/status.h"
#include <stdint.h>

/* The median of n values, which are sorted in place; NaN where n is 0. */
double tess_median(double *values, int64_t n);

#endif
