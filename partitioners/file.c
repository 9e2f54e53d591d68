/* The file partitioner: a partition made elsewhere, in METIS's .part format. */
#include "partitioners/block_lines.h"
#include "partitioners/partitioner.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const tess_option options[] = {
    TESS_TEXT_OPTION("path", "", "of the file: a block number from 0 a line, one line an element"),
    {.key = NULL}};

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    const char *path = tess_spec_text(spec, options, "path");
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        FAIL(TESS_ERROR_INPUT, "%s is a folder, not a partition", path);
    FILE *file = fopen(path, "r");
    if (!file)
        FAIL(TESS_ERROR_INPUT, "%s: %s", path, strerror(errno));
    const tess_status status = tess_block_lines_read(file, path, problem->n_elements, block_of);
    fclose(file);
    return status;
}

const tess_partitioner tess_partitioner_file = {
    .name = "file",
    .seconds = 0.1,
    .summary = "a partition made elsewhere: a block number a line (METIS's .part format)",
    .reference = "METIS manual 5.1, section 4.2.1: output file formats",
    .options = options,
    .unrepeatable = true,
    .file_option = "path",
    .partition = partition,
};
