/* The plot `time`: time by strategy with its interval, a row a variant of the loop. */
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/timed_rows.h"

static tess_status time_fill(const tess_plot_request *request, tess_chart *chart) {
    TRY(tess_plot_axis(request->query, "median_time", &chart->x));
    return tess_timed_rows_add(request, "median_time", TESS_ROWS_OF_TIME, chart);
}

const tess_plot tess_plot_time = {
    .name = "time", .summary = "time by strategy, with intervals", .fill = time_fill};
