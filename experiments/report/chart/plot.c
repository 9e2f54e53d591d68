/* A plot: a plug-in that makes a chart of chosen runs. */
#include "experiments/report/chart/plot.h"

#include "core/base/array.h"
#include "core/base/name_list.h"
#include "core/base/plural.h"
#include "core/base/registry.h"
#include "core/plan/quantity.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROBLEMS = 6, MOST_NEEDED = 4 };

#define X(name) extern const tess_plot tess_plot_##name;
#include "experiments/report/chart/list.h"
#undef X

static const void *const plots[] = {
#define X(name) &tess_plot_##name,
#include "experiments/report/chart/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = plots, .kind = "plot", .words = {"? (known: %s)", " (known: %s)"}};

const tess_plot *tess_plot_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_plot_find(const char *name, const tess_plot **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

/* The least and the largest value of one axis. */
typedef struct axis_range {
    double least, largest;
} axis_range;

static void widen(axis_range *range, double value) {
    if (!isfinite(value))
        return;
    range->least = fmin(range->least, value);
    range->largest = fmax(range->largest, value);
}

static void choose_logarithm(axis_range range, tess_axis *axis) {
    static const double wide = 20;
    if (!axis->whole && range.least > 0 && range.largest / range.least > wide)
        axis->logarithmic = true;
}

/* Axes whose values differ by much are logarithmic. */
static void choose_logarithms(tess_chart *chart) {
    axis_range x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    for (int64_t p = 0; p < chart->n; p++)
        for (int64_t s = 0; s < chart->panels[p].n; s++)
            for (int64_t i = 0; i < chart->panels[p].series[s].n; i++) {
                const tess_chart_point *point = &chart->panels[p].series[s].points[i];
                axis_range *spread = chart->rows ? &x : &y;
                widen(&x, point->x);
                widen(&y, point->y);
                widen(spread, point->low);
                widen(spread, point->high);
            }
    choose_logarithm(x, &chart->x);
    if (!chart->rows)
        choose_logarithm(y, &chart->y);
}

tess_status tess_plot_build(const tess_plot *plot, const tess_plot_request *request,
                            tess_chart **out) {
    tess_status status = TESS_OK;
    tess_chart *chart = NULL;
    CHECK(tess_chart_new(plot->name, &chart));
    CHECK(plot->fill(request, chart));
    choose_logarithms(chart);
    tess_chart_place_names(chart);
    *out = TESS_TAKE(chart);
done:
    tess_chart_free(chart);
    return status;
}

/* The metrics that a row must have. */
typedef struct needed_fields {
    int n;
    tess_run_field fields[MOST_NEEDED];
} needed_fields;

static tess_status find_needed(const tess_query *query, const char *names, needed_fields *out) {
    out->n = 0;
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);)
        if (out->n == MOST_NEEDED ||
            !tess_run_table_find(query->table, name, &out->fields[out->n++]))
            FAIL(TESS_ERROR_INPUT, "no run of the lab has '%s', which this plot shows", name);
    return TESS_OK;
}

static bool row_has(const tess_query *query, const needed_fields *needed, int64_t row) {
    for (int k = 0; k < needed->n; k++) {
        const tess_run_field *field = &needed->fields[k];
        if (field->is_text ? !*tess_run_text(query->table, field, row)
                           : isnan(tess_run_number(query->table, field, row)))
            return false;
    }
    return true;
}

