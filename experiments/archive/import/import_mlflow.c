/* The importer of MLflow: its database, or of its file store a run's folder, an experiment's, or
 * mlruns itself. */
#include "core/base/array.h"
#include "core/base/input_file.h"
#include "core/base/yaml_words.h"
#include "experiments/archive/import/importer.h"
#include "experiments/archive/import/mlflow_database.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8 }; /* folders in one another, of runs and of names with slashes */

static bool is_there(const char *folder, const char *name) {
    struct stat about;
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           stat(path, &about) == 0;
}

static bool is_run(const char *folder) {
    return is_there(folder, "meta.yaml") && is_there(folder, "metrics");
}

/* The entries of a folder in the order of their names, without hidden ones. */
static tess_status each_entry(const char *folder, void *context,
                              tess_status (*visit)(void *context, const char *path,
                                                   bool is_folder)) {
    tess_status status = TESS_OK;
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct stat about;
        char *path = NULL;
        if (*entries[i]->d_name != '.' && status == TESS_OK)
            status = tess_text_print(&path, "%s/%s", folder, entries[i]->d_name);
        if (path && status == TESS_OK && stat(path, &about) == 0)
            status = visit(context, path, S_ISDIR(about.st_mode));
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static bool knows(const tess_import_file *file) {
    return file->is_folder || tess_mlflow_is_database(file); /* no other importer reads folders */
}

/* What the files of metrics, params or tags are added to: their names are paths below `folder`. */
typedef struct name_walk {
    tess_record *run;
    const char *folder;
    int depth;
    tess_status (*add)(tess_record *run, const char *name, const char *path);
} name_walk;

static tess_status visit_name(void *context, const char *path, bool is_folder) {
    name_walk walk = *(name_walk *)context;
    if (!is_folder)
        return walk.add(walk.run, path + strlen(walk.folder) + 1, path);
    walk.depth++;
    return walk.depth > DEEPEST ? TESS_OK : each_entry(path, &walk, visit_name);
}

/* Lines of "milliseconds value step", one at least and each with its end: samples, in order. */
static tess_status add_metric(tess_record *run, const char *name, const char *path) {
    tess_status status = TESS_OK;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = NULL;
    TRY(tess_input_open_stream(path, &file));
    for (int64_t at = 1;; at++) {
        double when = 0, value = 0;
        const char *unit = strcmp(name, "time") == 0 ? "s" : "";
        const ssize_t n = getline(&line, &capacity, file);
        if (n <= 0 && at > 1)
            break;
        if (n <= 0 || line[n - 1] != '\n' || sscanf(line, "%lf %lf", &when, &value) != 2)
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "%s:%lld: no line of milliseconds and value is here: the file is cut "
                            "off, or still being written",
                            path, (long long)at));
        CHECK(tess_imported_run_sample(run, name, unit, value));
    }
done:
    free(line);
    fclose(file);
    return status;
}

static tess_status add_text(tess_record *run, const char *name, const char *path) {
    tess_import_file file = {0};
    tess_status status = TESS_OK;
    CHECK(tess_import_file_open(path, &file));
    CHECK(tess_imported_run_set(run, name, file.text));
done:
    tess_import_file_close(&file);
    return status;
}

/* Reads the meta.yaml of a folder, which has a key that all have near the end of theirs. */
static tess_status read_meta(const char *folder, const char *needed, tess_yaml **out) {
    char path[4096 + 16];
    snprintf(path, sizeof path, "%.4095s/meta.yaml", folder);
    TRY(tess_yaml_read(path, out));
    if (!tess_yaml_find(*out, tess_yaml_root(*out), needed))
        FAIL(TESS_ERROR_INPUT, "%s: it has no %s: the file is cut off, or still being written",
             path, needed);
    return TESS_OK;
}

