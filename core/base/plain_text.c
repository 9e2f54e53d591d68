/* Plain text: text of somebody else without what a terminal would obey. */
#include "core/base/plain_text.h"

#include "core/base/array.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* True for C0, DEL, and the first byte of C1 in UTF-8 (U+0080 to U+009F). */
static bool is_control(const unsigned char *c) {
    return (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f ||
           (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

void tess_plain_print(FILE *stream, const char *format, ...) {
    char *text = NULL, *plain = NULL;
    int64_t n = 0;
    va_list arguments;
    va_start(arguments, format);
    tess_status status = tess_text_print_list(&text, format, arguments);
    va_end(arguments);
    if (status == TESS_OK)
        status = TESS_ALLOC(4 * (int64_t)strlen(text) + 1, &plain); /* of \x1b */
    for (const unsigned char *c = (const unsigned char *)text; status == TESS_OK && *c; c++) {
        if (is_control(c))
            n += sprintf(plain + n, "\\x%02x", *c == 0xc2 ? *++c : *c);
        else
            plain[n++] = (char)*c;
    }
    if (plain) /* at once, for other processes write there, too */
        fwrite(plain, 1, (size_t)n, stream);
    free(plain);
    free(text);
}
