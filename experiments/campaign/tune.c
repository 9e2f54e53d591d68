/* Tuning: a search for the best way to run a loop, by a race of candidates. */
#include "experiments/campaign/tune.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/print_args.h"
#include "experiments/bench/ahead.h"
#include "experiments/bench/cut_cost.h"
#include "experiments/model/expectation.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements: half as many as of a prediction alone, for runs correct it. */
enum { MOST_COUNTED = 500000 };

/* Cells of a mesh for each second of the budget, but not of less than so many: of a mesh with more
 * a part is tried, since opening and cutting it would take most of the budget. Ten million for 40
 * s. */
enum { CELLS_A_SECOND = 250000, LEAST_CELLS = 50000 };

static const double most_race = 0.5;       /* of the budget, that is kept for samples */
static const double most_confirming = 0.6; /* of it, on the device, before a winner ends the race */
static const double looks_around = 0.4;    /* of it, in which candidates of little hope come, too */
static const double still_hopeful = 1.02;  /* times the best: who may not reach that has no hope */
static const double most_closing = 0.04;   /* of it, in which runs are archived after the rounds */
static const double patience =
    10; /* seconds more for the first candidate: without it all is void */
/* Of the budget: what predictions may take, where few variants are to be tried, and beside the runs
 * where all are; how long these wait for them: their order then matters less. */
static const double most_predicting = 0.2, most_predicting_beside = 0.4, most_waiting = 0.1;

const char *tess_standing_name(tess_standing position) {
    static const char *const names[] = {
        "not tried", "failed", "not applicable", "slower", "unclear", "tie", "best"};
    return names[position];
}

static double spent(const tess_tune *tune) {
    return tess_clock_seconds() - tune->began;
}

/* Seconds that were spent on the device so far. */
static double seconds_on_device(const tess_tune *tune) {
    const tess_session *session = &tune->campaign.session;
    double seconds = tune->campaign.bench.spent.run;
    for (int64_t i = 0; i < session->n; i++)
        seconds += session->runs[i]->trial.run_seconds;
    return seconds;
}

/* By the clock: when the last round is over. */
static double rounds_end(const tess_tune *tune) {
    const bool archives = tune->campaign.options.bench.lab;
    return tune->began + (archives ? 1 - most_closing : 1) * tune->budget;
}

