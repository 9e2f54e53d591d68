/* The plot `roofline`: flops per second by flops per useful byte, under the roof of the copy
 * bandwidth and the peak of the device (Williams, Waterman, Patterson 2009). */
#include "experiments/report/chart/peak.h"
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/timed_groups.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 24 };

static const double more_room = 4; /* of the roof, on both sides of the points */

/* The points of one loop on one mesh: all at its intensity, at the rates of its ways to run. */
static tess_status add_loop(const tess_query *query, const tess_row_group *loop, tess_chart *chart,
                            tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    tess_timed_groups timed = {.n = 0};
    tess_chart_series *series = NULL;
    tess_group_value flops, bytes;
    CHECK(tess_row_group_value(query, loop, "flops", &flops));
    CHECK(tess_row_group_value(query, loop, "useful_bytes", &bytes));
    CHECK(tess_timed_groups_read(query, loop, TESS_PLOT_SETTINGS, TESS_PLOT_VARIANT, MOST_POINTS,
                                 &timed));
    CHECK(tess_panel_add_series(panel, loop->name, TESS_CHART_POINTS, &series));
    for (int64_t i = 0; i < timed.n; i++) {
        const tess_timed_group *one = &timed.items[i];
        const double giga = 1e-9 * flops.median;
        const tess_chart_point point = {.x = flops.median / bytes.median,
                                        .y = giga / one->median,
                                        .low = giga / one->high,
                                        .high = one->low > 0 ? giga / one->low : NAN,
                                        .n = one->side.n,
                                        .beaten = one->beaten,
                                        .label =
                                            i == 0 && timed.all.n > 1 ? one->group->name : NULL,
                                        .run = tess_plot_run(query, one->group)};
        CHECK(tess_series_add_point(series, &point));
    }
    CHECK(tess_chart_note_left_out(chart, loop->name, timed.all.n - timed.n, "slower"));
done:
    tess_timed_groups_clear(&timed);
    return status;
}

/* How far the points of a panel reach, with room beside them. */
static void extent_of(const tess_chart_panel *panel, double ends[2]) {
    double least = INFINITY, largest = -INFINITY;
    for (int64_t s = 0; s < panel->n; s++) {
        least = fmin(least, panel->series[s].points[0].x);
        largest = fmax(largest, panel->series[s].points[0].x);
    }
    ends[0] = least / more_room;
    ends[1] = largest * more_room;
}

/* What copying allows: bytes per second times flops per byte. */
static tess_status add_roof(const tess_query *query, const tess_row_group *machine,
                            const double ends[2], tess_chart_panel *panel) {
    double copying = NAN;
    char *words = NULL;
    tess_chart_series *series = NULL;
    TRY(tess_copy_bandwidth(query, machine, &copying));
    if (isnan(copying))
        return TESS_OK;
    TRY(tess_text_print(&words, "copying, %.4g GB/s", 1e-9 * copying));
    const tess_status status = tess_panel_add_series(panel, words, TESS_CHART_LIMIT, &series);
    free(words);
    TRY(status);
    for (int end = 0; end < 2; end++) {
        const double x = ends[end];
        TRY(tess_series_add_point(
            series, &(tess_chart_point){.x = x, .y = 1e-9 * copying * x, .low = NAN, .high = NAN}));
    }
    return TESS_OK;
}

static bool some_run_is(const tess_query *query, const tess_row_group *machine, const char *name,
                        const char *value) {
    tess_run_field field;
    if (!tess_run_table_find(query->table, name, &field))
        return false;
    for (int64_t i = 0; i < machine->n; i++)
        if (strcmp(tess_run_text(query->table, &field, machine->rows[i]), value) == 0)
            return true;
    return false;
}

/* The peak of the device in the precisions of its runs, a level line each; a note where it is not
 * known. */
static tess_status add_peaks(const tess_query *query, const tess_row_group *machine,
                             const double ends[2], tess_chart *chart, tess_chart_panel *panel) {
    static const char *const precisions[] = {"double", "float"};
    tess_run_field field;
    const bool has_gpu = tess_run_table_find(query->table, "gpu", &field);
    const char *gpu = has_gpu ? tess_run_text(query->table, &field, machine->rows[0]) : "";
    const tess_peak *peak = tess_peak_find(gpu);
    if (!peak)
        return tess_chart_note(chart, "%s: no peak of flops is known of %s", machine->name,
                               *gpu ? gpu : "its processor");
    for (int p = 0; p < 2; p++) {
        char words[64];
        tess_chart_series *series = NULL;
        if (!some_run_is(query, machine, "precision", precisions[p]))
            continue;
        snprintf(words, sizeof words, "peak in %s, %.4g Tflop/s", precisions[p],
                 1e-12 * peak->flops[p]);
        TRY(tess_panel_add_series(panel, words, TESS_CHART_LIMIT, &series));
        for (int end = 0; end < 2; end++)
            TRY(tess_series_add_point(
                series, &(tess_chart_point){
                            .x = ends[end], .y = 1e-9 * peak->flops[p], .low = NAN, .high = NAN}));
    }
    return tess_chart_note(chart, "peak of %s: %s", gpu, peak->source);
}

static tess_status fill_panel(void *context, const tess_row_group *machine, tess_chart *chart,
                              tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    const tess_query *query = context;
    tess_row_groups loops = {.n = 0};
    CHECK(tess_row_groups_build(query, machine->rows, machine->n, "application,loop,mesh,precision",
                                true, &loops));
    for (int64_t g = 0; g < loops.n; g++)
        CHECK(add_loop(query, &loops.items[g], chart, panel));
    double ends[2];
    extent_of(panel, ends);
    CHECK(add_roof(query, machine, ends, panel));
    CHECK(add_peaks(query, machine, ends, chart, panel));
done:
    tess_row_groups_clear(&loops);
    return status;
}

static tess_status roofline_fill(const tess_plot_request *request, tess_chart *chart) {
    strcpy(chart->x.words, "flops per useful byte");
    strcpy(chart->y.words, "flops per second [Gflop/s]");
    chart->x.logarithmic = chart->y.logarithmic = true;
    TRY(tess_plot_panels(request, chart, "flops,median_time,useful_bytes", "device,cache,gpu,host",
                         fill_panel, (void *)(uintptr_t)request->query));
    return tess_chart_note(chart, "points: medians of n samples, with 95 %% intervals; filled: the "
                                  "fastest of a loop and all that may be as fast");
}

const tess_plot tess_plot_roofline = {
    .name = "roofline",
    .summary = "flops per second by flops per byte, under the roofs of copying and of the peak",
    .fill = roofline_fill};
