/* A look at a lab: which points of a sweep are made. */
#include "experiments/campaign/sweep_look.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/bench/line.h"
#include "experiments/campaign/sweep_done.h"
#include <stdio.h>

enum { LOOK_SHARE = 20 }; /* looks take at most a 20th of the time */

/* Marks the points that failed in an execution before this one. */
static tess_status mark_ended(tess_sweep_work *work) {
    for (int64_t i = 0; work->restart->n > 0 && i < work->points->n; i++) {
        const json_t *how = tess_restart_take(work->restart, work->points->items[i].digest);
        tess_sweep_result *result = &work->results[i];
        const char *run = json_string_value(json_object_get(how, "run"));
        const char *words = json_string_value(json_object_get(how, "failure"));
        if (!run || !words || result->state == TESS_POINT_FAILED)
            continue;
        result->state = TESS_POINT_FAILED;
        snprintf(result->run, sizeof result->run, "%s", run);
        TRY(tess_text_copy(words, &result->words));
    }
    return TESS_OK;
}

tess_status tess_sweep_look_at(tess_sweep_work *work) {
    tess_sweep_done done = {.n = 0};
    int64_t n_unreadable = 0;
    if (!work->lab)
        return TESS_OK;
    TRY(mark_ended(work));
    const tess_status status = tess_sweep_done_read(work->lab, &done, &n_unreadable);
    for (int64_t i = 0; status == TESS_OK && i < work->points->n; i++) {
        tess_sweep_result *result = &work->results[i];
        const tess_sweep_entry *entry = tess_sweep_done_find(&done, work->points->items[i].digest);
        if (result->state != TESS_POINT_LEFT || !entry || (entry->failed && work->retry_failed))
            continue;
        result->state = entry->failed ? TESS_POINT_FAILED_BEFORE : TESS_POINT_DONE_BEFORE;
        snprintf(result->run, sizeof result->run, "%s", entry->run);
    }
    tess_sweep_done_clear(&done);
    return status;
}

tess_status tess_sweep_look_again(tess_sweep_work *work, tess_sweep_look *last) {
    const double start = tess_clock_seconds();
    if (start - last->when <= LOOK_SHARE * last->cost)
        return TESS_OK;
    TRY(tess_sweep_look_at(work));
    last->when = tess_clock_seconds();
    last->cost = last->when - start;
    return TESS_OK;
}
