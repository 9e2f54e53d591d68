/* tess show: everything of a run, with what its metrics mean. */
#include "core/base/json.h"
#include "core/base/plain_text.h"
#include "core/base/statistics.h"
#include "experiments/archive/lab.h"
#include "experiments/archive/record.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/run_query.h"
#include "experiments/archive/tags.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"
#include "experiments/report/words/explanation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct show_options {
    tess_common common;
    const char *lab, *run;
} show_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(show_options, lab)},
    {TESS_KEPT(show_options, run),
     .refusal = "'tess show' shows one run; 'tess diff' compares two"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "RUN",
    .doc = "Show everything of a run: configuration, metrics with what they mean, steps, samples, "
           "check, environment and log.\v"
           "  tess show @last\n"
           "  tess show tag:paper --json\n"
           "RUN is the beginning of an id, @last, @last~1 for the one "
           "before, or tag:NAME of one run."};

/* Everything that is shown of a run; owned. */
typedef struct shown_run {
    tess_record *record;
    char *tags, *notes, *plan_file, *mesh_file;
} shown_run;

static void shown_run_clear(shown_run *run) {
    tess_record_free(run->record);
    free(run->tags);
    free(run->notes);
    free(run->plan_file);
    free(run->mesh_file);
}

static tess_status shown_run_read(const char *folder, const char *name, shown_run *run) {
    tess_status status = TESS_OK;
    tess_lab *lab = NULL;
    tess_tags *tags = NULL;
    char id[TESS_RUN_ID_SIZE];
    CHECK(tess_lab_open(folder, false, &lab));
    CHECK(tess_run_id_of(lab, name, id));
    CHECK(tess_lab_read_run(lab, id, &run->record));
    CHECK(tess_tags_read(lab, &tags));
    CHECK(tess_tags_of(tags, id, &run->tags));
    CHECK(tess_notes_read(lab, id, &run->notes));
    CHECK(tess_lab_file(lab, "meshes", run->record->mesh, &run->mesh_file));
    CHECK(tess_lab_file(lab, "plans", run->record->plan, &run->plan_file));
done:
    tess_tags_free(tags);
    tess_lab_close(lab);
    return status;
}

static const char *definition_of(const char *name) {
    tess_explanation found;
    return tess_explanation_find(name, &found) ? found.long_name : "";
}

/* The loop that an entry of a march is of: what stands behind strategy/. */
static const char *loop_of(const tess_value *entry) {
    static const char prefix[] = "strategy/";
    const size_t length = sizeof prefix - 1;
    return strncmp(entry->key, prefix, length) == 0 ? entry->key + length : NULL;
}

static const char *setting_of(const tess_record *record, const char *setting, const char *loop) {
    char key[TESS_NAME_SIZE];
    snprintf(key, sizeof key, "%s/%s", setting, loop);
    return tess_values_text(&record->configuration, key);
}

static double measure_of(const tess_record *record, const char *measure, const char *loop) {
    char name[TESS_METRIC_NAME_SIZE];
    snprintf(name, sizeof name, "%s/%s", measure, loop);
    return tess_record_measure(record, name, NULL);
}

static tess_status add_loop(const tess_record *record, const char *loop, tess_table *table) {
    static const char *const settings[] = {"block_size", "threads", "partitioner", "strategy"};
    const double count = measure_of(record, "loop_count", loop);
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "  %s", loop));
    TRY(tess_table_add_number(table, "%.4g",
                              1e3 * measure_of(record, "loop_seconds", loop) / count));
    TRY(tess_table_add_number(table, "%.2f", 1e-9 * measure_of(record, "loop_bandwidth", loop)));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        TRY(tess_table_add_cell(table, "%s", setting_of(record, settings[i], loop)));
    return TESS_OK;
}

/* The chain that a measure is of: what was timed and has no settings of its own. */
static const char *chain_of(const tess_record *record, const tess_measure *measure) {
    static const char prefix[] = "loop_count/";
    const size_t length = sizeof prefix - 1;
    return strncmp(measure->name, prefix, length) == 0 &&
                   !*setting_of(record, "strategy", measure->name + length)
               ? measure->name + length
               : NULL;
}

/* The loops of a march: what each took, and how it ran. */
static tess_status print_loops(const tess_record *record) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(
        TESS_TITLES("  loop", ">ms", ">GB/s", ">block size", ">threads", "partitioner", "strategy"),
        &table));
    bool any = false;
    for (int64_t i = 0; i < record->configuration.n; i++) {
        const char *loop = loop_of(&record->configuration.items[i]);
        if (!loop)
            continue;
        any = true;
        CHECK(add_loop(record, loop, table));
    }
    for (int64_t i = 0; i < record->n_measures; i++)
        if (chain_of(record, &record->measures[i]))
            CHECK(add_loop(record, chain_of(record, &record->measures[i]), table));
    if (any) {
        puts("\nloops");
        CHECK(tess_table_print(table, stdout));
    }
