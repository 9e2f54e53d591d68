/* The importer of Nsight Compute: a report (.ncu-rep), or what `ncu --csv` prints of one. */
#include "core/base/array.h"
#include "core/base/csv_rows.h"
#include "core/base/process.h"
#include "core/base/stream_text.h"
#include "experiments/archive/import/importer.h"
#include "experiments/archive/import/ncu_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Of a row of the page "details" up to the metric's value; a rule has more. */
enum { DETAIL_CELLS = 15 };

/* The line that names the columns; ncu prints others before it. */
static const char *header_of(const char *text) {
    if (!text)
        return NULL;
    if (strncmp(text, "\"ID\",", 5) == 0)
        return text;
    const char *line = strstr(text, "\n\"ID\",");
    return line ? line + 1 : NULL;
}

static bool is_report(const tess_import_file *file) {
    return tess_text_ends(file->path, ".ncu-rep");
}

static bool knows(const tess_import_file *file) {
    const char *header = header_of(file->text);
    return is_report(file) || (header && strstr(header, "\"Kernel Name\""));
}

/* What ncu prints of a report; the caller frees it. */
static tess_status print_report(const char *path, char **out) {
    tess_status status = TESS_OK;
    const char *chosen = getenv("NCU");
    const char *ncu = chosen && *chosen ? chosen : "ncu";
    char *argv[] = {(char *)(uintptr_t)ncu,  (char *)"--import", (char *)(uintptr_t)path,
                    (char *)"--csv",         (char *)"--page",   (char *)"raw",
                    (char *)"--print-units", (char *)"base",     NULL};
    int ended = 0;
    char last[400];
    int64_t size = 0;
    FILE *printed = tmpfile();
    if (!printed)
        FAIL(TESS_ERROR_IO, "no file for what ncu prints");
    const tess_process_call call = {
        .program = ncu, .argv = argv, .output = printed, .errors = printed};
    status = tess_process_run(&call, &ended);
    if (status == TESS_ERROR_MISSING)
        CHECK(tess_fail(TESS_ERROR_MISSING,
                        "%s is read by ncu, which cannot be started: set NCU to its path, or where "
                        "it is, ncu --import %s --csv --page raw > FILE.csv",
                        path, path));
    CHECK(status);
    tess_process_tail(printed, last, sizeof last);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: ncu cannot read it: %s", path, last));
    rewind(printed);
    CHECK(tess_stream_read(printed, out, &size));
done:
    fclose(printed);
    return status;
}

/* Metrics are of a unit of the GPU, "dram__bytes.sum"; other columns say what was launched. */
static bool is_metric(const char *name) {
    return strstr(name, "__");
}

static const char *cell_of(const tess_csv *csv, int64_t row, const char *column) {
    const char *cell = tess_csv_cell(csv, row, column);
    return cell ? cell : "";
}

static tess_status make_run(const tess_csv *csv, int64_t row, tess_imported_runs *runs,
                            tess_record **out) {
    static const char *const settings[] = {"Block Size", "Grid Size", "CC"};
    TRY(tess_imported_run_add(runs, basename(cell_of(csv, row, "Process Name")),
                              cell_of(csv, row, "Kernel Name"), out));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        TRY(tess_imported_run_set(*out, settings[i], cell_of(csv, row, settings[i])));
    return tess_values_set_text(&(*out)->environment, "host", cell_of(csv, row, "Host Name"));
}

/* Launches of one kernel in one shape are samples of one run. */
static tess_status find_run(const tess_csv *csv, int64_t row, tess_imported_runs *runs,
                            tess_record **out) {
    char *key = NULL;
    TRY(tess_text_print(&key, "%s|%s|%s|%s|%s", cell_of(csv, row, "Process Name"),
                        cell_of(csv, row, "Host Name"), cell_of(csv, row, "Kernel Name"),
                        cell_of(csv, row, "Block Size"), cell_of(csv, row, "Grid Size")));
    const bool is_known = tess_imported_run_find(runs, key, out);
    free(key);
    return is_known ? TESS_OK : make_run(csv, row, runs, out);
}

/* A metric of one launch; that of the whole kernel's duration is its time. Where a name is too long
 * for samples, the value of the first launch stands. */
static tess_status add_metric(const char *name, const char *unit, const char *cell,
                              tess_record *run) {
    double value = NAN;
    if (!tess_ncu_number(cell, &value))
        return TESS_OK;
    if (strcmp(name, "gpu__time_duration.sum") == 0 || strcmp(name, "Duration") == 0)
        TRY(tess_imported_run_sample(run, "time", unit, value));
    if (strlen(name) < TESS_NAME_SIZE)
        return tess_imported_run_sample(run, name, unit, value);
    return isnan(tess_record_measure(run, name, NULL))
               ? tess_imported_run_measure(run, name, unit, value)
               : TESS_OK;
}

/* The page "raw": a row a launch, a column a metric, whose units are the first row. */
static tess_status read_raw(const tess_csv *csv, tess_imported_runs *runs) {
    for (int64_t row = 1; row < tess_csv_count(csv); row++) {
        tess_record *run = NULL;
        TRY(find_run(csv, row, runs, &run));
        for (int64_t c = 0; c < tess_csv_count_columns(csv); c++)
            if (is_metric(tess_csv_name(csv, c)))
                TRY(add_metric(tess_csv_name(csv, c), tess_csv_cell_at(csv, 0, c),
                               tess_csv_cell_at(csv, row, c), run));
    }
    return TESS_OK;
}

/* The page "details": a row a metric of a launch. */
static tess_status read_details(const tess_csv *csv, tess_imported_runs *runs) {
    for (int64_t row = 0; row < tess_csv_count(csv); row++) {
        tess_record *run = NULL;
        TRY(find_run(csv, row, runs, &run));
        TRY(add_metric(cell_of(csv, row, "Metric Name"), cell_of(csv, row, "Metric Unit"),
                       cell_of(csv, row, "Metric Value"), run));
    }
    return TESS_OK;
}

static tess_status read_runs(const tess_import_file *file, tess_imported_runs *runs) {
    tess_status status = TESS_OK;
    tess_csv *csv = NULL;
    char *printed = NULL;
    if (is_report(file))
        CHECK(print_report(file->path, &printed));
    const char *header = header_of(printed ? printed : file->text);
    if (!header)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: there is no kernel in it", file->path));
    CHECK(tess_fail_at(tess_csv_read_short(header, DETAIL_CELLS, &csv), "%s, from its header on",
                       file->path));
    if (tess_csv_uneven_line(csv))
        CHECK(tess_fail(
            TESS_ERROR_INPUT, "%s: launch %lld has not the %lld cells of the header: it is cut off",
            file->path, (long long)tess_csv_count(csv), (long long)tess_csv_count_columns(csv)));
    const bool is_details = tess_csv_count(csv) && tess_csv_cell(csv, 0, "Metric Name");
    CHECK(is_details ? read_details(csv, runs) : read_raw(csv, runs));
    if (runs->n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: there is no kernel in it", file->path));
done:
    free(printed);
    tess_csv_free(csv);
    return status;
}

const tess_importer tess_importer_ncu = {
    .name = "ncu",
    .summary = "Nsight Compute's report (by ncu), or its --csv, pages raw and details",
    .knows = knows,
    .read = read_runs};
