/* The columns of a report: what can be said of each run that `tess partition` or `tess run` made.
 */
#include "experiments/cli/report/report_columns.h"

#include "core/base/array.h"
#include "core/base/name_list.h"
#include "core/base/unknown_name.h"
#include "core/plan/quantity.h"
#include "experiments/bench/derived_measures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *one, const char *other) {
    return strcmp(one, other) == 0;
}

static double of_plan(const tess_run *run, const char *name) {
    return run->metrics ? tess_metrics_get(run->metrics, name) : NAN;
}

static double of_timer(const tess_run *run, const char *name) {
    return is(name, "partition_seconds") ? run->partition_seconds : run->plan_seconds;
}

static double of_trial(const tess_run *run, const char *name) {
    const tess_trial *trial = &run->trial;
    if (run->is_ranked && (is(name, "launches") || is(name, "shared_bytes")))
        return NAN; /* each rank has its own */
    return is(name, "launches")       ? trial->n_launches
           : is(name, "shared_bytes") ? (double)trial->shared_bytes
           : is(name, "median_time")  ? tess_trial_median(trial)
           : is(name, "useful_bytes") ? (double)trial->useful_bytes
           : is(name, "bandwidth")    ? run->bandwidth
                                      : run->bandwidth / run->copy_bandwidth;
}

static double of_ranks(const tess_run *run, const char *name) {
    const tess_halo_metrics *halo = &run->halo;
    if (!run->is_ranked)
        return NAN;
    return is(name, "ranks")            ? halo->n_ranks
           : is(name, "core_share")     ? halo->core_share
           : is(name, "exec_share")     ? halo->exec_share
           : is(name, "exchange_bytes") ? (double)halo->exchange_bytes
                                        : (double)halo->exchange_messages;
}

/* Of one rank's pages. */
static double of_page(const tess_run *run, const char *name) {
    const tess_trial *trial = &run->trial;
    if (run->is_ranked)
        return NAN;
    if (is(name, "moved_bytes_min"))
        return (double)trial->moved_bytes_min;
    if (is(name, "occupancy_theoretical"))
        return isfinite(trial->occupancy) ? trial->occupancy
                                          : tess_hardware_counter(&run->hardware, name);
    const int count =
        is(name, "spilled_bytes") ? trial->resources.spilled : trial->resources.registers;
    return count >= 0 ? (double)count : NAN;
}

static double of_derived(const tess_run *run, const char *name) {
    return tess_derived_measure(run, 1, name);
}

/* Counted by the emulator or by the hardware. */
static double of_counters(const tess_run *run, const char *name) {
    const tess_counters *c = &run->trial.counters;
    if (!run->trial.counted)
        return tess_hardware_counter(&run->hardware, name);
    return is(name, "read_sectors")            ? (double)c->read_sectors
           : is(name, "write_sectors")         ? (double)c->write_sectors
           : is(name, "atomic_sectors")        ? (double)c->atomic_sectors
           : is(name, "warp_efficiency")       ? tess_run_lanes(c)
           : is(name, "shared_bank_conflicts") ? (double)c->shared_bank_conflicts
           : is(name, "atomics")               ? (double)c->atomics
           : is(name, "atomic_repeats")        ? (double)c->atomic_repeats
                                               : (double)c->barriers;
}

static tess_status setting(const tess_run *run, const char *name, char **out) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (is(tess_fields[field].name, name))
            return tess_experiment_text(run->experiment, field, out);
    FAIL(TESS_ERROR_INTERNAL, "there is no setting %s", name);
}

static tess_status blocks_name(const tess_run *run, const char *name, char **out) {
    (void)name;
    return tess_experiment_blocks(run->experiment, out);
}

static tess_status check(const tess_run *run, const char *name, char **out) {
    (void)name;
    const bool cut = run->experiment->kind == TESS_CUTTING;
    return tess_text_copy(!cut || run->failure ? tess_run_check(run) : "", out);
}

static tess_status run_id(const tess_run *run, const char *name, char **out) {
    enum { PREFIX = 14 }; /* of an id: its time and enough of the rest to name it */
    (void)name;
    return tess_text_copy(run->run ? strndupa(run->run, PREFIX) : "", out);
}

#define BOTH                                                                                       \
    { true, true }
#define CUT                                                                                        \
    { true, false }
#define RUN                                                                                        \
    { false, true }

