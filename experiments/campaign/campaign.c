/* A campaign: experiments made one after another, whoever asked for them. */
#include "experiments/campaign/campaign.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/bench/ahead.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/recording.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double moment =
    0.05; /* seconds: so often a listener is asked while nothing is ready */

/* What names a run in every execution of the program: its position in the list, which is the same.
 */
static void print_key(int64_t number, char key[static 24]) {
    snprintf(key, 24, "%lld", (long long)number);
}

/* Notes a run that is over, for an execution of the program without it. */
static tess_status note_end(tess_campaign *campaign, const tess_run *run) {
    char key[24];
    json_t *how = tess_run_json(run);
    print_key(run->number, key);
    json_object_set_new(how, "value", tess_json_number(run->value));
    json_object_set_new(how, "left", json_boolean(run->left));
    return tess_restart_add(&campaign->restart, key, how, tess_bench_is_broken(&campaign->bench));
}

/* Takes over how a run ended in an execution before this one, if it did. */
static tess_status take_over(tess_campaign *campaign, int64_t i, bool *ended) {
    char key[24];
    tess_run *run = NULL;
    print_key(i, key);
    const json_t *how = tess_restart_take(&campaign->restart, key);
    *ended = how != NULL;
    if (!how)
        return TESS_OK;
    TRY(tess_run_new(&campaign->experiments[i], i, &run));
    campaign->runs[i] = run;
    const json_t *value = json_object_get(how, "value");
    run->left = json_is_true(json_object_get(how, "left"));
    run->value = json_is_number(value) ? json_number_value(value) : NAN;
    return tess_run_read(how, run);
}

/* Keeps why a run failed, and archives it where something ran. */
static tess_status keep_failure(tess_campaign *campaign, tess_status failure, tess_run *run) {
    TRY(tess_text_copy(tess_message(), &run->failure));
    if (tess_interrupted()) {
        run->interrupted = true; /* whatever failed, it was not let to its end */
        return TESS_OK;
    }
    const bool is_failure =
        campaign->options.not_applicable_fails && run->experiment->kind == TESS_CUTTING;
    run->not_applicable = failure == TESS_ERROR_USAGE && !is_failure;
    run->missing = failure == TESS_ERROR_MISSING;
    run->refused = failure == TESS_ERROR_INPUT && !run->planned &&
                   !run->experiment->partitioner.plugin->third_party;
    const bool is_mine = !run->is_agreed || tess_bench_reports(&campaign->bench);
    if (!is_mine || !campaign->options.bench.lab || run->not_applicable || run->missing ||
        (run->refused && !campaign->options.openings_may_fail))
        return TESS_OK;
    return tess_run_archive_failure(&campaign->bench, run);
}

/* True for what the next run would meet again: a defect of ours, or a full disk. */
static bool ends_all(const tess_campaign *campaign, tess_status outcome) {
    const bool opened = campaign->opening == TESS_OK;
    return (outcome == TESS_ERROR_INTERNAL || outcome == TESS_ERROR_IO) &&
           (opened || !campaign->options.openings_may_fail);
}

/* Notes what became of a run; gives back what ends all. */
static tess_status end_run(tess_campaign *campaign, tess_run *run, tess_status outcome) {
    if (ends_all(campaign, outcome))
        return outcome;
    if (outcome != TESS_OK)
        TRY(keep_failure(campaign, outcome, run));
    if (run->record->id[0])
        TRY(tess_text_copy(run->record->id, &run->run));
    const double now = tess_clock_seconds();
    run->seconds = now - campaign->clock;
    campaign->clock = now;
    const tess_campaign_listener *listener = &campaign->listener;
    if (listener->ended)
        TRY(listener->ended(listener->context, run));
    const tess_device *device = campaign->bench.device;
    if (device && device->is_broken && !run->missing && !run->interrupted)
        TRY(note_end(campaign, run)); /* other devices are never lost */
    tess_run_settle(run);
    return TESS_OK;
}

/* Tells of the run that broke the device for good, where one did, which ends all; gives the outcome
 * of the round back. */
static tess_status tell_of_breaker(tess_campaign *campaign, tess_status outcome) {
    tess_session *session = &campaign->session;
    char *why = NULL;
    if (outcome == TESS_OK || !session->breaker)
        return outcome;
    TRY(tess_text_copy(tess_message(), &why));
    tess_status status =
        end_run(campaign, session->breaker, tess_session_conclude(session, session->breaker));
    session->breaker = NULL;
    if (status == TESS_OK)
        status = tess_fail(outcome, "%s", why);
    free(why);
    return status;
}

