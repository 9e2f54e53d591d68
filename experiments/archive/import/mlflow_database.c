/* MLflow's database, mlflow.db: its runs, read by SQLite's library. */
#include "experiments/archive/import/mlflow_database.h"

#include "core/base/library.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int (*row_visitor)(void *context, int n, char **texts, char **titles);

typedef struct sqlite_library {
    void *library, *database;
    int (*open)(const char *path, void **database, int flags, const char *vfs);
    int (*query)(void *database, const char *text, row_visitor visit, void *context, char **error);
    int (*close)(void *database);
    const char *(*message)(void *database);
} sqlite_library;

static tess_status open_database(const char *path, sqlite_library *out) {
    static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.so", NULL};
    const tess_library_symbol symbols[] = {{"sqlite3_open_v2", &out->open},
                                           {"sqlite3_exec", &out->query},
                                           {"sqlite3_close", &out->close},
                                           {"sqlite3_errmsg", &out->message}};
    const int read_only = 1; /* SQLITE_OPEN_READONLY */
    out->library = tess_library_open(names, RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        FAIL(TESS_ERROR_MISSING,
             "%s is read by SQLite's library, libsqlite3.so.0, which is not on this machine: "
             "apt-get install libsqlite3-0",
             path);
    TRY(TESS_LIBRARY_FIND(out->library, symbols, "libsqlite3", "version 3.8.3 or a later one"));
    if (out->open(path, &out->database, read_only, NULL) != 0)
        FAIL(TESS_ERROR_INPUT, "%s: it cannot be opened: %s", path, out->message(out->database));
    return TESS_OK;
}

static void close_database(sqlite_library *sqlite) {
    if (sqlite->database)
        sqlite->close(sqlite->database);
    if (sqlite->library)
        dlclose(sqlite->library);
}

/* A table of the database: which rows are asked for, and what one adds to its run, whose id is the
 * first of its texts. */
typedef struct mlflow_table {
    const char *name, *query;
    tess_status (*add)(tess_record *run, char **texts);
} mlflow_table;

/* A query that goes on. */
typedef struct mlflow_query {
    const mlflow_table *table;
    tess_imported_runs *runs;
    tess_status status;
} mlflow_query;

static tess_status add_about(tess_record *run, char **texts) {
    const char *status = texts[2];
    TRY(tess_imported_run_set_milliseconds(run, strtod(texts[3], NULL)));
    TRY(tess_record_log(run, "run_id: %s\nstatus: %s", texts[0], status));
    if (strcmp(status, "FAILED") == 0 || strcmp(status, "KILLED") == 0)
        TRY(tess_imported_run_fail(run, *status == 'F' ? "it failed" : "it was killed"));
    return TESS_OK;
}

static tess_status add_setting(tess_record *run, char **texts) {
    return tess_imported_run_set(run, texts[1], texts[2]);
}

static tess_status add_metric(tess_record *run, char **texts) {
    const bool is_nan = strcmp(texts[3], "0") != 0;
    return tess_imported_run_sample(run, texts[1], strcmp(texts[1], "time") == 0 ? "s" : "",
                                    is_nan ? NAN : strtod(texts[2], NULL));
}

/* A run is made by its row of the first table. */
static tess_status add_row(const mlflow_query *query, char **texts) {
    tess_record *run = NULL;
    if (!tess_imported_run_find(query->runs, texts[0], &run))
        TRY(tess_imported_run_add(query->runs, texts[1], "run", &run));
    return query->table->add(run, texts);
}

static int visit_row(void *context, int n, char **texts, char **titles) {
    static char none[] = "";
    mlflow_query *query = context;
    (void)titles;
    for (int i = 0; i < n; i++)
        texts[i] = texts[i] ? texts[i] : none;
    query->status = add_row(query, texts);
    return query->status != TESS_OK;
}

static tess_status read_table(const tess_import_file *file, const sqlite_library *sqlite,
                              const mlflow_table *table, tess_imported_runs *runs) {
    mlflow_query query = {.table = table, .runs = runs};
    const int failed = sqlite->query(sqlite->database, table->query, visit_row, &query, NULL);
    TRY(query.status);
    if (failed)
        FAIL(TESS_ERROR_INPUT,
             "%s: %s of MLflow cannot be read: %s: the file is cut off, or of a version that is "
             "not known",
             file->path, table->name, sqlite->message(sqlite->database));
    return TESS_OK;
}

/* The bytes that the head says there are: of a page (1: of 65,536), and how many pages. */
static int64_t size_in_head(const tess_import_file *file) {
    const unsigned char *head = (const unsigned char *)file->text;
    const int64_t page = head[16] << 8 | head[17];
    int64_t pages = 0;
    for (int i = 28; i < 32; i++)
        pages = pages << 8 | head[i];
    return (page == 1 ? 65536 : page) * pages;
}

bool tess_mlflow_is_database(const tess_import_file *file) {
    return file->text && file->size >= 16 && memcmp(file->text, "SQLite format 3", 16) == 0;
}

#define OF_KEPT_RUNS                                                                               \
    " WHERE run_uuid IN (SELECT run_uuid FROM runs WHERE lifecycle_stage = 'active') ORDER BY key"

tess_status tess_mlflow_database_read(const tess_import_file *file, tess_imported_runs *runs) {
    static const mlflow_table tables[] = {
        {"runs",
         "SELECT run_uuid, experiments.name, status, start_time FROM runs JOIN experiments USING "
         "(experiment_id) WHERE runs.lifecycle_stage = 'active' ORDER BY start_time, run_uuid",
         add_about},
        {"params", "SELECT run_uuid, key, value FROM params" OF_KEPT_RUNS, add_setting},
        {"tags", "SELECT run_uuid, key, value FROM tags" OF_KEPT_RUNS, add_setting},
        {"metrics",
         "SELECT run_uuid, key, printf('%!.17g', value), is_nan FROM metrics" OF_KEPT_RUNS
         ", step, timestamp",
         add_metric},
    };
    tess_status status = TESS_OK;
    sqlite_library sqlite = {.library = NULL};
    if (file->size < 100 || file->size < size_in_head(file))
        FAIL(TESS_ERROR_INPUT, "%s: it ends after %lld bytes: the file is cut off", file->path,
             (long long)file->size);
    CHECK(open_database(file->path, &sqlite));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        CHECK(read_table(file, &sqlite, &tables[i], runs));
    if (runs->n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: no run of MLflow is in it", file->path));
done:
    close_database(&sqlite);
    return status;
}
