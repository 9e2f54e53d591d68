/* A chart: what a plot shows, whoever draws it, a terminal, matplotlib or a page.
 *
 * A chart has panels side by side, one for each problem, which share the words of their axes.
 * Points carry intervals and how many values they stand for. Where `rows` is set each point is a
 * row of its own, named by its label, and y counts them from 0 at the top. */
#pragma once

#include "core/base/status.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TESS_AXIS_WORDS = 96 };

typedef struct tess_axis {
    char words[TESS_AXIS_WORDS]; /* "time [ms]" */
    double scale;                /* what values are multiplied by when they are added */
    bool logarithmic;
    bool whole; /* values are numbers of their own, as block sizes: each is a tick */
} tess_axis;

typedef struct tess_chart_point {
    double x, y;
    double low, high; /* of x in rows, else of y; not finite where there is no interval */
    int64_t n;        /* values that the point stands for */
    bool beaten;      /* surely worse than the best: drawn hollow; what may be as good is not */
    char *label;      /* owned; NULL: none */
    const char *run;  /* owned: the last of the runs that it stands for; NULL: of none */
} tess_chart_point;

typedef enum tess_chart_line {
    TESS_CHART_POINTS,
    TESS_CHART_JOINED,
    TESS_CHART_LIMIT
} tess_chart_line;

/* Points that are of one colour; a limit is a dashed line without points, as what the machine can
 * do at best. */
typedef struct tess_chart_series {
    char *name;   /* owned */
    int position; /* of the name among those of the chart: its colour and letter in each panel */
    tess_chart_line line;
    int64_t n, capacity;
    tess_chart_point *points; /* owned */
} tess_chart_series;

typedef struct tess_chart_panel {
    char *title; /* owned */
    int64_t n, capacity;
    tess_chart_series *series; /* owned */
} tess_chart_panel;

typedef struct tess_chart {
    const char *kind; /* "time" */
    bool rows;
    tess_axis x, y;
    int64_t n, capacity;
    tess_chart_panel *panels; /* owned */
    char *notes;              /* owned: lines that stand under the chart; NULL: none */
    FILE *stream;             /* which writes them */
    size_t n_characters;
} tess_chart;

TESS_MUST_CHECK tess_status tess_chart_new(const char *kind, tess_chart **out);
void tess_chart_free(tess_chart *chart);

/* Each adds one and gives it until the next of its kind is added; texts are copied. */
TESS_MUST_CHECK tess_status tess_chart_add_panel(tess_chart *chart, const char *title,
                                                 tess_chart_panel **out);
TESS_MUST_CHECK tess_status tess_panel_add_series(tess_chart_panel *panel, const char *name,
                                                  tess_chart_line line, tess_chart_series **out);
/* The point's texts are copied; values are in the units of the axes. */
TESS_MUST_CHECK tess_status tess_series_add_point(tess_chart_series *series,
                                                  const tess_chart_point *point);
/* Sorts the points by x. */
void tess_series_sort(tess_chart_series *series);

/* Gives each name of series its place, in the order in which they come first. */
void tess_chart_place_names(tess_chart *chart);

/* Adds a line below the chart. */
TESS_MUST_CHECK tess_status tess_chart_note(tess_chart *chart, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line that says that n of a kind, say "slower", are left out of a panel, where n is more than 0.
 */
TESS_MUST_CHECK tess_status tess_chart_note_left_out(tess_chart *chart, const char *panel,
                                                     int64_t n, const char *what);

/* The chart as JSON, schema "tess.chart/1"; NULL when out of memory. */
json_t *tess_chart_json(const tess_chart *chart);
