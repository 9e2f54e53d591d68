/* The loops that `tess march` is asked about: their block sizes, and the table of what each took.
 */
#pragma once

#include "core/base/option_row.h"
#include "experiments/bench/march_loops.h"
#include <jansson.h>

typedef struct tess_loops_asked {
    bool shown;         /* --loops */
    const char *blocks; /* --loop-blocks, as typed; NULL */
    const char *tune;   /* --tune-blocks, as typed; NULL */
    tess_loop_blocks of[TESS_MOST_MARCHED];
    int n;
} tess_loops_asked;

/* The options, for TESS_ROWS_OF. */
extern const tess_option_row tess_loops_rows[];

/* Finds the block sizes that are asked for: reads them, or tries them; those of the primary loop go
 * to the experiment. Fails (USAGE) on words that are no loop of the application or no size, and
 * where ranks are to march. */
TESS_MUST_CHECK tess_status tess_loops_asked_find(tess_loops_asked *asked,
                                                  tess_experiment *experiment);

/* Prints the loops of a march as a table. */
TESS_MUST_CHECK tess_status tess_loop_rows_print(const tess_loop_row *rows, int n);
json_t *tess_loop_rows_json(const tess_loop_row *rows, int n);
