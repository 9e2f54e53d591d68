/* An exporter: what exporters share. */
#include "experiments/archive/export/exporter.h"

#include "core/base/progress.h"
#include <string.h>

tess_status tess_export_records(const tess_query *query, void *context,
                                tess_status (*write)(void *context, const tess_record *record)) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    tess_progress_begin("exporting runs");
    for (int64_t i = 0; i < query->n_rows; i++) {
        tess_progress_set(i, query->n_rows, NULL);
        CHECK(tess_lab_read_run(query->lab, tess_run_table_id(query->table, query->rows[i]),
                                &record));
        CHECK(write(context, record));
        tess_record_free(record);
        record = NULL;
    }
done:
    tess_record_free(record);
    tess_progress_end();
    return status;
}

tess_status tess_export_json(json_t *object, FILE *stream) {
    if (!object)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON cannot be made");
    json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    fputc('\n', stream);
    return TESS_OK;
}

void tess_export_csv_field(const char *text, FILE *stream) {
    if (!text[strcspn(text, "\",\n\r")]) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

tess_status tess_export_plan_path(const tess_query *query, char path[TESS_PATH_SIZE]) {
    tess_run_field plan;
    if (query->n_rows != 1)
        FAIL(TESS_ERROR_USAGE,
             "blocks are those of one run, not of %lld: name it, as in tess export -f metis @last",
             (long long)query->n_rows);
    TRY(tess_run_table_require(query->table, "plan_digest", &plan));
    const char *digest = tess_run_text(query->table, &plan, query->rows[0]);
    if (!*digest)
        FAIL(TESS_ERROR_INPUT, "run %s has no plan: nothing was cut into blocks for it",
             tess_run_table_id(query->table, query->rows[0]));
    return tess_lab_path(query->lab, path, "plans/%s.hdf", digest);
}
