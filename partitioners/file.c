/* The file partitioner: a partition made elsewhere, in METIS's .part format. */
#include "partitioners/partitioner.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 64 };

static const tess_option options[] = {
    TESS_TEXT_OPTION("path", "", "of the file: a block number from 0 a line, one line an element"),
    {.key = NULL}};

/* The block number on a line, alone but for blanks around it. */
static tess_status line_parse(const char *path, int64_t line, const char *text, int32_t *block) {
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    if (end == text || *end)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: '%.*s' is not a block number", path, (long long)line,
             (int)strcspn(text, "\r\n"), text);
    if (errno || value < 0 || value > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: block number %.*s is not in 0 to %d", path,
             (long long)line, (int)strcspn(text, "\r\n"), text, INT32_MAX);
    *block = (int32_t)value;
    return TESS_OK;
}

static tess_status lines_read(FILE *file, const char *path, int64_t n_elements, int32_t *block_of) {
    char text[LINE_SIZE];
    int64_t line = 0;
    while (fgets(text, sizeof text, file)) {
        line++;
        if (strlen(text) == sizeof text - 1 && text[sizeof text - 2] != '\n')
            FAIL(TESS_ERROR_INPUT, "%s:%lld: more than one block number on a line", path,
                 (long long)line);
        if (line > n_elements && text[strspn(text, " \t\r\n")] == '\0')
            continue; /* blank lines at the end */
        if (line > n_elements)
            FAIL(TESS_ERROR_INPUT, "%s:%lld: there are only %lld elements", path, (long long)line,
                 (long long)n_elements);
        TRY(line_parse(path, line, text, &block_of[line - 1]));
    }
    if (ferror(file))
        FAIL(TESS_ERROR_IO, "%s: %s", path, strerror(errno));
    if (line < n_elements)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: the file ends after %lld of %lld elements", path,
             (long long)line, (long long)line, (long long)n_elements);
    return TESS_OK;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    const char *path = tess_spec_text(spec, options, "path");
    if (!path[0])
        FAIL(TESS_ERROR_USAGE,
             "partitioner file needs the path of a partition: write file:path=MESH.part.100");
    FILE *file = fopen(path, "r");
    if (!file)
        FAIL(TESS_ERROR_INPUT, "%s: %s", path, strerror(errno));
    const tess_status status = lines_read(file, path, problem->n_elements, block_of);
    fclose(file);
    return status;
}

const tess_partitioner tess_partitioner_file = {
    .name = "file",
    .summary = "a partition made elsewhere: a block number a line (METIS's .part format)",
    .reference = "METIS manual 5.1, section 4.2.1: output file formats",
    .options = options,
    .unrepeatable = true,
    .partition = partition,
};
