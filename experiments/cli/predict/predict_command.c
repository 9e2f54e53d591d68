/* The command `tess predict`: how long variants of a loop would take on a GPU, without one. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "experiments/bench/recording.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/model/expectation.h"
#include "experiments/model/timed_points.h"
#include "experiments/report/evaluation_report.h"
#include "experiments/report/report_columns.h"
#include "experiments/report/table.h"
#include "experiments/report/verdict.h"
#include "experiments/report/wrapped.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const tess_setting_use uses[] = {
    TESS_USES_CANDIDATES,
    {.field = TESS_FIELD_strategy, .is_list = true, .standard = "", .words = "all predictable"},
    {.field = TESS_FIELD_renumber, .standard = "owner"},
    {.field = TESS_FIELD_mesh, .standard = ""},
    TESS_USES_WITHOUT_RANKS,
    TESS_USES_WITHOUT_SAMPLES,
    TESS_LEFT_OUT(device),
    TESS_LEFT_OUT(arithmetic),
    TESS_LEFT_OUT(chain),
    TESS_LEFT_OUT(prove),
};

static const tess_field varied[] = {TESS_FIELD_block_size, TESS_FIELD_partitioner,
                                    TESS_FIELD_layout, TESS_FIELD_strategy};

enum { MOST_ROWS = 20 }; /* of the table, but for that of the mesh as it is stored */

static const char usual_partitioners[] = "file-order,gps,rcb,hilbert,mosaic:level=quick,metis";

static const char doc[] =
    "Predict how long a loop takes on a GPU by each variant: the time, the interval that 90 "
    "% of held-out runs were in, and what bounds it. No GPU is needed and nothing is run; "
    "docs/predict.md has the formula and its limits.\v"
    "Examples:\n"
    "  tess predict airfoil --mesh airfoil:i=400:j=600\n"
    "  tess predict volna --mesh tris:nx=300:ny=300 --partitioner rcb \\\n"
    "      --strategy all --json\n"
    "  tess predict --features lab --into points.json\n"
    "  tess predict --evaluate points.json\n"
    "  tess predict --evaluate points.json --using h200\n"
    "  tess predict --fit points.json --machine h200 --into h200.fit.yaml\n\n"
    "With --lab predictions are archived, source 'model'; they never rank among runs.";

/* What the command works on. */
typedef struct predicting {
    tess_cli_settings asked;
    const char *machine_name, *using, *fit, *evaluate, *features, *into;
    int64_t counted;
    bool assumes; /* registers */
    tess_machine machine;
    tess_predictor predictor;
    tess_fit *used; /* NULL: none */
    tess_product product;
    tess_experiment *stored; /* [n_stored] of the mesh as it is stored; owned */
    int64_t n_stored;
    tess_prediction
        *predictions; /* [product.n], then [n_stored], of which the first stands for all */
    tess_lab *lab;
    int argc;
    char *const *argv;
} predicting;

static const char *const registers[] = {"compiled", "assumed", NULL};

static const tess_option_row more[] = {
    {"machine", 0, "FILE",
     "Numbers of the GPU: a file as docs/predict.md has it, or h100 or h200, which ship (default: "
     "that of a fit that ships, else h200)",
     1, TESS_KEPT(predicting, machine_name)},
    {"using", 0, "FILE",
     "A fit, whose constants and factors are taken in place of the machine's own; none: these "
     "alone (default: h100 or h200 where the machine is)",
     1, TESS_KEPT(predicting, using)},
    {"fit", 0, "LAB",
     "Instead: fit the model to the timed runs of a lab, or of a file that --features wrote", 2,
     TESS_KEPT(predicting, fit)},
    {"evaluate", 0, "LAB",
     "Instead: how far predictions are off for meshes and applications that are left out of the "
     "fit, or by the fit of --using",
     2, TESS_KEPT(predicting, evaluate)},
    {"features", 0, "LAB",
     "Instead: count what predictions need of each timed run, so that it is counted once", 2,
     TESS_KEPT(predicting, features)},
    {"counted", 0, "N",
     "Elements whose accesses are counted; the rest is taken to be alike (default: 1000000; 0: "
     "all)",
     1, TESS_KEPT(predicting, counted), .most = INT32_MAX},
    {"registers", 0, "HOW",
     "A thread's registers: compiled by NVRTC where it is there (default), or assumed, which is "
     "faster",
     1, TESS_KEPT_CHOICE(predicting, assumes, registers)},
    {"into", 0, "FILE", "What --fit and --features write", 2, TESS_KEPT(predicting, into)},
    {0}};

