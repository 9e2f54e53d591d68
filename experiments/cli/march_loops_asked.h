/* The loops that `tess march` is asked about: how each is to run, and the table of what each took.
 */
#pragma once

#include "core/base/option_row.h"
#include "experiments/bench/march_loops.h"
#include "experiments/cli/step_source.h"
#include <jansson.h>

typedef struct tess_loops_asked {
    bool shown;           /* --loops */
    const char *loop;     /* --loop: whose settings the options are; NULL: the primary's */
    const char *settings; /* --settings, as typed; NULL, as the next */
    const char *tune;     /* --tune-blocks */
    const char *set[TESS_MOST_MARCHED]; /* --set LOOP.SETTING=VALUE, as typed */
    int n_set;
    tess_step_sources sources; /* of the settings */
} tess_loops_asked;

/* The options, for TESS_ROWS_OF. */
extern const tess_option_row tess_loops_rows[];

/* Opens the settings that are asked for, of the lab where they are runs', and takes from them what
 * a march has once, but for what is `said` [TESS_N_FIELDS]. */
TESS_MUST_CHECK tess_status tess_loops_asked_open(tess_loops_asked *asked, const char *lab,
                                                  const bool *said, tess_experiment *experiment);
void tess_loops_asked_close(tess_loops_asked *asked);

/* Gives the step: what stands in the settings, then what is `said` of the loop that options are of,
 * then --set, then the block sizes. The caller clears it. Fails (USAGE) on words that are no loop,
 * no setting or no value, and where ranks are to march. */
TESS_MUST_CHECK tess_status tess_loops_asked_build(const tess_loops_asked *asked, const bool *said,
                                                   const tess_experiment *experiment,
                                                   tess_step *out);

/* Prints the loops of a march as a table. */
TESS_MUST_CHECK tess_status tess_loop_rows_print(const tess_loop_row *rows, int n);
json_t *tess_loop_rows_json(const tess_loop_row *rows, int n);
