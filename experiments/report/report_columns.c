/* The columns of a report: what can be said of each run that `tess partition` or `tess run` made.
 */
#include "experiments/report/report_columns.h"

#include "core/base/array.h"
#include "core/base/name_list.h"
#include "core/base/unknown_name.h"
#include "core/plan/quantity.h"
#include "experiments/model/expectation.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *one, const char *other) {
    return strcmp(one, other) == 0;
}

static tess_status setting(const tess_run *run, const char *name, char **out) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (is(tess_fields[field].name, name))
            return tess_experiment_text(run->experiment, field, out);
    FAIL(TESS_ERROR_INTERNAL, "there is no setting %s", name);
}

static tess_status name_blocks(const tess_experiment *experiment, char **out) {
    return tess_experiment_is_stored(experiment) ? tess_text_copy("as stored", out)
                                                 : tess_experiment_blocks(experiment, out);
}

static tess_status blocks_name(const tess_run *run, const char *name, char **out) {
    (void)name;
    return name_blocks(run->experiment, out);
}

static tess_status check(const tess_run *run, const char *name, char **out) {
    (void)name;
    const bool cut = run->experiment->kind == TESS_CUTTING, expected = run->number < 0;
    return tess_text_copy((!cut && !expected) || run->failure ? tess_run_check(run) : "", out);
}

static tess_status run_id(const tess_run *run, const char *name, char **out) {
    (void)name;
    return tess_text_copy(run->run ? strndupa(run->run, TESS_RUN_ID_SHOWN) : "", out);
}

/* A usual column: of a number where it has no text. */
typedef struct usual_column {
    const char *name;
    enum { BOTH, CUT, RUN } of;
    bool is_marked; /* the best of it are, where one way is better */
    int rank;
    tess_status (*text)(const tess_run *run, const char *name, char **out);
    bool where_varied;
} usual_column;

static const usual_column usual[] = {
    {"block_size", BOTH, false, 0, setting, false},
    {"partitioner", BOTH, false, 0, blocks_name, false},
    {"strategy", RUN, false, 0, setting, false},
    {"layout", RUN, false, 0, setting, true},
    {"outcome", BOTH, false, 0, check, false},
    {"blocks", CUT, false, 6, NULL, false},
    {"fill", CUT, false, 7, NULL, false},
    {"reuse_factor", CUT, true, 0, NULL, false},
    {"thread_colours_mean", CUT, true, 0, NULL, false},
    {"block_colours", CUT, true, 2, NULL, false},
    {"components_mean", CUT, true, 3, NULL, false},
    {"sectors_per_block", CUT, true, 8, NULL, false},
    {"transfer_used", CUT, true, 9, NULL, false},
    {"transfer_total", CUT, true, 0, NULL, false},
    {"predicted_time", BOTH, true, 0, NULL, false},
    {"partition_seconds", CUT, false, 4, NULL, false},
    {"plan_seconds", CUT, false, 10, NULL, false},
    {"rank_partitioner", RUN, false, 0, setting, true},
    {"halo", RUN, false, 0, setting, true},
    {"ranks", RUN, false, 0, NULL, false},
    {"core_share", RUN, true, 11, NULL, false},
    {"exec_share", RUN, true, 12, NULL, false},
    {"exchange_bytes", RUN, true, 13, NULL, false},
    {"exchange_messages", RUN, false, 14, NULL, false},
    {"launches", RUN, false, 5, NULL, false},
    {"shared_bytes", RUN, false, 6, NULL, false},
    {"read_sectors", RUN, false, 0, NULL, false},
    {"write_sectors", RUN, false, 2, NULL, false},
    {"atomic_sectors", RUN, false, 1, NULL, false},
    {"warp_efficiency", RUN, false, 7, NULL, false},
    {"shared_bank_conflicts", RUN, false, 8, NULL, false},
    {"barriers", RUN, false, 9, NULL, false},
    {"median_time", RUN, true, 0, NULL, false},
    {"bandwidth", RUN, false, 3, NULL, false},
    {"useful_fraction", RUN, false, 4, NULL, false},
    {"run", BOTH, false, 5, run_id, false},
};
enum { N_USUAL = sizeof usual / sizeof *usual };

static bool is_of(const usual_column *column, tess_experiment_kind kind) {
    return column->of == BOTH || (column->of == CUT) == (kind == TESS_CUTTING);
}

/* A column under its title. */
static tess_report_column column_of(const char *name) {
    const tess_quantity *quantity = tess_quantity_find(name);
    if (!quantity)
        return (tess_report_column){.name = name, .title = name, .scale = 1};
    const bool is_mean = quantity->of == TESS_OF_BLOCK; /* of numbers that may be whole */
    return (tess_report_column){.name = name,
                                .format = is_mean ? "%.2f" : quantity->format,
                                .better = quantity->better,
                                .title = quantity->title,
                                .scale = quantity->scale};
}

static tess_report_column of_usual(const usual_column *usual_one) {
    tess_report_column column = column_of(usual_one->name);
    column.better = usual_one->is_marked ? column.better : 0;
    column.rank = usual_one->rank;
    column.text = usual_one->text;
    column.where_varied = usual_one->where_varied;
    return column;
}

