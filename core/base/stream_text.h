/* A stream's text: all that can be read from it, or is printed to it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>
#include <stdio.h>

/* Gives all bytes from where the stream is to its end, with a zero behind them, and how many they
 * are; the caller frees them. Ends early where it cannot be read: ferror says so. */
TESS_MUST_CHECK tess_status tess_stream_read(FILE *stream, char **out, int64_t *size);

/* A text that is printed. */
typedef struct tess_printed {
    FILE *stream; /* the writer's */
    char *text;
    size_t size;
} tess_printed;

/* Opens printed->stream; *printed stays where it is until it is closed. */
TESS_MUST_CHECK tess_status tess_printed_open(tess_printed *printed);

/* Closes it, and gives the text, which the caller frees, or back the status that is a failure. */
TESS_MUST_CHECK tess_status tess_printed_close(tess_printed *printed, tess_status status,
                                               char **out);
