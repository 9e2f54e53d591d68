/* The importer of Google Benchmark's JSON (--benchmark_out_format=json). */
#include "core/base/json.h"
#include "experiments/archive/import/importer.h"

#include <string.h>

static bool knows(const tess_import_file *file) {
    return json_is_object(json_object_get(file->json, "context")) &&
           json_is_array(json_object_get(file->json, "benchmarks"));
}

static bool is_aggregate(json_t *row) {
    return strcmp(tess_json_text_at(row, "run_type"), "aggregate") == 0;
}

/* What a row is a repetition of; "gather/1000" of "gather/1000_mean". */
static const char *run_name(json_t *row) {
    const char *name = tess_json_text_at(row, "run_name");
    return *name ? name : tess_json_text_at(row, "name");
}

/* Keys of a row that are no counters of the user's. */
static bool is_own(const char *key) {
    static const char *const keys[] = {"name",          "run_name",
                                       "run_type",      "family_index",
                                       "repetitions",   "per_family_instance_index",
                                       "threads",       "repetition_index",
                                       "iterations",    "real_time",
                                       "cpu_time",      "time_unit",
                                       "error_message", "error_occurred",
                                       "skip_message",  "skipped",
                                       "label",         "aggregate_name",
                                       "aggregate_unit"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static tess_status add_context(const tess_import_file *file, tess_record *run) {
    json_t *context = json_object_get(file->json, "context");
    TRY(tess_imported_run_set_time(run, tess_json_text_at(context, "date")));
    TRY(tess_values_set_text(&run->environment, "host", tess_json_text_at(context, "host_name")));
    const char *key;
    json_t *value;
    json_object_foreach(context, key, value) TRY(tess_imported_run_log_json(run, key, value));
    return TESS_OK;
}

/* A repetition: its times, and the counters that the user has. */
static tess_status add_row(json_t *row, tess_record *run) {
    const char *unit = tess_json_text_at(row, "time_unit");
    json_t *real = json_object_get(row, "real_time");
    json_t *cpu = json_object_get(row, "cpu_time");
    if (json_is_true(json_object_get(row, "error_occurred")))
        return tess_imported_run_fail(run, tess_json_text_at(row, "error_message"));
    if (json_is_true(json_object_get(row, "skipped")))
        return tess_imported_run_fail(run, tess_json_text_at(row, "skip_message"));
    if (json_is_number(real))
        TRY(tess_imported_run_sample(run, "time", *unit ? unit : "ns", json_number_value(real)));
    if (json_is_number(cpu))
        TRY(tess_imported_run_sample(run, "cpu_time", *unit ? unit : "ns", json_number_value(cpu)));
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value) {
        if (!is_own(key) && json_is_number(value))
            TRY(tess_imported_run_sample(run, key, "", json_number_value(value)));
        else if (!is_own(key) || strcmp(key, "label") == 0)
            TRY(tess_imported_run_set_json(run, key, value));
    }
    return TESS_OK;
}

/* The run that the row is of: made at the first. */
static tess_status find_run(const tess_import_file *file, json_t *row, tess_imported_runs *runs,
                            tess_record **out) {
    const char *name = run_name(row);
    if (tess_imported_run_find(runs, name, out))
        return TESS_OK;
    const char *program = tess_json_text_at(json_object_get(file->json, "context"), "executable");
    TRY(tess_imported_run_add(runs, basename(program), name, out));
    TRY(tess_imported_run_set_json(*out, "threads", json_object_get(row, "threads")));
    return add_context(file, *out);
}

/* The names of runs whose repetitions are there themselves, not only means of them, as keys. */
static json_t *find_repeated(json_t *rows) {
    json_t *names = json_object(), *row;
    size_t i;
    json_array_foreach(rows, i, row) if (!is_aggregate(row))
        json_object_set_new(names, run_name(row), json_true());
    return names;
}

static tess_status read_runs(const tess_import_file *file, tess_imported_runs *runs) {
    tess_status status = TESS_OK;
    json_t *context = json_object_get(file->json, "context");
    json_t *version = json_object_get(context, "json_schema_version"); /* not in 1.7.1 */
    if (version && json_integer_value(version) != 1)
        FAIL(TESS_ERROR_INPUT, "%s: Google Benchmark's JSON of version %lld; 1 is read", file->path,
             (long long)json_integer_value(version));
    json_t *rows = json_object_get(file->json, "benchmarks"), *row;
    json_t *repeated = find_repeated(rows);
    size_t i;
    runs->left_out = "aggregate";
    json_array_foreach(rows, i, row) {
        tess_record *run = NULL;
        const char *aggregate = tess_json_text_at(row, "aggregate_name");
        if (!*run_name(row))
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: benchmark %zu has no name", file->path, i + 1));
        if (is_aggregate(row) &&
            (json_object_get(repeated, run_name(row)) || strcmp(aggregate, "median") != 0)) {
            runs->n_left_out++;
            continue;
        }
        CHECK(find_run(file, row, runs, &run));
        CHECK(add_row(row, run));
        if (is_aggregate(row))
            CHECK(tess_imported_run_set(run, "aggregate", aggregate));
    }
done:
    json_decref(repeated);
    return status;
}

const tess_importer tess_importer_benchmark = {
    .name = "benchmark", .summary = "Google Benchmark's JSON", .knows = knows, .read = read_runs};
