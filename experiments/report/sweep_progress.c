/* Progress of a sweep: one line on a terminal, with the time that is left as far as it is known. */
#include "experiments/report/sweep_progress.h"

#include "core/base/clock.h"
#include "experiments/report/progress_line.h"

typedef struct sweep_estimate {
    int64_t n_left;   /* points yet to be made */
    double seconds;   /* for those whose mesh and loop have been timed */
    int64_t n_unseen; /* the others */
} sweep_estimate;

/* What is left and how long it takes: points on the same mesh and loop are expected to take as long
 * as those of them that were made in this sweep took in the mean. */
static sweep_estimate estimate_of(const tess_sweep *sweep) {
    sweep_estimate estimate = {.n_left = 0};
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

/* "about 3 min left", "at least 3 min left" where some meshes have not been timed yet. */
static void print_left(const sweep_estimate *estimate, char text[static 64]) {
    char duration[24];
    text[0] = '\0';
    if (estimate->n_unseen == estimate->n_left)
        return; /* nothing is known yet */
    tess_duration_print(estimate->seconds, duration);
    snprintf(text, 64, ", %s %s left", estimate->n_unseen ? "at least" : "about", duration);
}

void tess_sweep_progress_show(const tess_sweep *sweep, int64_t point) {
    enum { WIDTH = 20 };
    const sweep_estimate estimate = estimate_of(sweep);
    const int64_t n = sweep->points->n, n_done = n - estimate.n_left;
    const int filled = (int)(WIDTH * n_done / (n ? n : 1));
    static const tess_field abouts[] = {TESS_FIELD_map, TESS_FIELD_strategy, TESS_FIELD_host};
    static const tess_field variants[] = {TESS_FIELD_partitioner, TESS_FIELD_partitioner,
                                          TESS_FIELD_mesh_order};
    const tess_experiment_kind kind = sweep->points->items[point].kind;
    const char *const *value = sweep->points->items[point].value;
    char left[64];
    print_left(&estimate, left);
    tess_progress_set(0, 0, "[%.*s%.*s] %lld/%lld%s: %s, %s, %s", filled, "####################",
                      WIDTH - filled, "                    ", (long long)n_done, (long long)n, left,
                      value[TESS_FIELD_mesh], value[abouts[kind]], value[variants[kind]]);
}
