/* Tuning: a search for the best way to run a loop, by a race of candidates. */
#include "experiments/campaign/tune.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "experiments/bench/line_archive.h"
#include "experiments/bench/signals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROUNDS = 6, MOST_ROUNDS = 192 }; /* with less than 6 no difference is sure */

static const double same_margin = 0.01;
const double tess_tune_opening_share = 0.6;

const char *tess_place_name(tess_place place) {
    static const char *const names[] = {"not tried", "failed", "no fit", "slower",
                                        "unclear",   "tie",    "best"};
    return names[place];
}

static double spent(const tess_tune *tune) {
    return tess_clock_seconds() - tune->began;
}

/* Seconds of the samples that both took in one round, in the order of the rounds; gives how many.
 */
static int64_t pair_samples(const tess_trial *a, const tess_trial *b, double *x, double *y) {
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < a->n_samples && k < b->n_samples;) {
        const tess_trial_sample *one = &a->samples[i], *other = &b->samples[k];
        if (one->round == other->round) {
            x[n] = one->seconds;
            y[n++] = other->seconds;
        }
        i += one->round <= other->round;
        k += other->round <= one->round;
    }
    return n;
}

tess_status tess_rows_compare(const tess_run_row *base, const tess_run_row *other,
                              tess_comparison *found) {
    tess_status status = TESS_OK;
    const tess_trial *a = &base->trial, *b = &other->trial;
    double *x = NULL, *y = NULL;
    CHECK(TESS_ALLOC(a->n_samples + 1, &x));
    CHECK(TESS_ALLOC(b->n_samples + 1, &y));
    if (strcmp(base->session, other->session) == 0) {
        CHECK(tess_compare_rounds(x, y, pair_samples(a, b, x, y), found));
        goto done;
    }
    for (int64_t i = 0; i < a->n_samples; i++)
        x[i] = a->samples[i].seconds;
    for (int64_t i = 0; i < b->n_samples; i++)
        y[i] = b->samples[i].seconds;
    CHECK(tess_compare(x, a->n_samples, y, b->n_samples, found));
done:
    free(x);
    free(y);
    return status;
}

/* The open run with the smallest median of those in the race, or -1. */
static int64_t fastest_open(const tess_session *session) {
    int64_t best = -1;
    for (int64_t i = 0; i < session->n; i++) {
        const tess_session_run *run = &session->runs[i];
        if (run->status == TESS_OK && !run->left &&
            (best < 0 || tess_trial_median(&run->row->trial) <
                             tess_trial_median(&session->runs[best].row->trial)))
            best = i;
    }
    return best;
}

/* Lets the runs leave that are surely slower than the fastest; gives how many are left. */
static tess_status drop_slower(tess_session *session, int64_t *n_left) {
    const int64_t best = fastest_open(session);
    *n_left = 0;
    for (int64_t i = 0; i < session->n; i++) {
        tess_session_run *run = &session->runs[i];
        tess_comparison found;
        if (run->status != TESS_OK || run->left)
            continue;
        if (i != best) {
            TRY(tess_rows_compare(session->runs[best].row, run->row, &found));
            run->left = tess_comparison_verdict(&found, same_margin) == TESS_LARGER;
        }
        *n_left += !run->left;
    }
    return TESS_OK;
}

/* After 6, 12, 24 ... rounds: drops the slower ones; ends the race when one is left or the time is
 * over. */
static tess_status judge(void *context, tess_session *session, int n_taken) {
    const tess_tune *tune = context;
    const bool late = spent(tune) > tune->budget;
    int stage = FIRST_ROUNDS;
    while (stage < n_taken)
        stage *= 2;
    if (stage != n_taken && !(late && n_taken > FIRST_ROUNDS))
        return TESS_OK;
    int64_t n_left = 0;
    TRY(drop_slower(session, &n_left));
    session->n_rounds = late || n_left <= 1 || n_taken >= MOST_ROUNDS ? n_taken : 2 * stage;
    return TESS_OK;
}

static void show(const tess_tune *tune, const char *words, int64_t i, int64_t n) {
    if (tune->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, words ? "\r\033[K%s %lld/%lld, %.0f of %.0f s" : "\r\033[K", words,
            (long long)i, (long long)n, spent(tune), tune->budget);
    fflush(stderr);
}

static void show_round(void *context, const tess_session *session, int round) {
    show(context, "round", round + 1, session->n_rounds);
}

