/* A stream's text: all that can be read from it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>
#include <stdio.h>

/* Gives all bytes from where the stream is to its end, with a zero behind them, and how many they
 * are; the caller frees them. Ends early where it cannot be read: ferror says so. */
TESS_MUST_CHECK tess_status tess_stream_read(FILE *stream, char **out, int64_t *size);
