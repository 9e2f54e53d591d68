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
    TRY(tess_export_plan_path(query, path));
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
