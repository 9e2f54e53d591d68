/* Block lines: a partition as text, a block number a line, one line an element (METIS's .part). */
#include "partitioners/block_lines.h"

#include "core/base/byte_order_mark.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 64 };

/* The block number on a line, alone but for blanks around it. */
static tess_status line_parse(const char *source, int64_t line, const char *text, int32_t *block) {
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    if (end == text || *end)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: '%.*s' is not a block number", source, (long long)line,
             (int)strcspn(text, "\r\n"), text);
    if (errno || value < 0 || value > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: block number %.*s is not in 0 to %d", source,
             (long long)line, (int)strcspn(text, "\r\n"), text, INT32_MAX);
    *block = (int32_t)value;
    return TESS_OK;
}

tess_status tess_block_lines_read(FILE *file, const char *source, int64_t n_elements,
                                  int32_t *block_of) {
    char text[LINE_SIZE];
    int64_t line = 0;
    tess_stream_pass_mark(file);
    while (fgets(text, sizeof text, file)) {
        line++;
        if (strlen(text) == sizeof text - 1 && text[sizeof text - 2] != '\n')
            FAIL(TESS_ERROR_INPUT, "%s:%lld: more than one block number on a line", source,
                 (long long)line);
        if (line > n_elements && text[strspn(text, " \t\r\n")] == '\0')
            continue; /* blank lines at the end */
        if (line > n_elements)
            FAIL(TESS_ERROR_INPUT, "%s:%lld: there are only %lld elements", source, (long long)line,
                 (long long)n_elements);
        TRY(line_parse(source, line, text, &block_of[line - 1]));
    }
    if (ferror(file))
        FAIL(TESS_ERROR_IO, "%s: %s", source, strerror(errno));
    if (line == 0 && n_elements > 0)
        FAIL(TESS_ERROR_INPUT, "%s is empty: a block number for each of %lld elements is asked for",
             source, (long long)n_elements);
    if (line < n_elements)
        FAIL(TESS_ERROR_INPUT, "%s:%lld: the text ends after %lld of %lld elements", source,
             (long long)line, (long long)line, (long long)n_elements);
    return TESS_OK;
}