static void show(const tess_tune *tune, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void show(const tess_tune *tune, const char *format, ...) {
    char words[160];
    TESS_PRINT_ARGS(words, format);
    if (tune->show)
        tune->show(tune, words);
}

/* Ends the race when the time is over. Once all have had their turn, ties take what is left of it;
 * where one wins, it is confirmed until half of the budget was spent on the device. */
static tess_status judge(tess_tune *tune, tess_session *session) {
    tess_race *race = &tune->race;
    if (session->is_last)
        tess_forecast_stop(tune->forecast);
    race->goes_on = session->is_last && !tune->early;
    race->confirms = race->goes_on && seconds_on_device(tune) < most_confirming * tune->budget;
    race->late = tess_clock_seconds() > rounds_end(tune);
    return tess_race_judge(race, session, session->n_taken);
}

/* Notes what the candidate took to be opened that came last. */
static void end_opening(tess_tune *tune) {
    if (tune->opening_began == 0)
        return;
    tune->opening_seconds += tess_clock_seconds() - tune->opening_began;
    if (tune->n_opened == 1) {
        tune->first_opening = tune->opening_seconds;
        tune->first_seconds = spent(tune);
    }
    tune->opening_began = 0;
}

/* Rounds begin, or one is over: runs that are surely slower leave. */
static tess_status hear_round(void *context, tess_session *session) {
    tess_tune *tune = context;
    if (session->waits)
        return tess_race_thin(session);
    end_opening(tune);
    if (session->n_taken > 0)
        TRY(judge(tune, session));
    if (session->n_taken < session->n_rounds)
        show(tune, "round %d of %d, %lld in the race", session->n_taken + 1, session->n_rounds,
             (long long)tess_session_n_racing(session));
    return TESS_OK;
}

/* Seconds that the race of the candidates that are open would take if none left it. */
static double race_seconds(const tess_tune *tune) {
    const tess_session *session = &tune->campaign.session;
    double round = 0;
    for (int64_t i = 0; i < session->n && !tune->metric; i++)
        round += session->runs[i]->trial.first_seconds;
    return TESS_SHORT_RACE * round;
}

/* Seconds that opening one candidate takes. The first tells little: it opens what all share. */
static double one_opening(const tess_tune *tune) {
    return tune->n_opened > 1 ? (tune->opening_seconds - tune->first_opening) / (tune->n_opened - 1)
                              : 0;
}

double tess_tune_enough(const tess_tune *tune) {
    const double all = (double)tune->n / tune->n_opened, race = all * tune->race_seconds;
    const double opening = tune->first_seconds - tune->first_opening + all * tune->opening_seconds;
    return opening + fmin(race, opening * most_race / (1 - most_race));
}

/* Whether the budget would be over once one more candidate were opened and all had raced. */
static bool is_over(const tess_tune *tune) {
    const double race = fmin(tune->race_seconds, most_race * tune->budget);
    return tess_clock_seconds() + one_opening(tune) + race > rounds_end(tune);
}

static int64_t most_turns(const tess_tune *tune) {
    const int64_t most = tune->n_runs + tune->has_stored;
    return tune->n_runs > 0 && most < tune->n ? most : tune->n;
}

/* Whether there is time for the next candidate; the first is given some in any case. Plans that
 * would come too late are not begun, and what is begun ends when the time is over. */
static tess_status begin_turn(tess_tune *tune, tess_turn *turn) {
    const int64_t k = turn->number;
    const double end = rounds_end(tune);
    end_opening(tune);
    tune->race_seconds = race_seconds(tune);
    tess_ahead_set_end(tune->campaign.bench.ahead, k == 0 ? INFINITY : end - one_opening(tune));
    tess_interrupt_at(k == 0 ? end + patience : end);
    if (k >= most_turns(tune) || (k > 0 && is_over(tune)))
        turn->use = TESS_TURN_END;
    return TESS_OK;
}

/* A candidate is being opened. */
static tess_status hear_begun(void *context, tess_run *run) {
    tess_tune *tune = context;
    (void)run;
    tune->opening_began = tess_clock_seconds();
    tune->n_opened++;
    show(tune, "candidate %d of %d", tune->n_opened, tune->n);
    return TESS_OK;
}

/* Nothing is ready: says what comes next, and how long it has been in the making. */
static tess_status hear_awaited(void *context, int64_t number) {
    const tess_tune *tune = context;
    const tess_experiment *x = &tune->ordered[number];
    const tess_making_state state = tess_ahead_state(tune->campaign.bench.ahead, number);
    if (state.planned)
        show(tune, "%d of %d tried, waiting for the compiler: %s", tune->n_opened, tune->n,
             x->strategy.text);
    else
        show(tune, "%d of %d tried, %s is cutting blocks of %lld, %.0f s", tune->n_opened, tune->n,
             x->partitioner.text, (long long)x->block_size, state.seconds);
    return TESS_OK;
}

/* Notes the value that a candidate is chosen by. */
static tess_status note_value(void *context, tess_run *run) {
    const tess_tune *tune = context;
    if (run->record && !run->failure)
        run->value = tess_run_value(run, tune->metric ? tune->metric : "median_time");
    return TESS_OK;
}

static tess_standing place_before_ranking(const tess_run *run) {
    return !run || run->interrupted ? TESS_STANDING_UNTRIED
           : run->not_applicable    ? TESS_STANDING_MISFIT
           : run->failure           ? TESS_STANDING_FAILED
                                    : TESS_STANDING_SLOWER;
}

/* --- the order of turns ----------------------------------------------------------------------- */

/* Seconds that a candidate took: in the race, an execution of the program before this one, or when
 * it was warmed up; NaN where it was not tried or failed. */
static double measured(const tess_tune *tune, int64_t i) {
    const tess_run *run = tune->campaign.runs[i];
    if (!run || run->failure || run->status != TESS_OK)
        return NAN;
    if (run->trial.n_samples > 0)
        return tess_trial_median(&run->trial);
    return run->trial.warm_seconds > 0 ? run->trial.warm_seconds : run->value;
}

static void learn(tess_tune *tune) {
    for (int64_t i = 0; i < tune->n; i++) {
        const double seconds = measured(tune, i);
        if (tune->learned[i] || !(seconds > 0))
            continue;
        tess_correction_learn(tune->correction, i, seconds);
        tune->learned[i] = true;
    }
}

/* What corrects the predictions of the ordered candidates begins anew. */
static tess_status begin_correction(tess_tune *tune, int64_t n) {
    tess_correction_case *cases = NULL;
    memset(tune->learned, 0, (size_t)n * sizeof *tune->learned);
    tess_correction_free(tune->correction);
    tune->correction = NULL;
    TRY(TESS_ALLOC(n, &cases));
    for (int64_t i = 0; i < n; i++) {
        const tess_experiment *x = &tune->ordered[i];
        cases[i] = (tess_correction_case){.base = x->strategy.plugin->name,
                                          .strategy = x->strategy.text,
                                          .layout = x->layout.text,
                                          .order = x->partitioner.text,
                                          .predicted = tune->predicted[i]};
    }
    const tess_status status = tess_correction_new(cases, n, &tune->correction);
    free(cases);
    return status;
}

static double seconds_of(const tess_prediction *one) {
    return one->failure ? NAN : one->seconds;
}

/* Takes what the forecast has by now. */
static tess_status take_predictions(tess_tune *tune) {
    tess_prediction *all = NULL;
    TRY(TESS_ALLOC(tune->n, &all));
    tess_forecast_read(tune->forecast, all);
    for (int i = 0; i < tune->n; i++) {
        tune->predicted[i] = seconds_of(&all[tune->listed_at[i]]);
        tune->candidates[i].predicted = tune->predicted[i];
    }
    free(all);
    return begin_correction(tune, tune->n);
}

/* Notes what the candidates took that were tried, and what blocks are like that are cut. */
static void note_cases(tess_tune *tune) {
    tess_ahead *ahead = tune->campaign.bench.ahead;
    tune->best_seconds = INFINITY;
    for (int64_t i = 0; i < tune->n; i++) {
        tune->cases[i].seconds = measured(tune, i);
        tune->cases[i].reuse = ahead ? tess_ahead_state(ahead, i).reuse : NAN;
        if (tune->cases[i].seconds < tune->best_seconds)
            tune->best_seconds = tune->cases[i].seconds;
    }
}

/* Fills what is hoped of the candidates to come: by what is predicted, by those that were tried, or
 * nothing where times do not count. */
static void hope(tess_tune *tune, const tess_turn *next) {
    for (int64_t turn = next->number; turn < tune->n; turn++) {
        const int64_t i = next->order[turn];
        tune->hoped[i] = tune->metric || tess_experiment_is_stored(&tune->ordered[i]) ? 0
                         : tune->correction ? tess_correction_hoped(tune->correction, i)
                                            : tess_hope(tune->cases, tune->n, i);
    }
}

/* How many turns are wanted: all while there is much time, then of those that may still win. */
static int64_t count_wanted(const tess_tune *tune, const tess_turn *next) {
    int64_t wanted = tune->n;
    if (spent(tune) > looks_around * tune->budget)
        while (wanted > next->number &&
               tune->hoped[next->order[wanted - 1]] > still_hopeful * tune->best_seconds)
            wanted--;
    return wanted < most_turns(tune) ? wanted : most_turns(tune);
}

/* Puts the most hopeful candidates of those to come first, and others of the same hope as they
 * were.
 */
static tess_status order_turns(tess_tune *tune, tess_turn *next) {
    const int64_t k = next->number;
    int64_t *order = next->order;
    if (tune->correction && tess_forecast_has_more(tune->forecast))
        TRY(take_predictions(tune));
    if (tune->correction)
        learn(tune);
    note_cases(tune);
    hope(tune, next);
    for (int64_t turn = k + 1; turn < tune->n; turn++) { /* insertion: nearly sorted already */
        const int64_t one = order[turn];
        int64_t at = turn;
        for (; at > k && tune->hoped[order[at - 1]] > tune->hoped[one]; at--)
            order[at] = order[at - 1];
        order[at] = one;
        next->reordered |= at != turn;
    }
    next->wanted = count_wanted(tune, next);
    return TESS_OK;
}

static tess_status take_turn(void *context, tess_turn *turn) {
    tess_tune *tune = context;
    TRY(order_turns(tune, turn));
    return begin_turn(tune, turn);
}

/* Orders the candidates by what is predicted in time. */
static tess_status order_candidates(tess_tune *tune, const tess_product *product) {
    tess_prediction *sorted = NULL;
    TRY(TESS_ALLOC(product->n, &sorted));
    tess_forecast_read(tune->forecast, sorted);
    tess_predictions_sort(sorted, product->n);
    for (int64_t i = 0; i < product->n; i++) {
        tune->listed_at[i] = sorted[i].experiment - product->experiments;
        tune->ordered[i] = *sorted[i].experiment;
        tune->predicted[i] = seconds_of(&sorted[i]);
    }
    free(sorted);
    return begin_correction(tune, product->n);
}

/* Predicts all candidates on the campaign's bench, which keeps their plans. Where a few are to be
 * tried, none is before all are predicted that can be in time. */
static tess_status predict_order(tess_tune *tune, const tess_product *product) {
    const int64_t n = product->n;
    const tess_predictor predictor = {.fit = tune->fit, .most_elements = MOST_COUNTED};
    const double most =
        (tune->n_runs > 0 ? most_predicting : most_predicting_beside) * tune->budget;
    TRY(TESS_ALLOC(n, &tune->predicted));
    TRY(TESS_ALLOC(n, &tune->listed_at));
    TRY(TESS_ZEROS(n, &tune->learned));
    TRY(tess_campaign_open(&tune->campaign, &product->experiments[0]));
    tune->campaign.bench.plans.most = TESS_MOST_SHARED_PLANS;
    TRY(tess_workload_await_start(&tune->campaign.bench.load));
    double clock = tess_clock_seconds();
    TRY(tess_forecast_begin(&predictor, &tune->campaign.bench, product->experiments, n, most,
                            &tune->forecast));
    tess_forecast_wait(tune->forecast, tune->n_runs > 0 ? INFINITY : most_waiting * tune->budget);
    tune->campaign.bench.spent.plan += tess_clock_lap(&clock);
    return order_candidates(tune, product);
}

static double cost(const tess_experiment *x) {
    return tess_partitioner_cost(x->partitioner.plugin->name, x->partitioner.text);
}

/* What is cut quickly comes first; else candidates come as they are listed. */
static void order_by_cuts(tess_tune *tune, const tess_product *product) {
    for (int64_t i = 0; i < product->n; i++) {
        int64_t at = i;
        for (; at > 0 && cost(&tune->ordered[at - 1]) > cost(&product->experiments[i]); at--)
            tune->ordered[at] = tune->ordered[at - 1];
        tune->ordered[at] = product->experiments[i];
    }
}

static tess_status list_cases(tess_tune *tune) {
    TRY(TESS_ZEROS(tune->n, &tune->hoped));
    TRY(TESS_ALLOC(tune->n, &tune->cases));
    for (int i = 0; i < tune->n; i++) {
        const tess_experiment *x = &tune->ordered[i];
        tune->cases[i] = (tess_hope_case){.base = x->strategy.plugin->name,
                                          .strategy = x->strategy.text,
                                          .layout = x->layout.text,
                                          .partitioner = x->partitioner.text,
                                          .block_size = x->block_size,
                                          .reuse = NAN,
                                          .seconds = NAN};
    }
    return TESS_OK;
}

static tess_status list_candidates(tess_tune *tune, const tess_product *product) {
    TRY(TESS_ZEROS(product->n, &tune->candidates));
    TRY(TESS_ALLOC(product->n, &tune->ordered));
    order_by_cuts(tune, product);
    if (tune->fit && product->n > 0)
        TRY(predict_order(tune, product));
    tune->n = (int)product->n;
    for (int i = 0; i < tune->n; i++)
        tune->candidates[i] =
            (tess_candidate){.experiment = &tune->ordered[i],
                             .predicted = tune->predicted ? tune->predicted[i] : NAN,
                             .expected = NAN,
                             .ratio = NAN,
                             .low = NAN,
                             .high = NAN};
    return list_cases(tune);
}

/* 1 where larger values are better, -1 where smaller are. */
static int direction(const tess_tune *tune) {
    const tess_quantity *known = tune->metric ? tess_metric_find(tune->metric) : NULL;
    return known && known->better > 0 ? 1 : -1;
}

static bool is_ranked(const tess_candidate *one) {
    return one->position >= TESS_STANDING_SLOWER && !isnan(one->run->value);
}

/* Compares a candidate with the best. */
static tess_status position(const tess_tune *tune, const tess_candidate *best,
                            tess_candidate *one) {
    tess_comparison found;
    one->ratio = one->run->value / best->run->value;
    if (tune->metric) {
        one->position =
            one->run->value == best->run->value ? TESS_STANDING_TIE : TESS_STANDING_SLOWER;
        return TESS_OK;
    }
    TRY(tess_runs_compare(best->run, one->run, &found));
    one->ratio = found.ratio;
    one->low = found.low;
    one->high = found.high;
    const tess_verdict verdict = tess_comparison_verdict(&found, TESS_SAME_MARGIN);
    one->position = verdict == TESS_LARGER ? TESS_STANDING_SLOWER
                    : verdict == TESS_SAME ? TESS_STANDING_TIE
                                           : TESS_STANDING_UNCLEAR;
    return TESS_OK;
}

static bool is_better(const tess_tune *tune, const tess_candidate *a, const tess_candidate *b) {
    return tune->metric ? direction(tune) * (a->run->value - b->run->value) > 0
                        : tess_run_is_faster(a->run, b->run);
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
        TRY(position(tune, &tune->candidates[tune->best], &tune->candidates[i]));
        tune->n_ties += tune->candidates[i].position == TESS_STANDING_TIE ||
                        tune->candidates[i].position == TESS_STANDING_UNCLEAR;
    }
    if (tune->best >= 0) {
        tune->candidates[tune->best].position = TESS_STANDING_BEST;
        tune->candidates[tune->best].ratio = 1;
    }
    return TESS_OK;
}

