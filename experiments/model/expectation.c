/* An expectation: how long runs would take on a GPU, and the loop as the mesh is stored. */
#include "experiments/model/expectation.h"

#include "core/base/array.h"
#include "core/base/errand.h"
#include "core/base/progress.h"
#include "core/base/step_back.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/run_values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a loop that is only cut is taken to be executed by: the fastest of these. */
static const char *const cut_strategies[] = {"atomics", "block-colour", "halo-atomics"};
enum { N_CUT = sizeof cut_strategies / sizeof *cut_strategies };

/* A loop that is only cut, as a kernel with its data. */
typedef struct cut_loop {
    tess_kernel kernel;
    tess_kernel_arg arg;
    tess_state *state; /* owned */
} cut_loop;

/* The loop as the mesh is stored, in one way. */
typedef struct stored_order {
    tess_experiment experiment; /* owned, as the run */
    tess_run *run;
} stored_order;

struct tess_expectation {
    tess_machine machine;
    tess_fit *fit; /* NULL: none ships; owned */
    tess_predictor predictor;
    cut_loop cut;
    int64_t n_stored, capacity;
    stored_order **stored;  /* [n_stored] owned */
    const tess_run **shown; /* [n_shown] of these; owned */
    int64_t n_shown;
    tess_bench *bench; /* for which it was begun, as the experiments [n] */
    const tess_experiment *experiments;
    int64_t n;
    tess_errand *errand; /* that fills stored and shown; NULL: none */
};

bool tess_expectation_is_refused(const char *machine) {
    return machine && strcmp(machine, "none") == 0;
}

tess_status tess_expectation_open(const char *machine, tess_expectation **out) {
    tess_status status = TESS_OK;
    tess_expectation *all = NULL;
    CHECK(TESS_ZEROS(1, &all));
    all->predictor = (tess_predictor){.machine = &all->machine, .most_elements = TESS_MOST_COUNTED};
    CHECK(tess_machine_read(machine, &all->machine));
    CHECK(tess_machine_check(&all->machine));
    if (tess_fit_ships(machine)) {
        CHECK(TESS_ZEROS(1, &all->fit));
        CHECK(tess_fit_read(machine, all->fit));
        CHECK(tess_fit_check(all->fit, &all->machine));
        all->predictor.fit = all->fit;
    }
    *out = TESS_TAKE(all);
done:
    tess_expectation_close(all);
    return status;
}

void tess_expectation_close(tess_expectation *expectation) {
    if (!expectation)
        return;
    tess_errand_free(expectation->errand);
    for (int64_t i = 0; i < expectation->n_stored; i++) {
        tess_run_free(expectation->stored[i]->run);
        tess_experiment_clear(&expectation->stored[i]->experiment);
        free(expectation->stored[i]);
    }
    tess_state_free(expectation->cut.state);
    free(expectation->stored);
    free(expectation->shown);
    free(expectation->fit);
    free(expectation);
}

tess_status tess_expectation_of_step(tess_expectation *expectation, const tess_march *march,
                                     tess_step_time *out) {
    tess_predictor_open_compiler(&expectation->predictor);
    const tess_status status = tess_step_time_predict(&expectation->predictor, march, out);
    tess_predictor_close_compiler(&expectation->predictor);
    return status;
}

const char *tess_expectation_device(const tess_expectation *expectation) {
    const tess_machine *machine = &expectation->machine;
    return machine->device[0] ? machine->device : machine->name;
}

bool tess_experiment_is_stored(const tess_experiment *experiment) {
    const tess_partitioner *plugin = experiment->partitioner.plugin;
    return plugin && strcmp(plugin->name, "file-order") == 0 && experiment->refine <= 0 &&
           experiment->renumber == TESS_RENUMBER_NONE;
}

/* Makes a kernel of the loop of a map, which increments one dat through all slots. */
static tess_status open_cut(const tess_workload *load, cut_loop *cut) {
    const tess_arg *arg = &load->loop->args[0];
    cut->arg = (tess_kernel_arg){.dat = arg->dat,
                                 .set = arg->set,
                                 .map = arg->map,
                                 .slot = arg->slot,
                                 .dim = arg->dim,
                                 .type = tess_type_name(arg->type),
                                 .access = arg->access};
    cut->kernel = (tess_kernel){
        .name = "increment", .set = load->loop->set, .n_args = 1, .args = &cut->arg, .text = ""};
    TRY(tess_state_new(load->mesh, TESS_DOUBLE, &cut->state));
    return tess_state_add(cut->state, arg->dat, arg->set, arg->dim, cut->arg.type);
}

static void take_time(const tess_prediction *one, tess_prediction *best) {
    const bool shorter = isnan(best->seconds) || one->seconds < best->seconds;
    if (!one->failure && isfinite(one->seconds) && shorter)
        *best = *one;
}

/* Predicts the plan of a loop that is only cut by each of the strategies, and gives the fastest;
 * its seconds are NaN where there is no model of any. */
