/* The plot `scaling`: time by threads, by elements, or by any other number that runs have. */
#include "core/base/name_list.h"
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/timed_groups.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 12, MOST_POINTS = 64 };

/* What time is shown by. */
typedef struct scaling_axis {
    const tess_query *query;
    const char *by;           /* a field, or "elements" */
    char *problem, *settings; /* the fields that panels and lines have in common; owned */
    double scale;             /* of time */
} scaling_axis;

/* A name list without one of its names; the caller frees it. */
static tess_status list_without(const char *names, const char *name, char **out) {
    char one[TESS_LISTED_SIZE];
    const char *comma = "";
    char *end = NULL;
    TRY(tess_text_copy(names, out)); /* it does not grow */
    end = *out;
    for (const char *rest = names; tess_name_list_next(&rest, one);)
        if (strcmp(one, name) != 0) {
            end += sprintf(end, "%s%s", comma, one);
            comma = ",";
        }
    *end = '\0';
    return TESS_OK;
}

/* The elements of a group: what its blocks hold. */
static tess_status elements_of(const tess_query *query, const tess_row_group *group, double *out) {
    tess_group_value blocks, fill, size;
    TRY(tess_row_group_value(query, group, "blocks", &blocks));
    TRY(tess_row_group_value(query, group, "fill", &fill));
    TRY(tess_row_group_value(query, group, "block_size", &size));
    *out = round(blocks.median * fill.median * size.median);
    return TESS_OK;
}

/* A line: the runs of one way, a point for each value of the axis. */
static tess_status add_line(const scaling_axis *axis, const tess_row_group *line,
                            tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    tess_timed_groups timed = {.n = 0};
    tess_chart_series *series = NULL;
    const bool elements = strcmp(axis->by, "elements") == 0;
    const char *by = elements ? "mesh" : axis->by;
    CHECK(tess_timed_groups_read(axis->query, line, by, NULL, MOST_POINTS, &timed));
    CHECK(tess_panel_add_series(panel, line->name, TESS_CHART_JOINED, &series));
    for (int64_t i = 0; i < timed.n; i++) {
        const tess_timed_group *one = &timed.items[i];
        tess_group_value value = {.median = NAN};
        if (elements)
            CHECK(elements_of(axis->query, one->group, &value.median));
        else
            CHECK(tess_row_group_value(axis->query, one->group, axis->by, &value));
        const tess_chart_point point = {.x = value.median,
                                        .y = axis->scale * one->median,
                                        .low = axis->scale * one->low,
                                        .high = axis->scale * one->high,
                                        .n = one->side.n,
                                        .run = tess_plot_run(axis->query, one->group)};
        if (!isnan(point.x))
            CHECK(tess_series_add_point(series, &point));
    }
    tess_series_sort(series);
done:
    tess_timed_groups_clear(&timed);
    return status;
}

/* From the first point of the first line: half the time on twice the threads, or twice the time for
 * twice the elements. */
static tess_status add_ideal(const scaling_axis *axis, tess_chart_panel *panel) {
    const bool threads = strcmp(axis->by, "omp_threads") == 0;
    double least = INFINITY, largest = -INFINITY;
    if (panel->n == 0 || panel->series[0].n == 0 || (!threads && strcmp(axis->by, "elements") != 0))
        return TESS_OK;
    const tess_chart_point first = panel->series[0].points[0];
    for (int64_t s = 0; s < panel->n; s++)
        for (int64_t i = 0; i < panel->series[s].n; i++) {
            least = fmin(least, panel->series[s].points[i].x);
            largest = fmax(largest, panel->series[s].points[i].x);
        }
    if (!(least < largest))
        return TESS_OK;
    tess_chart_series *series = NULL;
    TRY(tess_panel_add_series(panel, threads ? "ideal: time / threads" : "proportional to elements",
                              TESS_CHART_LIMIT, &series));
    for (int end = 0; end < 2; end++) {
        const double x = end ? largest : least;
        const double y = threads ? first.y * first.x / x : first.y * x / first.x;
        TRY(tess_series_add_point(series,
                                  &(tess_chart_point){.x = x, .y = y, .low = NAN, .high = NAN}));
    }
    return TESS_OK;
}

static tess_status fill_panel(void *context, const tess_row_group *problem, tess_chart *chart,
                              tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    const scaling_axis *axis = context;
    tess_row_groups lines = {.n = 0};
    CHECK(tess_row_groups_split(axis->query, problem, axis->settings, TESS_PLOT_VARIANT, &lines));
    for (int64_t g = 0; g < lines.n && g < MOST_LINES; g++)
        CHECK(add_line(axis, &lines.items[g], panel));
    if (lines.n > MOST_LINES)
        CHECK(tess_chart_note(chart, "%s: left out, choose with --where: lines %d to %lld",
                              problem->name, MOST_LINES + 1, (long long)lines.n));
    CHECK(add_ideal(axis, panel));
done:
    tess_row_groups_clear(&lines);
    return status;
}

/* Whether two timed runs were made with different numbers of threads. */
static bool threads_differ(const tess_query *query) {
    tess_run_field threads, time;
    double first = NAN;
    if (!tess_run_table_find(query->table, "omp_threads", &threads) ||
        !tess_run_table_find(query->table, "median_time", &time))
        return false;
    for (int64_t i = 0; i < query->n_rows; i++) {
        const double n = tess_run_number(query->table, &threads, query->rows[i]);
        if (isnan(n) || isnan(tess_run_number(query->table, &time, query->rows[i])))
            continue;
        first = isnan(first) ? n : first;
        if (n != first)
            return true;
    }
    return false;
}

/* Threads where runs differ in them, else elements. */
static tess_status choose_axis(const tess_plot_request *request, scaling_axis *axis) {
    axis->by = request->x                       ? request->x
               : threads_differ(request->query) ? "omp_threads"
                                                : "elements";
    const bool elements = strcmp(axis->by, "elements") == 0;
    TRY(list_without(TESS_PLOT_PROBLEM, elements ? "mesh" : axis->by, &axis->problem));
    return list_without(TESS_PLOT_SETTINGS, axis->by, &axis->settings);
}

static tess_status scaling_fill(const tess_plot_request *request, tess_chart *chart) {
    tess_status status = TESS_OK;
    char *needed = NULL;
    scaling_axis axis = {.query = request->query};
    CHECK(choose_axis(request, &axis));
    const bool elements = strcmp(axis.by, "elements") == 0;
    chart->x.logarithmic = chart->y.logarithmic = true;
    CHECK(tess_plot_axis(request->query, "median_time", &chart->y));
    axis.scale = chart->y.scale;
    if (elements)
        strcpy(chart->x.words, "elements");
    else
        CHECK(tess_plot_axis(request->query, axis.by, &chart->x));
    if (strcmp(axis.by, "omp_threads") == 0)
        strcpy(chart->x.words, "threads");
    chart->x.whole = !elements;
    CHECK(
        tess_text_print(&needed, "median_time,%s", elements ? "blocks,fill,block_size" : axis.by));
    CHECK(tess_plot_panels(request, chart, needed, axis.problem, fill_panel, &axis));
    CHECK(tess_chart_note(chart, "points: medians of their samples; bars: 95 %% intervals"));
done:
    free(needed);
    free(axis.problem);
    free(axis.settings);
    return status;
}

const tess_plot tess_plot_scaling = {.name = "scaling",
                                     .summary =
                                         "time by threads or elements, or by another number (--x)",
                                     .takes_x = true,
                                     .fill = scaling_fill};