static const tess_command_spec command_spec = {
    .kind = TESS_RUNNING, TESS_USES(uses), .more = more, .doc = doc, .typed = ""};

/* --- predictions ------------------------------------------------------------------------------ */

static tess_status choose(predicting *all) {
    tess_cli_settings *asked = &all->asked;
    TRY(tess_experiment_check(&asked->base));
    const char *strategies = asked->lists[TESS_FIELD_strategy];
    const char **partitioners = &asked->lists[TESS_FIELD_partitioner];
    if (!*strategies || strcmp(strategies, "all") == 0)
        TRY(tess_cli_settings_strategies(asked, true));
    if (strcmp(*partitioners, "all") == 0)
        *partitioners = usual_partitioners;
    return tess_cli_settings_product(asked, varied, sizeof varied / sizeof *varied, &all->product);
}

/* Lists the mesh as it is stored, in each way that is asked for. */
static tess_status choose_stored(predicting *all) {
    TRY(TESS_ZEROS(all->product.n, &all->stored));
    for (int64_t i = 0; i < all->product.n; i++) {
        const tess_experiment *x = &all->product.experiments[i];
        bool again = false;
        for (int64_t k = 0; k < i && !again; k++)
            again = tess_experiment_shares_stored(&all->product.experiments[k], x);
        if (!again)
            TRY(tess_experiment_store_order(x, &all->stored[all->n_stored++]));
    }
    return TESS_OK;
}

/* How many predictions are made. */
typedef struct counting {
    atomic_llong n_done;
    int64_t n;
} counting;

/* Shows it where the thread that is followed made one: within the task of all is that at hand. */
static void note_made(void *context, const tess_prediction *one) {
    counting *made = context;
    (void)one;
    const long long n_done = atomic_fetch_add(&made->n_done, 1) + 1;
    tess_progress_end();
    tess_progress_set(n_done, made->n, NULL);
    tess_progress_begin("counting");
}

static tess_status predict(predicting *all) {
    tess_status status = TESS_OK;
    counting made = {.n = 0};
    tess_bench bench = {.opened = NULL};
    const int64_t n = all->product.n;
    CHECK(choose_stored(all));
    CHECK(TESS_ZEROS(n + all->n_stored, &all->predictions));
    for (int64_t i = 0; i < n; i++)
        all->predictions[i].experiment = &all->product.experiments[i];
    for (int64_t i = 0; i < all->n_stored; i++)
        all->predictions[n + i].experiment = &all->stored[i];
    made.n = n + all->n_stored;
    all->predictor.predicted = note_made;
    all->predictor.context = &made;
    tess_progress_begin("predicting %lld variants", (long long)n);
    tess_progress_begin("opening");
    status = tess_predictions_make(&all->predictor, &bench, all->predictions, made.n);
    tess_progress_end();
    tess_progress_end();
    CHECK(status);
    tess_predictions_sort(all->predictions, n);
    tess_predictions_sort(all->predictions + n, all->n_stored);
done:
    all->predictor.predicted = NULL;
    tess_bench_close(&bench);
    return status;
}

static double launch_seconds(const tess_prediction *one) {
    return one->seconds * one->time.terms[TESS_TERM_LAUNCHES] / one->time.seconds;
}

/* The fastest way to take the mesh as it is stored; NULL: none has a prediction. */
static const tess_prediction *stored_of(const predicting *all) {
    const tess_prediction *first = &all->predictions[all->product.n];
    return all->n_stored > 0 && !first->failure && isfinite(first->seconds) ? first : NULL;
}

/* A record without samples, whose one time says that it is the model's. */
static tess_status archive(const predicting *all, const tess_prediction *one) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(tess_record_new(all->argc, all->argv, &record));
    CHECK(tess_record_experiment(record, one->experiment));
    CHECK(tess_record_add_measure(record, "predicted_time", "s", "model", one->seconds));
    if (isfinite(one->low)) {
        CHECK(tess_record_add_measure(record, "predicted_time_low", "s", "model", one->low));
        CHECK(tess_record_add_measure(record, "predicted_time_high", "s", "model", one->high));
    }
    if (stored_of(all)) {
        const tess_prediction *stored = stored_of(all);
        CHECK(tess_record_add_measure(record, "stored_time", "s", "model", stored->seconds));
        CHECK(tess_record_add_measure(record, "stored_launch_time", "s", "model",
                                      launch_seconds(stored)));
    }
    CHECK(tess_values_set_text(&record->environment, "predicted_for", all->machine.device));
    CHECK(tess_values_set_text(&record->configuration, "machine", all->machine.name));
    CHECK(tess_record_set_check(record, TESS_UNCHECKED, "predicted: nothing was run"));
    CHECK(tess_lab_store_run(all->lab, record));