/* name, format, better, rank, of, number, text, where_varied; titles are found by name */
static const tess_report_column columns[] = {
    {"block_size", NULL, 0, 0, BOTH, NULL, setting, false, NULL, 0},
    {"partitioner", NULL, 0, 0, BOTH, NULL, blocks_name, false, NULL, 0},
    {"strategy", NULL, 0, 0, RUN, NULL, setting, false, NULL, 0},
    {"layout", NULL, 0, 0, RUN, NULL, setting, true, NULL, 0},
    {"outcome", NULL, 0, 0, BOTH, NULL, check, false, NULL, 0},
    {"blocks", "%.0f", 0, 6, CUT, of_plan, NULL, false, NULL, 0},
    {"fill", "%.3f", 0, 7, CUT, of_plan, NULL, false, NULL, 0},
    {"reuse_factor", "%.3f", 1, 0, CUT, of_plan, NULL, false, NULL, 0},
    {"thread_colours_mean", "%.2f", -1, 0, CUT, of_plan, NULL, false, NULL, 0},
    {"block_colours", "%.0f", -1, 2, CUT, of_plan, NULL, false, NULL, 0},
    {"components_mean", "%.2f", -1, 3, CUT, of_plan, NULL, false, NULL, 0},
    {"sectors_per_block", "%.1f", -1, 8, CUT, of_plan, NULL, false, NULL, 0},
    {"transfer_used", "%.2f", -1, 9, CUT, of_plan, NULL, false, NULL, 0},
    {"transfer_total", "%.2f", -1, 0, CUT, of_plan, NULL, false, NULL, 0},
    {"partition_seconds", "%.3f", -1, 4, CUT, of_timer, NULL, false, NULL, 0},
    {"plan_seconds", "%.3f", 0, 10, CUT, of_timer, NULL, false, NULL, 0},
    {"rank_partitioner", NULL, 0, 0, RUN, NULL, setting, true, NULL, 0},
    {"halo", NULL, 0, 0, RUN, NULL, setting, true, NULL, 0},
    {"ranks", "%.0f", 0, 0, RUN, of_ranks, NULL, false, NULL, 0},
    {"core_share", "%.4f", 1, 11, RUN, of_ranks, NULL, false, NULL, 0},
    {"exec_share", "%.4f", -1, 12, RUN, of_ranks, NULL, false, NULL, 0},
    {"exchange_bytes", "%.4g", -1, 13, RUN, of_ranks, NULL, false, NULL, 0},
    {"exchange_messages", "%.0f", 0, 14, RUN, of_ranks, NULL, false, NULL, 0},
    {"launches", "%.0f", 0, 5, RUN, of_trial, NULL, false, NULL, 0},
    {"shared_bytes", "%.0f", 0, 6, RUN, of_trial, NULL, false, NULL, 0},
    {"read_sectors", "%.0f", 0, 0, RUN, of_counters, NULL, false, NULL, 0},
    {"write_sectors", "%.0f", 0, 2, RUN, of_counters, NULL, false, NULL, 0},
    {"atomic_sectors", "%.0f", 0, 1, RUN, of_counters, NULL, false, NULL, 0},
    {"warp_efficiency", "%.3f", 0, 7, RUN, of_counters, NULL, false, NULL, 0},
    {"shared_bank_conflicts", "%.0f", 0, 8, RUN, of_counters, NULL, false, NULL, 0},
    {"barriers", "%.0f", 0, 9, RUN, of_counters, NULL, false, NULL, 0},
    {"median_time", "%.4g", -1, 0, RUN, of_trial, NULL, false, NULL, 0},
    {"bandwidth", "%.4g", 0, 3, RUN, of_trial, NULL, false, NULL, 0},
    {"useful_fraction", "%.3f", 0, 4, RUN, of_trial, NULL, false, NULL, 0},
    {"run", NULL, 0, 5, BOTH, NULL, run_id, false, NULL, 0},
};

/* Those that no table has unless they are asked for. */
static const tess_report_column asked_for[] = {
    {"atomics", "%.0f", -1, 0, RUN, of_counters, NULL, false, NULL, 0},
    {"atomic_repeats", "%.0f", -1, 0, RUN, of_counters, NULL, false, NULL, 0},
    {"registers", "%.0f", 0, 0, RUN, of_page, NULL, false, NULL, 0},
    {"spilled_bytes", "%.0f", -1, 0, RUN, of_page, NULL, false, NULL, 0},
    {"occupancy_theoretical", "%.4f", 1, 0, RUN, of_page, NULL, false, NULL, 0},
    {"l2_hit_rate", "%.3f", 1, 0, RUN, of_derived, NULL, false, NULL, 0},
    {"flop_rate", "%.4g", 1, 0, RUN, of_derived, NULL, false, NULL, 0},
    {"useful_bytes", "%.0f", 0, 0, RUN, of_trial, NULL, false, NULL, 0},
    {"moved_bytes_min", "%.0f", -1, 0, RUN, of_page, NULL, false, NULL, 0},
};

