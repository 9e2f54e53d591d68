/* Tuning: a search for the best way to run a loop, by a race of candidates. */
#include "experiments/campaign/tune.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements: half as many as of a prediction alone, for runs correct it. */
enum { MOST_COUNTED = 500000 };

static const double most_race = 0.5;       /* of the budget, that is kept for samples */
static const double most_confirming = 0.5; /* of it, on the device, before a winner ends the race */
/* Of the budget: what predictions may take, where few variants are to be tried, and beside the runs
 * where all are; how long these wait for them: their order then matters less. */
static const double most_predicting = 0.2, most_predicting_beside = 0.4, most_waiting = 0.1;

const char *tess_standing_name(tess_standing position) {
    static const char *const names[] = {"not tried", "failed", "no fit", "slower",
                                        "unclear",   "tie",    "best"};
    return names[position];
}

static double spent(const tess_tune *tune) {
    return tess_clock_seconds() - tune->began;
}

double tess_tune_on_device(const tess_tune *tune) {
    const tess_session *session = &tune->campaign.session;
    double seconds = tune->campaign.bench.spent.run;
    for (int64_t i = 0; i < session->n; i++)
        seconds += session->runs[i]->trial.run_seconds;
    return seconds;
}

/* Ends the race when the time is over. Once all have had their turn, ties take what is left of it;
 * where one wins, it is confirmed until half of the budget was spent on the device. */
static tess_status judge(tess_tune *tune, tess_session *session) {
    tess_race *race = &tune->race;
    if (tune->is_last_turn)
        tess_forecast_stop(tune->forecast);
    race->goes_on = tune->is_last_turn && !tune->early;
    race->confirms = race->goes_on && tess_tune_on_device(tune) < most_confirming * tune->budget;
    race->late = spent(tune) > tune->budget;
    return tess_race_judge(race, session, session->n_taken);
}

/* Rounds begin, or one is over: runs that are surely slower leave. */
static tess_status hear_round(void *context, tess_session *session) {
    tess_tune *tune = context;
    if (session->waits)
        return tess_race_thin(session);
    if (session->n_taken > 0)
        TRY(judge(tune, session));
    if (tune->show && session->n_taken < session->n_rounds)
        tune->show(tune, "round", session->n_taken + 1, session->n_rounds);
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

double tess_tune_enough(const tess_tune *tune) {
    const double all = (double)tune->n / tune->n_opened, race = all * tune->race_seconds;
    const double opening =
        tune->first_seconds + all * (tune->opening_seconds - tune->first_seconds);
    return opening + fmin(race, opening * most_race / (1 - most_race));
}

/* Whether the budget would be over once one more candidate than k were opened, as long as one
 * took so far, and all had raced. The first tells nothing: it waits for its text, while those of
 * the next are compiled beside it. */
static bool is_over(const tess_tune *tune, int64_t k) {
    const double opening = tune->opening_seconds;
    const double one = k > 1 ? (opening - tune->second_seconds) / (double)(k - 1) : 0;
    return opening + one + fmin(tune->race_seconds, most_race * tune->budget) > tune->budget;
}

/* Opens the next candidate, where there is time for it. */
static tess_status begin_turn(tess_tune *tune, tess_turn *turn) {
    const int64_t k = turn->number;
    tune->opening_seconds = spent(tune);
    tune->race_seconds = race_seconds(tune);
    if (k == 0)
        tune->first_seconds = tune->opening_seconds;
    if (k == 1)
        tune->second_seconds = tune->opening_seconds;
    if ((tune->n_runs > 0 && k >= tune->n_runs) || (k > 0 && is_over(tune, k))) {
        turn->use = TESS_TURN_END;
        tune->is_last_turn = true;
        return TESS_OK;
    }
    tune->n_opened = (int)k + 1;
    if (tune->show)
        tune->show(tune, "candidate", k + 1, tune->n);
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

/* Puts the most hopeful candidate of those to come first, and the others behind it as they were. */
static tess_status order_turns(tess_tune *tune, tess_turn *next) {
    const int64_t k = next->number;
    int64_t *order = next->order;
    if (!tune->correction)
        return TESS_OK;
    if (tess_forecast_has_more(tune->forecast))
        TRY(take_predictions(tune));
    learn(tune);
    for (int64_t turn = k + 1; turn < tune->n; turn++) { /* insertion: nearly sorted already */
        const int64_t one = order[turn];
        const double hoped = tess_correction_hoped(tune->correction, one);
        int64_t at = turn;
        for (; at > k && tess_correction_hoped(tune->correction, order[at - 1]) > hoped; at--)
            order[at] = order[at - 1];
        order[at] = one;
        next->reordered |= at != turn;
    }
    return TESS_OK;
}

static tess_status take_turn(void *context, tess_turn *turn) {
    tess_tune *tune = context;
    tune->is_last_turn = turn->number == tune->n - 1;
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
    double clock = tess_clock_seconds();
    TRY(tess_forecast_begin(&predictor, &tune->campaign.bench, product->experiments, n, most,
                            &tune->forecast));
    tess_forecast_wait(tune->forecast, tune->n_runs > 0 ? INFINITY : most_waiting * tune->budget);
    tune->campaign.bench.spent.plan += tess_clock_lap(&clock);
    return order_candidates(tune, product);
}

static tess_status list_candidates(tess_tune *tune, const tess_product *product) {
    TRY(TESS_ZEROS(product->n, &tune->candidates));
    TRY(TESS_ALLOC(product->n, &tune->ordered));
    memcpy(tune->ordered, product->experiments, (size_t)product->n * sizeof *tune->ordered);
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
    return TESS_OK;
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

/* Whether a is to be called the best rather than b: those that left the race are not, whatever
 * the rounds were like that they took part in. */
static bool is_better(const tess_tune *tune, const tess_candidate *a, const tess_candidate *b) {
    if (a->run->left != b->run->left)
        return b->run->left;
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

tess_status tess_tune_run(tess_tune *tune, const tess_product *product,
                          const tess_campaign_options *options) {
    tess_campaign_options raced = *options;
    const tess_campaign_listener listener = {.context = tune,
                                             .turn = take_turn,
                                             .opened = tune->opened,
                                             .round = hear_round,
                                             .ended = note_value};
    raced.ahead = true;
    raced.first_rounds = raced.fewest_rounds = TESS_FIRST_ROUNDS;
    tune->best = -1;
    TRY(tess_campaign_begin(&raced, &listener, &tune->campaign));
    tune->began -= tune->campaign.restart.seconds;
    TRY(list_candidates(tune, product));
    tess_status raced_to_end = tess_campaign_run(&tune->campaign, tune->ordered, product->n);
    const tess_status forecast = end_forecast(tune);
    raced_to_end = raced_to_end == TESS_OK ? forecast : raced_to_end;
    tune->seconds = spent(tune);
    if (tune->show)
        tune->show(tune, NULL, 0, 0);
    if (raced_to_end != TESS_OK && raced_to_end != TESS_ERROR_INTERRUPTED)
        return raced_to_end;
    for (int i = 0; i < tune->n; i++) {
        tune->candidates[i].run = tune->campaign.runs[i];
        tune->candidates[i].position = place_before_ranking(tune->campaign.runs[i]);
        if (tune->correction)
            tune->candidates[i].expected = tess_correction_expected(tune->correction, i);
    }
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
    tess_correction_free(tune->correction);
    tune->correction = NULL;
    tune->learned = NULL;
    tune->candidates = NULL;
    tune->ordered = NULL;
    tune->predicted = NULL;
    tune->listed_at = NULL;
    tune->n = 0;
    return status;
}
