/* The command `tess import`: runs of other programs, from their files. */
#include "core/base/array.h"
#include "core/base/plural.h"
#include "experiments/archive/import/importer.h"
#include "experiments/archive/run_query.h"
#include "experiments/cli/command.h"

#include <stdio.h>
#include <string.h>

typedef struct import_options {
    tess_common common;
    const char *lab, *format;
    int n_paths;
    const char *paths[TESS_MOST_WORDS];
} import_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab that they go into (default: TESS_LAB, else ./lab)",
     TESS_KEPT(import_options, lab)},
    {"format", 'f', "FORMAT",
     "ncu: Nsight Compute's .ncu-rep or --csv; nvbench; benchmark: Google Benchmark's JSON; t4, "
     "kernel_tuner: Kernel Tuner's results and its cache; mlflow: mlflow.db, or folders; csv: a "
     "row a sample "
     "(default: what the file looks like)",
     TESS_KEPT(import_options, format)},
    {TESS_KEPT_LIST(import_options, paths, n_paths), .refusal = "more than %d files"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "FILE...",
    .doc =
        "Archive what other programs have measured as runs, beside those of this one: with their "
        "samples, units and names.\v"
        "Examples:\n"
        "  tess import bench.json profile.ncu-rep mlruns\n"
        "  tess runs --where 'import_file = bench.json' --columns loop,median_time\n"
        "What was imported before stays once. A column of CSV is measured where it is called time "
        "or has its unit behind it, as in 'time (ms)'; the others are settings."};

/* A file and what it holds. */
typedef struct imported {
    const char *path;
    tess_imported_runs runs;
    int64_t n_new;
} imported;

static tess_status read_file(const import_options *asked, const char *path, imported *out) {
    tess_status status = TESS_OK;
    tess_import_file file = {0};
    const tess_importer *importer = NULL;
    const size_t length = strlen(path), most = sizeof out->runs.path - 1;
    out->path = path;
    snprintf(out->runs.path, sizeof out->runs.path, "%s",
             path + (length > most ? length - most : 0));
    CHECK(tess_import_file_open(path, &file));
    CHECK(tess_importer_find(asked->format, &file, &importer));
    out->runs.importer = importer->name;
    CHECK(importer->read(&file, &out->runs));
    CHECK(tess_imported_runs_finish(&out->runs));
done:
    tess_import_file_close(&file);
    return status;
}

/* The digests of what a lab has from earlier imports, as keys. */
static tess_status find_known(const char *lab, json_t **out) {
    tess_query *query = NULL;
    tess_run_field digest;
    *out = json_object();
    TRY(tess_query_open(lab, &query));
    if (tess_run_table_find(query->table, "import_digest", &digest))
        for (int64_t i = 0; i < query->n_rows; i++)
            json_object_set_new(*out, tess_run_text(query->table, &digest, query->rows[i]),
                                json_true());
    tess_query_close(query);
    return TESS_OK;
}

static tess_status store(tess_lab *lab, json_t *known, imported *file) {
    for (int64_t i = 0; i < file->runs.n; i++) {
        tess_record *run = file->runs.runs[i];
        const char *digest = tess_values_text(&run->environment, "import_digest");
        if (json_object_get(known, digest))
            continue;
        TRY(tess_lab_store_run(lab, run));
        json_object_set_new(known, digest, json_true());
        file->n_new++;
    }
    return TESS_OK;
}

static json_t *file_json(const imported *file) {
    json_t *ids = json_array();
    for (int64_t i = 0; i < file->runs.n; i++)
        if (*file->runs.runs[i]->id)
            json_array_append_new(ids, json_string(file->runs.runs[i]->id));
    return json_pack("{s:s, s:s, s:o, s:I, s:I}", "file", file->path, "format", file->runs.importer,
                     "runs", ids, "known", (json_int_t)(file->runs.n - file->n_new), "left_out",
                     (json_int_t)file->runs.n_left_out);
}

static void print_file(const imported *file) {
    const tess_imported_runs *runs = &file->runs;
    printf("%s (%s): %lld run%s", file->path, runs->importer, (long long)file->n_new,
           tess_plural(file->n_new));
    if (runs->n > file->n_new)
        printf("; %lld %s there already", (long long)(runs->n - file->n_new),
               runs->n - file->n_new == 1 ? "was" : "were");
    if (runs->n_left_out)
        printf("; %lld %s%s left out", (long long)runs->n_left_out, runs->left_out,
               tess_plural(runs->n_left_out));
    puts("");
}

static tess_status report(const import_options *asked, const imported *files) {
    json_t *list = json_array();
    for (int i = 0; i < asked->n_paths; i++) {
        if (asked->common.json)
            json_array_append_new(list, file_json(&files[i]));
        else
            print_file(&files[i]);
    }
    if (asked->common.json)
        return tess_json_print(json_pack("{s:s, s:o}", "schema", "tess.import/1", "files", list));
    json_decref(list);
    return TESS_OK;
}

/* All files are read before the first run is stored. */
static tess_status import_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static import_options asked;
    tess_lab *lab = NULL;
    json_t *known = NULL;
    imported *files = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_paths == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE, "a file is missing: tess import FILE..."));
    CHECK(TESS_ZEROS(asked.n_paths, &files));
    for (int i = 0; i < asked.n_paths; i++)
        CHECK(read_file(&asked, asked.paths[i], &files[i]));
    CHECK(tess_lab_open(asked.lab, true, &lab));
    CHECK(tess_lab_check_writable(lab));
    CHECK(find_known(asked.lab, &known));
    for (int i = 0; i < asked.n_paths; i++)
        CHECK(store(lab, known, &files[i]));
    CHECK(report(&asked, files));
done:
    for (int i = 0; files && i < asked.n_paths; i++)
        tess_imported_runs_clear(&files[i].runs);
    free(files);
    json_decref(known);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_import = {
    .name = "import",
    .summary = "Archive what other programs have measured, from their files",
    .run = import_run};
