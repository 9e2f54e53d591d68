/* Importers of Kernel Tuner: its T4 results (schema 1) and the cache that it keeps while it tunes.
 */
#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/archive/import/importer.h"

#include <string.h>

/* What the file's name says where the file says no kernel: "t4" of "results/t4.json". */
static void stem(const char *path, char out[256]) {
    snprintf(out, 256, "%.255s", basename(path));
    char *dot = strrchr(out, '.');
    if (dot && dot > out)
        *dot = '\0';
}

static tess_status set_all(json_t *object, tess_record *run) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) TRY(tess_imported_run_set_json(run, key, value));
    return TESS_OK;
}

static tess_status add_runtimes(json_t *list, tess_record *run) {
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value) if (json_is_number(value))
        TRY(tess_imported_run_sample(run, "time", "ms", json_number_value(value)));
    return TESS_OK;
}

static bool knows_t4(const tess_import_file *file) {
    return json_is_array(json_object_get(file->json, "results")) &&
           json_is_string(json_object_get(file->json, "schema_version"));
}

/* The times of a result but those of the kernel: of the compiler, of the search. */
static tess_status add_t4_steps(json_t *times, tess_record *run) {
    const char *key;
    json_t *value;
    json_object_foreach(times, key,
                        value) if (json_is_number(value) && strlen(key) < TESS_NAME_SIZE)
        TRY(tess_record_add_step(run, key, 1e-3 * json_number_value(value)));
    return add_runtimes(json_object_get(times, "runtimes"), run);
}

static tess_status add_measurements(json_t *list, tess_record *run) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        const char *name = tess_json_text_at(one, "name");
        json_t *value = json_object_get(one, "value");
        if (!json_is_number(value) || (strcmp(name, "time") == 0 && run->n_series))
            continue; /* the mean of the runtimes */
        if (strcmp(name, "time") == 0)
            TRY(tess_imported_run_sample(run, name, tess_json_text_at(one, "unit"),
                                         json_number_value(value)));
        else
            TRY(tess_imported_run_measure(run, name, tess_json_text_at(one, "unit"),
                                          json_number_value(value)));
    }
    return TESS_OK;
}

static tess_status add_result(json_t *result, const char *name, tess_imported_runs *runs) {
    tess_record *run = NULL;
    const char *invalidity = tess_json_text_at(result, "invalidity");
    TRY(tess_imported_run_add(runs, name, "kernel", &run));
    TRY(tess_imported_run_set_time(run, tess_json_text_at(result, "timestamp")));
    TRY(set_all(json_object_get(result, "configuration"), run));
    TRY(add_t4_steps(json_object_get(result, "times"), run));
    TRY(add_measurements(json_object_get(result, "measurements"), run));
    if (*invalidity && strcmp(invalidity, "correct") != 0)
        TRY(tess_imported_run_fail(run, invalidity));
    return TESS_OK;
}

static tess_status read_t4(const tess_import_file *file, tess_imported_runs *runs) {
    const char *version = tess_json_text_at(file->json, "schema_version");
    char name[256];
    size_t i;
    json_t *result;
    if (strncmp(version, "1.", 2) != 0)
        FAIL(TESS_ERROR_INPUT, "%s: T4 results of schema %s; 1.0.0 is read", file->path, version);
    stem(file->path, name);
    json_array_foreach(json_object_get(file->json, "results"), i, result) {
        if (!json_is_object(json_object_get(result, "configuration")))
            FAIL(TESS_ERROR_INPUT, "%s: result %zu has no configuration", file->path, i + 1);
        TRY(add_result(result, name, runs));
    }
    return TESS_OK;
}

static bool knows_cache(const tess_import_file *file) {
    return json_is_object(json_object_get(file->json, "cache")) &&
           json_is_array(json_object_get(file->json, "tune_params_keys"));
}

/* What the cache measures beside the tuned parameters. */
static tess_status add_cached(json_t *entry, json_t *parameters, tess_record *run) {
    const char *key;
    json_t *value;
    TRY(add_runtimes(json_object_get(entry, "times"), run));
    json_object_foreach(entry, key, value) {
        const bool is_time = strcmp(key, "time") == 0;
        if (json_object_get(parameters, key))
            TRY(tess_imported_run_set_json(run, key, value));
        else if (is_time && json_is_string(value))
            TRY(tess_imported_run_fail(run, json_string_value(value)));
        else if (is_time && json_is_number(value) && !run->n_series)
            TRY(tess_imported_run_sample(run, key, "ms", json_number_value(value)));
        else if (tess_text_ends(key, "_time") && json_is_number(value))
            TRY(tess_record_add_step(run, key, 1e-3 * json_number_value(value)));
        else if (!is_time && json_is_number(value))
            TRY(tess_imported_run_measure(run, key, "", json_number_value(value)));
        else if (!is_time && strcmp(key, "times") != 0 && strcmp(key, "timestamp") != 0)
            TRY(tess_imported_run_set_json(run, key, value));
    }
    return TESS_OK;
}

static tess_status read_cache(const tess_import_file *file, tess_imported_runs *runs) {
    json_t *problem = json_object_get(file->json, "problem_size");
    const char *key;
    json_t *entry;
    json_object_foreach(json_object_get(file->json, "cache"), key, entry) {
        tess_record *run = NULL;
        if (!json_is_object(entry))
            FAIL(TESS_ERROR_INPUT, "%s: the entry \"%s\" of the cache is no object", file->path,
                 key);
        TRY(tess_imported_run_add(runs, tess_json_text_at(file->json, "kernel_name"), "kernel",
                                  &run));
        TRY(tess_imported_run_set_time(run, tess_json_text_at(entry, "timestamp")));
        if (*tess_json_text_at(file->json, "device_name"))
            TRY(tess_values_set_text(&run->environment, "gpu",
                                     tess_json_text_at(file->json, "device_name")));
        if (problem)
            TRY(tess_imported_run_set_json(run, "problem_size", problem));
        TRY(add_cached(entry, json_object_get(file->json, "tune_params"), run));
    }
    return TESS_OK;
}

const tess_importer tess_importer_t4 = {
    .name = "t4", .summary = "Kernel Tuner's T4 results", .knows = knows_t4, .read = read_t4};
const tess_importer tess_importer_kernel_tuner = {.name = "kernel_tuner",
                                                  .summary = "Kernel Tuner's cache",
                                                  .knows = knows_cache,
                                                  .read = read_cache};
