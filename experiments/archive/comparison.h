/* A comparison of runs: whether one side, a run or several of one variant, is faster than another.
 *
 * Where both sides were timed in turns in a session, their rounds are compared, in pairs. Where
 * not, what sessions of equal runs differ by is part of the interval: one session of each says
 * little of small differences, however many samples it has. */
#pragma once

#include "core/base/statistics.h"
#include "experiments/archive/record.h"
#include "experiments/archive/run_table.h"

/* A sample of a side, with its place: the session (the run itself where it had none of the name).
 */
typedef struct tess_side_value {
    char session[TESS_RUN_ID_SIZE];
    double round; /* negative: none */
    double value;
} tess_side_value;

typedef struct tess_side {
    int64_t n_runs, n_sessions;
    int64_t n, capacity;
    tess_side_value *values; /* in the order in which they were added; owned */
    char unit[TESS_NAME_SIZE];
    double first, last;   /* when its runs were made, seconds */
    bool sampled, failed; /* samples or single values; some run failed its check */
} tess_side;

/* Adds what a run has of a metric: its samples, else its one value. Fails (INPUT) where it has
 * neither. */
TESS_MUST_CHECK tess_status tess_side_add(tess_side *side, const tess_record *record,
                                          const char *metric);
void tess_side_clear(tess_side *side);
TESS_MUST_CHECK tess_status tess_side_median(const tess_side *side, double *median);

/* What the medians of equal runs differ by from session to session: a standard deviation of
 * logarithms, and its degrees of freedom. */
typedef struct tess_session_spread {
    double deviation;
    int64_t df; /* 0: no run of the lab was repeated, and the deviation is an assumed one */
} tess_session_spread;

/* Finds it among all runs of the table that were made on the host and the device of `like`: runs
 * are equal that agree in mesh, blocks, loop, strategy, layouts, threads, precision, chains, ranks,
 * commit, and in all that the configuration of `like` says. */
TESS_MUST_CHECK tess_status tess_session_spread_find(const tess_run_table *table,
                                                     const tess_record *like, const char *metric,
                                                     tess_session_spread *out);

typedef enum tess_comparison_kind {
    TESS_IN_TURNS, /* rounds of common sessions, in pairs */
    TESS_UNPAIRED, /* samples of different sessions */
    TESS_COUNTED   /* single values without noise */
} tess_comparison_kind;

const char *tess_comparison_kind_name(
    tess_comparison_kind comparison_kind); /* "in turns", "apart", "counted" */

typedef struct tess_run_comparison {
    tess_comparison found;
    tess_verdict verdict;
    tess_comparison_kind comparison_kind;
    int64_t n_rounds;           /* compared in pairs */
    tess_session_spread spread; /* of those apart */
    double seconds_apart;       /* between the closest runs of the two */
} tess_run_comparison;

/* How tess_sides_compare will compare them. */
TESS_MUST_CHECK tess_status tess_sides_comparison_kind(const tess_side *base,
                                                       const tess_side *other,
                                                       tess_comparison_kind *out);

/* `spread` is that of the base's machine; NULL is good enough where they are not apart. Within
 * `margin` of the base's, 0.01 for a hundredth, they are the same. */
TESS_MUST_CHECK tess_status tess_sides_compare(const tess_side *base, const tess_side *other,
                                               const tess_session_spread *spread, double margin,
                                               tess_run_comparison *out);

/* 1 where larger values of a metric are better, -1 where smaller are, 0 where neither. */
int tess_better_of(const char *metric);

/* "faster" and "slower" of samples, "better" and "worse" of one value, "larger" and "smaller" where
 * neither is better (tess_better_of is 0); "same", "unclear". */
const char *tess_verdict_words(tess_verdict verdict, int better, bool sampled);

/* How two runs were compared: the rounds they have in common, or the time between their sessions
 * and by what these differ. Fills how [size]. */
void tess_comparison_how(const tess_run_comparison *of, size_t size, char *how);
