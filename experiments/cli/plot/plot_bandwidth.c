/* The plot `bandwidth`: the useful bytes of a loop per second, beside what copying reaches. */
#include "experiments/cli/plot/plot.h"
#include "experiments/cli/plot/timed_rows.h"

#include "core/base/array.h"

static tess_status bandwidth_build(const tess_plot_request *request, tess_chart **out) {
    tess_status status = TESS_OK;
    tess_chart *chart = NULL;
    tess_row_groups problems = {.n = 0};
    CHECK(tess_chart_new("bandwidth", &chart));
    CHECK(tess_plot_axis(request->query, "bandwidth", &chart->x));
    CHECK(tess_plot_problems(request, chart, "median_time,useful_bytes", TESS_PLOT_PROBLEM,
                             &problems));
    CHECK(tess_timed_rows_add(request->query, &problems, TESS_ROWS_OF_BANDWIDTH, chart));
    *out = TESS_TAKE(chart);
done:
    tess_row_groups_clear(&problems);
    tess_chart_free(chart);
    return status;
}

const tess_plot tess_plot_bandwidth = {
    .name = "bandwidth",
    .summary = "useful bytes per second by strategy, beside the copy bandwidth",
    .build = bandwidth_build};