tess_status tess_plot_problems(const tess_plot_request *request, tess_chart *chart,
                               const char *needed_names, const char *by, tess_row_groups *out) {
    tess_status status = TESS_OK;
    const tess_query *query = request->query;
    tess_run_field outcome;
    needed_fields needed;
    int64_t *rows = NULL, n = 0, n_failed = 0;
    *out = (tess_row_groups){.n = 0};
    CHECK(find_needed(query, needed_names, &needed));
    CHECK(tess_run_table_require(query->table, "outcome", &outcome));
    CHECK(TESS_ALLOC(query->n_rows, &rows));
    for (int64_t i = 0; i < query->n_rows; i++) {
        const int64_t row = query->rows[i];
        const bool failed = strcmp(tess_run_text(query->table, &outcome, row), "failed") == 0;
        n_failed += failed;
        if (!failed && row_has(query, &needed, row))
            rows[n++] = row;
    }
    if (n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "none of %lld chosen runs has %s, which this plot shows",
                        (long long)query->n_rows, needed_names));
    CHECK(tess_row_groups_build(query, rows, n, by, true, out));
    if (n_failed)
        CHECK(tess_chart_note(chart, "left out: %lld run%s that failed", (long long)n_failed,
                              tess_plural(n_failed)));
    if (out->n > MOST_PROBLEMS && !request->all_problems) {
        CHECK(tess_chart_note(chart, "shown: %d of %lld problems; choose others with --where",
                              MOST_PROBLEMS, (long long)out->n));
        for (int64_t g = MOST_PROBLEMS; g < out->n; g++)
            free(out->items[g].name);
        out->n = MOST_PROBLEMS;
    }
done:
    free(rows);
    return status;
}

tess_status tess_plot_panels(const tess_plot_request *request, tess_chart *chart,
                             const char *needed, const char *by, tess_panel_fill fill,
                             void *context) {
    tess_status status = TESS_OK;
    tess_row_groups problems = {.n = 0};
    CHECK(tess_plot_problems(request, chart, needed, by, &problems));
    for (int64_t g = 0; g < problems.n; g++) {
        tess_chart_panel *panel = NULL;
        CHECK(tess_chart_add_panel(chart, problems.items[g].name, &panel));
        CHECK(fill(context, &problems.items[g], chart, panel));
    }
done:
    tess_row_groups_clear(&problems);
    return status;
}

const char *tess_plot_run(const tess_query *query, const tess_row_group *group) {
    tess_run_field run;
    const char *last = "";
    if (!tess_run_table_find(query->table, "run", &run))
        return NULL;
    for (int64_t i = 0; i < group->n; i++) { /* ids sort by time */
        const char *one = tess_run_text(query->table, &run, group->rows[i]);
        last = strcmp(one, last) > 0 ? one : last;
    }
    return last;
}

tess_status tess_plot_axis(const tess_query *query, const char *name, tess_axis *axis) {
    static const char *const units[] = {"MB", "ms", "GB/s", "s", "B"};
    tess_run_field field;
    axis->scale = 1;
    if (strcmp(name, "median_time") == 0) {
        *axis = (tess_axis){.words = "time [ms]", .scale = 1e3, .logarithmic = axis->logarithmic};
        return TESS_OK;
    }
    if (strcmp(name, "bandwidth") == 0) {
        *axis = (tess_axis){.words = "useful bytes [GB/s]", .scale = 1e-9};
        return TESS_OK;
    }
    TRY(tess_run_table_require(query->table, name, &field));
    if (field.is_text)
        FAIL(TESS_ERROR_USAGE, "'%s' is a text: an axis shows a number", name);
    const tess_quantity *title = tess_title_of(field.name);
    if (!title) {
        const bool has_unit = field.unit && *field.unit && strcmp(field.unit, "1") != 0;
        snprintf(axis->words, sizeof axis->words, has_unit ? "%s [%s]" : "%s", field.name,
                 field.unit);
        return TESS_OK;
    }
    axis->scale = title->scale;
    snprintf(axis->words, sizeof axis->words, "%s", title->title);
    char *last = strrchr(axis->words, ' ');
    for (size_t i = 0; last && i < sizeof units / sizeof *units; i++)
        if (strcmp(last + 1, units[i]) == 0) {
            snprintf(last, sizeof axis->words - (size_t)(last - axis->words), " [%s]", units[i]);
            break;
        }
    return TESS_OK;
}
