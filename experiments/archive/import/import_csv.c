/* The importer of comma-separated values with a header: a row a sample. */
#include "core/base/array.h"
#include "core/base/csv_rows.h"
#include "core/base/json.h"
#include "core/plan/quantity.h"
#include "experiments/archive/import/importer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column's name and unit: "time" and "ms" of "time (ms)", "time [ms]" and "time_ms". */
typedef struct column {
    char name[TESS_METRIC_NAME_SIZE], unit[TESS_NAME_SIZE];
    bool is_measured;
} column;

static bool knows(const tess_import_file *file) {
    if (!file->text || file->json || strlen(file->text) != (size_t)file->size)
        return false;
    const size_t line = strcspn(file->text, "\r\n");
    return memchr(file->text, ',', line) || memchr(file->text, ';', line);
}

/* Takes a unit off the end of the name, which is between brackets or a unit of time behind '_'. */
static void split_unit(const char *header, column *out) {
    const size_t length = strlen(header), name = strcspn(header, "([");
    const char *underscore = strrchr(header, '_');
    size_t n = length;
    if (name < length && name > 0 && strchr(")]", header[length - 1])) {
        snprintf(out->unit, sizeof out->unit, "%.*s", (int)(length - name - 2), header + name + 1);
        n = name;
    } else if (underscore && underscore > header && tess_time_unit_seconds(underscore + 1) > 0) {
        snprintf(out->unit, sizeof out->unit, "%s", underscore + 1);
        n = (size_t)(underscore - header);
    }
    while (n > 0 && isspace((unsigned char)header[n - 1]))
        n--;
    snprintf(out->name, sizeof out->name, "%.*s", (int)n, header);
}

static bool is_number(const char *cell, double *value) {
    char *end = NULL;
    *value = strtod(cell, &end);
    return end != cell && !*end && isfinite(*value);
}

/* Measured is what has a unit, is called time, or is a metric of ours; the rest are settings. */
static void find_columns(const tess_csv *csv, column *columns) {
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++) {
        split_unit(tess_csv_name(csv, c), &columns[c]);
        columns[c].is_measured = *columns[c].unit || strcmp(columns[c].name, "time") == 0 ||
                                 tess_metric_find(columns[c].name);
        if (strcmp(columns[c].name, "time") == 0 && !*columns[c].unit)
            strcpy(columns[c].unit, "s");
    }
}

/* Fails (INPUT) where two columns have one name, which their units do not tell apart, and where a
 * time is in no unit of time, which would be taken for seconds. */
static tess_status check_columns(const tess_import_file *file, const tess_csv *csv,
                                 const column *columns) {
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++) {
        if (strcmp(columns[c].name, "time") == 0 && tess_time_unit_seconds(columns[c].unit) == 0)
            FAIL(TESS_ERROR_INPUT, "%s: '%s' is no unit of time that is known: say s, ms, us or ns",
                 file->path, columns[c].unit);
        for (int64_t d = 0; d < c; d++)
            if (*columns[c].name && strcmp(columns[c].name, columns[d].name) == 0)
                FAIL(TESS_ERROR_INPUT, "%s: its columns %lld and %lld are both called %s",
                     file->path, (long long)d + 1, (long long)c + 1, columns[c].name);
    }
    return TESS_OK;
}

/* The settings of a row, by which it is a sample of one run or of another. */
static json_t *settings_of(const tess_csv *csv, const column *columns, int64_t row) {
    json_t *settings = json_array();
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++)
        if (!columns[c].is_measured)
            json_array_append_new(settings, tess_json_text(tess_csv_cell_at(csv, row, c)));
    return settings;
}

static tess_status make_run(const tess_import_file *file, const tess_csv *csv,
                            const column *columns, int64_t row, tess_imported_runs *runs,
                            tess_record **out) {
    TRY(tess_imported_run_add(runs, basename(file->path), "program", out));
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++) {
        const char *cell = tess_csv_cell_at(csv, row, c);
        if (!columns[c].is_measured && *cell)
            TRY(tess_imported_run_set(*out, columns[c].name, cell));
    }
    return TESS_OK;
}

static tess_status add_samples(const tess_import_file *file, const tess_csv *csv,
                               const column *columns, int64_t row, tess_record *run) {
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++) {
        const char *cell = tess_csv_cell_at(csv, row, c);
        double value = 0;
        if (!columns[c].is_measured || !*cell)
            continue;
        if (!is_number(cell, &value))
            FAIL(TESS_ERROR_INPUT, "%s: row %lld: '%.40s' is no number, where %s is one",
                 file->path, (long long)row + 1, cell, columns[c].name);
        if (value < 0 && strcmp(columns[c].name, "time") == 0)
            FAIL(TESS_ERROR_INPUT, "%s: row %lld: '%.40s' is no time: it is negative", file->path,
                 (long long)row + 1, cell);
        TRY(tess_imported_run_sample(run, columns[c].name, columns[c].unit, value));
    }
    return TESS_OK;
}

/* Each row is a sample of the run with its settings, wherever in the file its other samples are. */
static tess_status add_rows(const tess_import_file *file, const tess_csv *csv,
                            const column *columns, tess_imported_runs *runs) {
    tess_status status = TESS_OK;
    char *key = NULL;
    for (int64_t row = 0; row < tess_csv_count(csv); row++) {
        tess_record *run = NULL;
        json_t *settings = settings_of(csv, columns, row);
        free(key);
        key = json_dumps(settings, JSON_COMPACT);
        json_decref(settings);
        if (!key)
            CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory for the rows of %s", file->path));
        if (!tess_imported_run_find(runs, key, &run))
            CHECK(make_run(file, csv, columns, row, runs, &run));
        CHECK(add_samples(file, csv, columns, row, run));
    }
done:
    free(key);
    return status;
}

static tess_status read_runs(const tess_import_file *file, tess_imported_runs *runs) {
    tess_status status = TESS_OK;
    tess_csv *csv = NULL;
    column *columns = NULL;
    bool has_any = false;
    if (!file->text)
        FAIL(TESS_ERROR_INPUT, "%s: it is a folder", file->path);
    CHECK(tess_fail_at(tess_csv_read(file->text, 0, &csv), "%s", file->path));
    if (tess_csv_uneven_line(csv))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s:%lld: it has not the %lld cells of the header",
                        file->path, (long long)tess_csv_uneven_line(csv),
                        (long long)tess_csv_count_columns(csv)));
    CHECK(TESS_ZEROS(tess_csv_count_columns(csv), &columns));
    find_columns(csv, columns);
    CHECK(check_columns(file, csv, columns));
    for (int64_t c = 0; c < tess_csv_count_columns(csv); c++)
        has_any |= columns[c].is_measured;
    if (!has_any)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s: no column is measured: one is called time, or has its unit behind it, "
                        "as in 'time (ms)'",
                        file->path));
    CHECK(add_rows(file, csv, columns, runs));
done:
    free(columns);
    tess_csv_free(csv);
    return status;
}

const tess_importer tess_importer_csv = {.name = "csv",
                                         .summary =
                                             "comma-separated values with a header: a row a sample",
                                         .knows = knows,
                                         .read = read_runs};
