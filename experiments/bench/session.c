/* A session: runs of one bench that are timed in turns. */
#include "experiments/bench/session.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/splitmix.h"
#include "experiments/archive/run_id.h"
#include "experiments/bench/signals.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tess_session_begin(tess_bench *bench, int64_t budget, int fewest_rounds,
                        const tess_session_listener *listener, tess_session *out) {
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    *out = (tess_session){.bench = bench,
                          .listener = *listener,
                          .budget = budget ? budget : memory / 4,
                          .n_rounds = tess_bench_samples(bench),
                          .fewest_rounds = fewest_rounds};
}

static void run_clear(tess_session_run *run) {
    tess_record_free(run->record);
    tess_bench_lines_release(run->lines);
    free(run->words);
    *run = (tess_session_run){.record = NULL};
}

/* Tells of the end of a run that is not among the open ones, and frees what the session owns. */
static tess_status tell(tess_session *session, tess_session_run *run, tess_status outcome) {
    const tess_status status = session->listener.finished(session->listener.context, run, outcome);
    run_clear(run);
    return status;
}

static tess_status finish(tess_session *session, tess_session_run *run) {
    return tess_bench_finish(session->bench, &run->setting, run->lines, run->record, run->row);
}

static tess_status keep_open(tess_session *session, const tess_session_run *run) {
    TRY(TESS_RESERVE(session->n + 1, &session->capacity, &session->runs));
    if (session->n == 0)
        TRY(tess_run_id_make("", session->name));
    TRY(tess_values_set_text(&run->record->environment, "session", session->name));
    memcpy(run->row->session, session->name, sizeof session->name);
    session->runs[session->n++] = *run;
    session->bytes += tess_trial_bytes(&run->row->trial);
    return TESS_OK;
}

/* Opens a run's trial again; the samples that it has stay. */
static tess_status start_again(tess_session *session, tess_session_run *run) {
    const tess_trial before = run->row->trial;
    const tess_status status =
        tess_bench_start(session->bench, &run->setting, run->lines, run->record, run->row);
    tess_trial *trial = &run->row->trial;
    trial->samples = before.samples;
    trial->n_samples = before.n_samples;
    trial->capacity = before.capacity;
    return status;
}

static tess_status keep_words(tess_session_run *run, tess_status status) {
    run->status = status;
    return status == TESS_OK ? TESS_OK : tess_text_copy(tess_message(), &run->words);
}

/* After a run that broke the device: opens it anew, and the other runs on it. */
static tess_status revive(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++)
        tess_trial_close(&session->runs[i].row->trial);
    TRY(tess_bench_reopen(session->bench));
    for (int64_t i = 0; i < session->n; i++) {
        tess_session_run *run = &session->runs[i];
        if (run->status == TESS_OK)
            TRY(keep_words(run, start_again(session, run)));
    }
    return TESS_OK;
}

/* Tells of a run that failed; where it broke the device the session is revived. */
static tess_status tell_failure(tess_session *session, tess_session_run *run, tess_status failure) {
    const bool broken = tess_bench_is_broken(session->bench);
    TRY(tell(session, run, failure));
    return broken ? revive(session) : TESS_OK;
}

tess_status tess_session_add(tess_session *session, const tess_run_setting *setting,
                             tess_bench_lines *lines, tess_record *record, tess_run_row *row,
                             void *owner) {
    tess_session_run run = {.setting = *setting,
                            .lines = tess_bench_lines_share(lines),
                            .record = record,
                            .row = row,
                            .owner = owner};
    tess_status outcome = tess_bench_start(session->bench, &run.setting, lines, record, row);
    if (outcome == TESS_ERROR_MEMORY && session->n > 0) {
        outcome = tess_session_end(session);
        if (outcome == TESS_OK)
            outcome = tess_bench_start(session->bench, &run.setting, lines, record, row);
    }
    if (outcome == TESS_OK && session->n_rounds == 0)
        outcome = finish(session, &run);
    else if (outcome == TESS_OK)
        outcome = keep_open(session, &run);
    if (outcome != TESS_OK)
        return tell_failure(session, &run, outcome);
    if (session->n_rounds == 0)
        return tell(session, &run, outcome);
    const int64_t one_more = tess_trial_bytes(&row->trial); /* if the next is like this one */
    return session->bytes + one_more > session->budget ? tess_session_end(session) : TESS_OK;
}

