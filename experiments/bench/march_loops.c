/* The loops of a march: how often each ran, how long, and how many bytes it took, as OP2 tells it.
 */
#include "experiments/bench/march_loops.h"

#include "kernels/loops/loop_bytes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A long chain by its first and its last loop. */
static void name_chain(const tess_chain *chain, char name[static TESS_ROW_NAME_SIZE]) {
    size_t length = 0;
    for (int k = 0; k < chain->n_loops; k++)
        length += strlen(chain->loops[k].loop->name) + 1;
    snprintf(name, TESS_ROW_NAME_SIZE, "%s+...+%s", chain->loops[0].loop->name,
             chain->loops[chain->n_loops - 1].loop->name);
    if (length > TESS_NAME_SIZE)
        return;
    name[0] = '\0';
    for (int k = 0; k < chain->n_loops; k++) {
        strcat(name, k > 0 ? "+" : "");
        strcat(name, chain->loops[k].loop->name);
    }
}

static tess_status count_bytes(const tess_march *march, const tess_marched_loop *loop,
                               tess_loop_row *row) {
    tess_metrics *metrics = NULL;
    if (loop->chain) {
        row->used = (double)tess_chain_bytes(loop->chain, march->bench.load.mesh);
        row->total = NAN;
        return TESS_OK;
    }
    TRY(tess_metrics_of_plan(loop->bound, loop->plan,
                             tess_march_plans_first(&march->plans)->renumbering,
                             march->experiment.layout.layouts.layout, &metrics));
    row->used = tess_metrics_get(metrics, "transfer_used_op2");
    row->total = tess_metrics_get(metrics, "transfer_total_op2");
    tess_metrics_free(metrics);
    return TESS_OK;
}

tess_status tess_march_loop_rows(const tess_march *march, tess_loop_row rows[TESS_MOST_MARCHED],
                                 int *n) {
    tess_marched_loop loops[TESS_MOST_MARCHED];
    *n = tess_marcher_loops(march->marcher, loops);
    for (int i = 0; i < *n; i++) {
        rows[i] = (tess_loop_row){.is_chain = loops[i].chain,
                                  .count = loops[i].count,
                                  .seconds = loops[i].seconds,
                                  .block_size = loops[i].block_size,
                                  .n_blocks = loops[i].n_blocks,
                                  .threads = loops[i].threads};
        TRY(count_bytes(march, &loops[i], &rows[i]));
        if (loops[i].chain)
            name_chain(loops[i].chain, rows[i].loop);
        else
            snprintf(rows[i].loop, sizeof rows[i].loop, "%s", loops[i].kernel->name);
    }
    return TESS_OK;
}

static double rate(double bytes, const tess_loop_row *row) {
    return row->seconds > 0 ? bytes * (double)row->count / row->seconds : 0;
}

double tess_loop_row_bandwidth(const tess_loop_row *row) {
    return rate(row->used, row);
}

double tess_loop_row_line_bandwidth(const tess_loop_row *row) {
    return rate(row->total, row);
}

tess_status tess_march_record_loops(const tess_loop_row *rows, int n, bool within,
                                    tess_record *record) {
    if (!record || n == 0)
        return TESS_OK;
    TRY(tess_values_set_text(&record->environment, "loops_timed",
                             within ? "in the march" : "after it"));
    for (int i = 0; i < n && rows[i].count > 0; i++) {
        const struct {
            const char *name, *unit, *source;
            double value;
        } measures[] = {
            {"loop_count", "1", "timer", (double)rows[i].count},
            {"loop_seconds", "s", "timer", rows[i].seconds},
            {"loop_bandwidth", "B/s", "timer", tess_loop_row_bandwidth(&rows[i])},
            {"loop_line_bandwidth", "B/s", "timer", tess_loop_row_line_bandwidth(&rows[i])},
            {"loop_block_size", "elements", "plan", rows[i].block_size},
        };
        for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
            char name[TESS_METRIC_NAME_SIZE];
            if (isnan(measures[m].value))
                continue;
            snprintf(name, sizeof name, "%s/%s", measures[m].name, rows[i].loop);
            TRY(tess_record_add_measure(record, name, measures[m].unit, measures[m].source,
                                        measures[m].value));
        }
    }
    return TESS_OK;
}

