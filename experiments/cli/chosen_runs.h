/* Chosen runs: the options by which commands say which runs of a lab are meant, in which order. */
#pragma once

#include "core/base/option_row.h"
#include "experiments/archive/run_query.h"

typedef struct tess_chosen_runs {
    const char *lab, *where, *sort; /* NULL: the default lab, all runs, the oldest first */
    bool limited;
    int64_t limit;
} tess_chosen_runs;

/* What is said of a second --where. */
#define TESS_ONE_FILTER .refusal = "one filter at a time: --where '(%s) and (%s)'"

/* The options that say so. */
extern const tess_option_row tess_chosen_rows[];

/* Opens the lab and keeps the chosen runs; says on stderr, unless quiet, what may not be meant. */
TESS_MUST_CHECK tess_status tess_chosen_runs_open(const tess_chosen_runs *chosen, bool quiet,
                                                  tess_query **out);

/* Chooses runs, and fails (INPUT) if it finds no run. */
TESS_MUST_CHECK tess_status tess_chosen_runs_find(const tess_chosen_runs *chosen, bool quiet,
                                                  tess_query **out);
