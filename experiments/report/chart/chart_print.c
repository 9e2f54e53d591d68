/* A chart as text: panels one below the other, drawn with letters and braille dots. */
#include "experiments/report/chart/chart_print.h"

#include "core/base/array.h"
#include "experiments/archive/run_query.h"
#include "experiments/report/chart/chart_canvas.h"
#include "experiments/report/chart/chart_scale.h"
#include "experiments/report/wrapped.h"
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40, NUMBER_WIDTH = 9, SHARE_OF_LABELS = 55 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

static char letter_of(const tess_chart_series *series) {
    return letters[(size_t)series->position % (sizeof letters - 1)];
}
/* Of 256: those of Okabe and Ito's that are readable on dark and on light. */
static const int hues[] = {32, 172, 35, 170, 208, 39, 142, 133};

tess_chart_ink tess_chart_ink_of(FILE *stream) {
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    const bool terminal = isatty(fileno(stream)) != 0, dumb = term && strcmp(term, "dumb") == 0;
    const int width = tess_terminal_width(stream);
    return (tess_chart_ink){.width =
                                width ? (width > LEAST_WIDTH ? width : LEAST_WIDTH) : USUAL_WIDTH,
                            .unicode = !dumb && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                            .colour = terminal && !dumb && term && !(plain && *plain)};
}

/* A panel being printed. */
typedef struct panel_printer {
    const tess_chart *chart;
    const tess_chart_panel *panel;
    tess_chart_ink ink;
    FILE *stream;
    int64_t n; /* values of an axis */
    double *x, *y;
    tess_scale across, up;
} panel_printer;

static void begin_ink(const panel_printer *print, int ink) {
    if (print->ink.colour && ink >= 0)
        fprintf(print->stream, "\033[38;5;%dm", hues[(size_t)ink % (sizeof hues / sizeof *hues)]);
}

static void end_ink(const panel_printer *print, int ink) {
    if (print->ink.colour && ink >= 0)
        fputs("\033[0m", print->stream);
}

static void print_repeated(const char *text, int n, FILE *stream) {
    for (int i = 0; i < n; i++)
        fputs(text, stream);
}

/* Values of both axes, with the ends of intervals. */
static tess_status collect_values(panel_printer *print) {
    int64_t most = 0;
    for (int64_t s = 0; s < print->panel->n; s++)
        most += 3 * print->panel->series[s].n;
    TRY(TESS_ALLOC(most, &print->x));
    TRY(TESS_ALLOC(most, &print->y));
    for (int64_t s = 0; s < print->panel->n; s++)
        for (int64_t i = 0; i < print->panel->series[s].n; i++) {
            const tess_chart_point *point = &print->panel->series[s].points[i];
            const double ends[] = {point->low, point->high, NAN};
            for (int k = 0; k < 3; k++) {
                const double end = isfinite(ends[k])    ? ends[k]
                                   : print->chart->rows ? point->x
                                                        : point->y;
                print->x[print->n] = print->chart->rows ? end : point->x;
                print->y[print->n++] = print->chart->rows ? point->y : end;
            }
        }
    return TESS_OK;
}

/* Ticks' numbers below a track of `width` characters that begins behind `indent`. */
static void print_ticks(const panel_printer *print, int indent, int width) {
    int at = 0;
    fprintf(print->stream, "%*s", indent, "");
    for (int i = 0; i < print->across.n_ticks; i++) {
        char text[32];
        const char *number = tess_number_print(print->across.ticks[i], text);
        const int length = (int)strlen(number);
        int begin =
            (int)(tess_scale_position(&print->across, print->across.ticks[i]) * width) - length / 2;
        begin = begin < 0 ? 0 : begin > width - length ? width - length : begin;
        if (at > 0 && begin <= at)
            continue;
        fprintf(print->stream, "%*s%s", begin - at, "", number);
        at = begin + length;
    }
    putc('\n', print->stream);
}

/* Prints a text in `width` characters: its end is cut off, which '~' says. */
static void print_fitted(const char *text, int width, FILE *stream) {
    const int own = tess_text_width(text);
    if (own <= width) {
        fprintf(stream, "%s%*s", text, width - own, "");
        return;
    }
    int bytes = 0;
    for (int n = 0; n < width - 1; n++) {
        const int length = mblen(text + bytes, MB_CUR_MAX);
        bytes += length > 0 ? length : 1;
    }
    fprintf(stream, "%.*s~", bytes, text);
}