/* The name of the experiment that a run is of; "mlflow" where no folder around it says. */
static tess_status experiment_of(const char *run, char out[256]) {
    tess_status status = TESS_OK;
    tess_yaml *yaml = NULL;
    char folder[4096];
    const char *slash = strrchr(run, '/');
    snprintf(out, 256, "mlflow");
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - run) : 0, run);
    if (!slash || !is_there(folder, "meta.yaml"))
        return TESS_OK;
    CHECK(read_meta(folder, "name", &yaml));
    const char *name = tess_yaml_text(tess_yaml_find(yaml, tess_yaml_root(yaml), "name"));
    if (name)
        snprintf(out, 256, "%.255s", name);
done:
    tess_yaml_free(yaml);
    return status;
}

/* MLflow's status 4 is of a run that failed, 5 of one that was killed. */
static tess_status add_meta(tess_yaml *yaml, tess_record *run) {
    const tess_yaml_node *root = tess_yaml_root(yaml);
    for (int i = 0; i < tess_yaml_pairs(root); i++) {
        const char *key = tess_yaml_text(tess_yaml_key(yaml, root, i));
        const char *text = tess_yaml_text(tess_yaml_value(yaml, root, i));
        if (text && strcmp(key, "start_time") == 0)
            TRY(tess_imported_run_set_milliseconds(run, strtod(text, NULL)));
        if (text && strcmp(key, "status") == 0 &&
            (strcmp(text, "4") == 0 || strcmp(text, "5") == 0))
            TRY(tess_imported_run_fail(run, *text == '4' ? "it failed" : "it was killed"));
        if (text && *text)
            TRY(tess_record_log(run, "%s: %s", key, text));
    }
    return TESS_OK;
}

static tess_status read_run(const char *folder, tess_imported_runs *runs) {
    static const struct {
        const char *name;
        tess_status (*add)(tess_record *run, const char *name, const char *path);
    } parts[] = {{"params", add_text}, {"tags", add_text}, {"metrics", add_metric}};
    tess_status status = TESS_OK;
    tess_record *run = NULL;
    tess_yaml *yaml = NULL;
    char path[4096], experiment[256];
    CHECK(experiment_of(folder, experiment));
    CHECK(tess_imported_run_add(runs, experiment, "run", &run));
    CHECK(read_meta(folder, "status", &yaml));
    CHECK(add_meta(yaml, run));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[i].name);
        name_walk walk = {.run = run, .folder = path, .add = parts[i].add};
        CHECK(each_entry(path, &walk, visit_name));
    }
done:
    tess_yaml_free(yaml);
    return status;
}

/* Folders below mlruns or an experiment, down to those of runs. */
typedef struct run_walk {
    tess_imported_runs *runs;
    int depth;
} run_walk;

static tess_status visit_folder(void *context, const char *path, bool is_folder) {
    run_walk walk = *(run_walk *)context;
    if (!is_folder)
        return TESS_OK;
    if (is_run(path))
        return read_run(path, walk.runs);
    walk.depth++;
    return walk.depth > 2 ? TESS_OK : each_entry(path, &walk, visit_folder);
}

static tess_status read_runs(const tess_import_file *file, tess_imported_runs *runs) {
    if (tess_mlflow_is_database(file))
        return tess_mlflow_database_read(file, runs);
    if (!file->is_folder)
        FAIL(TESS_ERROR_INPUT, "%s: MLflow's runs are in its database, or folders below mlruns",
             file->path);
    char path[4096];
    snprintf(path, sizeof path, "%s", file->path);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
    TRY(visit_folder(&(run_walk){.runs = runs}, path, true));
    if (runs->n == 0)
        FAIL(TESS_ERROR_INPUT,
             "%s: no folder of a run with meta.yaml and metrics is here; MLflow may keep its runs "
             "in mlflow.db",
             file->path);
    return TESS_OK;
}

const tess_importer tess_importer_mlflow = {
    .name = "mlflow",
    .summary = "MLflow's mlflow.db, and its folders: mlruns, or one in it",
    .knows = knows,
    .read = read_runs};