done:
    tess_record_free(record);
    return status;
}

static tess_status archive_all(predicting *all) {
    if (!all->asked.lab)
        return TESS_OK;
    TRY(tess_cli_settings_lab(&all->asked, &all->lab));
    for (int64_t i = 0; all->lab && i < all->product.n; i++)
        if (!all->predictions[i].failure)
            TRY(archive(all, &all->predictions[i]));
    return TESS_OK;
}

/* --- reports ---------------------------------------------------------------------------------- */

static json_t *prediction_json(const tess_prediction *one, int rank) {
    const tess_experiment *x = one->experiment;
    json_t *object = json_pack("{s:I, s:o, s:s, s:s}", "block_size", (json_int_t)x->block_size,
                               "partitioner", tess_json_text(x->partitioner.text), "strategy",
                               x->strategy.text, "layout", x->layout.text);
    if (one->failure) {
        json_object_set_new(object, "failure", tess_json_text(one->failure));
        return object;
    }
    json_t *terms = json_object();
    for (tess_term term = 0; term < TESS_N_TERMS; term++)
        json_object_set_new(terms, tess_term_name(term), json_real(one->time.terms[term]));
    json_object_set_new(object, "rank", json_integer(rank));
    json_object_set_new(object, "seconds", json_real(one->seconds));
    json_object_set_new(object, "low", tess_json_number(one->low));
    json_object_set_new(object, "high", tess_json_number(one->high));
    json_object_set_new(object, "bound", json_string(tess_term_name(one->time.bound)));
    json_object_set_new(object, "is_fitted", json_boolean(one->is_fitted));
    json_object_set_new(object, "registers_from",
                        json_string(one->compiled ? "compiled" : "assumed"));
    json_object_set_new(object, "terms", terms);
    json_object_set_new(object, "features", tess_features_json(&one->features));
    json_object_set_new(object, "features_seconds", json_real(one->cost));
    return object;
}

/* "mosaic", " by atomics (soa) in blocks of 128". */
static tess_status row_of(const tess_prediction *one, bool is_stored, tess_verdict_row *out) {
    const tess_experiment *x = one->experiment;
    char *detail = NULL;
    TRY(tess_text_print(&detail, " by %s (%s) in blocks of %lld", x->strategy.text, x->layout.text,
                        (long long)x->block_size));
    *out = tess_verdict_row_of(x->partitioner.text, x->partitioner.text,
                               one->failure ? NAN : one->seconds);
    out->detail = detail;
    out->launch_seconds = launch_seconds(one);
    out->is_stored = is_stored;
    return TESS_OK;
}

/* Which variant is the fastest, and what it gains; the caller frees it. */
static tess_status verdict_of(const predicting *all, char **out) {
    tess_status status = TESS_OK;
    tess_verdict_row *rows = NULL;
    int64_t n = 0;
    tess_printed words;
    CHECK(TESS_ZEROS(all->product.n + 1, &rows));
    for (; n < all->product.n; n++)
        CHECK(row_of(&all->predictions[n], false, &rows[n]));
    if (stored_of(all))
        CHECK(row_of(stored_of(all), true, &rows[n++]));
    CHECK(tess_printed_open(&words));
    tess_verdict_print(rows, n, all->machine.device, words.stream);
    status = tess_printed_close(&words, TESS_OK, out);
done:
    for (int64_t i = 0; i < n; i++)
        free((char *)(uintptr_t)rows[i].detail);
    free(rows);
    return status;
}

static tess_status print_json(const predicting *all) {
    json_t *list = json_array();
    for (int64_t i = 0; i < all->product.n; i++)
        json_array_append_new(list, prediction_json(&all->predictions[i], (int)i + 1));
    char *verdict = NULL;
    TRY(verdict_of(all, &verdict));
    const tess_prediction *stored = stored_of(all);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s?, s:s, s:o}", "schema", "tess.predict/1", "machine",
                  all->machine.name, "device", all->machine.device, "fit",
                  all->used ? all->used->machine : NULL, "verdict", verdict, "predictions", list);
    if (stored)
        json_object_set_new(object, "stored", prediction_json(stored, 0));
    free(verdict);
    return tess_json_print(object);
}

