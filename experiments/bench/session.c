/* A session: runs of one bench that are timed in turns. */
#include "experiments/bench/session.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/splitmix.h"
#include "experiments/archive/run_id.h"
#include "experiments/bench/ahead.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t usual_budget(const tess_bench *bench) {
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const bool apart = bench->device && bench->target && bench->device->free_bytes;
    const int64_t free = apart ? bench->device->free_bytes(bench->target) : 0;
    return free > 0 ? free / 4 * 3 : memory / 4;
}

void tess_session_begin(tess_bench *bench, int64_t budget, const tess_session_listener *listener,
                        tess_session *out) {
    *out = (tess_session){
        .bench = bench, .listener = *listener, .budget = budget ? budget : usual_budget(bench)};
}

static tess_status tell(const tess_session *session, tess_run *run, tess_status outcome) {
    return session->listener.ended(session->listener.context, run, outcome);
}

static tess_status keep_open(tess_session *session, tess_run *run) {
    TRY(TESS_RESERVE(session->n + 1, &session->capacity, &session->runs));
    if (session->n == 0)
        TRY(tess_run_id_make("", session->name));
    TRY(tess_values_set_text(&run->record->environment, "session", session->name));
    memcpy(run->session, session->name, sizeof session->name);
    session->runs[session->n++] = run;
    session->bytes += tess_run_bytes(session->bench, run);
    return tess_ahead_archive(session->bench->ahead, run);
}

/* Keeps what came of a run's samples, with the words of what failed. */
static tess_status keep_status(tess_run *run, tess_status status) {
    run->status = status;
    return status == TESS_OK ? TESS_OK : tess_text_copy(tess_message(), &run->failure);
}

/* After a run that broke the device: opens it anew, and the other runs on it. */
static tess_status revive(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++)
        tess_run_close(session->runs[i]);
    tess_ahead_pause(session->bench->ahead, true);
    TRY(tess_bench_reopen(session->bench));
    tess_ahead_resume(session->bench->ahead);
    for (int64_t i = 0; i < session->n; i++) {
        tess_run *run = session->runs[i];
        if (run->status == TESS_OK)
            TRY(keep_status(run, tess_run_execute(session->bench, run)));
    }
    return TESS_OK;
}

/* Tells of a run that failed; where it broke the device the session is revived. */
static tess_status tell_failure(tess_session *session, tess_run *run, tess_status failure) {
    const bool broken = tess_bench_is_broken(session->bench);
    TRY(tell(session, run, failure));
    return broken ? revive(session) : TESS_OK;
}

