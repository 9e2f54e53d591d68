/* The importer of nvbench's JSON (--json, --jsonbin). */
#include "core/base/input_file.h"
#include "core/base/json.h"
#include "experiments/archive/import/importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool knows(const tess_import_file *file) {
    json_t *version = json_object_get(json_object_get(file->json, "meta"), "version");
    return json_object_get(version, "nvbench") || json_object_get(version, "json");
}

/* The value of that name in a list of {name, type, value}, or NULL. */
static json_t *named(json_t *list, const char *name) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) if (strcmp(tess_json_text_at(one, "name"), name) ==
                                         0) return json_object_get(one, "value");
    return NULL;
}

/* nvbench writes numbers as texts; false for other texts. */
static bool number_of(json_t *value, double *out) {
    const char *text = json_string_value(value);
    char *end = NULL;
    *out = text ? strtod(text, &end) : json_number_value(value);
    return text ? end != text && !*end : json_is_number(value);
}

/* The unit of a summary by its hint. */
static const char *unit_of(const char *hint) {
    static const char *const units[][2] = {
        {"duration", "s"},   {"byte_rate", "B/s"}, {"item_rate", "1/s"}, {"bytes", "B"},
        {"frequency", "Hz"}, {"sample_size", "1"}, {"percentage", "1"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], hint) == 0)
            return units[i][1];
    return "";
}

/* Little-endian floats beside the JSON, which it names by a path relative to its own folder. */
static tess_status add_samples(const tess_import_file *file, json_t *data, tess_record *run) {
    tess_status status = TESS_OK;
    const char *name = json_string_value(named(data, "filename"));
    double n = 0, n_read = 0;
    char path[4096];
    const char *slash = strrchr(file->path, '/');
    if (!name || !number_of(named(data, "size"), &n))
        return TESS_OK;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - file->path) : 0, file->path,
             name);
    FILE *stream = NULL;
    TRY(tess_fail_at(tess_input_open_stream(path, &stream), "%s: its samples", file->path));
    float seconds = 0;
    for (; fread(&seconds, sizeof seconds, 1, stream) == 1; n_read++)
        CHECK(tess_imported_run_sample(run, "time", "s", (double)seconds));
    if (n_read != n)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: it has %.0f samples, where %s says %.0f", path,
                        n_read, file->path, n));
done:
    fclose(stream);
    return status;
}

/* A summary, "nv/cold/time/gpu/mean": a measure of that name. */
static tess_status add_summary(const tess_import_file *file, json_t *summary, tess_record *run) {
    const char *tag = tess_json_text_at(summary, "tag");
    json_t *data = json_object_get(summary, "data");
    double value = 0;
    if (strcmp(tag, "nv/json/bin:nv/cold/sample_times") == 0)
        return add_samples(file, data, run);
    if (number_of(named(data, "value"), &value))
        return tess_imported_run_measure(run, tag, unit_of(tess_json_text_at(summary, "hint")),
                                         value);
    return data ? tess_imported_run_set_json(run, tag, data) : TESS_OK;
}

/* Without a file of samples the median of the GPU's times counts, else their mean. */
static tess_status add_summaries(const tess_import_file *file, json_t *list, tess_record *run) {
    static const char *const times[] = {"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean",
                                        "nv/cold/time/cpu/mean"};
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) TRY(add_summary(file, one, run));
    for (size_t k = 0; k < sizeof times / sizeof *times && !run->n_series; k++) {
        json_array_foreach(list, i, one) {
            double value = 0;
            if (strcmp(tess_json_text_at(one, "tag"), times[k]) != 0 ||
                !number_of(named(json_object_get(one, "data"), "value"), &value))
                continue;
            TRY(tess_imported_run_set(run, "aggregate", times[k]));
            TRY(tess_imported_run_sample(run, "time", "s", value));
        }
    }
    return TESS_OK;
}

static tess_status add_device(json_t *root, json_t *id, tess_record *run) {
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(root, "devices"), i, device) {
        if (!json_equal(json_object_get(device, "id"), id))
            continue;
        TRY(tess_values_set_text(&run->environment, "gpu", tess_json_text_at(device, "name")));
        TRY(tess_imported_run_set_json(run, "nvbench device", device));
    }
    return TESS_OK;
}

static tess_status add_state(const tess_import_file *file, json_t *benchmark, json_t *state,
                             tess_imported_runs *runs) {
    tess_record *run = NULL;
    json_t *argv = json_object_get(json_object_get(file->json, "meta"), "argv");
    const char *program = json_string_value(json_array_get(argv, 0));
    TRY(tess_imported_run_add(runs, program ? basename(program) : "nvbench",
                              tess_json_text_at(benchmark, "name"), &run));
    TRY(add_device(file->json, json_object_get(state, "device"), run));
    size_t i;
    json_t *axis;
    json_array_foreach(json_object_get(state, "axis_values"), i, axis)
        TRY(tess_imported_run_set_json(run, tess_json_text_at(axis, "name"),
                                       json_object_get(axis, "value")));
    if (json_is_true(json_object_get(state, "is_skipped")))
        TRY(tess_imported_run_fail(run, tess_json_text_at(state, "skip_reason")));
    return add_summaries(file, json_object_get(state, "summaries"), run);
}

static tess_status read_runs(const tess_import_file *file, tess_imported_runs *runs) {
    json_t *version =
        json_object_get(json_object_get(json_object_get(file->json, "meta"), "version"), "json");
    size_t i, k;
    json_t *benchmark, *state;
    if (json_integer_value(json_object_get(version, "major")) != 1)
        FAIL(TESS_ERROR_INPUT, "%s: nvbench's JSON of version %s; 1 is read", file->path,
             tess_json_text_at(version, "string"));
    json_array_foreach(json_object_get(file->json, "benchmarks"), i, benchmark)
        json_array_foreach(json_object_get(benchmark, "states"), k, state)
            TRY(add_state(file, benchmark, state, runs));
    return TESS_OK;
}

const tess_importer tess_importer_nvbench = {.name = "nvbench",
                                             .summary = "nvbench's JSON, with --jsonbin's samples",
                                             .knows = knows,
                                             .read = read_runs};
