/* Tuning: a search for the best way to run a loop, by a race of candidates.
 *
 * All candidates are opened, checked and timed in turns; after some rounds those that are surely
 * slower than the best leave, the others take more samples. A tie stays a tie. Where candidates are
 * chosen by a metric instead, each is run once. All that is tried is archived. */
#ifndef TESS_TUNE_H
#define TESS_TUNE_H

#include "core/base/statistics.h"
#include "experiments/bench/restart.h"
#include "experiments/bench/session.h"

/* What the search goes through, the product of all lists; the caller's. */
typedef struct tess_tune_space {
    int n_partitioners, n_strategies, n_layouts, n_block_sizes;
    const tess_spec *partitioners, *strategies;
    const tess_run_options *options; /* [n_layouts]: they differ in their layout only */
    const int64_t *block_sizes;
} tess_tune_space;

typedef enum tess_place {
    TESS_PLACE_UNTRIED, /* the budget was over before its turn */
    TESS_PLACE_FAILED,
    TESS_PLACE_MISFIT,
    TESS_PLACE_SLOWER,  /* or worse by the metric: surely so */
    TESS_PLACE_UNCLEAR, /* it may be as fast as the best, or slower */
    TESS_PLACE_TIE,     /* with the best: within 1 % of it, surely */
    TESS_PLACE_BEST     /* of the medians; the winner where nothing ties with it */
} tess_place;

const char *tess_place_name(tess_place place);

extern const double tess_tune_opening_share; /* of the budget: the rest is for samples */

typedef struct tess_candidate {
    const tess_spec *partitioner, *strategy;
    const tess_run_options *options;
    int32_t block_size;
    tess_run_row *row; /* owned */
    tess_place place;
    bool left;               /* the race, before it ended: surely slower than another */
    double value;            /* median time in s, or the metric; NaN where there is none */
    double ratio, low, high; /* to the best, with its 95 % interval (infinite where untimed) */
} tess_candidate;

typedef struct tess_tune {
    tess_bench *bench; /* the caller's, loaded; as are the next */
    const tess_tune_space *space;
    const char *metric; /* NULL: by time */
    double budget;      /* seconds */
    int argc;
    char *const *argv; /* for provenance */
    bool quiet;
    double began;
    tess_restart *restart; /* the caller's: candidates that are over */
    int n;
    tess_candidate *candidates; /* in the order in which they were tried; owned */
    int best;                   /* -1: none passed */
    int n_ties;                 /* with the best, and those that may */
    int n_opened;               /* candidates that the budget was enough to start */
    double opening_seconds;     /* that this took */
} tess_tune;

/* Compares the times of two rows whose samples have been taken: in pairs of one round where they
 * are of one session (tess_compare_rounds), so that what slows all of a round down does not matter.
 * The ratio is the other's time to the base's. */
TESS_MUST_CHECK tess_status tess_rows_compare(const tess_run_row *base, const tess_run_row *other,
                                              tess_comparison *found);

/* Searches. Fails (INTERRUPTED) on Ctrl-C, with what is finished kept and ranked. */
TESS_MUST_CHECK tess_status tess_tune_run(tess_tune *tune);
void tess_tune_clear(tess_tune *tune);

#endif