static tess_status set_sizes(tess_step *step, int32_t size) {
    char text[16];
    snprintf(text, sizeof text, "%d", size);
    for (int i = 0; i < step->n; i++)
        TRY(tess_step_set(step, i, TESS_FIELD_block_size, text));
    return TESS_OK;
}

tess_status tess_march_time_step(const tess_step *step, int n, double seconds[TESS_MOST_MARCHED]) {
    tess_status status = TESS_OK;
    tess_march march = {.times_loops = true};
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.times_loops = true};
    memset(seconds, 0, TESS_MOST_MARCHED * sizeof *seconds);
    tess_marched_loop before[TESS_MOST_MARCHED], loops[TESS_MOST_MARCHED];
    double all = 0;
    CHECK(tess_march_open(step, &options, &setting, &march));
    CHECK(tess_march_run(&march, 1, &all));
    const int n_loops = tess_marcher_loops(march.marcher, before);
    CHECK(tess_march_run(&march, n, &all));
    tess_marcher_loops(march.marcher, loops);
    for (int i = 0; i < n_loops; i++) {
        int position = 0;
        if (loops[i].chain)
            continue;
        CHECK(tess_step_find(step, loops[i].kernel->name, &position));
        seconds[position] = loops[i].seconds - before[i].seconds;
    }
done:
    tess_march_close(&march);
    return status;
}

tess_status tess_march_time_whole(const tess_step *step, int n, double *seconds) {
    tess_status status = TESS_OK;
    tess_march march = {.store = NULL};
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.ranks = NULL};
    CHECK(tess_march_open(step, &options, &setting, &march));
    CHECK(tess_march_run(&march, 1, seconds));
    CHECK(tess_march_run(&march, n, seconds));
    *seconds /= n;
done:
    tess_march_close(&march);
    return status;
}

static int runs_in_step(const tess_application *application, const char *loop) {
    int n = 0;
    for (int i = 0; application->step[i]; i++)
        n += strcmp(application->step[i], loop) == 0;
    return n;
}

tess_status tess_march_weigh_step(const tess_step *step, double bytes[TESS_MOST_MARCHED]) {
    tess_status status = TESS_OK;
    tess_march march = {.store = NULL};
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.ranks = NULL};
    tess_loop_row rows[TESS_MOST_MARCHED];
    int n = 0;
    memset(bytes, 0, TESS_MOST_MARCHED * sizeof *bytes);
    CHECK(tess_march_open(step, &options, &setting, &march));
    CHECK(tess_march_loop_rows(&march, rows, &n));
    for (int i = 0; i < n; i++) {
        int position = 0;
        if (rows[i].is_chain)
            continue;
        CHECK(tess_step_find(step, rows[i].loop, &position));
        bytes[position] = rows[i].total * runs_in_step(step->application, rows[i].loop);
    }
done:
    tess_march_close(&march);
    return status;
}

tess_status tess_march_tune(tess_step *step, const int32_t *sizes, int n_sizes, int steps) {
    double least[TESS_MOST_MARCHED] = {0};
    int32_t best[TESS_MOST_MARCHED] = {0};
    for (int s = 0; s < n_sizes; s++) {
        double seconds[TESS_MOST_MARCHED];
        TRY(set_sizes(step, sizes[s]));
        TRY(tess_march_time_step(step, steps, seconds));
        for (int i = 0; i < step->n; i++)
            if (s == 0 || seconds[i] < least[i]) {
                least[i] = seconds[i];
                best[i] = sizes[s];
            }
    }
    for (int i = 0; i < step->n; i++)
        step->loops[i].block_size = best[i];
    return TESS_OK;
}
