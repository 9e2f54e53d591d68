/* Ahead: experiments of a list that are cut, planned, written and compiled by other threads before
 * their turn comes, so that the device waits for none of this.
 *
 * What fails ahead is left to the run's own turn, which meets the same failure and reports it. */
#pragma once

#include "experiments/bench/bench.h"

/* The experiments whose turn is still to come: list[order[first]] ... list[order[n - 1]]. */
typedef struct tess_turns {
    const tess_experiment *experiments; /* [n] */
    const int64_t *order;               /* [n] */
    int64_t first, n;
    int64_t wanted; /* nothing is made of those from this turn on; n: all are wanted */
} tess_turns;

/* Begins with the first of these turns, of which those are made that are executed on the bench;
 * list and bench outlive it, the order is copied. All cores but one work on it, at most 16, and
 * fewer where memory is short. */
TESS_MUST_CHECK tess_status tess_ahead_begin(tess_bench *bench, const tess_turns *turns,
                                             tess_ahead **out);

/* The turns that are still to come have another order; those that are passed are as they were.
 * Accepts NULL. */
void tess_ahead_reorder(tess_ahead *ahead, const tess_turns *turns);

/* Plans that would be made later than at `end`, by the clock, are not begun. Accepts NULL. */
void tess_ahead_set_end(tess_ahead *ahead, double end);

/* Whether there are so many cores that the thread that runs may keep one busy, too. Accepts
 * NULL: false. */
bool tess_ahead_is_wide(const tess_ahead *ahead);

/* The wanted experiment, by its position in the list, that comes first of those of which all is
 * made, or -1; and the first of those that are not ready but will be, or -1. */
int64_t tess_ahead_next(tess_ahead *ahead, int64_t *awaited);

/* How far an experiment is. */
typedef struct tess_making_state {
    bool planned;
    double reuse;   /* of its plan; NaN: it has none */
    double seconds; /* that its plan has been in the making; 0: it is not */
} tess_making_state;
tess_making_state tess_ahead_state(tess_ahead *ahead, int64_t number);

/* Waits until an experiment is ready, something else changes or so many seconds have passed. */
void tess_ahead_wait(tess_ahead *ahead, double seconds);

/* Gives a run, whose number is its position in the list, its plan and its drafted trial where they
 * are made; leaves it as it is where they are not. It is the next whose turn comes. */
void tess_ahead_take(tess_ahead *ahead, tess_run *run);

/* The plan of a run that is open is stored in the lab by another thread, where there is a lab:
 * after the last sample too little of a budget is left for that. Accepts NULL. */
TESS_MUST_CHECK tess_status tess_ahead_archive(tess_ahead *ahead, const tess_run *run);

/* Nothing more is begun until it is resumed, but plans are stored; with `quiet` they are not, and
 * what was begun is finished on return. Accept NULL. */
void tess_ahead_pause(tess_ahead *ahead, bool quiet);
void tess_ahead_resume(tess_ahead *ahead);

/* Nothing more is made, and what was begun is given up and over on return; with `storing` nothing
 * is stored, either. Accepts NULL. */
void tess_ahead_give_up(tess_ahead *ahead, bool storing);

/* Gives up what was begun, frees all, and tells the bench how long it took. Accepts NULL. */
void tess_ahead_end(tess_ahead *ahead);
