/* A scale: from the values of an axis to places between 0 and 1, with ticks at round values. */
#include "experiments/report/chart/chart_scale.h"

#include <math.h>

static const double margin = 0.04; /* of the axis, at both ends */

static double position(bool logarithmic, double value) {
    return logarithmic ? log10(value) : value;
}

static void add_tick(tess_scale *scale, double value) {
    const double position = tess_scale_position(scale, value);
    if (position < -1e-9 || position > 1 + 1e-9 || scale->n_ticks == TESS_MOST_TICKS)
        return;
    int i = scale->n_ticks;
    while (i > 0 && scale->ticks[i - 1] > value) {
        scale->ticks[i] = scale->ticks[i - 1];
        i--;
    }
    if (i > 0 && scale->ticks[i - 1] == value) { /* there it is: close the gap again */
        for (; i < scale->n_ticks; i++)
            scale->ticks[i] = scale->ticks[i + 1];
        return;
    }
    scale->ticks[i] = value;
    scale->n_ticks++;
}

/* The step of 1, 2 or 5 times a power of ten that gives about n ticks over `length`. */
static double round_step(double length, int n) {
    const double rough = length / n, power = pow(10, floor(log10(rough)));
    const double digit = rough / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void add_round_ticks(tess_scale *scale, int n) {
    const double decades = scale->end - scale->begin;
    if (scale->logarithmic && decades > 0.9) {
        static const double digits[] = {1, 2, 5};
        const int n_digits = 3 * decades <= n + 1 ? 3 : 1;
        for (double power = floor(scale->begin); power <= scale->end; power++)
            for (int d = 0; d < n_digits; d++)
                add_tick(scale, digits[d] * pow(10, power));
        return;
    }
    const double low = scale->logarithmic ? pow(10, scale->begin) : scale->begin;
    const double high = scale->logarithmic ? pow(10, scale->end) : scale->end;
    const double step = round_step(high - low, n);
    for (double k = ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12); k++)
        add_tick(scale, k == 0 ? 0 : k * step); /* not -0 */
}

tess_scale tess_scale_of(const tess_axis *axis, const double *values, int64_t n, int n_ticks) {
    double least = INFINITY, largest = -INFINITY;
    bool positive = true;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            continue;
        least = fmin(least, values[i]);
        largest = fmax(largest, values[i]);
        positive = positive && values[i] > 0;
    }
    tess_scale scale = {.logarithmic = axis->logarithmic && positive};
    scale.begin = position(scale.logarithmic, least);
    scale.end = position(scale.logarithmic, largest);
    if (scale.begin == scale.end) {
        const double around = scale.logarithmic  ? 0.3
                              : scale.begin == 0 ? 1
                                                 : fabs(scale.begin) / 2;
        scale.begin -= around;
        scale.end += around;
    }
    const double more = margin * (scale.end - scale.begin);
    scale.begin -= more;
    scale.end += more;
    if (axis->whole)
        for (int64_t i = 0; i < n; i++)
            add_tick(&scale, values[i]);
    else
        add_round_ticks(&scale, n_ticks);
    return scale;
}

double tess_scale_position(const tess_scale *scale, double value) {
    return (position(scale->logarithmic, value) - scale->begin) / (scale->end - scale->begin);
}