/* The column under its title. */
static tess_report_column titled(const tess_report_column *column) {
    tess_report_column one = *column;
    const tess_quantity *title = tess_title_of(column->name);
    one.title = title ? title->title : column->name;
    one.scale = title ? title->scale : 1;
    return one;
}

/* A metric or setting without a title of its own. */
static bool find_untitled(const char *name, tess_experiment_kind kind, tess_report_column *out) {
    const tess_quantity *metric = tess_metric_find(name);
    for (size_t i = 0; i < sizeof asked_for / sizeof *asked_for; i++)
        if (is(asked_for[i].name, name) && asked_for[i].of[kind]) {
            *out = titled(&asked_for[i]);
            return true;
        }
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (is(tess_fields[field].name, name) && tess_field_is_of(field, kind)) {
            const tess_report_column column = {.name = tess_fields[field].name, .text = setting};
            *out = titled(&column);
            return true;
        }
    if (!metric || !is(metric->name, name) || kind != TESS_CUTTING)
        return false;
    const tess_report_column column = {
        .name = metric->name, .format = "%.4g", .better = metric->better, .number = of_plan};
    *out = titled(&column);
    return true;
}

tess_status tess_report_column_find(const char *name, tess_experiment_kind kind,
                                    tess_report_column *out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    const tess_quantity *title = tess_title_find(name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (!columns[i].of[kind])
            continue;
        *out = titled(&columns[i]);
        if (is(out->name, title ? title->name : name))
            return TESS_OK;
        tess_unknown_name_add(&unknown, out->title);
        tess_unknown_name_offer(&unknown, out->name);
    }
    if (find_untitled(name, kind, out))
        return TESS_OK;
    const tess_quantity *metric = tess_metric_find(name);
    if (metric && is(metric->name, name))
        FAIL(TESS_ERROR_USAGE,
             "tables of runs have no column '%s': tess partition shows metrics of plans, tess show "
             "all of a run",
             name);
    for (int i = 0; tess_metric_at(i) && kind == TESS_CUTTING; i++)
        tess_unknown_name_offer(&unknown, tess_metric_at(i)->name);
    for (size_t i = 0; i < sizeof asked_for / sizeof *asked_for; i++)
        if (asked_for[i].of[kind])
            tess_unknown_name_add(&unknown, asked_for[i].name);
    return tess_unknown_name_fail(
        TESS_ERROR_USAGE, "there is no column", &unknown,
        (tess_unknown_words){"?", kind == TESS_CUTTING
                                      ? "; there are: %s, and all metrics and settings"
                                      : "; there are: %s, and all settings"});
}

static tess_status add_usual(tess_experiment_kind kind, tess_report_columns *out) {
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].of[kind])
            out->items[out->n++] = titled(&columns[i]);
    return TESS_OK;
}

/* What tells runs apart, where nobody asked for some of it: only what they differ in. */
static void add_naming(tess_experiment_kind kind, tess_report_columns *out) {
    enum { N_NAMING = 4 }; /* the first columns */
    const int n_asked = out->n;
    tess_report_columns all = {.n = 0};
    for (int i = 0; i < N_NAMING; i++) {
        for (int asked = 0; asked < n_asked; asked++)
            if (is(out->items[asked].name, columns[i].name))
                return;
        if (!columns[i].of[kind] || all.n + n_asked == TESS_MOST_REPORT_COLUMNS)
            continue;
        all.items[all.n] = titled(&columns[i]);
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
    if (!column->number || run->failure)
        return NAN;
    const double number = column->scale * column->number(run, column->name);
    snprintf(text, sizeof text, column->format, number);
    return isnan(number) ? NAN : strtod(text, NULL);
}

tess_status tess_report_cell(const tess_report_column *column, const tess_run *run, char **out) {
    char text[64] = "";
    if (column->text)
        return column->text(run, column->name, out);
    const double number = run->failure ? NAN : column->scale * column->number(run, column->name);
    const bool estimated = column->number == of_counters && run->trial.counted &&
                           tess_counters_estimated(&run->trial.counters);
    if (!isnan(number)) {
        text[0] = '~';
        snprintf(text + estimated, sizeof text - 1, column->format, number);
    }
    return tess_text_copy(text, out);
}

tess_status tess_table_add_way(tess_table *table, const tess_experiment *experiment) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%lld", (long long)experiment->block_size));
    TRY(tess_table_add_cell(table, "%s", experiment->partitioner.text));
    TRY(tess_table_add_cell(table, "%s", experiment->strategy.text));
    return tess_table_add_cell(table, "%s", experiment->layout.text);
}