/* What names a candidate in this command. */
static tess_status key_of(const tess_candidate *one, char **out) {
    if (asprintf(out, "%d %s %s %s", one->block_size, one->row->partitioner, one->row->strategy,
                 one->options->layout) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the name of a candidate");
    return TESS_OK;
}

/* Notes a candidate that is over, for an execution without it. */
static tess_status note_end(const tess_tune *tune, const tess_candidate *one) {
    char *key = NULL;
    json_t *how = tess_run_row_json(one->row);
    json_object_set_new(how, "value", tess_json_number(one->value));
    json_object_set_new(how, "left", json_boolean(one->left));
    TRY(key_of(one, &key));
    const tess_status status =
        tess_restart_add(tune->restart, key, how, tess_bench_is_broken(tune->bench));
    free(key);
    return status;
}

/* Takes over how a candidate ended in an execution before this one, if it did. */
static tess_status take_over(const tess_tune *tune, const tess_run_setting *setting,
                             tess_candidate *one, bool *ended) {
    char *key = NULL;
    TRY(tess_run_row_name(setting, one->row));
    TRY(key_of(one, &key));
    const json_t *how = tess_restart_take(tune->restart, key);
    free(key);
    *ended = how != NULL;
    if (!how)
        return TESS_OK;
    TRY(tess_run_row_read(how, one->row));
    one->place = one->row->misfit    ? TESS_PLACE_MISFIT
                 : one->row->failure ? TESS_PLACE_FAILED
                                     : TESS_PLACE_SLOWER;
    one->left = json_is_true(json_object_get(how, "left"));
    const json_t *value = json_object_get(how, "value");
    one->value = json_is_number(value) ? json_number_value(value) : NAN;
    return TESS_OK;
}

/* Keeps why a candidate failed, and archives it where something ran. */
static tess_status keep_failure(const tess_tune *tune, tess_status failure, tess_record *record,
                                tess_candidate *one) {
    TRY(tess_text_copy(tess_message(), &one->row->failure));
    one->place = failure == TESS_ERROR_USAGE         ? TESS_PLACE_MISFIT
                 : failure == TESS_ERROR_INTERRUPTED ? TESS_PLACE_UNTRIED
                                                     : TESS_PLACE_FAILED;
    one->row->misfit = one->place == TESS_PLACE_MISFIT;
    if (one->place == TESS_PLACE_FAILED && failure != TESS_ERROR_MISSING && tune->bench->lab)
        return tess_line_archive_failure(tune->bench->lab, tune->bench->mesh_digest,
                                         one->row->failure, record);
    return TESS_OK;
}

/* Notes how a candidate ended; gives back what ends the whole search. */
static tess_status finished(void *context, tess_session_run *run, tess_status outcome) {
    tess_tune *tune = context;
    tess_candidate *one = run->owner;
    if (outcome == TESS_ERROR_INTERNAL || outcome == TESS_ERROR_IO)
        return outcome;
    one->place = TESS_PLACE_SLOWER;
    one->left = run->left;
    if (outcome != TESS_OK)
        TRY(keep_failure(tune, outcome, run->record, one));
    else
        one->value = tune->metric ? tess_record_measure(run->record, tune->metric, NULL)
                                  : tess_trial_median(&run->row->trial);
    if (run->record->id[0])
        TRY(tess_text_copy(run->record->id, &run->row->run));
    const bool again = outcome == TESS_ERROR_INTERRUPTED || outcome == TESS_ERROR_MISSING;
    return again ? TESS_OK : note_end(tune, one);
}

static tess_status start(tess_tune *tune, tess_session *session, tess_candidate *one,
                         tess_bench_lines *lines) {
    tess_record *record = NULL;
    tess_run_setting setting;
    TRY(tess_run_setting_make(one->options, one->partitioner, one->block_size, one->strategy,
                              &setting));
    bool ended = false;
    TRY(take_over(tune, &setting, one, &ended));
    if (ended)
        return TESS_OK;
    TRY(tess_record_new(tune->argc, tune->argv, &record));
    return tess_session_add(session, &setting, lines, record, one->row, one);
}

/* Fills the candidates: strategies vary fastest, on blocks that they share. */
static tess_status list_candidates(tess_tune *tune) {
    const tess_tune_space *space = tune->space;
    const int n =
        space->n_block_sizes * space->n_partitioners * space->n_layouts * space->n_strategies;
    TRY(TESS_ZEROS(n, &tune->candidates));
    for (int b = 0; b < space->n_block_sizes; b++)
        for (int p = 0; p < space->n_partitioners; p++)
            for (int l = 0; l < space->n_layouts; l++)
                for (int s = 0; s < space->n_strategies; s++) {
                    tess_candidate *one = &tune->candidates[tune->n];
                    *one = (tess_candidate){.partitioner = &space->partitioners[p],
                                            .strategy = &space->strategies[s],
                                            .options = &space->options[l],
                                            .block_size = (int32_t)space->block_sizes[b],
                                            .value = NAN,
                                            .ratio = NAN,
                                            .low = NAN,
                                            .high = NAN};
                    TRY(tess_run_row_new(&one->row));
                    one->row->block_size = one->block_size;
                    tune->n++;
                }
    return TESS_OK;
}

static bool shares_blocks(const tess_candidate *a, const tess_candidate *b) {
    return a->partitioner == b->partitioner && a->block_size == b->block_size &&
           a->options == b->options;
}

/* Starts the candidates one after another, as long as the budget allows, and races them. */
static tess_status race(tess_tune *tune) {
    tess_status status = TESS_OK;
    tess_bench_lines *lines = NULL;
    const tess_session_listener listener = {
        .context = tune, .finished = finished, .round = show_round, .judge = judge};
    tess_session session;
    tess_session_begin(tune->bench, (int64_t)(tune->bench->asked->memory * 0x1p30), FIRST_ROUNDS,
                       &listener, &session);
    for (int i = 0; i < tune->n && !tess_interrupted(); i++) {
        tess_candidate *one = &tune->candidates[i];
        if (i > 0 && spent(tune) > tess_tune_opening_share * tune->budget)
            break;
        show(tune, "candidate", i + 1, tune->n);
        if (i == 0 || !shares_blocks(one, one - 1)) {
            tess_bench_lines_release(lines);
            lines = NULL;
            CHECK(tess_bench_lines_new(&lines));
        }
        session.n_rounds = tune->metric ? 0 : FIRST_ROUNDS; /* a session may have ended meanwhile */
        CHECK(start(tune, &session, one, lines));
        tune->n_opened = i + 1;
        tune->opening_seconds = spent(tune);
    }
    CHECK(tess_session_end(&session));
done:
    show(tune, NULL, 0, 0);
    tess_bench_lines_release(lines);
    tess_session_clear(&session);
    return status;
}

/* 1 where larger values are better, -1 where smaller are. */
static int direction(const tess_tune *tune) {
    const tess_metric *known = tune->metric ? tess_metric_find(tune->metric) : NULL;
    return known && known->better > 0 ? 1 : -1;
}

static bool is_ranked(const tess_candidate *one) {
    return one->place >= TESS_PLACE_SLOWER && !isnan(one->value);
}

/* Compares a candidate with the best. */
static tess_status place(const tess_tune *tune, const tess_candidate *best, tess_candidate *one) {
    tess_comparison found;
    one->ratio = one->value / best->value;
    if (tune->metric) {
        one->place = one->value == best->value ? TESS_PLACE_TIE : TESS_PLACE_SLOWER;
        return TESS_OK;
    }
    TRY(tess_rows_compare(best->row, one->row, &found));
    one->ratio = found.ratio;
    one->low = found.low;
    one->high = found.high;
    const tess_verdict verdict = tess_comparison_verdict(&found, same_margin);
    one->place = verdict == TESS_LARGER ? TESS_PLACE_SLOWER
                 : verdict == TESS_SAME ? TESS_PLACE_TIE
                                        : TESS_PLACE_UNCLEAR;
    return TESS_OK;
}

/* True where a is to be called the best rather than b: those that left the race are not, whatever
 * the rounds were like that they took part in. */
static bool is_better(const tess_tune *tune, const tess_candidate *a, const tess_candidate *b) {
    if (a->left != b->left)
        return b->left;
    return direction(tune) * (a->value - b->value) > 0;
}

static tess_status rank(tess_tune *tune) {
    tune->best = -1;
    for (int i = 0; i < tune->n; i++)
        if (is_ranked(&tune->candidates[i]) &&
            (tune->best < 0 ||
             is_better(tune, &tune->candidates[i], &tune->candidates[tune->best])))
            tune->best = i;
    for (int i = 0; i < tune->n; i++) {
        if (i == tune->best || !is_ranked(&tune->candidates[i]))
            continue;
        TRY(place(tune, &tune->candidates[tune->best], &tune->candidates[i]));
        tune->n_ties += tune->candidates[i].place == TESS_PLACE_TIE ||
                        tune->candidates[i].place == TESS_PLACE_UNCLEAR;
    }
    if (tune->best >= 0) {
        tune->candidates[tune->best].place = TESS_PLACE_BEST;
        tune->candidates[tune->best].ratio = 1;
    }
    return TESS_OK;
}

tess_status tess_tune_run(tess_tune *tune) {
    TRY(list_candidates(tune));
    TRY(race(tune));
    TRY(rank(tune));
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; what is finished is kept");
    return TESS_OK;
}

void tess_tune_clear(tess_tune *tune) {
    for (int i = 0; i < tune->n; i++)
        tess_run_row_free(tune->candidates[i].row);
    free(tune->candidates);
    tune->candidates = NULL;
    tune->n = 0;
}
