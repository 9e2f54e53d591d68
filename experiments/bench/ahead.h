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
} tess_turns;

/* The calling thread makes what others wait for least: the thread that runs comes first. */
void tess_ahead_step_back(void);

/* Begins with the first of these turns, of which those are made that are executed on the bench;
 * list and bench outlive it, the order is copied. All cores but one work on it, at most 16, and
 * fewer where memory is short. */
TESS_MUST_CHECK tess_status tess_ahead_begin(tess_bench *bench, const tess_turns *turns,
                                             tess_ahead **out);

/* The turns that are still to come have another order; those that are passed are as they were.
 * Accepts NULL. */
void tess_ahead_reorder(tess_ahead *ahead, const tess_turns *turns);

/* Whether there are so many cores that the thread that runs may keep one busy, too. Accepts
 * NULL: false. */
bool tess_ahead_is_wide(const tess_ahead *ahead);

/* True while a run, whose number is its position in the list, would have to wait for what is made
 * for it. */
bool tess_ahead_is_late(tess_ahead *ahead, const tess_run *run);

/* Gives a run, whose number is its position in the list, its plan and its drafted trial, and waits
 * for them where they are being made; leaves it as it is where that failed. */
void tess_ahead_take(tess_ahead *ahead, tess_run *run);

/* The plan of a run that is open is stored in the lab by another thread, where there is a lab:
 * after the last sample too little of a budget is left for that. Accepts NULL. */
TESS_MUST_CHECK tess_status tess_ahead_archive(tess_ahead *ahead, const tess_run *run);

/* Nothing more is begun until it is resumed; with `wait` what was begun is finished on return.
 * Accept NULL. */
void tess_ahead_pause(tess_ahead *ahead, bool wait);
void tess_ahead_resume(tess_ahead *ahead);

/* Finishes what was begun, frees all, and tells the bench how long it took. Accepts NULL. */
void tess_ahead_end(tess_ahead *ahead);
