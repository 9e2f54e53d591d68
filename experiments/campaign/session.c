/* A session: runs of one bench that are timed in turns. */
#include "experiments/campaign/session.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/splitmix.h"
#include "experiments/archive/run_id.h"
#include "experiments/bench/ahead.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/ranked_run.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t usual_budget(const tess_bench *bench) {
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const bool apart = bench->device && bench->target && bench->device->free_bytes;
    const int64_t free = apart ? bench->device->free_bytes(bench->target) : 0;
    return free > 0 ? free / 4 * 3 : memory / 4;
}

void tess_session_begin(tess_bench *bench, int64_t budget, tess_session *out) {
    *out = (tess_session){.bench = bench, .budget = budget ? budget : usual_budget(bench)};
}

tess_status tess_session_add(tess_session *session, tess_run *run) {
    TRY(TESS_RESERVE(session->n + 1, &session->capacity, &session->runs));
    if (session->n == 0)
        TRY(tess_run_id_make("", session->name));
    TRY(tess_values_set_text(&run->record->environment, "session", session->name));
    memcpy(run->session, session->name, sizeof session->name);
    session->runs[session->n++] = run;
    session->bytes += tess_run_bytes(session->bench, run);
    return tess_ahead_archive(session->bench->ahead, run);
}

bool tess_session_is_full(const tess_session *session, const tess_run *run) {
    return session->bytes + tess_run_bytes(session->bench, run) > session->budget;
}

/* Keeps what came of a run's samples, with the words of what failed. */
static tess_status keep_status(tess_run *run, tess_status status) {
    run->status = status;
    return status == TESS_OK ? TESS_OK : tess_text_copy(tess_message(), &run->failure);
}

tess_status tess_session_complete_plans(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++)
        TRY(keep_status(session->runs[i],
                        tess_experiment_complete_plan(session->bench, session->runs[i])));
    return TESS_OK;
}

tess_status tess_session_check(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++) {
        tess_run *run = session->runs[i];
        if (run->status == TESS_OK)
            TRY(keep_status(run, tess_run_check_kept(session->bench, run)));
    }
    return TESS_OK;
}

tess_status tess_session_revive(tess_session *session) {
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

/* Orders the n runs anew, by the seed of the first and the round. */
static void shuffle(const tess_session *session, int round, int64_t *order) {
    uint64_t state = (uint64_t)session->runs[0]->experiment->seed ^ (uint64_t)round << 32;
    for (int64_t i = 0; i < session->n; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static bool takes_part(const tess_run *run) {
    return run->status == TESS_OK && !run->left;
}

int64_t tess_session_n_racing(const tess_session *session) {
    int64_t n = 0;
    for (int64_t i = 0; i < session->n; i++)
        n += takes_part(session->runs[i]);
    return n;
}

/* Mends the device where a run's sample broke it. */
static tess_status mend(tess_session *session, tess_run *run) {
    if (run->status == TESS_OK || !tess_bench_is_broken(session->bench))
        return TESS_OK;
    session->breaker = run;
    TRY(tess_session_revive(session));
    session->breaker = NULL;
    tess_bench_lock(session->bench); /* the device that was locked is no more */
    return TESS_OK;
}

tess_status tess_session_take_round(tess_session *session) {
    const int round = session->n_meanwhile + session->n_taken;
    if (round == 0)
        session->began = tess_clock_seconds();
    tess_status status = TESS_OK;
    int64_t *order = NULL;
    CHECK(TESS_ALLOC(session->n, &order));
    shuffle(session, round, order);
    for (int64_t i = 0; i < session->n; i++) {
        tess_run *run = session->runs[order[i]];
        const double start = tess_clock_seconds() - session->began;
        if (!takes_part(run))
            continue;
        CHECK(keep_status(run, run->ranked ? tess_ranked_run_take(run, round, start)
                                           : tess_trial_take(&run->trial, round, start)));
        CHECK(mend(session, run));
    }
    session->n_meanwhile += session->waits;
    session->n_taken += !session->waits;
done:
    free(order);
    return status;
}

/* Fails again as the samples of a run did. */
static tess_status fail_again(tess_run *run) {
    const tess_status status = tess_fail(run->status, "%s", run->failure);
    free(run->failure);
    run->failure = NULL;
    return status;
}

tess_status tess_session_conclude(tess_session *session, tess_run *run) {
    const int n_taken = session->n_taken;
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
        return tess_experiment_finish(session->bench, run);
    tess_run_close(run);
    return outcome;
}

void tess_session_clear(tess_session *session) {
    for (int64_t i = 0; i < session->n; i++)
        tess_run_close(session->runs[i]);
    free(session->runs);
    session->runs = NULL;
    session->n = session->capacity = session->bytes = 0;
    session->n_taken = session->n_meanwhile = 0;
}
