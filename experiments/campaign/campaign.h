/* A campaign: experiments made one after another, whoever asked for them. It opens what they need,
 * times in turns what can be compared, keeps failures, ends at an interrupt, begins anew without a
 * run that broke the device, and archives.
 *
 * Commands make a list of experiments and report what came of them. What they want to see or to
 * decide meanwhile they are told as a listener, by at most seven functions. */
#pragma once

#include "experiments/bench/ahead.h"
#include "experiments/bench/restart.h"
#include "experiments/campaign/session.h"

typedef enum tess_turn_use {
    TESS_TURN_MAKE,
    TESS_TURN_PASS, /* this experiment is not made */
    TESS_TURN_END   /* nor is any after it */
} tess_turn_use;

/* The next turn. */
typedef struct tess_turn {
    int64_t number; /* so many came before */
    int64_t *order; /* [n]: whose turn comes when, as they are listed; those from `number` on may be
                       put in another order ... */
    bool reordered; /* ... which is to be said here */
    int64_t wanted; /* from this turn on none is wanted as things stand; n: all are */
    tess_turn_use use; /* of experiment order[number] */
} tess_turn;

/* All but the context may be NULL. What fails in them ends the campaign. */
typedef struct tess_campaign_listener {
    void *context;
    /* Says which experiment comes next, and whether it is made. Where others make things
     * beforehand, the first in the order comes of which all is made; while none is ready, this is
     * asked again and again, after the experiment was named that is awaited. */
    tess_status (*turn)(void *context, tess_turn *turn);
    tess_status (*awaits)(void *context, int64_t number);
    /* What many experiments need is open: their mesh, loop and device. */
    tess_status (*opened)(void *context, const tess_bench *bench);
    /* A run begins: it has its record, which may be added to, and takes an observer. */
    tess_status (*begun)(void *context, tess_run *run);
    /* Its plan is there; what was executed has passed its check, and its samples are taken. */
    tess_status (*planned)(void *context, tess_run *run);
    /* The rounds of a session begin, or so many are over (session->n_taken): it may let runs leave,
     * and change the number of rounds. Where the session waits, a round of the open runs is over
     * that was taken meanwhile: it may let runs leave until the rounds of all. */
    tess_status (*round)(void *context, tess_session *session);
    /* A run is over: run->failure and the rest say how. Its record and plan are still there, but
     * where it was made by an execution of the program before this one. It is archived. */
    tess_status (*ended)(void *context, tess_run *run);
} tess_campaign_listener;

typedef struct tess_campaign_options {
    tess_bench_options bench;
    tess_bench_job job;
    double memory; /* GiB of the device that runs timed in turns may hold; 0: the default */
    double session_seconds; /* after which a session takes no more runs; 0: it takes all */
    int first_rounds;  /* of a session, where the listener sets their number; 0: as experiments say
                        */
    int fewest_rounds; /* that are kept after an interrupt; 0: all */
    bool ahead;        /* other threads make plans and pages; who has both first comes first */
    bool openings_may_fail; /* a mesh that cannot be opened fails the experiments on it, not all */
    bool not_applicable_fails; /* a partitioner that does not fit the loop is a failure */
} tess_campaign_options;

typedef struct tess_campaign {
    const tess_experiment *experiments; /* [n]; the caller's, outlive it */
    int64_t n;
    tess_run **runs;  /* [n], NULL where none was made; owned */
    tess_turns turns; /* those to come */
    int64_t *order;   /* [n] of turns; owned */
    tess_campaign_options options;
    tess_campaign_listener listener;
    tess_peer_pool peers; /* that wait for another run */
    tess_bench bench;     /* of the last experiments */
    tess_status opening;
    char *opening_failure; /* NULL; owned */
    tess_session session;
    double session_began, clock; /* when the last run was over */
    tess_restart restart;
} tess_campaign;

/* Begins a campaign: takes over what an execution of the program before this one has made of it.
 * The caller closes it, whatever failed. */
TESS_MUST_CHECK tess_status tess_campaign_begin(const tess_campaign_options *options,
                                                const tess_campaign_listener *listener,
                                                tess_campaign *out);

/* Opens the bench that an experiment needs, for who has to know the mesh before there is a list. */
TESS_MUST_CHECK tess_status tess_campaign_open(tess_campaign *campaign,
                                               const tess_experiment *experiment);

/* Makes the experiments [n], which outlive the campaign. What fails in one is kept with its run and
 * does not end the others, unless the lab cannot be written. Fails (INTERRUPTED) on Ctrl-C; what is
 * finished is kept. */
TESS_MUST_CHECK tess_status tess_campaign_run(tess_campaign *campaign,
                                              const tess_experiment *experiments, int64_t n);

/* Whether a run broke the device for good, so that closing executes the program anew. */
bool tess_campaign_restarts(const tess_campaign *campaign);

/* Frees the runs: those on ranks are of a crew, which is closed before the campaign's device. */
void tess_campaign_drop_runs(tess_campaign *campaign);

/* Frees all, and gives `status` back; where a run broke the device for good the program is executed
 * anew for the rest, and this call does not return. */
TESS_MUST_CHECK tess_status tess_campaign_close(tess_campaign *campaign, tess_status status);

/* Fails where runs failed (CHECK; MISSING where each of them for want of something on this machine,
 * INPUT for what it was given to read), with how many of how many, or where none fitted. */
TESS_MUST_CHECK tess_status tess_campaign_verdict(const tess_campaign *campaign);
