/* Block lines: a partition as text, a block number a line, one line an element (METIS's .part). */
#pragma once

#include "core/base/status.h"
#include <stdint.h>
#include <stdio.h>

/* Fills block_of [n_elements] with numbers from 0. `source` names the text in messages. Fails
 * (INPUT) by line: a line that holds no number or one that is out of range, too few lines, too many
 * (blank ones at the end aside). Never reads on behind the first line that is wrong. */
TESS_MUST_CHECK tess_status tess_block_lines_read(FILE *file, const char *source,
                                                  int64_t n_elements, int32_t *block_of);
