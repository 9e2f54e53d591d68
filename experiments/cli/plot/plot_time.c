/* The plot `time`: time by strategy with its interval, a row a way to run the loop. */
#include "experiments/cli/plot/plot.h"
#include "experiments/cli/plot/timed_groups.h"

#include "core/base/array.h"
#include <math.h>

enum { MOST_ROWS = 24 };

/* Adds the rows, fastest first, to the one series of a panel. */
static tess_status add_rows(const tess_timed_group *items, int64_t n, double scale,
                            tess_chart_series *series) {
    for (int64_t i = 0; i < n; i++) {
        const tess_timed_group *one = &items[i];
        const tess_chart_point point = {.x = scale * one->median,
                                        .y = (double)i,
                                        .low = scale * one->low,
                                        .high = scale * one->high,
                                        .n = one->side.n,
                                        .beaten = one->beaten,
                                        .label = one->group->name};
        TRY(tess_series_add_point(series, &point));
    }
    return TESS_OK;
}

static tess_status add_panel(const tess_query *query, const tess_row_group *problem,
                             tess_chart *chart) {
    tess_status status = TESS_OK;
    tess_row_groups groups = {.n = 0};
    tess_timed_group *items = NULL;
    tess_chart_panel *panel = NULL;
    tess_chart_series *series = NULL;
    int64_t n = 0;
    CHECK(tess_row_groups_build(query, problem->rows, problem->n, TESS_PLOT_SETTINGS, false,
                                &groups));
    if (groups.n == 1) { /* nothing differs, but a row has a name */
        tess_row_groups_clear(&groups);
        CHECK(tess_row_groups_build(query, problem->rows, problem->n, "strategy,partitioner", true,
                                    &groups));
    }
    CHECK(tess_timed_groups_read(query, &groups, MOST_ROWS, &items, &n));
    CHECK(tess_chart_add_panel(chart, problem->name, &panel));
    CHECK(tess_panel_add_series(panel, "time", TESS_CHART_POINTS, &series));
    CHECK(add_rows(items, n, chart->x.scale, series));
    if (groups.n > n)
        CHECK(tess_chart_note(chart, "%s: %lld slower ones are left out", problem->name,
                              (long long)(groups.n - n)));
done:
    tess_timed_groups_free(items, n);
    tess_row_groups_clear(&groups);
    return status;
}

static tess_status time_build(const tess_plot_request *request, tess_chart **out) {
    tess_status status = TESS_OK;
    tess_chart *chart = NULL;
    tess_row_groups problems = {.n = 0};
    CHECK(tess_chart_new("time", &chart));
    chart->rows = true;
    CHECK(tess_plot_axis(request->query, "median_time", &chart->x));
    CHECK(tess_plot_problems(request, chart, "median_time", TESS_PLOT_PROBLEM, &problems));
    for (int64_t g = 0; g < problems.n; g++)
        CHECK(add_panel(request->query, &problems.items[g], chart));
    CHECK(tess_chart_note(chart, "points: medians of n samples, with 95 %% intervals; filled: the "
                                 "fastest and all that may be as fast; hollow: surely slower"));
    *out = TESS_TAKE(chart);
done:
    tess_row_groups_clear(&problems);
    tess_chart_free(chart);
    return status;
}

const tess_plot tess_plot_time = {
    .name = "time", .summary = "time by strategy, with intervals", .build = time_build};
