/* A session: runs of one bench that are timed in turns, so that what disturbs the machine disturbs
 * all of them alike and their samples can be compared in pairs.
 *
 * A round takes one sample of each run, in an order of its own. Runs stay open, with what they hold
 * of the device's memory, from when they are added until the session ends: after so many rounds as
 * samples are asked for, all of them are archived with the session's name. While other threads make
 * what the next run needs, those that are open may take rounds already. */
#pragma once

#include "experiments/bench/bench.h"

typedef struct tess_session tess_session;

/* What a session tells its caller, which gives back a failure that ends all. */
typedef struct tess_session_listener {
    void *context;
    /* A run is over. TESS_OK: it is archived where the bench archives; else what failed, with its
     * words in tess_message(): INTERRUPTED where it had too few samples to be kept. */
    tess_status (*ended)(void *context, tess_run *run, tess_status outcome);
    /* A run is started: its plan is there. May be NULL, as all that follow. */
    tess_status (*started)(void *context, tess_run *run);
    /* A round begins. */
    void (*round)(void *context, const tess_session *session, int round);
    /* So many rounds are over: it may let runs leave, and change the number of rounds. */
    tess_status (*judge)(void *context, tess_session *session, int n_taken);
    /* A round of the open runs is over that was taken while the next was waited for: it may let
     * runs leave until the rounds of all. NULL: nothing is taken meanwhile. */
    tess_status (*meanwhile)(void *context, tess_session *session);
} tess_session_listener;

struct tess_session {
    tess_bench *bench;              /* the caller's, outlives the session */
    tess_session_listener listener; /* as is what it points to */
    int64_t budget;                 /* bytes of the device's memory that open runs may hold */
    int64_t bytes;                  /* that they hold */
    char name[TESS_RUN_ID_SIZE];    /* "" until a run is open */
    int n_rounds;                   /* of all runs; 0: nothing is timed */
    int n_meanwhile;                /* rounds before those, of the runs that were open by then */
    double began;                   /* its rounds, by the clock */
    int fewest_rounds;              /* after an interrupt runs with as many samples are archived */
    int64_t n, capacity;
    tess_run **runs; /* those that are open; the caller's */
};

/* Begins a session; budget 0 is three quarters of what is free of a GPU's memory, or a quarter
 * of the machine's. The caller sets its rounds before the first run is added. */
void tess_session_begin(tess_bench *bench, int64_t budget, const tess_session_listener *listener,
                        tess_session *out);

/* Adds a run, which has its record: starts it; where nothing is to be timed it is finished at once.
 * When the budget or the memory does not suffice for one more, this session ends and another
 * begins. */
TESS_MUST_CHECK tess_status tess_session_add(tess_session *session, tess_run *run);

/* Takes the samples of all open runs, round by round, and finishes them. After an interrupt the
 * round at hand is the last. */
TESS_MUST_CHECK tess_status tess_session_end(tess_session *session);

/* Drops the runs that are open. */
void tess_session_clear(tess_session *session);
