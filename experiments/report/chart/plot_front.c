/* The plot `front`: two metrics against each other, and the runs that no other beats in both. */
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/timed_groups.h"

#include "core/base/array.h"
#include "core/plan/quantity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 60, MOST_NAMED = 12 };

/* A point of the plane; low and high are of y. */
typedef struct front_point {
    const tess_row_group *group;
    double x, y, low, high;
    int64_t n;
    bool beaten, stepped; /* surely beaten; a corner of the front */
} front_point;

/* The two metrics, and which way they are better. */
typedef struct front_axes {
    const tess_query *query;
    const tess_chart *chart;
    const char *x, *y;
    int better_x, better_y;
    bool timed;
} front_axes;

/* 1 where larger values are better, -1 where smaller are, as seconds, 0 where neither. */
static int better_of(const tess_query *query, const char *name) {
    const tess_quantity *known = tess_metric_find(strndupa(name, strcspn(name, "@")));
    tess_run_field field;
    if (known)
        return known->better;
    const bool found = tess_run_table_find(query->table, name, &field) && field.unit;
    return found && (strcmp(field.unit, "s") == 0 || strcmp(field.unit, "B") == 0) ? -1 : 0;
}

static bool beats(const front_axes *axes, const front_point *a, const front_point *b) {
    const double x = axes->better_x * (a->x - b->x);
    if (axes->timed) /* where intervals overlap nobody is faster */
        return x >= 0 && a->high < b->low;
    const double y = axes->better_y * (a->y - b->y);
    return x >= 0 && y >= 0 && (x > 0 || y > 0);
}

static int by_x(const void *a, const void *b, void *axes) {
    const front_point *p = a, *q = b;
    const front_axes *by = axes;
    const double x = by->better_x * (q->x - p->x), y = by->better_y * (q->y - p->y);
    return x != 0 ? (x > 0) - (x < 0) : (y > 0) - (y < 0);
}

/* Sorts the points, the best x first, and finds which are beaten and which the front goes through.
 */
static void find_front(front_axes *axes, front_point *points, int64_t n) {
    double best = -INFINITY;
    qsort_r(points, (size_t)n, sizeof *points, by_x, axes);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n && !points[i].beaten; j++)
            points[i].beaten = beats(axes, &points[j], &points[i]);
        points[i].stepped = axes->better_y * points[i].y > best;
        best = fmax(best, axes->better_y * points[i].y);
    }
}

/* Fills points [groups->n], in the units of the axes; *n have both values. */
static tess_status collect(const front_axes *axes, const tess_row_groups *groups,
                           front_point *points, int64_t *n) {
    for (int64_t g = 0; g < groups->n; g++) {
        tess_group_value x, y;
        TRY(tess_row_group_value(axes->query, &groups->items[g], axes->x, &x));
        TRY(tess_row_group_value(axes->query, &groups->items[g], axes->y, &y));
        if (x.n == 0 || y.n == 0)
            continue;
        const double scale = axes->chart->y.scale;
        points[(*n)++] = (front_point){.group = &groups->items[g],
                                       .x = axes->chart->x.scale * x.median,
                                       .y = scale * y.median,
                                       .low = scale * y.least,
                                       .high = scale * y.largest,
                                       .n = y.n};
    }
    return TESS_OK;
}

/* Puts the intervals of samples in place of medians. */
static void take_intervals(double scale, const tess_timed_groups *timed, front_point *points,
                           int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < timed->n; t++) {
            const tess_timed_group *one = &timed->items[t];
            if (one->group == points[i].group && one->side.n) {
                points[i].y = scale * one->median;
                points[i].low = scale * one->low;
                points[i].high = scale * one->high;
                points[i].n = one->side.n;
            }
        }
}

/* The steps between the points that no other beats. */
static tess_status add_steps(const front_point *points, int64_t n, tess_chart_panel *panel) {
    tess_chart_series *series = NULL;
    TRY(tess_panel_add_series(panel, "front", TESS_CHART_LIMIT, &series));
    for (int64_t i = 0; i < n; i++) {
        if (!points[i].stepped)
            continue;
        tess_chart_point corner = {.x = points[i].x, .low = NAN, .high = NAN};
        if (series->n) {
            corner.y = series->points[series->n - 1].y;
            TRY(tess_series_add_point(series, &corner));
        }
        corner.y = points[i].y;
        TRY(tess_series_add_point(series, &corner));
    }
    return TESS_OK;
}