/* Orders the n runs anew, by the seed of the first and the round. */
static void shuffle(const tess_session *session, int round, int64_t *order) {
    uint64_t state = (uint64_t)session->runs[0]->experiment->seed ^ (uint64_t)round << 32;
    for (int64_t i = 0; i < session->n; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Fails again as the samples of a run did. */
static tess_status fail_again(tess_run *run) {
    const tess_status status = tess_fail(run->status, "%s", run->failure);
    free(run->failure);
    run->failure = NULL;
    return status;
}

/* Tells of the run that broke the device for good, which ends the session; gives that back. */
static tess_status tell_of_breaker(tess_session *session, tess_run *run, tess_status end) {
    tess_status status = TESS_OK;
    char *why = NULL;
    CHECK(tess_text_copy(tess_message(), &why));
    CHECK(tell(session, run, fail_again(run)));
    status = tess_fail(end, "%s", why);
done:
    free(why);
    return status;
}

static bool takes_part(const tess_run *run) {
    return run->status == TESS_OK && !run->left;
}

/* One sample of each run; a run whose sample fails takes part no more. */
static tess_status take_round(tess_session *session, int round, int64_t *order) {
    if (round == 0)
        session->began = tess_clock_seconds();
    shuffle(session, round, order);
    for (int64_t i = 0; i < session->n; i++) {
        tess_run *run = session->runs[order[i]];
        if (!takes_part(run))
            continue;
        TRY(keep_status(run, tess_run_take(run, round, tess_clock_seconds() - session->began)));
        if (run->status == TESS_OK || !tess_bench_is_broken(session->bench))
            continue;
        const tess_status revived = revive(session);
        if (revived != TESS_OK)
            return tell_of_breaker(session, run, revived);
        tess_bench_lock(session->bench); /* the device that was locked is no more */
    }
    return TESS_OK;
}

static int64_t count_racing(const tess_session *session) {
    int64_t n = 0;
    for (int64_t i = 0; i < session->n; i++)
        n += takes_part(session->runs[i]);
    return n;
}

/* Rounds of the open runs while a device apart would wait for what the next run needs. */
static tess_status take_meanwhile(tess_session *session, const tess_run *next) {
    tess_status status = TESS_OK;
    tess_bench *bench = session->bench;
    int64_t *order = NULL;
    if (!session->listener.meanwhile || bench->device->one_thread ||
        !tess_ahead_is_wide(bench->ahead))
        return TESS_OK;
    CHECK(TESS_ALLOC(session->n + 1, &order));
    while (count_racing(session) > 1 && tess_ahead_is_late(bench->ahead, next) &&
           !tess_interrupted()) {
        tess_bench_lock(bench);
        status = take_round(session, session->n_meanwhile, order);
        tess_bench_unlock(bench);
        CHECK(status);
        session->n_meanwhile++;
        CHECK(session->listener.meanwhile(session->listener.context, session));
    }
done:
    free(order);
    return status;
}

/* Gives a run what other threads have made of it. */
static tess_status take_ahead(tess_session *session, tess_run *run) {
    tess_bench *bench = session->bench;
    if (!bench->ahead)
        return TESS_OK;
    TRY(take_meanwhile(session, run));
    const double began = tess_clock_seconds();
    tess_ahead_take(bench->ahead, run);
    bench->spent.wait += tess_clock_seconds() - began;
    return TESS_OK;
}

tess_status tess_session_add(tess_session *session, tess_run *run) {
    TRY(take_ahead(session, run));
    tess_status outcome = tess_experiment_start(session->bench, run);
    if (outcome == TESS_ERROR_MEMORY && session->n > 0) {
        outcome = tess_session_end(session);
        if (outcome == TESS_OK)
            outcome = tess_experiment_start(session->bench, run);
    }
    if (outcome == TESS_OK && session->listener.started)
        outcome = session->listener.started(session->listener.context, run);
    if (outcome == TESS_OK && session->n_rounds == 0)
        outcome = tess_experiment_finish(session->bench, run);
    else if (outcome == TESS_OK)
        outcome = keep_open(session, run);
    if (outcome != TESS_OK)
        return tell_failure(session, run, outcome);
    if (session->n_rounds == 0)
        return tell(session, run, outcome);
    const int64_t one_more = tess_run_bytes(session->bench, run); /* if the next is like this one */
    return session->bytes + one_more > session->budget ? tess_session_end(session) : TESS_OK;
}

static tess_status take_samples(tess_session *session, int *n_taken) {
    tess_status status = TESS_OK;
    int64_t *order = NULL;
    CHECK(TESS_ALLOC(session->n, &order));
    tess_ahead_pause(session->bench->ahead, session->bench->device->one_thread);
    tess_bench_lock(session->bench);
    for (int64_t i = 0; i < session->n && !tess_interrupted(); i++)
        session->runs[i]->left = false; /* meanwhile, only */
    for (*n_taken = 0; *n_taken < session->n_rounds && !tess_interrupted(); ++*n_taken) {
        if (session->listener.round)
            session->listener.round(session->listener.context, session, *n_taken);
        CHECK(take_round(session, session->n_meanwhile + *n_taken, order));
        if (session->listener.judge)
            CHECK(session->listener.judge(session->listener.context, session, *n_taken + 1));
    }
done:
    tess_bench_unlock(session->bench);
    free(order);
    return status;
}

/* Finishes an open run after the rounds that were taken. */
static tess_status conclude(tess_session *session, tess_run *run, int n_taken) {
    tess_status outcome = TESS_OK;
    if (run->status != TESS_OK)
        outcome = fail_again(run);
    else if (n_taken < session->n_rounds && n_taken < session->fewest_rounds &&
             run->trial.n_samples < session->fewest_rounds)
        outcome = tess_fail(TESS_ERROR_INTERRUPTED, "interrupted after %d of %d samples", n_taken,
                            session->n_rounds);
    else if (n_taken < session->n_rounds)
        outcome = tess_record_log(run->record, "interrupted after %d of %d samples", n_taken,
                                  session->n_rounds);
    if (outcome == TESS_OK)
        outcome = tess_experiment_finish(session->bench, run);
    else
        tess_run_close(run);
    return tell(session, run, outcome);
}

tess_status tess_session_end(tess_session *session) {
    int n_taken = 0;
    if (session->n == 0)
        return TESS_OK;
    tess_status status = take_samples(session, &n_taken);
    tess_ahead_pause(session->bench->ahead, true); /* which reads the lab, too */
    for (int64_t i = 0; i < session->n && status == TESS_OK; i++)
        status = conclude(session, session->runs[i], n_taken);
    tess_session_clear(session);
    tess_ahead_resume(session->bench->ahead);
    return status;
}

void tess_session_clear(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++)
        tess_run_close(session->runs[i]);
    free(session->runs);
    session->runs = NULL;
    session->n = session->capacity = session->bytes = 0;
    session->n_meanwhile = 0;
}
