/* Tuning: a search for the best way to run a loop, by a race of candidates.
 *
 * All candidates are opened, checked and timed in turns; after some rounds those that are surely
 * slower than the best leave, the others take more samples. A tie stays a tie. The next candidate
 * is the most hopeful one that is ready: other threads cut, plan and compile, what is cut quickly
 * first, and nothing waits for one of them while another is ready. Those that are open take samples
 * while none is. Once a part of the budget is spent, only candidates are cut and tried that may
 * still be the best, by what those took that are like them and by the reuse of their blocks. A
 * winner is confirmed while little of the budget was spent on the device. When the budget is over,
 * what is being made is given up. Where candidates are chosen by a metric instead, each is run
 * once. All that is tried is archived. */
#pragma once

#include "experiments/campaign/campaign.h"
#include "experiments/campaign/hope.h"
#include "experiments/campaign/product.h"
#include "experiments/campaign/race.h"
#include "experiments/model/correction.h"
#include "experiments/model/forecast.h"

typedef enum tess_standing {
    TESS_STANDING_UNTRIED, /* the budget was over before its turn */
    TESS_STANDING_FAILED,
    TESS_STANDING_MISFIT,
    TESS_STANDING_SLOWER,  /* or worse by the metric: surely so */
    TESS_STANDING_UNCLEAR, /* it may be as fast as the best, or slower */
    TESS_STANDING_TIE,     /* with the best: within 1 % of it, surely */
    TESS_STANDING_BEST     /* of the medians; the winner where nothing ties with it */
} tess_standing;

const char *tess_standing_name(tess_standing position);

typedef struct tess_candidate {
    const tess_experiment *experiment;
    const tess_run *run; /* the campaign's; NULL: it was not tried */
    double predicted;    /* seconds; NaN where nothing is predicted */
    double expected;     /* the same, corrected by all that was tried */
    tess_standing position;
    double ratio, low, high; /* to the best, with its 95 % interval (infinite where untimed) */
} tess_candidate;

typedef struct tess_tune {
    const char *metric;  /* NULL: by time; the caller's */
    const tess_fit *fit; /* predicts the order in which candidates are tried, which those correct
                            that were tried; NULL: as listed; the caller's */
    int64_t n_runs;      /* candidates that are tried at most; 0: all */
    bool has_stored;     /* the mesh as it is stored is tried beside these, and first */
    double budget;       /* seconds */
    bool early;          /* it ends before the budget where ties are left, too */
    double began;        /* by the clock; executions before this one are taken off it */
    tess_status (*opened)(void *tune, const tess_bench *bench); /* as a campaign's; NULL */
    /* What is done now, or awaited; NULL: nothing more. NULL. */
    void (*show)(const struct tess_tune *tune, const char *words);
    tess_campaign campaign;
    tess_experiment *ordered; /* [n], shallow copies of the product's in the order of their turns */
    double *predicted;        /* [n] seconds of each; NULL: nothing was predicted; NaN: no model */
    int64_t *listed_at;       /* [n] their places in the product; NULL where predicted is */
    tess_forecast *forecast;  /* while predictions are made; NULL */
    tess_correction *correction; /* of what is predicted; NULL: nothing is */
    bool *learned;               /* [n] by the correction */
    tess_race race;              /* as it was judged last */
    tess_hope_case *cases;       /* [n] the candidates, in the order of `ordered` */
    double *hoped;               /* [n] seconds that each may take */
    double best_seconds;         /* the least that one took so far; infinite: none was tried */
    int n;
    tess_candidate *candidates; /* the best first, then by how far they are from it; owned */
    int best;                   /* 0; -1: none passed */
    int n_ties;                 /* with the best, and those that may */
    int n_opened;               /* candidates that the budget was enough to start */
    int n_hopeless;             /* not tried, for they would not have been the best */
    double first_seconds;       /* until the first had been executed */
    double opening_began;       /* by the clock: the candidate that is being opened; 0: none is */
    double opening_seconds;     /* that all took to be opened ... */
    double first_opening;       /* ... and the first of them */
    double race_seconds;        /* that their samples would take if none left the race */
    double seconds;             /* of all */
} tess_tune;

/* A budget in seconds that would be enough for all candidates, by what those took that were opened,
 * one at least. */
double tess_tune_enough(const tess_tune *tune);

/* Races the experiments and ranks them; the product outlives the tune. Fails (INTERRUPTED) on
 * Ctrl-C, with what is finished kept and ranked. */
TESS_MUST_CHECK tess_status tess_tune_run(tess_tune *tune, const tess_product *product,
                                          const tess_campaign_options *options);

/* As tess_campaign_close. */
TESS_MUST_CHECK tess_status tess_tune_close(tess_tune *tune, tess_status status);
