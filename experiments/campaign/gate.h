/* A gate: runs that are made by this program and by a reference, in turns, until each is slower,
 * the same, or the time is over. Where a program can, its runs stand by until their turns. */
#pragma once

#include "core/base/sequential_verdict.h"
#include "experiments/bench/experiment_value.h"
#include "kernels/peers/dialogue.h"

/* The probability that a gate calls any of its cases slower whose times are equal. */
#define TESS_GATE_ERROR 0.005

/* What a line begins with that a run by `tess run --stand-by` answers. */
#define TESS_STANDING_PREFIX "tess standing by: "

/* What it says when it is made ready: that it is, whether what it has on the device lies at random
 * places, others for each time, and whether by TESS_STANDING_ANEW, too, it opens a device anew that
 * is as good as that of another process then. */
#define TESS_STANDING_READY "ready"
#define TESS_STANDING_MOVES "ready at random places"
#define TESS_STANDING_RENEWS "ready anew"
#define TESS_STANDING_ANEW "anew"

typedef enum tess_gate_state {
    TESS_GATE_OUT_OF_TIME, /* nothing is sure yet */
    TESS_GATE_SAME,
    TESS_GATE_SLOWER,
    TESS_GATE_FAILED,       /* this program's run failed, where the reference's did not */
    TESS_GATE_NO_REFERENCE, /* the reference gives no time of it */
    TESS_GATE_STATES
} tess_gate_state;

const char *tess_gate_state_name(tess_gate_state state); /* "out of time", "same" ... */

/* One run: its times are of a turn each, of a process each. */
typedef struct tess_gate_case {
    char *name;   /* "airfoil res_calc, airfoil:i=40:j=60, mosaic, point-parallel"; owned */
    char **words; /* of its command; the first is the program; owned */
    double
        *archived; /* [n_archived] times of the reference; NULL: they are taken in turns; owned */
    int64_t n_archived;
    int64_t n, capacity_reference, capacity_ours;
    double *reference, *ours; /* [n], in turns; the first is empty beside archived ones; owned */
    tess_gate_state state;
    char *reason; /* of a failure, ours or the reference's; owned */
    /* The runs that stand by for a turn, ours and the reference's; NULL: it is made in its turn;
     * owned. */
    tess_dialogue *our_standing, *its_standing;
    bool renews;       /* both open their device anew for each turn */
    bool by_processes; /* one of them cannot stand by: each turn is a process */
    bool stays;        /* on the host the reference's arrays lie alike in each of its processes */
    double seconds;    /* that its turns took, with its share of what makes ready */
    tess_sequential_result found;
} tess_gate_case;

typedef struct tess_gate {
    const char *program;   /* this one; the caller's */
    const char *reference; /* NULL: archived times */
    const char *lab;       /* that runs are archived in; NULL: the usual one */
    double limit;          /* 0.02 */
    double budget;         /* seconds for all */
    int64_t at_once;       /* cases, of which both programs stand by at the same time */
    double seconds;        /* that it took */
    int64_t n, capacity;
    tess_gate_case *cases; /* owned */
} tess_gate;

/* Adds the run that an experiment is, and its times in the archive [n] (n = 0: the reference is a
 * program). Fails (INPUT) where it has fewer than three of them. */
TESS_MUST_CHECK tess_status tess_gate_add(tess_gate *gate, const tess_experiment *experiment,
                                          const double *archived, int64_t n);

/* Runs the cases in turns, each by both programs a round, in an order that changes from round to
 * round; `at_once` cases at a time, with their share of the budget. Fails (INTERRUPTED) on Ctrl-C:
 * what was found by then is in the cases. */
TESS_MUST_CHECK tess_status tess_gate_run(tess_gate *gate);

/* Seconds more that are likely to decide what is out of time; NAN: none is, or too little is seen.
 */
double tess_gate_wanted(const tess_gate *gate, const tess_gate_case *one);

int64_t tess_gate_count(const tess_gate *gate, tess_gate_state state);
void tess_gate_clear(tess_gate *gate);
