/* A chart: what a plot shows, whoever draws it, a terminal, matplotlib or a page. */
#include "experiments/report/chart/chart.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_chart_new(const char *kind, tess_chart **out) {
    TRY(TESS_ZEROS(1, out));
    **out = (tess_chart){.kind = kind, .x = {.scale = 1}, .y = {.scale = 1}};
    return TESS_OK;
}

static void point_clear(tess_chart_point *point) {
    free(point->label);
    free((char *)(uintptr_t)point->run);
}

static void panel_clear(tess_chart_panel *panel) {
    for (int64_t s = 0; s < panel->n; s++) {
        tess_chart_series *series = &panel->series[s];
        for (int64_t i = 0; i < series->n; i++)
            point_clear(&series->points[i]);
        free(series->points);
        free(series->name);
    }
    free(panel->series);
    free(panel->title);
}

void tess_chart_free(tess_chart *chart) {
    if (!chart)
        return;
    for (int64_t p = 0; p < chart->n; p++)
        panel_clear(&chart->panels[p]);
    free(chart->panels);
    if (chart->stream)
        fclose(chart->stream);
    free(chart->notes);
    free(chart);
}

tess_status tess_chart_add_panel(tess_chart *chart, const char *title, tess_chart_panel **out) {
    TRY(TESS_RESERVE(chart->n + 1, &chart->capacity, &chart->panels));
    tess_chart_panel panel = {.n = 0};
    TRY(tess_text_copy(title, &panel.title));
    chart->panels[chart->n] = panel;
    *out = &chart->panels[chart->n++];
    return TESS_OK;
}

tess_status tess_panel_add_series(tess_chart_panel *panel, const char *name, tess_chart_line line,
                                  tess_chart_series **out) {
    TRY(TESS_RESERVE(panel->n + 1, &panel->capacity, &panel->series));
    tess_chart_series series = {.line = line};
    TRY(tess_text_copy(name, &series.name));
    panel->series[panel->n] = series;
    *out = &panel->series[panel->n++];
    return TESS_OK;
}

tess_status tess_series_add_point(tess_chart_series *series, const tess_chart_point *point) {
    TRY(TESS_RESERVE(series->n + 1, &series->capacity, &series->points));
    tess_chart_point *copy = &series->points[series->n++];
    *copy = *point;
    copy->label = NULL;
    copy->run = NULL;
    if (point->label)
        TRY(tess_text_copy(point->label, &copy->label));
    char *run = NULL;
    if (point->run)
        TRY(tess_text_copy(point->run, &run));
    copy->run = run;
    return TESS_OK;
}

static int by_x(const void *a, const void *b) {
    const tess_chart_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

void tess_series_sort(tess_chart_series *series) {
    qsort(series->points, (size_t)series->n, sizeof *series->points, by_x);
}

tess_status tess_chart_note(tess_chart *chart, const char *format, ...) {
    va_list arguments;
    if (!chart->stream)
        chart->stream = open_memstream(&chart->notes, &chart->n_characters);
    else
        putc('\n', chart->stream);
    va_start(arguments, format);
    const bool noted = chart->stream && vfprintf(chart->stream, format, arguments) >= 0;
    va_end(arguments);
    if (!noted || fflush(chart->stream) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a note");
    return TESS_OK;
}

tess_status tess_chart_note_left_out(tess_chart *chart, const char *panel, int64_t n,
                                     const char *what) {
    return n > 0 ? tess_chart_note(chart, "%s: not shown: %lld %s", panel, (long long)n, what)
                 : TESS_OK;
}

/* The series of that name in a panel before this one, or NULL. */
static const tess_chart_series *earlier(const tess_chart *chart, int64_t panel, const char *name) {
    for (int64_t p = 0; p < panel; p++)
        for (int64_t s = 0; s < chart->panels[p].n; s++)
            if (strcmp(chart->panels[p].series[s].name, name) == 0)
                return &chart->panels[p].series[s];
    return NULL;
}

void tess_chart_place_names(tess_chart *chart) {
    int n = 0;
    for (int64_t p = 0; p < chart->n; p++) {
        for (int64_t s = 0; s < chart->panels[p].n; s++) {
            tess_chart_series *series = &chart->panels[p].series[s];
            const tess_chart_series *same = earlier(chart, p, series->name);
            series->position = same ? same->position : n++;
        }
    }
}

static json_t *series_json(const tess_chart_series *series) {
    static const char *const lines[] = {"points", "joined", "limit"};
    json_t *points = json_array();
    for (int64_t i = 0; i < series->n; i++) {
        const tess_chart_point *point = &series->points[i];
        json_array_append_new(
            points, json_pack("{s:o, s:o, s:o, s:o, s:I, s:b, s:o, s:o}", "x",
                              tess_json_number(point->x), "y", tess_json_number(point->y), "low",
                              tess_json_number(point->low), "high", tess_json_number(point->high),
                              "n", (json_int_t)point->n, "beaten", point->beaten, "label",
                              tess_json_text(point->label), "run", tess_json_text(point->run)));
    }
    return json_pack("{s:o, s:i, s:s, s:o}", "name", tess_json_text(series->name), "place",
                     series->position, "line", lines[series->line], "points", points);
}

static json_t *axis_json(const tess_axis *axis) {
    return json_pack("{s:s, s:b, s:b}", "words", axis->words, "logarithmic", axis->logarithmic,
                     "whole", axis->whole);
}

json_t *tess_chart_json(const tess_chart *chart) {
    json_t *panels = json_array();
    for (int64_t p = 0; p < chart->n; p++) {
        json_t *series = json_array();
        for (int64_t s = 0; s < chart->panels[p].n; s++)
            json_array_append_new(series, series_json(&chart->panels[p].series[s]));
        json_array_append_new(panels,
                              json_pack("{s:o, s:o}", "title",
                                        tess_json_text(chart->panels[p].title), "series", series));
    }
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "schema", "tess.chart/1", "kind",
                     chart->kind, "rows", chart->rows, "x", axis_json(&chart->x), "y",
                     axis_json(&chart->y), "panels", panels, "notes",
                     tess_json_text(chart->notes ? chart->notes : ""));
}
