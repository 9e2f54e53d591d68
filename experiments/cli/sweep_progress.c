/* Progress of a sweep: one line on a terminal, with the time that is left as far as it is known. */
#include "experiments/cli/sweep_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

tess_sweep_estimate tess_sweep_estimate_of(const tess_sweep *sweep) {
    tess_sweep_estimate estimate = {.n_left = 0};
    const tess_sweep_points *points = sweep->points;
    for (int64_t first = 0, end; first < points->n; first = end) {
        double seconds = 0;
        int64_t n_made = 0, n_left = 0;
        for (end = first;
             end < points->n && tess_sweep_points_share(&points->items[first], &points->items[end],
                                                        TESS_FIELD_repetition);
             end++) {
            const tess_sweep_result *result = &sweep->results[end];
            n_left += result->state == TESS_POINT_LEFT;
            n_made += result->state == TESS_POINT_PASSED || result->state == TESS_POINT_FAILED;
            seconds += result->seconds;
        }
        estimate.n_left += n_left;
        if (n_made)
            estimate.seconds += seconds / (double)n_made * (double)n_left;
        else
            estimate.n_unseen += n_left;
    }
    return estimate;
}

static bool is_shown(const tess_sweep *sweep) {
    return !sweep->quiet && isatty(STDERR_FILENO);
}

/* "about 3 min left", "at least 3 min left" where some meshes have not been timed yet. */
static void print_left(const tess_sweep_estimate *estimate, char text[static 64]) {
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    text[0] = '\0';
    if (estimate->n_unseen == estimate->n_left)
        return; /* nothing is known yet */
    int i = 0;
    while (i < 3 && estimate->seconds < 2 * units[i].seconds)
        i++;
    snprintf(text, 64, ", %s %.0f %s left", estimate->n_unseen ? "at least" : "about",
             estimate->seconds / units[i].seconds, units[i].unit);
}

void tess_sweep_progress_show(const tess_sweep *sweep, int64_t point) {
    if (!is_shown(sweep))
        return;
    enum { WIDTH = 20 };
    const tess_sweep_estimate estimate = tess_sweep_estimate_of(sweep);
    const int64_t n = sweep->points->n, n_done = n - estimate.n_left;
    const int filled = (int)(WIDTH * n_done / (n ? n : 1));
    const char *const *value = sweep->points->items[point].value;
    char left[64];
    print_left(&estimate, left);
    fprintf(stderr, "\r\033[K[%.*s%.*s] %lld/%lld%s: %s, %s, %s", filled, "####################",
            WIDTH - filled, "                    ", (long long)n_done, (long long)n, left,
            value[TESS_FIELD_mesh],
            value[TESS_FIELD_strategy] ? value[TESS_FIELD_strategy] : value[TESS_FIELD_map],
            value[TESS_FIELD_partitioner]);
    fflush(stderr);
}

void tess_sweep_progress_end(const tess_sweep *sweep) {
    if (!is_shown(sweep))
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