/* One row's interval and point on a track of `width` characters. */
static void print_track(const panel_printer *print, const tess_chart_point *point, int width) {
    static const char *const plain[] = {" ", "-", "|", "|", "*", "o"};
    static const char *const drawn[] = {" ", "─", "├", "┤", "●", "○"};
    const char *const *signs = print->ink.unicode ? drawn : plain;
    const double ends[] = {isfinite(point->low) ? point->low : point->x, point->x,
                           isfinite(point->high) ? point->high : point->x};
    int at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = (int)(tess_scale_position(&print->across, ends[k]) * width);
        at[k] = at[k] < 0 ? 0 : at[k] >= width ? width - 1 : at[k];
    }
    const int ink = point->beaten ? 1 : 0;
    begin_ink(print, ink);
    print_repeated(signs[0], at[0], print->stream);
    for (int c = at[0]; c <= at[2]; c++)
        fputs(c == at[1]   ? signs[point->beaten ? 5 : 4]
              : c == at[0] ? signs[2]
              : c == at[2] ? signs[3]
                           : signs[1],
              print->stream);
    print_repeated(signs[0], width - 1 - at[2], print->stream);
    end_ink(print, ink);
}

/* A limit of rows: its name, its place and its number. */
static void print_row_limit(const panel_printer *print, const tess_chart_series *series, int labels,
                            int width) {
    char number[32];
    if (series->n == 0)
        return;
    const double position = tess_scale_position(&print->across, series->points[0].x);
    const int at = position < 0 ? 0 : position >= 1 ? width - 1 : (int)(position * width);
    print_fitted(series->name, labels, print->stream);
    fprintf(print->stream, " %*s%s%*s %*s\n", at, "", print->ink.unicode ? "┆" : ":",
            width - 1 - at, "", NUMBER_WIDTH, tess_number_print(series->points[0].x, number));
}

static void print_rows(panel_printer *print) {
    int labels = 0, most = print->ink.width * SHARE_OF_LABELS / 100;
    for (int64_t s = 0; s < print->panel->n; s++)
        for (int64_t i = 0; i < print->panel->series[s].n; i++) {
            const char *label = print->panel->series[s].points[i].label;
            label = label ? label : print->panel->series[s].name;
            const int width = label ? tess_text_width(label) : 0;
            labels = width > labels ? width : labels;
        }
    labels = labels < most ? labels : most;
    const int counted = 8; /* "  n 1000" */
    const int width = print->ink.width - labels - 2 - NUMBER_WIDTH - counted;
    print->across = tess_scale_of(&print->chart->x, print->x, print->n, width / 10);
    for (int64_t s = 0; s < print->panel->n; s++)
        for (int64_t i = 0; i < print->panel->series[s].n; i++) {
            const tess_chart_point *point = &print->panel->series[s].points[i];
            char number[32];
            if (print->panel->series[s].line == TESS_CHART_LIMIT) {
                print_row_limit(print, &print->panel->series[s], labels, width);
                continue;
            }
            print_fitted(point->label ? point->label : "", labels, print->stream);
            putc(' ', print->stream);
            print_track(print, point, width);
            fprintf(print->stream, " %*s", NUMBER_WIDTH, tess_number_print(point->x, number));
            if (point->n)
                fprintf(print->stream, "  n %lld", (long long)point->n);
            putc('\n', print->stream);
        }
    print_ticks(print, labels + 1, width);
    fprintf(print->stream, "%*s%s\n", labels + 1, "", print->chart->x.words);
}

static void draw_series(const panel_printer *print, int s, tess_canvas *canvas) {
    const tess_chart_series *series = &print->panel->series[s];
    for (int64_t i = 0; i < series->n; i++) {
        const tess_chart_point *point = &series->points[i];
        const double x = tess_scale_position(&print->across, point->x);
        const double y = tess_scale_position(&print->up, point->y);
        if (i > 0 && series->line != TESS_CHART_POINTS)
            tess_canvas_draw(
                canvas, &(tess_canvas_line){tess_scale_position(&print->across, point[-1].x),
                                            tess_scale_position(&print->up, point[-1].y), x, y,
                                            series->line == TESS_CHART_LIMIT, series->position});
        if (isfinite(point->low) && isfinite(point->high))
            tess_canvas_draw(canvas,
                             &(tess_canvas_line){x, tess_scale_position(&print->up, point->low), x,
                                                 tess_scale_position(&print->up, point->high),
                                                 false, series->position});
    }
}

/* Letters come last, so that no line hides them. */
static void mark_series(const panel_printer *print, int s, tess_canvas *canvas) {
    const tess_chart_series *series = &print->panel->series[s];
    for (int64_t i = 0; series->line != TESS_CHART_LIMIT && i < series->n; i++)
        tess_canvas_letter(canvas, tess_scale_position(&print->across, series->points[i].x),
                           tess_scale_position(&print->up, series->points[i].y), letter_of(series),
                           series->position);
}