static tess_status add_prediction(const predicting *all, const tess_prediction *one,
                                  tess_table *table) {
    TRY(tess_table_add_variant(table, one->experiment));
    TRY(tess_table_add_cell(table, "%.4g", 1e3 * one->seconds));
    TRY(tess_table_add_interval(table, "%.3g .. %.3g", 1e3 * one->low, 1e3 * one->high));
    TRY(tess_table_add_cell(table, "%s", tess_term_name(one->time.bound)));
    return tess_table_add_cell(table, "%s",
                               all->used && !one->is_fitted ? "outside of the fit" : "");
}

/* Why variants have no prediction, each reason once. */
static void print_failures(const predicting *all) {
    const tess_prediction *list = all->predictions;
    for (int64_t i = 0; i < all->product.n; i++) {
        int64_t n = 0, first = i;
        for (int64_t j = 0; j < all->product.n && list[i].failure; j++)
            if (list[j].failure && strcmp(list[j].failure, list[i].failure) == 0) {
                first = j < first ? j : first;
                n++;
            }
        if (n == 0 || first < i)
            continue;
        const tess_experiment *x = list[i].experiment;
        if (n == 1)
            printf("No prediction for %s by %s: %s\n", x->partitioner.text, x->strategy.text,
                   list[i].failure);
        else
            printf("No prediction for %lld variants, the first %s by %s: %s\n", (long long)n,
                   x->partitioner.text, x->strategy.text, list[i].failure);
    }
}

