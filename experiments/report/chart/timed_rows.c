/* Timed rows: the panels of plots that have a row for each variant, the fastest first. */
#include "experiments/report/chart/timed_rows.h"

#include "experiments/report/chart/timed_groups.h"
#include <math.h>

enum { MOST_ROWS = 24 };

/* One row: times, or the bytes per second that these are. */
static tess_status fill_row(const tess_query *query, const tess_timed_group *one,
                            tess_timed_value value, tess_chart_point *row) {
    row->x = one->median;
    row->low = one->low;
    row->high = one->high;
    if (value == TESS_ROWS_OF_TIME)
        return TESS_OK;
    tess_group_value bytes;
    TRY(tess_row_group_value(query, one->group, "useful_bytes", &bytes));
    *row = (tess_chart_point){.x = bytes.median / one->median,
                              .low = isfinite(one->high) ? bytes.median / one->high : NAN,
                              .high = one->low > 0 ? bytes.median / one->low : NAN};
    return TESS_OK;
}

/* Adds the rows, fastest first, to the one series of a panel. */
static tess_status add_rows(const tess_query *query, const tess_timed_groups *timed,
                            tess_timed_value value, tess_chart_series *series) {
    for (int64_t i = 0; i < timed->n; i++) {
        const tess_timed_group *one = &timed->items[i];
        const double scale = value == TESS_ROWS_OF_TIME ? 1e3 : 1e-9; /* ms, GB/s */
        tess_chart_point row = {.n = 0};
        TRY(fill_row(query, one, value, &row));
        row = (tess_chart_point){.x = scale * row.x,
                                 .y = (double)i,
                                 .low = scale * row.low,
                                 .high = scale * row.high,
                                 .n = one->side.n,
                                 .beaten = one->beaten,
                                 .label = one->group->name,
                                 .run = tess_plot_run(query, one->group)};
        TRY(tess_series_add_point(series, &row));
    }
    return TESS_OK;
}

/* The bandwidth of copying as the runs' sessions measured it, a median. */
static tess_status add_copying(const tess_query *query, const tess_row_group *problem,
                               tess_chart_panel *panel) {
    tess_chart_series *series = NULL;
    double copying = NAN;
    TRY(tess_copy_bandwidth(query, problem, &copying));
    if (isnan(copying))
        return TESS_OK;
    TRY(tess_panel_add_series(panel, "copying", TESS_CHART_LIMIT, &series));
    return tess_series_add_point(series,
                                 &(tess_chart_point){.x = 1e-9 * copying, .low = NAN, .high = NAN});
}

/* What the rows of all panels show. */
typedef struct shown_rows {
    const tess_query *query;
    tess_timed_value value;
} shown_rows;

static tess_status fill_panel(void *context, const tess_row_group *problem, tess_chart *chart,
                              tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    const shown_rows *shown = context;
    tess_timed_groups timed = {.n = 0};
    tess_chart_series *series = NULL;
    CHECK(tess_timed_groups_read(shown->query, problem, TESS_PLOT_SETTINGS, TESS_PLOT_VARIANT,
                                 MOST_ROWS, &timed));
    CHECK(tess_panel_add_series(panel, "runs", TESS_CHART_POINTS, &series));
    CHECK(add_rows(shown->query, &timed, shown->value, series));
    if (shown->value == TESS_ROWS_OF_BANDWIDTH)
        CHECK(add_copying(shown->query, problem, panel));
    CHECK(tess_chart_note_left_out(chart, problem->name, timed.all.n - timed.n, "slower"));
done:
    tess_timed_groups_clear(&timed);
    return status;
}

tess_status tess_timed_rows_add(const tess_plot_request *request, const char *needed,
                                tess_timed_value value, tess_chart *chart) {
    shown_rows shown = {.query = request->query, .value = value};
    chart->rows = true;
    TRY(tess_plot_panels(request, chart, needed, TESS_PLOT_PROBLEM, fill_panel, &shown));
    return tess_chart_note(chart, "points: medians of n samples, with 95 %% intervals; filled: the "
                                  "fastest and all that may be as fast; hollow: surely slower");
}