static void print_cell(const panel_printer *print, const tess_canvas *canvas, int at) {
    begin_ink(print, canvas->ink[at]);
    const unsigned char dots = canvas->dots[at];
    if (canvas->letters[at])
        putc(canvas->letters[at], print->stream);
    else if (!dots)
        putc(' ', print->stream);
    else if (print->ink.unicode) /* U+2800 and its dots, in UTF-8 */
        fprintf(print->stream, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
    else
        putc('.', print->stream);
    end_ink(print, canvas->ink[at]);
}

/* The number of the tick that falls into a row of characters, or "". */
static const char *tick_of_row(const tess_scale *scale, int row, int n_rows, char text[32]) {
    for (int i = 0; i < scale->n_ticks; i++) {
        const int at = (int)((1 - tess_scale_position(scale, scale->ticks[i])) * n_rows);
        if (at == row)
            return tess_number_print(scale->ticks[i], text);
    }
    return "";
}

static void print_legend(const panel_printer *print) {
    for (int64_t s = 0; s < print->panel->n; s++) {
        const tess_chart_series *series = &print->panel->series[s];
        const bool limit = series->line == TESS_CHART_LIMIT;
        fprintf(print->stream, "%*s", NUMBER_WIDTH + 2, "");
        begin_ink(print, series->position);
        if (limit)
            fputs("--", print->stream);
        else
            fprintf(print->stream, "%c ", letter_of(series));
        end_ink(print, series->position);
        putc(' ', print->stream);
        tess_wrapped_print(series->name, 0, print->ink.width - NUMBER_WIDTH - 6, print->stream);
    }
}

static tess_status print_plane(panel_printer *print) {
    tess_canvas *canvas = NULL;
    const int width = print->ink.width - NUMBER_WIDTH - 3;
    const int height = width / 4 < 10 ? 10 : width / 4 > 24 ? 24 : width / 4;
    const char *wall = print->ink.unicode ? "│" : "|";
    print->across = tess_scale_of(&print->chart->x, print->x, print->n, width / 10);
    print->up = tess_scale_of(&print->chart->y, print->y, print->n, height / 3);
    TRY(tess_canvas_new(width, height, &canvas));
    for (int s = 0; s < print->panel->n; s++)
        draw_series(print, s, canvas);
    for (int s = (int)print->panel->n - 1; s >= 0; s--) /* the first, which is best, on top */
        mark_series(print, s, canvas);
    fprintf(print->stream, "%s\n", print->chart->y.words);
    for (int row = 0; row < height; row++) {
        char number[32];
        fprintf(print->stream, "%*s %s", NUMBER_WIDTH, tick_of_row(&print->up, row, height, number),
                wall);
        for (int column = 0; column < width; column++)
            print_cell(print, canvas, row * width + column);
        putc('\n', print->stream);
    }
    fprintf(print->stream, "%*s %s", NUMBER_WIDTH, "", print->ink.unicode ? "└" : "+");
    print_repeated(print->ink.unicode ? "─" : "-", width, print->stream);
    putc('\n', print->stream);
    print_ticks(print, NUMBER_WIDTH + 2, width);
    const int indent = (width - tess_text_width(print->chart->x.words)) / 2;
    fprintf(print->stream, "%*s%s\n", NUMBER_WIDTH + 2 + (indent > 0 ? indent : 0), "",
            print->chart->x.words);
    print_legend(print);
    tess_canvas_free(canvas);
    return TESS_OK;
}

static tess_status print_panel(const tess_chart *chart, int64_t p, tess_chart_ink ink,
                               FILE *stream) {
    tess_status status = TESS_OK;
    panel_printer print = {
        .chart = chart, .panel = &chart->panels[p], .ink = ink, .stream = stream};
    if (p > 0)
        putc('\n', stream);
    tess_wrapped_print(print.panel->title, 0, ink.width, stream);
    CHECK(collect_values(&print));
    if (chart->rows)
        print_rows(&print);
    else
        CHECK(print_plane(&print));
done:
    free(print.x);
    free(print.y);
    return status;
}

tess_status tess_chart_print(const tess_chart *chart, tess_chart_ink ink, FILE *stream) {
    for (int64_t p = 0; p < chart->n; p++)
        TRY(print_panel(chart, p, ink, stream));
    for (const char *note = chart->notes; note && *note;) {
        const int length = (int)strcspn(note, "\n");
        char *line = strndupa(note, (size_t)length);
        tess_wrapped_print(line, 0, ink.width, stream);
        note += length + (note[length] == '\n');
    }
    return TESS_OK;
}