static tess_status tell_round(tess_campaign *campaign) {
    const tess_campaign_listener *listener = &campaign->listener;
    return listener->round ? listener->round(listener->context, &campaign->session) : TESS_OK;
}

/* Completes a run whose samples are taken, tells of it and finishes it. What was interrupted is
 * kept as it is: the listener may take seconds. */
static tess_status conclude(tess_campaign *campaign, tess_run *run) {
    const tess_campaign_listener *listener = &campaign->listener;
    tess_status outcome = TESS_OK;
    if (run->status == TESS_OK && !tess_interrupted()) {
        outcome = tess_experiment_complete(&campaign->bench, run);
        if (outcome == TESS_OK && listener->planned)
            outcome = listener->planned(listener->context, run);
    }
    if (outcome == TESS_OK)
        return tess_session_conclude(&campaign->session, run);
    tess_run_close(run);
    return outcome;
}

/* Takes the rounds of all open runs, and finishes them. After an interrupt the round at hand is the
 * last. */
static tess_status end_session(tess_campaign *campaign) {
    tess_session *session = &campaign->session;
    tess_bench *bench = &campaign->bench;
    tess_status status = TESS_OK;
    if (session->n == 0)
        return TESS_OK;
    tess_ahead_pause(bench->ahead, bench->device->one_thread);
    tess_bench_lock(bench);
    for (int64_t i = 0; i < session->n && !tess_interrupted(); i++)
        session->runs[i]->left = false; /* meanwhile, only */
    if (!tess_interrupted())
        status = tell_round(campaign);
    while (status == TESS_OK && session->n_taken < session->n_rounds && !tess_interrupted()) {
        status = tell_of_breaker(campaign, tess_session_take_round(session));
        if (status == TESS_OK)
            status = tell_round(campaign);
    }
    tess_bench_unlock(bench);
    if (tess_bench_is_late(bench))
        tess_ahead_give_up(bench->ahead, true);
    for (int64_t i = 0; i < session->n && status == TESS_OK; i++)
        status = end_run(campaign, session->runs[i], conclude(campaign, session->runs[i]));
    tess_session_clear(session);
    tess_ahead_resume(bench->ahead);
    return status;
}

static void end_ahead(tess_campaign *campaign) {
    tess_ahead_end(campaign->bench.ahead);
    campaign->bench.ahead = NULL;
}

/* Closes what experiments before needed and opens what this one does. */
static tess_status open_bench(tess_campaign *campaign, const tess_experiment *experiment) {
    TRY(end_session(campaign));
    end_ahead(campaign);
    tess_bench_close(&campaign->bench);
    TRY(tess_bench_open(experiment, &campaign->options.bench, &campaign->options.job,
                        &campaign->bench));
    campaign->bench.peers = &campaign->peers;
    tess_session_begin(&campaign->bench, (int64_t)(campaign->options.memory * 0x1p30),
                       &campaign->session);
    return campaign->listener.opened
               ? campaign->listener.opened(campaign->listener.context, &campaign->bench)
               : TESS_OK;
}

/* What failed once is not tried again. */
tess_status tess_campaign_open(tess_campaign *campaign, const tess_experiment *experiment) {
    if (tess_bench_fits(&campaign->bench, experiment))
        return campaign->opening == TESS_OK
                   ? TESS_OK
                   : tess_fail(campaign->opening, "%s", campaign->opening_failure);
    free(campaign->opening_failure);
    campaign->opening_failure = NULL;
    campaign->opening = open_bench(campaign, experiment);
    if (campaign->opening != TESS_OK)
        TRY(tess_text_copy(tess_message(), &campaign->opening_failure));
    campaign->clock = tess_clock_seconds();
    return campaign->opening;
}

/* Whether the runs of two experiments can be timed in turns. */
static bool share_session(const tess_experiment *one, const tess_experiment *other) {
    return tess_experiment_agrees(one, other, TESS_FIELD_samples) &&
           tess_experiment_agrees(one, other, TESS_FIELD_repetition);
}

/* Ends the session unless an experiment may join it, and begins another. */
static tess_status join_session(tess_campaign *campaign, const tess_experiment *experiment) {
    const tess_campaign_options *options = &campaign->options;
    tess_session *session = &campaign->session;
    const double seconds = tess_clock_seconds() - campaign->session_began;
    if (session->n > 0 && ((options->session_seconds > 0 && seconds > options->session_seconds) ||
                           !share_session(session->runs[0]->experiment, experiment)))
        TRY(end_session(campaign));
    if (session->n > 0)
        return TESS_OK;
    const int n_samples = tess_experiment_samples(experiment);
    const bool raced = n_samples > 0 && options->first_rounds > 0;
    session->n_rounds = raced ? options->first_rounds : n_samples;
    session->fewest_rounds = options->fewest_rounds ? options->fewest_rounds : session->n_rounds;
    campaign->session_began = tess_clock_seconds();
    return TESS_OK;
}

