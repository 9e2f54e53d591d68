/* A byte order mark: by which some editors and spreadsheets say that a text is UTF-8. */
#include "core/base/byte_order_mark.h"

#include <string.h>

static const char mark[] = "\xEF\xBB\xBF";

size_t tess_byte_order_mark(const char *text) {
    return strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
}

void tess_stream_pass_mark(FILE *stream) {
    size_t n = 0;
    int byte = getc(stream);
    for (; n < strlen(mark) && byte == (unsigned char)mark[n]; n++)
        byte = getc(stream);
    ungetc(byte, stream);
    while (n > 0 && n < strlen(mark))
        ungetc((unsigned char)mark[--n], stream);
}
