/* A race: which runs of a session go on taking samples, and for how many rounds. */
#pragma once

#include "core/base/statistics.h"
#include "experiments/campaign/session.h"

enum {
    TESS_FIRST_ROUNDS = 6, /* with less no difference is sure */
    TESS_SHORT_RACE = 192  /* rounds after which a race ends that may not go on */
};

typedef struct tess_race {
    bool late;     /* the time is over: this round is the last */
    bool goes_on;  /* what time is left is the leaders', until one of them wins */
    bool confirms; /* who wins is timed on beside those that are nearly as fast */
    bool won;      /* one was surely the fastest when it was judged last */
} tess_race;

/* Compares the times of two runs whose samples have been taken: in pairs of one round where they
 * are of one session (tess_compare_rounds), so that what slows all of a round down does not matter.
 * The ratio is the other's time to the base's. */
TESS_MUST_CHECK tess_status tess_runs_compare(const tess_run *base, const tess_run *other,
                                              tess_comparison *found);

/* Whether a is to be called faster than b: by their medians, or, where one has more samples, in the
 * rounds that both took part in. One that left the race is not, whatever the rounds were like that
 * it took part in. */
bool tess_run_is_faster(const tess_run *a, const tess_run *b);

/* Judges after n_taken rounds: at 6, 12, 24 ... those leave that are surely slower than the fastest
 * of those in the race. Where it goes on, those come back of which that is no longer sure: the
 * fastest may be another since, and few rounds show little. It ends when one is left, when it is
 * late, or after the short race; a race that goes on, after so many rounds that more tell nothing.
 * One that confirms ends when one is left by a tenth: who is nearer stays, though surely slower. */
TESS_MUST_CHECK tess_status tess_race_judge(tess_race *race, tess_session *session, int n_taken);

/* Judges the runs that have so far taken 6, 12, 24 ... samples, while others are still to join:
 * those leave until then that are surely slower than the fastest, and by a tenth. */
TESS_MUST_CHECK tess_status tess_race_thin(tess_session *session);