/* Rounds of the open runs for a moment, where a device apart would wait for others. */
static tess_status take_meanwhile(tess_campaign *campaign) {
    tess_status status = TESS_OK;
    tess_session *session = &campaign->session;
    const double end = tess_clock_seconds() + moment;
    session->waits = true;
    tess_bench_lock(&campaign->bench);
    do {
        status = tell_of_breaker(campaign, tess_session_take_round(session));
        if (status == TESS_OK)
            status = tell_round(campaign);
    } while (status == TESS_OK && tess_session_n_racing(session) > 1 && tess_clock_seconds() < end);
    tess_bench_unlock(&campaign->bench);
    session->waits = false;
    return status;
}

/* Passes a moment in which nothing is ready. */
static tess_status pass_moment(tess_campaign *campaign, int64_t awaited) {
    const tess_campaign_listener *listener = &campaign->listener;
    tess_bench *bench = &campaign->bench;
    const bool idle = !bench->device->one_thread && tess_ahead_is_wide(bench->ahead);
    if (listener->awaits)
        TRY(listener->awaits(listener->context, awaited));
    if (idle && tess_session_n_racing(&campaign->session) > 1)
        return take_meanwhile(campaign);
    double clock = tess_clock_seconds();
    const bool planned = tess_ahead_state(bench->ahead, awaited).planned;
    tess_ahead_wait(bench->ahead, moment);
    const double seconds = tess_clock_lap(&clock);
    bench->spent.wait += seconds;
    bench->spent.wait_cut += planned ? 0 : seconds;
    return TESS_OK;
}

/* Starts a run, which then stays open in the session, or is over where nothing is timed. */
static tess_status start(tess_campaign *campaign, tess_run *run) {
    const tess_campaign_listener *listener = &campaign->listener;
    tess_session *session = &campaign->session;
    tess_bench *bench = &campaign->bench;
    tess_status outcome = tess_experiment_start(bench, run);
    if (outcome == TESS_ERROR_MEMORY && session->n > 0) {
        outcome = end_session(campaign);
        if (outcome == TESS_OK)
            outcome = tess_experiment_start(bench, run);
    }
    if (outcome == TESS_OK && session->n_rounds == 0 && listener->planned)
        outcome = listener->planned(listener->context, run);
    if (outcome == TESS_OK)
        outcome = session->n_rounds == 0 ? tess_experiment_finish(bench, run)
                                         : tess_session_add(session, run);
    const bool broken = outcome != TESS_OK && tess_bench_is_broken(bench);
    if (outcome != TESS_OK || session->n_rounds == 0)
        TRY(end_run(campaign, run, outcome));
    if (broken)
        return tess_session_revive(session);
    return outcome == TESS_OK && session->n > 0 && tess_session_is_full(session, run)
               ? end_session(campaign)
               : TESS_OK;
}

/* Makes a run, which its session ends. */
static tess_status make(tess_campaign *campaign, tess_run *run) {
    const tess_campaign_listener *listener = &campaign->listener;
    const tess_experiment *experiment = run->experiment;
    TRY(tess_record_new(campaign->options.bench.argc, campaign->options.bench.argv, &run->record));
    TRY(tess_record_experiment(run->record, experiment));
    const tess_status opened = tess_campaign_open(campaign, experiment);
    if (opened != TESS_OK && !campaign->options.openings_may_fail)
        return opened;
    if (listener->begun)
        TRY(listener->begun(listener->context, run));
    if (opened != TESS_OK)
        return end_run(campaign, run, opened);
    TRY(join_session(campaign, experiment));
    if (campaign->bench.ahead)
        tess_ahead_take(campaign->bench.ahead, run);
    return start(campaign, run);
}

tess_status tess_campaign_begin(const tess_campaign_options *options,
                                const tess_campaign_listener *listener, tess_campaign *out) {
    *out =
        (tess_campaign){.options = *options, .listener = *listener, .clock = tess_clock_seconds()};
    return tess_restart_read(&out->restart);
}

