/* The plot `reuse`: reuse by block size, a line a partitioner. */
#include "experiments/report/chart/plot.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_LINES = 12 };

/* A line of a panel: the runs of one partitioner, its best reuse, and one group a block size. */
typedef struct reuse_line {
    const tess_row_group *group;
    double best;
} reuse_line;

static int by_best(const void *a, const void *b) {
    const reuse_line *x = a, *y = b;
    return (x->best < y->best) - (x->best > y->best);
}

static tess_status add_line(const tess_query *query, const reuse_line *line,
                            tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    tess_row_groups sizes = {.n = 0};
    tess_chart_series *series = NULL;
    CHECK(tess_row_groups_build(query, line->group->rows, line->group->n, "block_size", true,
                                &sizes));
    CHECK(tess_panel_add_series(panel, line->group->name, TESS_CHART_JOINED, &series));
    for (int64_t g = 0; g < sizes.n; g++) {
        tess_group_value reuse, size;
        CHECK(tess_row_group_value(query, &sizes.items[g], "reuse_factor", &reuse));
        CHECK(tess_row_group_value(query, &sizes.items[g], "block_size", &size));
        const bool alike = reuse.least == reuse.largest;
        const tess_chart_point point = {.x = size.median,
                                        .y = reuse.median,
                                        .low = alike ? NAN : reuse.least,
                                        .high = alike ? NAN : reuse.largest,
                                        .n = reuse.n,
                                        .run = tess_plot_run(query, &sizes.items[g])};
        CHECK(tess_series_add_point(series, &point));
    }
    tess_series_sort(series);
done:
    tess_row_groups_clear(&sizes);
    return status;
}

static bool has_one_size(const tess_chart_panel *panel) {
    for (int64_t s = 0; s < panel->n; s++)
        for (int64_t i = 0; i < panel->series[s].n; i++)
            if (panel->series[s].points[i].x != panel->series[0].points[0].x)
                return false;
    return true;
}

static tess_status fill_panel(void *context, const tess_row_group *problem, tess_chart *chart,
                              tess_chart_panel *panel) {
    tess_status status = TESS_OK;
    const tess_query *query = context;
    tess_row_groups groups = {.n = 0};
    reuse_line *lines = NULL;
    CHECK(tess_row_groups_split(query, problem, "partitioner,refine,repair,points", "partitioner",
                                &groups));
    CHECK(TESS_ALLOC(groups.n, &lines));
    for (int64_t g = 0; g < groups.n; g++) {
        tess_group_value reuse;
        CHECK(tess_row_group_value(query, &groups.items[g], "reuse_factor", &reuse));
        lines[g] = (reuse_line){.group = &groups.items[g], .best = reuse.largest};
    }
    qsort(lines, (size_t)groups.n, sizeof *lines, by_best);
    for (int64_t g = 0; g < groups.n && g < MOST_LINES; g++)
        CHECK(add_line(query, &lines[g], panel));
    CHECK(tess_chart_note_left_out(chart, problem->name, groups.n - MOST_LINES, "of less reuse"));
    if (has_one_size(panel))
        CHECK(tess_chart_note(chart,
                              "%s: runs of one block size are points; '-b 64,128,256' gives lines",
                              problem->name));
done:
    free(lines);
    tess_row_groups_clear(&groups);
    return status;
}

static tess_status reuse_fill(const tess_plot_request *request, tess_chart *chart) {
    TRY(tess_plot_axis(request->query, "block_size", &chart->x));
    TRY(tess_plot_axis(request->query, "reuse_factor", &chart->y));
    chart->x.logarithmic = chart->x.whole = true;
    TRY(tess_plot_panels(request, chart, "reuse_factor,block_size", "loop,mesh", fill_panel,
                         (void *)(uintptr_t)request->query));
    return tess_chart_note(chart, "points: medians of equal runs; bars: least and largest of them, "
                                  "say over seeds");
}

const tess_plot tess_plot_reuse = {
    .name = "reuse", .summary = "reuse by block size", .fill = reuse_fill};