static tess_status predict_cut(const tess_expectation *all, const tess_bench *bench,
                               const tess_experiment *x, const tess_planned *planned,
                               tess_prediction *out) {
    const tess_predicted_loop loop = {&all->cut.kernel, bench->load.bound, all->cut.state};
    tess_experiment ways[N_CUT];
    tess_prediction predictions[N_CUT] = {{.experiment = NULL}};
    tess_status statuses[N_CUT] = {TESS_OK}, status = TESS_OK;
    int n = 0;
    for (; n < N_CUT; n++) {
        CHECK(tess_experiment_copy(x, &ways[n]));
        predictions[n].experiment = &ways[n];
        statuses[n] = tess_experiment_set(&ways[n], TESS_FIELD_strategy, cut_strategies[n]);
    }
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N_CUT; i++)
        if (statuses[i] == TESS_OK)
            statuses[i] = tess_prediction_make(&all->predictor, &loop, planned, &predictions[i]);
    for (int i = 0; i < N_CUT; i++) {
        if (statuses[i] != TESS_OK)
            CHECK(tess_fail(statuses[i], "the time by strategy %s cannot be predicted",
                            cut_strategies[i]));
        take_time(&predictions[i], out);
    }
done:
    out->experiment = NULL;
    out->failure = NULL;
    tess_predictions_clear(predictions, N_CUT);
    for (int i = 0; i < n; i++)
        tess_experiment_clear(&ways[i]);
    return status;
}

/* Whether there may be a model of a run: of one loop on one GPU. */
static bool is_modelled(const tess_bench *bench, const tess_experiment *x) {
    return x->kind == TESS_CUTTING || (x->strategy.plugin && !x->strategy.plugin->one_thread &&
                                       !bench->load.chained && !tess_experiment_is_ranked(x));
}

static tess_status predict(const tess_expectation *all, const tess_bench *bench,
                           const tess_experiment *x, const tess_planned *planned,
                           tess_prediction *out) {
    *out = (tess_prediction){.seconds = NAN};
    if (!planned || !planned->plan || !is_modelled(bench, x))
        return TESS_OK;
    if (x->kind == TESS_CUTTING)
        return predict_cut(all, bench, x, planned, out);
    const tess_predicted_loop loop = tess_predicted_loop_of(&bench->load);
    tess_prediction one = {.experiment = x};
    TRY(tess_prediction_make(&all->predictor, &loop, planned, &one));
    take_time(&one, out);
    out->failure = NULL;
    tess_predictions_clear(&one, 1);
    return TESS_OK;
}

static tess_status put_times(const tess_prediction *one, tess_run *run) {
    const double of_launches = one->time.terms[TESS_TERM_LAUNCHES] / one->time.seconds;
    if (!isfinite(one->seconds))
        return TESS_OK;
    TRY(tess_metrics_put(run->values, "predicted_time", one->seconds));
    TRY(tess_metrics_put(run->values, "predicted_time_low", one->low));
    TRY(tess_metrics_put(run->values, "predicted_time_high", one->high));
    return tess_metrics_put(run->values, "predicted_launch_time", of_launches * one->seconds);
}

tess_status tess_experiment_store_order(const tess_experiment *like, tess_experiment *out) {
    static const struct {
        tess_field field;
        const char *text;
    } said[] = {{TESS_FIELD_partitioner, "file-order"},
                {TESS_FIELD_renumber, "none"},
                {TESS_FIELD_refine, "0"},
                {TESS_FIELD_partition_on, "host"}};
    TRY(tess_experiment_copy(like, out));
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const tess_status status = tess_experiment_set(out, said[i].field, said[i].text);
        if (status != TESS_OK) {
            tess_experiment_clear(out);
            return status;
        }
    }
    return TESS_OK;
}

bool tess_experiment_shares_stored(const tess_experiment *one, const tess_experiment *other) {
    return tess_experiment_agrees(one, other, TESS_FIELD_block_size) &&
           tess_experiment_agrees(one, other, TESS_FIELD_strategy) &&
           tess_experiment_agrees(one, other, TESS_FIELD_layout);
}

static bool is_again(const tess_expectation *all, const tess_experiment *x) {
    for (int64_t i = 0; i < all->n_stored; i++)
        if (tess_experiment_shares_stored(&all->stored[i]->experiment, x))
            return true;
    return false;
}

/* Plans and predicts the loop as the mesh is stored, in the way of an experiment. What cannot be
 * planned so has no prediction. */
