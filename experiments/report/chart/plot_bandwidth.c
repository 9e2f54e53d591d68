/* The plot `bandwidth`: the useful bytes of a loop per second, beside what copying reaches. */
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/timed_rows.h"

static tess_status bandwidth_fill(const tess_plot_request *request, tess_chart *chart) {
    TRY(tess_plot_axis(request->query, "bandwidth", &chart->x));
    return tess_timed_rows_add(request, "median_time,useful_bytes", TESS_ROWS_OF_BANDWIDTH, chart);
}

const tess_plot tess_plot_bandwidth = {
    .name = "bandwidth",
    .summary = "useful bytes per second by strategy, beside the copy bandwidth",
    .fill = bandwidth_fill};
