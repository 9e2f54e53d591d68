/* A writer: a text that grows piece by piece.
 *
 * Printing never fails at once: the first failure (memory) is kept and given by
 * tess_text_writer_finish, so that code which writes text reads like text. */
#pragma once

#include "core/base/status.h"
#include <stdarg.h>
#include <stdint.h>

typedef struct tess_text_writer {
    char *text; /* owned; NULL while nothing was printed */
    int64_t length, capacity;
    tess_status failure;
} tess_text_writer;

/* Adds formatted words. */
void tess_text_writer_print(tess_text_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tess_text_writer_print_list(tess_text_writer *writer, const char *format, va_list args);

/* Adds a text as it is, told to the compiler as lines of `file`. */
void tess_text_writer_include(tess_text_writer *writer, const char *file, const char *text);

/* The first failure, if there was one. */
TESS_MUST_CHECK tess_status tess_text_writer_finish(const tess_text_writer *writer);

/* Frees the text. */
void tess_text_writer_clear(tess_text_writer *writer);