/* Asks the listener what comes next, and whether it is made. */
static tess_status ask(tess_campaign *campaign, tess_turn *turn) {
    const tess_campaign_listener *listener = &campaign->listener;
    tess_turns *turns = &campaign->turns;
    turn->use = TESS_TURN_MAKE;
    turn->reordered = false;
    turns->first = turn->number;
    if (!listener->turn)
        return TESS_OK;
    TRY(listener->turn(listener->context, turn));
    if (turn->reordered || turns->wanted != turn->wanted) {
        turns->wanted = turn->wanted;
        tess_ahead_reorder(campaign->bench.ahead, turns);
    }
    return TESS_OK;
}

/* Puts an experiment before the others that are still to come. */
static void bring_forward(tess_turn *turn, int64_t number) {
    int64_t at = turn->number;
    while (turn->order[at] != number)
        at++;
    for (; at > turn->number; at--)
        turn->order[at] = turn->order[at - 1];
    turn->order[at] = number;
}

/* Where others make things beforehand, waits for the first of which all is made. Nothing comes any
 * more where the time is over, or what is wanted would not be made in time. */
static tess_status await_turn(tess_campaign *campaign, tess_turn *turn) {
    while (campaign->bench.ahead && turn->use == TESS_TURN_MAKE) {
        int64_t awaited = -1;
        const int64_t ready = tess_ahead_next(campaign->bench.ahead, &awaited);
        if (ready >= 0) {
            bring_forward(turn, ready);
            return TESS_OK;
        }
        if (awaited < 0 || tess_interrupted()) {
            turn->use = TESS_TURN_END;
            return TESS_OK;
        }
        TRY(pass_moment(campaign, awaited));
        TRY(ask(campaign, turn));
    }
    return TESS_OK;
}

/* Makes the run whose turn it is. */
static tess_status make_turn(tess_campaign *campaign, const tess_turn *turn) {
    tess_run *run = NULL;
    const int64_t i = turn->order[turn->number];
    TRY(tess_run_new(&campaign->experiments[i], i, &run));
    campaign->runs[i] = run;
    return make(campaign, run);
}

/* Takes the next turn. */
static tess_status take_turn(tess_campaign *campaign, tess_turn *turn) {
    TRY(ask(campaign, turn));
    TRY(await_turn(campaign, turn));
    return turn->use == TESS_TURN_MAKE ? make_turn(campaign, turn) : TESS_OK;
}

/* Makes the first of those that are wanted which the device plans at once, where there is one:
 * that takes this thread less time than others take to make the first of theirs. */
static tess_status make_at_once(tess_campaign *campaign, tess_turn *turn) {
    bool at_once = false;
    TRY(ask(campaign, turn));
    for (int64_t at = turn->number; at < turn->wanted && !at_once; at++) {
        const int64_t i = turn->order[at];
        TRY(tess_bench_plans_at_once(&campaign->bench, &campaign->experiments[i], &at_once));
        if (at_once)
            bring_forward(turn, i);
    }
    if (!at_once || turn->use != TESS_TURN_MAKE)
        return TESS_OK;
    TRY(make_turn(campaign, turn));
    turn->number++;
    return ask(campaign, turn);
}

/* Opens the bench before the first turn, and lets other threads begin, with what is there whole. */
static tess_status begin_ahead(tess_campaign *campaign, tess_turn *turn) {
    tess_bench *bench = &campaign->bench;
    const tess_session *session = &campaign->session;
    if (!campaign->options.ahead || turn->number >= campaign->n)
        return TESS_OK;
    TRY(tess_campaign_open(campaign, &campaign->experiments[turn->order[turn->number]]));
    TRY(make_at_once(campaign, turn));
    TRY(tess_session_complete_plans(&campaign->session));
    TRY(tess_workload_await_start(&bench->load));
    TRY(tess_session_check(&campaign->session)); /* beside them the reference takes much longer */
    campaign->turns.first = turn->number;
    TRY(tess_ahead_begin(bench, &campaign->turns, &bench->ahead));
    for (int64_t i = 0; i < session->n; i++)
        TRY(tess_ahead_archive(bench->ahead, session->runs[i]));
    return TESS_OK;
}

/* Begins the order of turns: runs that ended in an execution of the program before this one come
 * first, and are over; the others come as they are listed. */
static tess_status begin_order(tess_campaign *campaign, int64_t *n_ended) {
    const tess_campaign_listener *listener = &campaign->listener;
    int64_t n_left = 0;
    *n_ended = 0;
    for (int64_t i = 0; i < campaign->n; i++) {
        bool ended = false;
        TRY(take_over(campaign, i, &ended));
        if (ended && listener->ended)
            TRY(listener->ended(listener->context, campaign->runs[i]));
        *n_ended += ended;
    }
    for (int64_t i = 0, before = 0; i < campaign->n; i++)
        campaign->order[campaign->runs[i] ? before++ : *n_ended + n_left++] = i;
    return TESS_OK;
}

