/* A session: runs of one bench that are timed in turns, so that what disturbs the machine disturbs
 * all of them alike and their samples can be compared in pairs.
 *
 * A round takes one sample of each run, in an order of its own. Runs stay open, with what they hold
 * of the device's memory, from when they are added until the session is cleared. Its campaign says
 * when a round is taken and what becomes of the runs. */
#pragma once

#include "experiments/bench/bench.h"

typedef struct tess_session {
    tess_bench *bench;           /* the caller's, outlives the session */
    int64_t budget;              /* bytes of the device's memory that open runs may hold */
    int64_t bytes;               /* that they hold */
    char name[TESS_RUN_ID_SIZE]; /* archived with its runs; "" until one is open */
    int n_rounds;                /* of all runs; 0: nothing is timed */
    int n_taken;                 /* of them */
    int n_meanwhile;             /* rounds before those, of the runs that were open by then ... */
    bool waits;                  /* ... while the next run was waited for, as it is now */
    bool is_last;                /* no other run is to come */
    double began;                /* its rounds, by the clock */
    int fewest_rounds;           /* after an interrupt runs with as many samples are archived */
    int64_t n, capacity;
    tess_run **runs;   /* those that are open; the caller's */
    tess_run *breaker; /* whose sample broke the device for good; NULL */
} tess_session;

/* Begins a session; budget 0 is three quarters of what is free of a GPU's memory, or a quarter
 * of the machine's. The caller sets its rounds before the first run is added. */
void tess_session_begin(tess_bench *bench, int64_t budget, tess_session *out);

/* Adds a run that is executed, and has its record. */
TESS_MUST_CHECK tess_status tess_session_add(tess_session *session, tess_run *run);

/* Whether the budget does not suffice for one more run like this one. */
bool tess_session_is_full(const tess_session *session, const tess_run *run);

/* How many of its runs have neither failed nor left. */
int64_t tess_session_n_racing(const tess_session *session);

/* Takes one sample of each run, and counts the round; a run whose sample fails takes part no more.
 * The bench is locked. Fails where a run broke the device for good: it is the breaker. */
TESS_MUST_CHECK tess_status tess_session_take_round(tess_session *session);

/* Completes the plans of the runs, for other threads; and checks the results that they have kept so
 * far. What fails is kept with its run. */
TESS_MUST_CHECK tess_status tess_session_complete_plans(tess_session *session);
TESS_MUST_CHECK tess_status tess_session_check(tess_session *session);

/* After a run that broke the device: opens it anew, and the other runs on it. */
TESS_MUST_CHECK tess_status tess_session_revive(tess_session *session);

/* Finishes one of its runs after the rounds that were taken. Fails again as its samples did;
 * INTERRUPTED where it has too few to be kept. */
TESS_MUST_CHECK tess_status tess_session_conclude(tess_session *session, tess_run *run);

/* Drops the runs that are open; others may join it then. */
void tess_session_clear(tess_session *session);
