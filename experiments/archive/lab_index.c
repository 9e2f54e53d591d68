/* The run table of a lab, kept up to date with its runs. */
#include "experiments/archive/index_file.h"

#include "core/base/array.h"
#include "experiments/archive/run_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the runs among `ids` that the table (NULL: none) lacks. Both are sorted. */
static tess_status read_new_runs(const tess_lab *lab, const tess_run_table *table, char *const *ids,
                                 int64_t n_ids, tess_index_progress progress, tess_record **records,
                                 int64_t *n_records, int64_t *n_unreadable) {
    const int64_t n_rows = table ? table->n_rows : 0;
    int64_t row = 0;
    *n_records = *n_unreadable = 0;
    for (int64_t i = 0; i < n_ids; i++) {
        while (row < n_rows && strcmp(tess_run_table_id(table, row), ids[i]) < 0)
            row++;
        if (row < n_rows && strcmp(tess_run_table_id(table, row), ids[i]) == 0)
            continue;
        char *path = NULL;
        TRY(tess_lab_file(lab, "runs", ids[i], &path));
        const tess_status status = tess_run_file_read_scalars(path, &records[*n_records]);
        free(path);
        if (status == TESS_ERROR_MEMORY)
            return status;
        /* A record's name is its file's: the table is sorted by it. */
        if (status == TESS_OK)
            snprintf(records[*n_records]->id, TESS_RUN_ID_SIZE, "%s", ids[i]);
        *n_records += status == TESS_OK;
        *n_unreadable += status != TESS_OK;
        if (progress)
            progress(*n_records, n_ids);
    }
    return TESS_OK;
}

static tess_status update(const tess_lab *lab, const char *path, tess_index_progress progress,
                          tess_run_table **table, int64_t *n_unreadable) {
    tess_status status = TESS_OK;
    char **ids = NULL;
    tess_record **records = NULL;
    tess_run_table *built = NULL;
    int64_t n_ids = 0, n_records = 0;
    CHECK(tess_lab_names(lab, "runs", &ids, &n_ids));
    CHECK(TESS_ZEROS(n_ids, &records));
    CHECK(read_new_runs(lab, *table, ids, n_ids, progress, records, &n_records, n_unreadable));
    if (*table && n_records == 0 && (*table)->n_rows == n_ids - *n_unreadable)
        goto done; /* nothing has come, nothing has gone */
    CHECK(tess_run_table_build(*table, ids, n_ids, records, n_records, &built));
    tess_run_table_free(*table);
    *table = built;
    if (access(tess_lab_folder(lab), W_OK) == 0 && tess_index_file_write(built, path) != TESS_OK)
        unlink(path); /* it is derived: the next reader makes it again */
done:
    for (int64_t i = 0; records && i < n_records; i++)
        tess_record_free(records[i]);
    free(records);
    tess_lab_names_free(ids);
    return status;
}

tess_status tess_lab_table(const tess_lab *lab, tess_index_progress progress, tess_run_table **out,
                           int64_t *n_unreadable) {
    char *path = NULL;
    tess_run_table *table = NULL;
    if (asprintf(&path, "%s/index.hdf", tess_lab_folder(lab)) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a path");
    if (access(path, R_OK) != 0 || tess_index_file_read(path, &table) != TESS_OK)
        table = NULL; /* missing, damaged or of another version: made again from the runs */
    const tess_status status = update(lab, path, progress, &table, n_unreadable);
    free(path);
    if (status != TESS_OK) {
        tess_run_table_free(table);
        return status;
    }
    *out = table;
    return TESS_OK;
}
