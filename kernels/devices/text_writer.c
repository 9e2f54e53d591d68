/* A writer: a text that grows piece by piece. */
#include "kernels/devices/text_writer.h"

#include "core/base/array.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(tess_text_writer *writer, int64_t more) {
    if (writer->failure == TESS_OK)
        writer->failure = TESS_RESERVE(writer->length + more + 1, &writer->capacity, &writer->text);
    return writer->failure == TESS_OK;
}

void tess_text_writer_print_list(tess_text_writer *writer, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (reserve(writer, length)) {
        vsnprintf(writer->text + writer->length, (size_t)length + 1, format, again);
        writer->length += length;
    }
    va_end(again);
}

void tess_text_writer_print(tess_text_writer *writer, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tess_text_writer_print_list(writer, format, args);
    va_end(args);
}

void tess_text_writer_include(tess_text_writer *writer, const char *file, const char *text) {
    tess_text_writer_print(writer, "#line 1 \"%s\"\n", file);
    tess_text_writer_print(writer, "%s\n", text);
}

tess_status tess_text_writer_finish(const tess_text_writer *writer) {
    return writer->failure;
}

void tess_text_writer_clear(tess_text_writer *writer) {
    free(writer->text);
    *writer = (tess_text_writer){.text = NULL};
}
