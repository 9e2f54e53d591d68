/* The exporter of nvbench's JSON (version 1): each run is a state, its settings are axes. */
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "experiments/archive/export/exporter.h"

#include <math.h>
#include <string.h>

/* nvbench writes numbers as texts. */
static void add_summary(json_t *list, const char *tag, const char *name, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    const bool is_count = strcmp(name, "Samples") == 0, is_share = strcmp(name, "Noise") == 0;
    const char *hint = is_count ? "sample_size" : is_share ? "percentage" : "duration";
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:[{s:s, s:s, s:s}]}", "tag", tag,
                                          "name", name, "hint", hint, "data", "name", "value",
                                          "type", is_count ? "int64" : "float64", "value", text));
}

/* The element of a list that has this text at the key; NULL: none. */
static json_t *find_in(json_t *list, const char *key, const char *text) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) if (strcmp(tess_json_text_at(one, key), text) == 0) return one;
    return NULL;
}

/* Notes a value among those of its axis, of which nvbench's scripts take the type. */
static void note_value(json_t *axes, const char *name, const char *type, const char *value) {
    json_t *axis = find_in(axes, "name", name);
    if (!axis) {
        axis =
            json_pack("{s:s, s:s, s:s, s:[]}", "name", name, "type", type, "flags", "", "values");
        json_array_append_new(axes, axis);
    }
    json_t *values = json_object_get(axis, "values");
    if (!find_in(values, "input_string", value))
        json_array_append_new(values, json_pack("{s:s, s:s, s:s}", "input_string", value,
                                                "description", "", "value", value));
}

/* The values of a state, which are noted in the axes of its benchmark. */
static json_t *values_json(const tess_record *record, json_t *axes) {
    json_t *list = json_array();
    for (int64_t i = 0; i < record->configuration.n; i++) {
        const tess_value *entry = &record->configuration.items[i];
        char text[64];
        snprintf(text, sizeof text, "%.17g", entry->number);
        const bool is_text = isnan(entry->number);
        const char *value = is_text ? entry->text : text, *type = is_text ? "string" : "float64";
        note_value(axes, entry->key, type, value);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", entry->key, "type",
                                              type, "input_string", value, "value", value));
    }
    return list;
}

static tess_status summaries_json(const tess_record *record, json_t **out) {
    const tess_series *times = tess_record_series(record, "time");
    double median = 0, sum = 0, squares = 0;
    *out = json_array();
    if (!times || times->n == 0)
        return TESS_OK;
    TRY(tess_median_of(times->values, times->n, &median));
    for (int64_t i = 0; i < times->n; i++)
        sum += times->values[i];
    const double n = (double)times->n, mean = sum / n;
    for (int64_t i = 0; i < times->n; i++)
        squares += (times->values[i] - mean) * (times->values[i] - mean);
    add_summary(*out, "nv/cold/sample_size", "Samples", n);
    add_summary(*out, "nv/cold/time/gpu/mean", "GPU Time", mean);
    add_summary(*out, "nv/cold/time/gpu/median", "Median GPU Time", median);
    if (times->n > 1)
        add_summary(*out, "nv/cold/time/gpu/stdev/relative", "Noise",
                    sqrt(squares / (n - 1)) / mean);
    return TESS_OK;
}

/* The benchmark of a loop, made at its first run. */
static json_t *find_benchmark(json_t *benchmarks, const char *name) {
    json_t *one = find_in(benchmarks, "name", name);
    if (one)
        return one;
    one = json_pack("{s:s, s:I, s:[i], s:[], s:[]}", "name", name, "index",
                    (json_int_t)json_array_size(benchmarks), "devices", 0, "axes", "states");
    json_array_append_new(benchmarks, one);
    return one;
}

/* By which nvbench's script finds the state in another file. */
static void name_state(const tess_record *record, char *out, size_t size) {
    static const char *const keys[] = {"mesh",    "partitioner", "block_size", "strategy",
                                       "layouts", "precision",   "device"};
    size_t length = (size_t)snprintf(out, size, "Device=0");
    for (size_t i = 0; i < sizeof keys / sizeof *keys && length < size; i++) {
        const tess_value *entry = tess_values_find(&record->configuration, keys[i]);
        if (entry && isnan(entry->number))
            length += (size_t)snprintf(out + length, size - length, " %s=%s", keys[i], entry->text);
        else if (entry)
            length +=
                (size_t)snprintf(out + length, size - length, " %s=%g", keys[i], entry->number);
    }
}

static tess_status append_state(void *root, const tess_record *record) {
    const char *loop = tess_values_text(&record->configuration, "loop");
    const char *gpu = tess_values_text(&record->environment, "gpu");
    json_t *benchmark =
        find_benchmark(json_object_get(root, "benchmarks"), *loop ? loop : "partition");
    json_t *devices = json_object_get(root, "devices"), *summaries = NULL;
    char name[600];
    name_state(record, name, sizeof name);
    TRY(summaries_json(record, &summaries));
    if (json_array_size(devices) == 0)
        json_array_append_new(devices, json_pack("{s:i, s:s}", "id", 0, "name", gpu));
    const bool failed = record->outcome == TESS_FAILED;
    json_t *state =
        json_pack("{s:s, s:i, s:i, s:o, s:o, s:b}", "name", name, "device", 0, "type_config_index",
                  0, "axis_values", values_json(record, json_object_get(benchmark, "axes")),
                  "summaries", summaries, "is_skipped", failed);
    if (failed)
        json_object_set_new(state, "skip_reason",
                            tess_json_text(tess_values_text(&record->check, "message")));
    if (!state || json_array_append_new(json_object_get(benchmark, "states"), state) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON cannot be made");
    return TESS_OK;
}

static tess_status write_nvbench(const tess_query *query, FILE *stream) {
    json_t *root = json_pack("{s:{s:[s], s:{s:{s:i, s:i, s:i, s:s}}}, s:[], s:[]}", "meta", "argv",
                             "tess", "version", "json", "major", 1, "minor", 0, "patch", 0,
                             "string", "1.0.0", "devices", "benchmarks");
    const tess_status status = tess_export_records(query, root, append_state);
    if (status != TESS_OK) {
        json_decref(root);
        return status;
    }
    return tess_export_json(root, stream);
}

const tess_exporter tess_exporter_nvbench = {
    .name = "nvbench", .summary = "nvbench's JSON, for its compare script", .write = write_nvbench};