/* The best first, then by how far they are from it. */
static int compare_candidates(const void *a, const void *b) {
    const tess_candidate *x = a, *y = b;
    if (x->position != y->position)
        return x->position < y->position ? 1 : -1;
    const double u = fabs(log(x->ratio)), v = fabs(log(y->ratio));
    return (u > v) - (u < v);
}

static tess_status end_forecast(tess_tune *tune) {
    tess_forecast *forecast = tune->forecast;
    tune->forecast = NULL;
    return tess_forecast_end(forecast);
}

/* The bench is there. */
static tess_status hear_opened(void *context, const tess_bench *bench) {
    tess_tune *tune = context;
    tune->campaign.bench.stores_until = rounds_end(tune);
    return tune->opened ? tune->opened(tune, bench) : TESS_OK;
}

/* Whether the time was over before any candidate could be tried. */
static bool was_too_short(const tess_tune *tune) {
    int64_t n_tried = 0;
    for (int64_t i = 0; tune->campaign.runs && i < tune->campaign.n; i++)
        n_tried += tune->campaign.runs[i] && !tune->campaign.runs[i]->interrupted;
    return n_tried == 0 && tune->n > 0 && tess_clock_seconds() > rounds_end(tune);
}

/* Races the candidates until the time is over; what has begun by then is given up. */
static tess_status race(tess_tune *tune, const tess_product *product) {
    tess_interrupt_at(rounds_end(tune) + patience);
    tess_status status = tess_campaign_run(&tune->campaign, tune->ordered, product->n);
    tess_interrupt_at(INFINITY);
    const tess_status forecast = end_forecast(tune);
    status = status == TESS_OK ? forecast : status;
    if ((status == TESS_OK || status == TESS_ERROR_INTERRUPTED) && !tess_interrupted() &&
        was_too_short(tune))
        FAIL(
            TESS_ERROR_CHECK,
            "the budget of %.3g s was over before a candidate could be tried: reading took %.3g s, "
            "waiting for its blocks %.3g s",
            tune->budget, tune->campaign.bench.spent.open, tune->campaign.bench.spent.wait_cut);
    return status;
}

