/* A stream's text: all that can be read from it, or is printed to it. */
#include "core/base/stream_text.h"

#include "core/base/array.h"
#include <stdlib.h>

enum { AT_ONCE = 1 << 16 };

tess_status tess_stream_read(FILE *stream, char **out, int64_t *size) {
    tess_status status = TESS_OK;
    char *text = NULL;
    int64_t capacity = 0;
    *size = 0;
    for (size_t n = 1; n > 0; *size += (int64_t)n) {
        CHECK(TESS_RESERVE(*size + AT_ONCE + 1, &capacity, &text));
        n = fread(text + *size, 1, AT_ONCE, stream);
    }
    text[*size] = '\0';
    *out = TESS_TAKE(text);
done:
    free(text);
    return status;
}

tess_status tess_printed_open(tess_printed *printed) {
    *printed = (tess_printed){.text = NULL};
    printed->stream = open_memstream(&printed->text, &printed->size);
    if (!printed->stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a text");
    return TESS_OK;
}

tess_status tess_printed_close(tess_printed *printed, tess_status status, char **out) {
    if (fclose(printed->stream) != 0 && status == TESS_OK)
        status = tess_fail(TESS_ERROR_MEMORY, "out of memory for a text");
    if (status == TESS_OK)
        *out = printed->text;
    else
        free(printed->text);
    return status;
}