static tess_status print_predicted(const predicting *all) {
    static const char *const titles[] = {">block size", "partitioner",    "strategy", "layout",
                                         ">ms",         ">90 % interval", "bound by", "",
                                         NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    char *verdict = NULL;
    int64_t n = 0;
    CHECK(verdict_of(all, &verdict));
    CHECK(tess_table_new(titles, &table));
    if (stored_of(all))
        CHECK(add_prediction(all, stored_of(all), table));
    for (int64_t i = 0; i < all->product.n; i++)
        if (!all->predictions[i].failure && ++n <= MOST_ROWS)
            CHECK(add_prediction(all, &all->predictions[i], table));
    CHECK(tess_table_print(table, stdout));
    if (n > MOST_ROWS)
        printf("%lld slower ones, up to %.4g ms: --json has all\n", (long long)n - MOST_ROWS,
               1e3 * all->predictions[n - 1].seconds);
    if (*verdict) {
        char *sentence = NULL;
        CHECK(tess_text_print(&sentence, "%s.", verdict));
        fputc('\n', stdout);
        tess_wrapped_print(sentence, 0, tess_terminal_width(stdout), stdout);
        free(sentence);
    }
    printf("\nPredicted for %s (%s) by %s; registers are %s. Nothing was run.\n",
           all->machine.device, all->machine.name,
           all->used ? "a fit to its runs" : "the machine's own constants, without a fit",
           all->predictor.compiler ? "compiled" : "assumed");
done:
    tess_table_free(table);
    free(verdict);
    return status;
}

/* Fails (USAGE) where no variant has a prediction, after what there is to say of them. */
static tess_status print_all(const predicting *all) {
    const bool json = all->asked.common.json;
    int64_t n_failed = 0;
    for (int64_t i = 0; i < all->product.n; i++)
        n_failed += all->predictions[i].failure != NULL;
    if (json || n_failed < all->product.n)
        TRY(json ? print_json(all) : print_predicted(all));
    if (!json)
        print_failures(all);
    if (n_failed == all->product.n)
        FAIL(TESS_ERROR_USAGE, "none of the %lld variants can be predicted", (long long)n_failed);
    return TESS_OK;
}

/* --- fits ------------------------------------------------------------------------------------- */

static void note_progress(int n_done, int n) {
    tess_progress_set(n_done, n, NULL);
}

static tess_status note_commit(const predicting *all, tess_fit *fit) {
    tess_record *record = NULL;
    TRY(tess_record_new(all->argc, all->argv, &record));
    snprintf(fit->commit, sizeof fit->commit, "%s",
             tess_values_text(&record->environment, "commit"));
    tess_record_free(record);
    return TESS_OK;
}

static tess_status make_fit(const predicting *all, const tess_timed_points *points) {
    tess_status status = TESS_OK;
    double *predicted = NULL;
    tess_fit *fit = NULL;
    CHECK(TESS_ZEROS(points->n, &predicted));
    CHECK(TESS_ZEROS(1, &fit));
    CHECK(
        tess_fit_hold_out(&all->machine, points->points, points->n, TESS_HELD_OUT_MESH, predicted));
    CHECK(tess_fit_make(&all->machine, points->points, points->n, NULL, fit));
    CHECK(tess_fit_find_errors(points->points, points->n, predicted, fit->errors, &fit->n_errors));
    CHECK(note_commit(all, fit));
    CHECK(tess_fit_write(fit, all->into));
done:
    free(fit);
    free(predicted);
    return status;
}

/* What is made of the timed runs of a lab. */
static tess_status use_points(const predicting *all) {
    tess_status status = TESS_OK;
    tess_timed_points points = {.n = 0};
    const char *lab = all->fit ? all->fit : all->evaluate ? all->evaluate : all->features;
    tess_progress_begin("features of runs");
    status = tess_timed_points_read(lab, &all->predictor, note_progress, &points);
    tess_progress_end();
    CHECK(status);
    if (all->features)
        CHECK(tess_timed_points_write(&points, all->into));
    else if (all->fit)
        CHECK(make_fit(all, &points));
    else if (all->used)
        CHECK(tess_evaluation_print_fit(all->used, &points, all->asked.common.json));
    else
        CHECK(tess_evaluation_print(&all->machine, &points, all->asked.common.json));
    if (all->into && !all->asked.common.quiet)
        fprintf(stderr, "%s: %d points (%d rows left out)\n", all->into, points.n,
                points.n_left_out);
done:
    tess_timed_points_clear(&points);
    return status;
}

static tess_status check_options(const predicting *all) {
    const int n = (all->fit != NULL) + (all->evaluate != NULL) + (all->features != NULL);
    if (n > 1)
        FAIL(TESS_ERROR_USAGE, "--fit, --evaluate and --features are one each");
    if ((all->fit || all->features) && !all->into)
        FAIL(TESS_ERROR_USAGE, "--%s needs --into FILE", all->fit ? "fit" : "features");
    if (all->into && !all->fit && !all->features)
        FAIL(TESS_ERROR_USAGE, "--into is for --fit and --features");
    const tess_experiment *x = &all->asked.base;
    if (n == 1 && (x->application || x->kernel || x->mesh))
        FAIL(TESS_ERROR_USAGE, "--fit, --evaluate and --features take loops and meshes from the "
                               "runs: leave out APPLICATION, --kernel and --mesh");
    if (all->using && (all->fit || all->features))
        FAIL(TESS_ERROR_USAGE, "--fit and --features make no use of a fit: leave out --using");
    return all->into ? tess_whole_file_check(all->into) : TESS_OK;
}

static const char *machine_name(const predicting *all) {
    if (all->machine_name)
        return all->machine_name;
    return all->using && tess_fit_ships(all->using) ? all->using : "h200";
}

/* The fit that is used where none is said: that which ships by the machine's name. */
static void choose_fit(predicting *all) {
    if (!all->using && !all->fit && !all->evaluate && !all->features &&
        tess_fit_ships(machine_name(all)))
        all->using = machine_name(all);
    if (all->using && strcmp(all->using, "none") == 0)
        all->using = NULL;
}

static tess_status read_numbers(predicting *all) {
    choose_fit(all);
    TRY(tess_machine_read(machine_name(all), &all->machine));
    TRY(tess_machine_check(&all->machine));
    all->predictor = (tess_predictor){.machine = &all->machine, .most_elements = all->counted};
    if (!all->assumes && !all->fit && !all->evaluate)
        tess_predictor_open_compiler(&all->predictor);
    if (!all->using)
        return TESS_OK;
    TRY(TESS_ZEROS(1, &all->used));
    TRY(tess_fit_read(all->using, all->used));
    all->predictor.fit = all->used;
    return tess_fail_at(tess_fit_check(all->used, &all->machine), "%s", all->using);
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    predicting all = {.counted = TESS_MOST_COUNTED, .argc = argc, .argv = argv};
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &all.asked, &all));
    CHECK(check_options(&all));
    CHECK(read_numbers(&all));
    if (all.fit || all.evaluate || all.features) {
        CHECK(use_points(&all));
        goto done;
    }
    CHECK(choose(&all));
    CHECK(predict(&all));
    CHECK(archive_all(&all));
    CHECK(print_all(&all));
done:
    tess_predictor_close_compiler(&all.predictor);
    tess_predictions_clear(all.predictions, all.product.n + all.n_stored);
    free(all.predictions);
    for (int64_t i = 0; i < all.n_stored; i++)
        tess_experiment_clear(&all.stored[i]);
    free(all.stored);
    free(all.used);
    tess_product_clear(&all.product);
    tess_lab_close(all.lab);
    tess_cli_settings_clear(&all.asked);
    return status;
}

const tess_command tess_command_predict = {
    .name = "predict",
    .summary = "Predict how long variants of a loop would take on a GPU",
    .run = run};