static tess_status add_stored(tess_expectation *all, tess_bench *bench,
                              const tess_experiment *like) {
    tess_status status = TESS_OK;
    tess_prediction one;
    tess_experiment x;
    if (is_again(all, like) || !is_modelled(bench, like))
        return TESS_OK;
    TRY(tess_experiment_store_order(like, &x));
    CHECK(TESS_RESERVE(all->n_stored + 1, &all->capacity, &all->stored));
    CHECK(TESS_ZEROS(1, &all->stored[all->n_stored]));
    stored_order *stored = all->stored[all->n_stored++];
    *stored = (stored_order){.experiment = x};
    x = (tess_experiment){.kind = like->kind};
    CHECK(tess_run_new(&stored->experiment, -1, &stored->run));
    tess_run *run = stored->run;
    if (tess_experiment_plan_beside(bench, run, &run->planned) != TESS_OK)
        goto done;
    CHECK(predict(all, bench, &stored->experiment, run->planned, &one));
    if (like->kind == TESS_CUTTING) {
        CHECK(tess_planned_measure(run->planned, bench->load.bound,
                                   run->experiment->layout.layouts.layout));
        CHECK(tess_run_note_values(bench, NULL, run));
    }
    CHECK(put_times(&one, run));
    tess_run_settle(run);
done:
    tess_experiment_clear(&x);
    return status;
}

static double time_of(const tess_run *run) {
    return run ? tess_run_value(run, "predicted_time") : NAN;
}

/* Whether a stored order stands for a run: blocks that are compared are of one size. */
static bool stands_for(const tess_run *stored, const tess_experiment *x) {
    return x->kind == TESS_RUNNING ||
           tess_experiment_agrees(stored->experiment, x, TESS_FIELD_block_size);
}

/* The fastest of the stored orders that stand for an experiment; NULL: none has a time. */
static const tess_run *fastest_stored(const tess_expectation *all, const tess_experiment *x) {
    const tess_run *best = NULL;
    for (int64_t i = 0; i < all->n_stored; i++) {
        const tess_run *run = all->stored[i]->run;
        if (run && stands_for(run, x) && isfinite(time_of(run)) &&
            (!best || time_of(run) < time_of(best)))
            best = run;
    }
    return best;
}

/* Shows those that are the fastest of what they stand for. */
static tess_status choose_shown(tess_expectation *all) {
    TRY(TESS_ALLOC(all->n_stored, &all->shown));
    for (int64_t i = 0; i < all->n_stored; i++) {
        const tess_run *run = all->stored[i]->run;
        if (fastest_stored(all, run->experiment) == run)
            all->shown[all->n_shown++] = run;
    }
    return TESS_OK;
}

static tess_status add_all(tess_expectation *all) {
    TRY(tess_workload_await_start(&all->bench->load));
    for (int64_t i = 0; i < all->n; i++)
        TRY(add_stored(all, all->bench, &all->experiments[i]));
    return choose_shown(all);
}

static tess_status add_beside(void *expectation) {
    tess_thread_step_aside();
    return add_all(expectation);
}

/* Whether nothing that runs do meanwhile is what is predicted: they are planned on the same bench,
 * and share no plan with the mesh as it is stored. */
static bool may_be_beside(const tess_expectation *all) {
    bool may = true;
    for (int64_t i = 0; i < all->n; i++)
        may = may && all->experiments[i].kind == TESS_RUNNING &&
              tess_bench_fits(all->bench, &all->experiments[i]) &&
              !tess_experiment_is_stored(&all->experiments[i]);
    return may;
}

tess_status tess_expectation_begin(tess_expectation *expectation, tess_bench *bench,
                                   const tess_experiment *experiments, int64_t n) {
    if (expectation->bench)
        return TESS_OK;
    if (n > 0 && experiments[0].kind == TESS_CUTTING && !expectation->cut.state)
        TRY(open_cut(&bench->load, &expectation->cut));
    expectation->bench = bench;
    expectation->experiments = experiments;
    expectation->n = n;
    if (may_be_beside(expectation))
        return tess_errand_begin(add_beside, expectation, &expectation->errand);
    tess_progress_begin("the mesh as it is stored");
    const tess_status status = add_all(expectation);
    tess_progress_end();
    return status;
}

/* Waits for what is predicted beside. */
static tess_status await(const tess_expectation *expectation) {
    return expectation->errand
               ? tess_errand_wait_for(expectation->errand, "the mesh as it is stored")
               : TESS_OK;
}

tess_status tess_expectation_add(const tess_expectation *expectation, const tess_bench *bench,
                                 tess_run *run) {
    tess_prediction one;
    TRY(await(expectation));
    const tess_run *stored = fastest_stored(expectation, run->experiment);
    TRY(predict(expectation, bench, run->experiment, run->planned, &one));
    TRY(put_times(&one, run));
    if (isfinite(one.seconds) && run->record)
        TRY(tess_values_set_text(&run->record->environment, "predicted_for",
                                 tess_expectation_device(expectation)));
    if (!isfinite(one.seconds) || !stored)
        return TESS_OK;
    TRY(tess_metrics_put(run->values, "stored_time", time_of(stored)));
    return tess_metrics_put(run->values, "stored_launch_time",
                            tess_run_value(stored, "predicted_launch_time"));
}

const tess_run *tess_expectation_stored(const tess_expectation *expectation, int64_t i) {
    const bool is_there = await(expectation) == TESS_OK && i < expectation->n_shown;
    return is_there ? expectation->shown[i] : NULL;
}