done:
    tess_table_free(table);
    return status;
}

static void print_entries(const char *title, const tess_values *entries) {
    if (!entries->n)
        return;
    printf("\n%s\n", title);
    for (int64_t i = 0; i < entries->n; i++) {
        const tess_value *entry = &entries->items[i];
        const bool unit = *entry->unit && strcmp(entry->unit, "1") != 0;
        char number[32];
        tess_plain_print(stdout, "  %-28s %s%s%s\n", entry->key,
                         isnan(entry->number) ? entry->text
                                              : tess_number_print(entry->number, number),
                         unit ? " " : "", unit ? entry->unit : "");
    }
}

static tess_status print_metrics(const tess_record *record) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    if (!record->n_measures)
        return TESS_OK;
    puts("\nmetrics");
    CHECK(tess_table_new(TESS_TITLES("  name", ">value", "unit", "source", "what it is"), &table));
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        char number[32];
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "  %s", measure->name));
        CHECK(tess_table_add_cell(table, "%s", tess_number_print(measure->value, number)));
        CHECK(tess_table_add_cell(table, "%s", strcmp(measure->unit, "1") ? measure->unit : ""));
        CHECK(tess_table_add_cell(table, "%s", measure->source));
        CHECK(tess_table_add_cell(table, "%s", definition_of(measure->name)));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static void print_samples(const tess_record *record) {
    const char *title = "\nsamples\n";
    for (int64_t i = 0; i < record->n_series; i++) {
        const tess_series *series = &record->series[i];
        double least = INFINITY, most = -INFINITY;
        for (int64_t k = 0; k < series->n; k++) {
            least = fmin(least, series->values[k]);
            most = fmax(most, series->values[k]);
        }
        if (series->n == 0 || tess_series_is_timing(series->name))
            continue;
        tess_plain_print(stdout, "%s  %-28s %lld sample%s, %.4g to %.4g %s, median %.4g\n", title,
                         series->name, (long long)series->n, series->n == 1 ? "" : "s", least, most,
                         series->unit, tess_median(series->values, series->n));
        title = "";
    }
}

static void print_text(const char *title, const char *text) {
    if (*text)
        tess_plain_print(stdout, "\n%s\n%s%s", title, text,
                         text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static tess_status print_run(const shown_run *run) {
    const tess_record *record = run->record;
    tess_plain_print(stdout, "run     %s\ntime    %s\noutcome %s\n", record->id, record->time,
                     tess_outcome_name(record->outcome));
    if (*run->tags)
        tess_plain_print(stdout, "tags    %s\n", run->tags);
    if (*record->mesh)
        printf("mesh    %s\n", run->mesh_file);
    if (*record->plan)
        printf("plan    %s\n", run->plan_file);
    print_text("notes", run->notes);
    print_entries("configuration", &record->configuration);
    TRY(print_loops(record));
    TRY(print_metrics(record));
    print_samples(record);
    print_entries("steps", &record->steps);
    print_entries("check", &record->check);
    print_entries("environment", &record->environment);
    print_text("log", record->log);
    print_text("changes of the program against its commit", record->diff);
    return TESS_OK;
}

static json_t *run_json(const shown_run *run) {
    json_t *object = tess_record_json(run->record);
    if (!object)
        return NULL;
    json_object_set_new(object, "schema", json_string("tess.show/1"));
    json_object_set_new(object, "tags", json_string(run->tags));
    json_object_set_new(object, "notes", json_string(run->notes));
    if (*run->record->mesh)
        json_object_set_new(object, "mesh_file", tess_json_text(run->mesh_file));
    if (*run->record->plan)
        json_object_set_new(object, "plan_file", tess_json_text(run->plan_file));
    return object;
}

static tess_status show_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    show_options asked = {0};
    shown_run run = {0};
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (!asked.run)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which run? 'tess runs' lists them; @last is the last "
                                          "one: tess show @last"));
    CHECK(shown_run_read(asked.lab, asked.run, &run));
    CHECK(asked.common.json ? tess_json_print(run_json(&run)) : print_run(&run));
done:
    shown_run_clear(&run);
    return status;
}

const tess_command tess_command_show = {
    .name = "show", .summary = "Show everything of a run", .run = show_run};
