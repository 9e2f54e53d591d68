/* The exporter of MLflow's file store: a folder for each run in one of its application. */
#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/whole_file.h"
#include "experiments/archive/digest.h"
#include "experiments/archive/export/exporter.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Opens FOLDER/NAME, in which a '/' is written ':', as in plan files: a and a/b are both files. */
static tess_status open_file(const char *folder, const char *name, tess_whole_file *file) {
    char *path = NULL;
    TRY(tess_text_print(&path, "%s/%s", folder, name));
    for (char *c = path + strlen(folder) + 1; *c; c++)
        *c = *c == '/' ? ':' : *c;
    const tess_status status = tess_whole_file_open(path, file);
    free(path);
    return status;
}

static tess_status write_text(const char *folder, const char *name, const char *text) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = true};
    CHECK(open_file(folder, name, &file));
    fputs(text, file.stream);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

/* Writes the values of an object as YAML: JSON's texts and numbers are YAML's, too. */
static tess_status write_yaml(const char *folder, json_t *object) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = true};
    const char *key;
    json_t *value;
    CHECK(open_file(folder, "meta.yaml", &file));
    json_object_foreach(object, key, value) {
        fprintf(file.stream, "%s: ", key);
        json_dumpf(value, file.stream, JSON_ENCODE_ANY);
        fputc('\n', file.stream);
    }
    CHECK(tess_whole_file_keep(&file));
done:
    json_decref(object);
    tess_whole_file_release(&file);
    return status;
}

static json_int_t milliseconds_of(const char *iso) {
    struct tm parts = {0};
    const char *rest = strptime(iso, "%Y-%m-%dT%H:%M:%S", &parts);
    return rest ? 1000 * (json_int_t)timegm(&parts) + (json_int_t)(1e3 * strtod(rest, NULL)) : 0;
}

/* Lines of "milliseconds value step". */
static tess_status write_metric(const char *folder, const char *name, const double *values,
                                int64_t n, json_int_t start) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = true};
    CHECK(open_file(folder, name, &file));
    for (int64_t i = 0; i < n; i++)
        fprintf(file.stream, "%lld %.17g %lld\n", (long long)start, values[i], (long long)i);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

static tess_status write_values(const char *folder, const tess_values *values) {
    for (int64_t i = 0; i < values->n; i++)
        TRY(write_text(folder, values->items[i].key, values->items[i].text));
    return TESS_OK;
}

static tess_status write_metrics(const char *folder, const tess_record *record, json_int_t start) {
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *one = &record->measures[i];
        TRY(write_metric(folder, one->name, &one->value, 1, start));
    }
    for (int64_t i = 0; i < record->n_series; i++)
        TRY(write_metric(folder, record->series[i].name, record->series[i].values,
                         record->series[i].n, start));
    return TESS_OK;
}

/* The number of an experiment, which a name has: MLflow's database takes numbers alone. */
static tess_status number_of(const char *name, char out[24]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char digest[TESS_DIGEST_SIZE];
    CHECK(tess_hash_new("experiment", &hash));
    CHECK(tess_hash_text(hash, name));
    CHECK(tess_hash_finish(hash, digest));
    digest[14] = '\0';
    snprintf(out, 24, "%llu", strtoull(digest, NULL, 16));
done:
    tess_hash_free(hash);
    return status;
}

static tess_status write_experiment(const char *folder, const char *number, const char *name,
                                    json_int_t start) {
    return write_yaml(folder,
                      json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "artifact_location", folder,
                                "experiment_id", number, "lifecycle_stage", "active", "name", name,
                                "creation_time", start, "last_update_time", start));
}

/* MLflow's status 3 is of a run that finished, 4 of one that failed. */
static tess_status write_meta(const char *folder, const char *experiment, const tess_record *record,
                              json_int_t start) {
    const char *partitioner = tess_values_text(&record->configuration, "partitioner");
    json_t *meta =
        json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:i, s:[], s:s}",
                  "artifact_uri", json_sprintf("%s/artifacts", folder), "experiment_id", experiment,
                  "lifecycle_stage", "active", "run_id", record->id, "run_uuid", record->id,
                  "run_name", *partitioner ? partitioner : "run", "entry_point_name", "",
                  "source_name", "tess", "source_type", 4, "source_version", "", "status",
                  record->outcome == TESS_FAILED ? 4 : 3, "tags", "user_id", "tess");
    json_object_set_new(meta, "start_time", json_integer(start));
    json_object_set_new(meta, "end_time", json_integer(start));
    return write_yaml(folder, meta);
}

static tess_status write_run(void *context, const tess_record *record) {
    static const char *const parts[] = {"params", "tags", "metrics", "artifacts"};
    tess_status status = TESS_OK;
    const char *name = tess_values_text(&record->configuration, "application");
    const json_int_t start = milliseconds_of(record->time);
    char *experiment = NULL, *run = NULL, *paths[4] = {NULL}, number[24];
    name = *name ? name : "partition";
    CHECK(number_of(name, number));
    CHECK(tess_text_print(&experiment, "%s/%s", (const char *)context, number));
    CHECK(tess_text_print(&run, "%s/%s", experiment, record->id));
    for (int i = 0; i < 4; i++) {
        CHECK(tess_text_print(&paths[i], "%s/%s", run, parts[i]));
        CHECK(tess_folders_make(paths[i], true));
    }
    CHECK(write_values(paths[0], &record->configuration));
    CHECK(write_values(paths[1], &record->environment));
    CHECK(write_metrics(paths[2], record, start));
    CHECK(write_experiment(experiment, number, name, start));
    CHECK(write_meta(run, number, record, start));
done:
    for (int i = 0; i < 4; i++)
        free(paths[i]);
    free(experiment);
    free(run);
    return status;
}

static tess_status write_mlflow(const tess_query *query, const char *folder) {
    char *whole = realpath(folder, NULL);
    if (!whole)
        FAIL(TESS_ERROR_IO, "%s: no folder is there", folder);
    const tess_status status = tess_export_records(query, whole, write_run);
    free(whole);
    return status;
}

const tess_exporter tess_exporter_mlflow = {
    .name = "mlflow", .summary = "folders of MLflow's file store", .write_folder = write_mlflow};