/* Orders the n runs anew, by the seed of the runs and the round. */
static void shuffle(const tess_session *session, int round, int64_t *order) {
    uint64_t state = (uint64_t)session->bench->asked->seed ^ (uint64_t)round << 32;
    for (int64_t i = 0; i < session->n; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Tells of the run that broke the device for good, which ends the session; gives that back. */
static tess_status tell_of_breaker(tess_session *session, tess_session_run *run, tess_status end) {
    tess_status status = TESS_OK;
    char *why = NULL;
    CHECK(tess_text_copy(tess_message(), &why));
    CHECK(tell(session, run, tess_fail(run->status, "%s", run->words)));
    status = tess_fail(end, "%s", why);
done:
    free(why);
    return status;
}

/* One sample of each run; a run whose sample fails takes part no more. */
static tess_status take_round(tess_session *session, int round, double began, int64_t *order) {
    shuffle(session, round, order);
    for (int64_t i = 0; i < session->n; i++) {
        tess_session_run *run = &session->runs[order[i]];
        if (run->status != TESS_OK || run->left)
            continue;
        TRY(keep_words(run,
                       tess_trial_take(&run->row->trial, round, tess_clock_seconds() - began)));
        if (run->status == TESS_OK || !tess_bench_is_broken(session->bench))
            continue;
        const tess_status revived = revive(session);
        if (revived != TESS_OK)
            return tell_of_breaker(session, run, revived);
        tess_bench_take(session->bench); /* the device that was taken is no more */
    }
    return TESS_OK;
}

static tess_status take_samples(tess_session *session, int *n_taken) {
    tess_status status = TESS_OK;
    int64_t *order = NULL;
    CHECK(TESS_ALLOC(session->n, &order));
    tess_bench_take(session->bench);
    const double began = tess_clock_seconds();
    for (*n_taken = 0; *n_taken < session->n_rounds && !tess_interrupted(); ++*n_taken) {
        if (session->listener.round)
            session->listener.round(session->listener.context, session, *n_taken);
        CHECK(take_round(session, *n_taken, began, order));
        if (session->listener.judge)
            CHECK(session->listener.judge(session->listener.context, session, *n_taken + 1));
    }
done:
    tess_bench_let_go(session->bench);
    free(order);
    return status;
}

/* Finishes an open run after the rounds that were taken. */
static tess_status conclude(tess_session *session, tess_session_run *run, int n_taken) {
    tess_status outcome = run->status;
    if (outcome != TESS_OK)
        outcome = tess_fail(outcome, "%s", run->words);
    else if (n_taken < session->n_rounds && n_taken < session->fewest_rounds)
        outcome = tess_fail(TESS_ERROR_INTERRUPTED, "interrupted after %d of %d samples", n_taken,
                            session->n_rounds);
    else if (n_taken < session->n_rounds)
        outcome = tess_record_log(run->record, "interrupted after %d of %d samples", n_taken,
                                  session->n_rounds);
    if (outcome == TESS_OK)
        outcome = finish(session, run);
    else
        tess_trial_close(&run->row->trial);
    return tell(session, run, outcome);
}

tess_status tess_session_end(tess_session *session) {
    int n_taken = 0;
    if (session->n == 0)
        return TESS_OK;
    tess_status status = take_samples(session, &n_taken);
    for (int64_t i = 0; i < session->n && status == TESS_OK; i++)
        status = conclude(session, &session->runs[i], n_taken);
    tess_session_clear(session);
    return status;
}

void tess_session_clear(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++) {
        tess_session_run *run = &session->runs[i];
        if (!run->record)
            continue; /* it is over */
        tess_trial_close(&run->row->trial);
        if (session->listener.dropped)
            session->listener.dropped(run);
        run_clear(run);
    }
    free(session->runs);
    session->runs = NULL;
    session->n = session->capacity = session->bytes = 0;
}
