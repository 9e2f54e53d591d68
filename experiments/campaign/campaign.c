/* A campaign: experiments made one after another, whoever asked for them. */
#include "experiments/campaign/campaign.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/bench/ahead.h"
#include "experiments/bench/recording.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What names a run in every execution of the program: its place in the list, which is the same. */
static void print_key(const tess_run *run, char key[static 24]) {
    snprintf(key, 24, "%lld", (long long)run->number);
}

/* Notes a run that is over, for an execution of the program without it. */
static tess_status note_end(tess_campaign *campaign, const tess_run *run) {
    char key[24];
    json_t *how = tess_run_json(run);
    print_key(run, key);
    json_object_set_new(how, "value", tess_json_number(run->value));
    json_object_set_new(how, "left", json_boolean(run->left));
    return tess_restart_add(&campaign->restart, key, how, tess_bench_is_broken(&campaign->bench));
}

/* Takes over how a run ended in an execution before this one, if it did. */
static tess_status take_over(tess_campaign *campaign, tess_run *run, bool *ended) {
    char key[24];
    print_key(run, key);
    const json_t *how = tess_restart_take(&campaign->restart, key);
    *ended = false;
    if (!how)
        return TESS_OK;
    *ended = true;
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

static tess_status session_ended(void *context, tess_run *run, tess_status outcome) {
    return end_run(context, run, outcome);
}

static tess_status session_started(void *context, tess_run *run) {
    const tess_campaign *campaign = context;
    return campaign->listener.planned ? campaign->listener.planned(campaign->listener.context, run)
                                      : TESS_OK;
}

static void session_round(void *context, const tess_session *session, int round) {
    const tess_campaign *campaign = context;
    if (campaign->listener.round)
        campaign->listener.round(campaign->listener.context, session, round);
}

static tess_status session_judge(void *context, tess_session *session, int n_taken) {
    const tess_campaign *campaign = context;
    return campaign->listener.judge
               ? campaign->listener.judge(campaign->listener.context, session, n_taken)
               : TESS_OK;
}

static tess_status session_meanwhile(void *context, tess_session *session) {
    const tess_campaign *campaign = context;
    return campaign->listener.meanwhile(campaign->listener.context, session);
}

static void end_ahead(tess_campaign *campaign) {
    tess_ahead_end(campaign->bench.ahead);
    campaign->bench.ahead = NULL;
}

/* Closes what experiments before needed and opens what this one does. */
static tess_status open_bench(tess_campaign *campaign, const tess_experiment *experiment) {
    const tess_session_listener listener = {
        .context = campaign,
        .ended = session_ended,
        .started = session_started,
        .round = session_round,
        .judge = session_judge,
        .meanwhile = campaign->listener.meanwhile ? session_meanwhile : NULL};
    TRY(tess_session_end(&campaign->session));
    end_ahead(campaign);
    tess_bench_close(&campaign->bench);
    TRY(tess_bench_open(experiment, &campaign->options.bench, &campaign->options.job,
                        &campaign->bench));
    tess_session_begin(&campaign->bench, (int64_t)(campaign->options.memory * 0x1p30), &listener,
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

/* True where the runs of two experiments can be timed in turns. */
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
        TRY(tess_session_end(session));
    if (session->n > 0)
        return TESS_OK;
    const int n_samples = tess_bench_samples(&campaign->bench, experiment);
    const bool raced = n_samples > 0 && options->first_rounds > 0;
    session->n_rounds = raced ? options->first_rounds : n_samples;
    session->fewest_rounds = options->fewest_rounds ? options->fewest_rounds : session->n_rounds;
    campaign->session_began = tess_clock_seconds();
    return TESS_OK;
}

/* Starts a run, which its session ends. */
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
    if (campaign->options.ahead && !campaign->bench.ahead)
        TRY(tess_ahead_begin(&campaign->bench, &campaign->turns, &campaign->bench.ahead));
    return tess_session_add(&campaign->session, run);
}

tess_status tess_campaign_begin(const tess_campaign_options *options,
                                const tess_campaign_listener *listener, tess_campaign *out) {
    *out =
        (tess_campaign){.options = *options, .listener = *listener, .clock = tess_clock_seconds()};
    return tess_restart_read(&out->restart);
}

/* Turn k is the next: the listener may change the order of those to come. */
static tess_status order_turns(tess_campaign *campaign, int64_t k) {
    const tess_campaign_listener *listener = &campaign->listener;
    bool changed = false;
    campaign->turns.first = k;
    if (listener->order)
        TRY(listener->order(listener->context, k, campaign->order, &changed));
    if (changed)
        tess_ahead_reorder(campaign->bench.ahead, &campaign->turns);
    return TESS_OK;
}

/* Makes experiment i, unless an execution before this one did, or the listener passes it. */
static tess_status take_turn(tess_campaign *campaign, int64_t i, tess_turn *turn) {
    const tess_campaign_listener *listener = &campaign->listener;
    bool ended = false;
    tess_run *run = NULL;
    TRY(tess_run_new(&campaign->experiments[i], i, &run));
    campaign->runs[i] = run;
    TRY(take_over(campaign, run, &ended));
    *turn = ended ? TESS_TURN_PASS : TESS_TURN_MAKE;
    if (ended)
        return listener->ended ? listener->ended(listener->context, run) : TESS_OK;
    if (listener->turn)
        TRY(listener->turn(listener->context, i, turn));
    if (*turn == TESS_TURN_MAKE)
        return make(campaign, run);
    tess_run_free(run);
    campaign->runs[i] = NULL;
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
    for (int64_t i = 0; i < n; i++)
        campaign->order[i] = i;
    campaign->experiments = experiments;
    campaign->n = n;
    campaign->turns = (tess_turns){.experiments = experiments, .order = campaign->order, .n = n};
    tess_turn turn = TESS_TURN_MAKE;
    for (int64_t k = 0; k < n && turn != TESS_TURN_END && !tess_interrupted(); k++) {
        TRY(order_turns(campaign, k));
        TRY(take_turn(campaign, campaign->order[k], &turn));
        update_index(campaign->options.bench.lab, k + 1);
    }
    TRY(tess_session_end(&campaign->session));
    end_ahead(campaign);
    const int64_t n_kept = count_kept(campaign);
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; %lld run%s finished and kept", (long long)n_kept,
             n_kept == 1 ? " is" : "s are");
    return TESS_OK;
}

tess_status tess_campaign_close(tess_campaign *campaign, tess_status status) {
    const bool again = campaign->bench.lost && campaign->restart.broken && !tess_interrupted();
    tess_restart restart = campaign->restart;
    if (again && campaign->listener.restarting)
        campaign->listener.restarting(campaign->listener.context);
    tess_session_clear(&campaign->session);
    end_ahead(campaign);
    for (int64_t i = 0; campaign->runs && i < campaign->n; i++)
        tess_run_free(campaign->runs[i]);
    free(campaign->runs);
    free(campaign->order);
    tess_bench_close(&campaign->bench);
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