/* Takes over what became of the candidates. */
static void take_runs(tess_tune *tune) {
    for (int i = 0; i < tune->n; i++) {
        tune->candidates[i].run = tune->campaign.runs[i];
        tune->candidates[i].position = place_before_ranking(tune->campaign.runs[i]);
        if (tune->correction)
            tune->candidates[i].expected = tess_correction_expected(tune->correction, i);
        tune->n_hopeless += !tune->campaign.runs[i] && !tune->metric &&
                            tune->hoped[i] > still_hopeful * tune->best_seconds;
    }
}

tess_status tess_tune_run(tess_tune *tune, const tess_product *product,
                          const tess_campaign_options *options) {
    tess_campaign_options raced = *options;
    const tess_campaign_listener listener = {.context = tune,
                                             .turn = take_turn,
                                             .awaits = hear_awaited,
                                             .opened = hear_opened,
                                             .begun = hear_begun,
                                             .round = hear_round,
                                             .ended = note_value};
    raced.ahead = raced.bench.files_beside = raced.job.is_early = true;
    raced.bench.most_cells = (int64_t)fmax(CELLS_A_SECOND * tune->budget, LEAST_CELLS);
    raced.first_rounds = raced.fewest_rounds = TESS_FIRST_ROUNDS;
    tune->best = -1;
    tune->best_seconds = INFINITY;
    TRY(tess_campaign_begin(&raced, &listener, &tune->campaign));
    tune->began -= tune->campaign.restart.seconds;
    TRY(list_candidates(tune, product));
    const tess_status raced_to_end = race(tune, product);
    tune->seconds = spent(tune);
    if (tune->show)
        tune->show(tune, NULL);
    if (raced_to_end != TESS_OK && raced_to_end != TESS_ERROR_INTERRUPTED)
        return raced_to_end;
    take_runs(tune);
    TRY(rank(tune));
    qsort(tune->candidates, (size_t)tune->n, sizeof *tune->candidates, compare_candidates);
    tune->best = tune->best < 0 ? -1 : 0;
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; what is finished is kept");
    return TESS_OK;
}

tess_status tess_tune_close(tess_tune *tune, tess_status status) {
    const tess_status forecast = end_forecast(tune); /* which works on the bench */
    status = status == TESS_OK ? forecast : status;
    status = tess_campaign_close(&tune->campaign, status);
    free(tune->candidates);
    free(tune->ordered);
    free(tune->predicted);
    free(tune->listed_at);
    free(tune->learned);
    free(tune->cases);
    free(tune->hoped);
    tess_correction_free(tune->correction);
    return status;
}
