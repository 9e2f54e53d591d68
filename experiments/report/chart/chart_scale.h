/* A scale: from the values of an axis to places between 0 and 1, with ticks at round values. */
#pragma once

#include "experiments/report/chart/chart.h"

enum { TESS_MOST_TICKS = 24 };

typedef struct tess_scale {
    bool logarithmic;
    double begin, end; /* of the axis; logarithms to the base 10 where it is logarithmic */
    int n_ticks;
    double ticks[TESS_MOST_TICKS]; /* values, ascending */
} tess_scale;

/* The scale of an axis that shows all values [n], of which one at least is finite, with about
 * n_ticks ticks, or a tick for each value where these are whole. */
tess_scale tess_scale_of(const tess_axis *axis, const double *values, int64_t n, int n_ticks);

/* Where a value is: 0 at the begin, 1 at the end. */
double tess_scale_position(const tess_scale *scale, double value);