/* Runs that are over and were not interrupted; what does not fit was no run. */
static int64_t count_kept(const tess_campaign *campaign) {
    int64_t n = 0;
    for (int64_t i = 0; i < campaign->n; i++)
        n += campaign->runs[i] && !campaign->runs[i]->interrupted &&
             !campaign->runs[i]->not_applicable;
    return n;
}

/* The lab's index follows now and then, so that who lists many runs first need not read them all;
 * where it cannot be written, it is made later. */
static void update_index(const tess_lab *lab, int64_t n_turns) {
    enum { TURNS_AN_UPDATE = 256 };
    tess_run_table *table = NULL;
    int64_t n_unreadable = 0;
    if (lab && n_turns % TURNS_AN_UPDATE == 0 &&
        tess_lab_table(lab, NULL, &table, &n_unreadable) == TESS_OK)
        tess_run_table_free(table);
}

tess_status tess_campaign_run(tess_campaign *campaign, const tess_experiment *experiments,
                              int64_t n) {
    TRY(TESS_ZEROS(n, &campaign->runs));
    TRY(TESS_ALLOC(n, &campaign->order));
    campaign->experiments = experiments;
    campaign->n = n;
    campaign->turns =
        (tess_turns){.experiments = experiments, .order = campaign->order, .n = n, .wanted = n};
    int64_t first = 0;
    TRY(begin_order(campaign, &first));
    tess_turn turn = {.number = first, .order = campaign->order, .wanted = n};
    TRY(begin_ahead(campaign, &turn));
    for (; turn.number < n && turn.use != TESS_TURN_END && !tess_interrupted(); turn.number++) {
        TRY(take_turn(campaign, &turn));
        update_index(campaign->options.bench.lab, turn.number + 1);
    }
    tess_ahead_give_up(campaign->bench.ahead, false);
    campaign->session.is_last = true;
    TRY(end_session(campaign));
    end_ahead(campaign);
    const int64_t n_kept = count_kept(campaign);
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; %lld run%s finished and kept", (long long)n_kept,
             n_kept == 1 ? " is" : "s are");
    return TESS_OK;
}

bool tess_campaign_restarts(const tess_campaign *campaign) {
    return campaign->bench.lost && campaign->restart.broken && !tess_interrupted();
}

void tess_campaign_drop_runs(tess_campaign *campaign) {
    tess_session_clear(&campaign->session);
    end_ahead(campaign);
    for (int64_t i = 0; campaign->runs && i < campaign->n; i++)
        tess_run_free(campaign->runs[i]);
    free(TESS_TAKE(campaign->runs));
}

tess_status tess_campaign_close(tess_campaign *campaign, tess_status status) {
    const bool again = tess_campaign_restarts(campaign);
    tess_restart restart = campaign->restart;
    tess_campaign_drop_runs(campaign);
    free(campaign->order);
    tess_bench_close(&campaign->bench);
    tess_peer_pool_clear(&campaign->peers);
    free(campaign->opening_failure);
    *campaign = (tess_campaign){.n = 0};
    if (again)
        status = tess_restart_go(&restart);
    tess_restart_clear(&restart);
    return status;
}

tess_status tess_campaign_verdict(const tess_campaign *campaign) {
    int n_runs = 0, n_failed = 0, n_missing = 0, n_refused = 0, n_not_applicable = 0;
    const char *reason = "";
    for (int64_t i = 0; i < campaign->n; i++) {
        const tess_run *run = campaign->runs[i];
        n_runs += run != NULL;
        n_failed += run && run->failure && !run->not_applicable;
        n_missing += run && run->missing;
        n_refused += run && run->failure && run->refused;
        n_not_applicable += run && run->not_applicable;
        reason = run && run->not_applicable ? run->failure : reason;
    }
    if (n_failed)
        FAIL(n_failed == n_missing   ? TESS_ERROR_MISSING
             : n_failed == n_refused ? TESS_ERROR_INPUT
                                     : TESS_ERROR_CHECK,
             "%d of %d runs failed", n_failed, n_runs);
    if (n_runs > 0 && n_not_applicable == n_runs)
        FAIL(TESS_ERROR_CHECK, "nothing was run, for nothing fits: %s", reason);
    return TESS_OK;
}
