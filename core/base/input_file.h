/* An input file: one that is there, and ends. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>
#include <stdio.h>

/* Opens a file to read, and gives its size in bytes; the caller closes *fd, which is -1 where it
 * fails. Fails with INPUT, at once, on a name that nothing has, a folder, a pipe, for which one
 * might wait for ever, and a device, which might never end. */
TESS_MUST_CHECK tess_status tess_input_open(const char *path, int *fd, int64_t *size);

/* Opens it so as a stream, at its beginning. */
TESS_MUST_CHECK tess_status tess_input_open_stream(const char *path, FILE **out);
