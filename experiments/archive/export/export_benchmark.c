/* Exporters of benchmarks: Kernel Tuner's T4 results (schema 1.0.0) and Google Benchmark's JSON. */
#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "experiments/archive/export/exporter.h"

#include <math.h>
#include <string.h>

static double seconds_of(const tess_record *record, const char *step) {
    const tess_value *entry = tess_values_find(&record->steps, step);
    return entry && isfinite(entry->number) ? entry->number : 0;
}

static json_t *configuration_json(const tess_record *record) {
    json_t *object = json_object();
    for (int64_t i = 0; i < record->configuration.n; i++) {
        const tess_value *entry = &record->configuration.items[i];
        json_object_set_new(object, entry->key,
                            isnan(entry->number) ? json_string(entry->text)
                                                 : tess_json_number(entry->number));
    }
    return object;
}

static json_t *measurements_json(const tess_record *record) {
    json_t *list = json_array();
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        if (isfinite(measure->value))
            json_array_append_new(list, json_pack("{s:s, s:f, s:s}", "name", measure->name, "value",
                                                  measure->value, "unit", measure->unit));
    }
    return list;
}

/* Milliseconds, as Kernel Tuner counts. */
static json_t *times_json(const tess_record *record) {
    const tess_series *times = tess_record_series(record, "time");
    json_t *runtimes = json_array();
    for (int64_t i = 0; times && i < times->n; i++)
        json_array_append_new(runtimes, json_real(1e3 * times->values[i]));
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "compilation_time",
                     1e3 * seconds_of(record, "compile"), "framework",
                     1e3 * seconds_of(record, "plan"), "search_algorithm", 0.0, "validation",
                     1e3 * seconds_of(record, "check"), "runtimes", runtimes);
}

static tess_status append_t4(void *list, const tess_record *record) {
    const tess_series *times = tess_record_series(record, "time");
    json_t *measurements = measurements_json(record);
    if (times && times->n) {
        double median = 0;
        TRY(tess_median_of(times->values, times->n, &median));
        json_array_insert_new(
            measurements, 0,
            json_pack("{s:s, s:f, s:s}", "name", "time", "value", 1e3 * median, "unit", "ms"));
    }
    const bool failed = record->outcome == TESS_FAILED;
    json_t *result = json_pack("{s:s, s:o, s:o, s:s, s:i, s:o, s:[s]}", "timestamp", record->time,
                               "configuration", configuration_json(record), "times",
                               times_json(record), "invalidity", failed ? "correctness" : "correct",
                               "correctness", failed ? 0 : 1, "measurements", measurements,
                               "objectives", times && times->n ? "time" : "reuse_factor");
    if (!result || json_array_append_new(list, result) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON cannot be made");
    return TESS_OK;
}

static tess_status write_t4(const tess_query *query, FILE *stream) {
    json_t *list = json_array();
    const tess_status status = tess_export_records(query, list, append_t4);
    if (status != TESS_OK) {
        json_decref(list);
        return status;
    }
    return tess_export_json(json_pack("{s:s, s:o}", "schema_version", "1.0.0", "results", list),
                            stream);
}

/* What a benchmark is called: the settings by which runs differ; of a mesh without its folder. */
static void benchmark_name(const tess_record *record, char *out, size_t size) {
    static const char *const keys[] = {"application", "mesh",    "loop",   "partitioner",
                                       "strategy",    "layouts", "device", "block_size"};
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys && length < size; i++) {
        const char *text = tess_values_text(&record->configuration, keys[i]);
        if (strcmp(keys[i], "mesh") == 0)
            text = tess_last_of_path(text);
        if (*text)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%s", length ? "/" : "", text);
    }
}

static json_t *benchmark_json(const char *name, const char *suffix, int64_t n, double seconds) {
    char full[600];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    return json_pack("{s:s, s:s, s:I, s:i, s:i, s:f, s:f, s:s}", "name", full, "run_name", name,
                     "repetitions", (json_int_t)n, "threads", 1, "iterations", 1, "real_time",
                     1e9 * seconds, "cpu_time", 1e9 * seconds, "time_unit", "ns");
}

static tess_status append_benchmark(void *list, const tess_record *record) {
    const tess_series *times = tess_record_series(record, "time");
    char name[512];
    benchmark_name(record, name, sizeof name);
    for (int64_t i = 0; times && i < times->n; i++) {
        json_t *one = benchmark_json(name, "", times->n, times->values[i]);
        json_object_set_new(one, "run_type", json_string("iteration"));
        json_object_set_new(one, "repetition_index", json_integer(i));
        json_array_append_new(list, one);
    }
    if (times && times->n) {
        double median = 0;
        TRY(tess_median_of(times->values, times->n, &median));
        json_t *one = benchmark_json(name, "_median", times->n, median);
        json_object_set_new(one, "run_type", json_string("aggregate"));
        json_object_set_new(one, "aggregate_name", json_string("median"));
        json_object_set_new(one, "aggregate_unit", json_string("time"));
        json_array_append_new(list, one);
    }
    return TESS_OK;
}

/* Where the first run was made: the format knows one place for all. */
static tess_status context_json(const tess_query *query, json_t **out) {
    tess_record *record = NULL;
    TRY(tess_lab_read_run(query->lab, tess_run_table_id(query->table, query->rows[0]), &record));
    const tess_value *cores = tess_values_find(&record->environment, "cores");
    const tess_value *clock = tess_values_find(&record->environment, "cpu_clock");
    *out =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:[], s:[], s:s}", "date", record->time,
                  "host_name", tess_values_text(&record->environment, "host"), "executable",
                  tess_values_text(&record->environment, "program"), "num_cpus",
                  cores ? (int)cores->number : 1, "mhz_per_cpu", clock ? (int)clock->number : 0,
                  "cpu_scaling_enabled", 0, "caches", "load_avg", "library_build_type", "release");
    tess_record_free(record);
    return TESS_OK;
}

static tess_status write_benchmark(const tess_query *query, FILE *stream) {
    tess_status status = TESS_OK;
    json_t *list = json_array(), *context = NULL;
    if (query->n_rows)
        CHECK(context_json(query, &context));
    CHECK(tess_export_records(query, list, append_benchmark));
    if (json_array_size(list) == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "none of these %lld runs has samples of time; 'tess run' takes them",
                        (long long)query->n_rows));
    CHECK(
        tess_export_json(json_pack("{s:O, s:O}", "context", context, "benchmarks", list), stream));
done:
    json_decref(context);
    json_decref(list);
    return status;
}

const tess_exporter tess_exporter_t4 = {
    .name = "t4", .summary = "Kernel Tuner's T4 results (schema 1.0.0)", .write = write_t4};
const tess_exporter tess_exporter_benchmark = {
    .name = "benchmark",
    .summary = "Google Benchmark's JSON, for its compare.py and dashboards",
    .write = write_benchmark};