/* The points of one partitioner; those of the front are named. */
static tess_status add_series(const tess_query *query, const tess_row_group *of,
                              const front_point *points, int64_t n, tess_chart_panel *panel) {
    tess_chart_series *series = NULL;
    int64_t n_named = 0;
    for (int64_t i = 0; i < n; i++)
        n_named += points[i].stepped;
    TRY(tess_panel_add_series(panel, of->name, TESS_CHART_POINTS, &series));
    for (int64_t i = 0; i < n; i++) {
        const front_point *one = &points[i];
        bool member = false;
        for (int64_t r = 0; r < of->n && !member; r++)
            member = of->rows[r] == one->group->rows[0];
        if (!member)
            continue;
        const bool named = one->stepped && n_named <= MOST_NAMED;
        const bool spread = one->low < one->high;
        const tess_chart_point point = {.x = one->x,
                                        .y = one->y,
                                        .low = spread ? one->low : NAN,
                                        .high = spread ? one->high : NAN,
                                        .n = one->n,
                                        .beaten = one->beaten,
                                        .label = named ? one->group->name : NULL,
                                        .run = tess_plot_run(query, one->group)};
        TRY(tess_series_add_point(series, &point));
    }
    return TESS_OK;
}

static tess_status fill_panel(void *context, const tess_row_group *problem, tess_chart *chart,
                              tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    front_axes *axes = context;
    tess_timed_groups timed = {.n = 0};
    tess_row_groups colours = {.n = 0};
    front_point *points = NULL;
    int64_t n = 0;
    CHECK(tess_timed_groups_read(axes->query, problem, TESS_PLOT_SETTINGS, NULL,
                                 axes->timed ? MOST_POINTS : 0, &timed));
    CHECK(TESS_ZEROS(timed.all.n, &points));
    CHECK(collect(axes, &timed.all, points, &n));
    take_intervals(chart->y.scale, &timed, points, n);
    find_front(axes, points, n);
    CHECK(tess_row_groups_build(axes->query, problem->rows, problem->n, "partitioner", true,
                                &colours));
    for (int64_t g = 0; g < colours.n; g++)
        CHECK(add_series(axes->query, &colours.items[g], points, n, panel));
    CHECK(add_steps(points, n, panel));
    if (axes->timed && timed.all.n > MOST_POINTS)
        CHECK(tess_chart_note(chart, "%s: intervals are those of the fastest %d of %lld",
                              problem->name, MOST_POINTS, (long long)timed.all.n));
done:
    free(points);
    tess_timed_groups_clear(&timed);
    tess_row_groups_clear(&colours);
    return status;
}

/* Time against reuse where runs were timed, else thread colours. */
static tess_status choose_axes(const tess_plot_request *request, tess_chart *chart,
                               front_axes *axes) {
    tess_run_field time;
    const bool timed = tess_run_table_find(request->query->table, "median_time", &time) &&
                       tess_query_has(request->query, &time);
    axes->x = request->x ? tess_recorded_name(request->x) : "reuse_factor";
    axes->y = request->y ? tess_recorded_name(request->y)
              : timed    ? "median_time"
                         : "thread_colours_mean";
    axes->timed = strcmp(axes->y, "median_time") == 0;
    TRY(tess_plot_axis(request->query, axes->x, &chart->x));
    TRY(tess_plot_axis(request->query, axes->y, &chart->y));
    axes->better_x = better_of(request->query, axes->x);
    axes->better_y = better_of(request->query, axes->y);
    if (axes->better_x == 0 || axes->better_y == 0)
        FAIL(TESS_ERROR_USAGE, "neither a small nor a large '%s' is better: no front",
             axes->better_x ? axes->y : axes->x);
    return TESS_OK;
}

static tess_status front_fill(const tess_plot_request *request, tess_chart *chart) {
    front_axes axes = {.query = request->query, .chart = chart};
    char needed[2 * TESS_COLUMN_SIZE];
    TRY(choose_axes(request, chart, &axes));
    snprintf(needed, sizeof needed, "%s,%s", axes.x, axes.y);
    TRY(tess_plot_panels(request, chart, needed,
                         axes.timed ? TESS_PLOT_PROBLEM : "application,loop,mesh", fill_panel,
                         &axes));
    return tess_chart_note(chart, "better: %s %s, %s %s; hollow: %s beaten in both",
                           axes.better_x > 0 ? "larger" : "smaller", chart->x.words,
                           axes.better_y > 0 ? "larger" : "smaller", chart->y.words,
                           axes.timed ? "surely (95 % intervals do not meet)" : "");
}

const tess_plot tess_plot_front = {
    .name = "front",
    .summary = "time against reuse, or any two metrics (--x, --y), and the front of both",
    .takes_x = true,
    .takes_y = true,
    .fill = front_fill};
