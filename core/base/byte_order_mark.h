/* A byte order mark: by which some editors and spreadsheets say that a text is UTF-8. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* How many bytes it has at the beginning of a text, or 0. */
size_t tess_byte_order_mark(const char *text);

/* Passes over that of a stream of which nothing was read. */
void tess_stream_pass_mark(FILE *stream);