/* Blocks alone know nothing of runs. */
static bool has_metric(tess_experiment_kind kind, const tess_quantity *metric) {
    return kind == TESS_RUNNING || metric->of != TESS_OF_RUN;
}

/* Any other metric or setting. */
static bool find_unusual(const char *name, tess_experiment_kind kind, tess_report_column *out) {
    const tess_quantity *metric = tess_metric_find(name);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (is(tess_fields[field].name, name) && tess_field_is_of(field, kind)) {
            *out = column_of(tess_fields[field].name);
            out->text = setting;
            return true;
        }
    if (!metric || !is(metric->name, name) || !has_metric(kind, metric))
        return false;
    *out = column_of(metric->name);
    return true;
}

tess_status tess_report_column_find(const char *name, tess_experiment_kind kind,
                                    tess_report_column *out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    const char *recorded = tess_recorded_name(name);
    for (int i = 0; i < N_USUAL; i++) {
        if (!is_of(&usual[i], kind))
            continue;
        *out = of_usual(&usual[i]);
        if (is(out->name, recorded))
            return TESS_OK;
        tess_unknown_name_add(&unknown, out->title);
        tess_unknown_name_offer(&unknown, out->name);
    }
    if (find_unusual(recorded, kind, out))
        return TESS_OK;
    for (int i = 0; tess_metric_at(i); i++)
        if (has_metric(kind, tess_metric_at(i)))
            tess_unknown_name_offer(&unknown, tess_metric_at(i)->name);
    return tess_unknown_name_fail(
        "there is no column", &unknown,
        (tess_unknown_words){"?", "; there are: %s, and all metrics and settings"});
}

static tess_status add_usual(tess_experiment_kind kind, tess_report_columns *out) {
    for (int i = 0; i < N_USUAL; i++)
        if (is_of(&usual[i], kind))
            out->items[out->n++] = of_usual(&usual[i]);
    return TESS_OK;
}

/* What tells runs apart, where nobody asked for some of it: only what they differ in. */
static void add_naming(tess_experiment_kind kind, tess_report_columns *out) {
    enum { N_NAMING = 4 }; /* the first columns */
    const int n_asked = out->n;
    tess_report_columns all = {.n = 0};
    for (int i = 0; i < N_NAMING; i++) {
        for (int asked = 0; asked < n_asked; asked++)
            if (is(out->items[asked].name, usual[i].name))
                return;
        if (!is_of(&usual[i], kind) || all.n + n_asked == TESS_MOST_REPORT_COLUMNS)
            continue;
        all.items[all.n] = of_usual(&usual[i]);
        all.items[all.n++].where_varied = true;
    }
    memcpy(all.items + all.n, out->items, (size_t)n_asked * sizeof *out->items);
    all.n += n_asked;
    *out = all;
}

tess_status tess_report_columns_choose(const char *names, tess_experiment_kind kind,
                                       tess_report_columns *out) {
    *out = (tess_report_columns){.n = 0};
    if (!names || *names == '+')
        TRY(add_usual(kind, out));
    if (!names)
        return TESS_OK;
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names + (*names == '+'); tess_name_list_next(&rest, name);) {
        if (out->n == TESS_MOST_REPORT_COLUMNS)
            FAIL(TESS_ERROR_USAGE, "more than %d columns", TESS_MOST_REPORT_COLUMNS);
        TRY(tess_report_column_find(name, kind, &out->items[out->n]));
        out->items[out->n].where_varied = false;
        out->items[out->n++].rank = 0; /* asked for, and so not left out */
    }
    if (*names != '+')
        add_naming(kind, out);
    return TESS_OK;
}

double tess_report_number(const tess_report_column *column, const tess_run *run) {
    char text[64];
    if (column->text || run->failure)
        return NAN;
    const double number = column->scale * tess_run_value(run, column->name);
    snprintf(text, sizeof text, column->format, number);
    return isnan(number) ? NAN : strtod(text, NULL);
}

tess_status tess_report_cell(const tess_report_column *column, const tess_run *run, char **out) {
    char text[64] = "";
    if (column->text)
        return column->text(run, column->name, out);
    const double number = run->failure ? NAN : column->scale * tess_run_value(run, column->name);
    const tess_metric_value *value = tess_metrics_find(run->values, column->name);
    const bool estimated = value && value->source == TESS_SOURCE_SAMPLE;
    if (!isnan(number)) {
        text[0] = '~';
        snprintf(text + estimated, sizeof text - 1, column->format, number);
    }
    return tess_text_copy(text, out);
}

tess_status tess_table_add_variant(tess_table *table, const tess_experiment *experiment) {
    char *blocks = NULL;
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%lld", (long long)experiment->block_size));
    TRY(name_blocks(experiment, &blocks));
    const tess_status status = tess_table_add_cell(table, "%s", blocks);
    free(blocks);
    TRY(status);
    TRY(tess_table_add_cell(table, "%s", experiment->strategy.text));
    return tess_table_add_cell(table, "%s", experiment->layout.text);
}
