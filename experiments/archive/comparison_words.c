/* A comparison of runs in words. */
#include "experiments/archive/comparison_words.h"

#include "core/plan/metrics.h"

#include <stdio.h>
#include <string.h>

int tess_better_of(const char *metric) {
    const tess_metric *known = tess_metric_find(metric);
    return known ? known->better : strstr(metric, "time") || strstr(metric, "seconds") ? -1 : 0;
}

const char *tess_verdict_words(tess_verdict verdict, int better, bool sampled) {
    if (verdict == TESS_UNCLEAR)
        return "unclear";
    if (verdict == TESS_SAME)
        return "same";
    if (!better)
        return verdict == TESS_LARGER ? "larger" : "smaller";
    const bool good = (verdict == TESS_LARGER) == (better > 0);
    return sampled ? (good ? "faster" : "slower") : good ? "better" : "worse";
}

/* "3 s", "12 min", "5 h", "2 d" */
static void print_seconds(double seconds, char text[static 32]) {
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int i = 0;
    while (i < 3 && seconds < 2 * units[i].seconds)
        i++;
    snprintf(text, 32, "%.0f %s", seconds / units[i].seconds, units[i].unit);
}

void tess_comparison_how(const tess_run_comparison *of, size_t size, char *how) {
    char apart[32];
    print_seconds(of->seconds_apart, apart);
    if (of->manner == TESS_IN_TURNS)
        snprintf(how, size, "in turns, %lld rounds", (long long)of->n_rounds);
    else if (of->manner == TESS_COUNTED)
        snprintf(how, size, "counted");
    else if (of->spread.df)
        snprintf(how, size, "%s apart, sessions differ by %.2g %%", apart,
                 100 * of->spread.deviation);
    else
        snprintf(how, size, "%s apart, %.2g %% between sessions assumed", apart,
                 100 * of->spread.deviation);
}
