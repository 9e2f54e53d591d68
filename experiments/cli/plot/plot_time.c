/* The plot `time`: time by strategy with its interval, a row a way to run the loop. */
#include "experiments/cli/plot/plot.h"
#include "experiments/cli/plot/timed_rows.h"

#include "core/base/array.h"

static tess_status time_build(const tess_plot_request *request, tess_chart **out) {
    tess_status status = TESS_OK;
    tess_chart *chart = NULL;
    tess_row_groups problems = {.n = 0};
    CHECK(tess_chart_new("time", &chart));
    CHECK(tess_plot_axis(request->query, "median_time", &chart->x));
    CHECK(tess_plot_problems(request, chart, "median_time", TESS_PLOT_PROBLEM, &problems));
    CHECK(tess_timed_rows_add(request->query, &problems, TESS_ROWS_OF_TIME, chart));
    *out = TESS_TAKE(chart);
done:
    tess_row_groups_clear(&problems);
    tess_chart_free(chart);
    return status;
}

const tess_plot tess_plot_time = {
    .name = "time", .summary = "time by strategy, with intervals", .build = time_build};
