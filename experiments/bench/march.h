/* A march: all loops of an application on a device, step by step, by one process or by ranks. */
#pragma once

#include "experiments/bench/march_plans.h"

typedef struct tess_march {
    tess_experiment experiment; /* of the loop that numbers the mesh; what it points to is the
                                   step's, but ... */
    char *device;               /* ... this, where a rank has its own; NULL: it has not; owned */
    bool times_loops;
    tess_bench bench;
    tess_state *state; /* of the application: its start, then what was fetched last */
    /* Without ranks; else NULL. */
    tess_march_plans plans;
    tess_store *store;
    tess_marcher *marcher;
    tess_ranked_march *ranked; /* instead of these */
} tess_march;

/* How an application is marched. */
typedef struct tess_march_setting {
    const tess_rank_setting *ranks; /* NULL: without ranks */
    bool times_loops;               /* waits for each loop and times it */
    const char *keep_text;          /* a folder for the pages of loops; NULL: not kept */
} tess_march_setting;

/* Opens a march that stands at the start of the step's application; ranks take what the step's
 * first loop says. The step, and what the setting points to, outlive the march, which is the
 * caller's to close, whatever failed. */
TESS_MUST_CHECK tess_status tess_march_open(const tess_step *step,
                                            const tess_bench_options *options,
                                            const tess_march_setting *setting, tess_march *out);
void tess_march_close(tess_march *march);

/* Marches n steps and gives the seconds of all. */
TESS_MUST_CHECK tess_status tess_march_run(const tess_march *march, int n, double *seconds);

/* Marches n steps more, none where they tell nothing: on a device that emulates, on ranks and where
 * no loop can be timed alone; and waits for each loop and times it. */
TESS_MUST_CHECK tess_status tess_march_time_loops(const tess_march *march, int n);

/* Brings what the march has come to into its state. */
TESS_MUST_CHECK tess_status tess_march_fetch(const tess_march *march);

/* The step as its chains cut it, on ranks that of the first here; NULL: without chains. */
const tess_chained_step *tess_march_chained(const tess_march *march);

/* Whether the dat is a global value that loops add to and none reads: it may be taken. */
bool tess_march_sums(const tess_march *march, const tess_dat *dat);

/* Gives the value of a global sum, which begins at 0 again. */
TESS_MUST_CHECK tess_status tess_march_take_sum(const tess_march *march, const char *name,
                                                double *sum);

/* Fetches the state after n steps and, in the process that reports, compares it with that of the
 * sequential loops in double; sums are left out, which were taken on the way. Fails (CHECK) where
 * *out, whose dat is NULL, is over its tolerance. */
TESS_MUST_CHECK tess_status tess_march_check(const tess_march *march, int64_t n,
                                             tess_difference *out);
