/* Chosen runs: the options by which commands say which runs of a lab are meant, in which order. */
#pragma once

#include "experiments/archive/run_query.h"
#include <argp.h>

typedef struct tess_chosen_runs {
    const char *lab, *where, *sort; /* NULL: the default lab, all runs, the oldest first */
    bool limited;
    int64_t limit;
} tess_chosen_runs;

/* The rows of an option table. */
#define TESS_CHOSEN_OPTIONS                                                                        \
    {"lab", 'l', "DIR", 0, "The lab (default: TESS_LAB, else ./lab)", 0},                          \
        {"where",                                                                                  \
         'w',                                                                                      \
         "FILTER",                                                                                 \
         0,                                                                                        \
         "Only runs that fit, as: 'partitioner = \"metis\" and block_size >= 128 and tag:paper'. " \
         "= != < <= > >=; ~ holds the text; and, or, not, (...); * and ? as in shells",            \
         0},                                                                                       \
        {"sort", 'k', "NAME,...", 0, "Sort by these; -NAME: largest first (default: by time)", 0}, \
    {                                                                                              \
        "limit", 'n', "N", 0, "Only the last N; with --sort the first N", 0                        \
    }

/* Parses one of these options; ARGP_ERR_UNKNOWN where it is none. */
error_t tess_chosen_runs_parse(int key, const char *value, tess_chosen_runs *into);

/* Opens the lab and keeps the chosen runs; says on stderr, unless quiet, what may not be meant. */
TESS_MUST_CHECK tess_status tess_chosen_runs_open(const tess_chosen_runs *chosen, bool quiet,
                                                  tess_query **out);
