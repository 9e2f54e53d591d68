/* The exporter of METIS's partition files: a line an element, the number of its block. */
#include "data/archive/archive_reader.h"
#include "experiments/archive/export/exporter.h"

#include <stdlib.h>

static tess_status read_block_of(const char *path, int64_t *n, int32_t **block_of) {
    tess_archive_reader *file = NULL;
    TRY(tess_archive_open(path, "plan", &file));
    *n = -1;
    const tess_status status = tess_archive_read_array(file, "/partition/block_of",
                                                       TESS_ARCHIVE_INT32, 1, n, (void **)block_of);
    tess_archive_reader_free(file);
    return status;
}

static tess_status write_metis(const tess_query *query, FILE *stream) {
    char path[TESS_PATH_SIZE];
    int32_t *block_of = NULL;
    int64_t n = 0;
    tess_run_field plan;
    if (query->n_rows != 1)
        FAIL(TESS_ERROR_USAGE,
             "a partition file is of one run, not of %lld: tess export --format metis @last",
             (long long)query->n_rows);
    TRY(tess_run_table_require(query->table, "plan_digest", &plan));
    const char *digest = tess_run_text(query->table, &plan, query->rows[0]);
    if (!*digest)
        FAIL(TESS_ERROR_INPUT, "this run has no plan");
    TRY(tess_lab_path(query->lab, path, "plans/%s.hdf", digest));
    TRY(read_block_of(path, &n, &block_of));
    for (int64_t i = 0; i < n; i++)
        fprintf(stream, "%d\n", block_of[i]);
    free(block_of);
    return TESS_OK;
}

const tess_exporter tess_exporter_metis = {.name = "metis",
                                           .summary =
                                               "the partition of one run as METIS's .part file",
                                           .write = write_metis};
