/* A tuning: what `tess tune` is asked for, and a search of it. */
#include "experiments/cli/tuning.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/progress.h"
#include "core/base/shell_word.h"
#include "core/base/stream_text.h"
#include "core/plan/quantity.h"
#include "experiments/model/expectation.h"
#include <stdlib.h>
#include <string.h>

/* The slowest first: strategies vary fastest, on blocks that they share. */
static const tess_field varied[] = {TESS_FIELD_block_size, TESS_FIELD_partitioner,
                                    TESS_FIELD_layout, TESS_FIELD_strategy};

/* Refuses a fit of another GPU. */
static tess_status check_gpu(void *context, const tess_bench *bench) {
    const tess_tune *search = context;
    const char *gpu = bench->device->model(bench->target);
    if (strcmp(search->fit->device, gpu) != 0)
        FAIL(TESS_ERROR_INPUT,
             "the fit is of the GPU '%s', and this one is '%s': make one of its own runs with "
             "'tess predict --fit LAB --machine FILE --into FIT'",
             search->fit->device, gpu);
    return TESS_OK;
}

tess_status tess_tuning_check(tess_tuning *tuning) {
    const tess_experiment *x = &tuning->asked.base;
    TRY(tess_experiment_check(x));
    const tess_device *device = tess_experiment_device(x);
    tuning->by = tuning->by ? tess_recorded_name(tuning->by) : NULL;
    if (tuning->by && strcmp(tuning->by, "median_time") == 0)
        tuning->by = NULL; /* as without --by */
    if (tuning->predict && !device->model)
        FAIL(TESS_ERROR_USAGE,
             "--predict is for --device cuda: a fit is of a GPU, not of device %s", device->name);
    if (!tuning->by && device->emulates)
        FAIL(TESS_ERROR_USAGE, "the emulator's times say nothing of a GPU: choose by a metric, say "
                               "--by read_sectors");
    if (tuning->by && !tess_metric_find(tuning->by))
        FAIL(TESS_ERROR_USAGE, "there is no metric '%s'; 'tess list metrics' names them",
             tuning->by);
    if (tuning->by && tess_metric_find(tuning->by)->better == 0)
        FAIL(TESS_ERROR_USAGE, "neither a small nor a large '%s' is better: choose another metric",
             tuning->by);
    if (tuning->output && !tuning->step)
        FAIL(TESS_ERROR_USAGE, "--output is where --step writes the settings of a step");
    tuning->search.metric = tuning->by;
    tuning->asked.base.samples = tuning->by ? 0 : 1;
    if (!tuning->predict)
        return TESS_OK;
    tuning->search.fit = &tuning->fit;
    tuning->search.opened = check_gpu;
    return tess_fit_read(tuning->predict, &tuning->fit);
}

static void show(const tess_tune *search, const char *words) {
    const double taken = 1e3 * (tess_clock_seconds() - search->began);
    if (words)
        tess_progress_set((int64_t)taken + 1, (int64_t)(1e3 * search->budget), "%s", words);
}

/* Adds the mesh as it is stored, by the first strategy: what the winner is compared with. */
static tess_status add_stored(tess_tuning *tuning) {
    tess_product *product = &tuning->product;
    int64_t capacity = product->n;
    for (int64_t i = 0; i < product->n; i++)
        if (tess_experiment_is_stored(&product->experiments[i]))
            return TESS_OK;
    TRY(TESS_RESERVE(product->n + 1, &capacity, &product->experiments));
    TRY(tess_experiment_store_order(&product->experiments[0], &product->experiments[product->n]));
    product->n++;
    tuning->search.has_stored = true;
    return TESS_OK;
}

/* Every name is checked before anything runs. */
static tess_status list_candidates(tess_tuning *tuning) {
    tess_cli_settings *asked = &tuning->asked;
    if (!asked->said[TESS_FIELD_strategy]) /* those of another loop may be listed */
        TRY(tess_cli_settings_strategies(asked, false));
    TRY(tess_cli_settings_product(asked, varied, sizeof varied / sizeof *varied, &tuning->product));
    const bool only_these = tuning->by || tuning->step || asked->said[TESS_FIELD_partitioner];
    return only_these ? TESS_OK : add_stored(tuning);
}

tess_status tess_tuning_search(tess_tuning *tuning) {
    tess_campaign_options options =
        tess_cli_settings_options(&tuning->asked, tuning->argc, tuning->argv, tuning->lab);
    options.bench.view = false;
    tuning->search.show = show;
    TRY(list_candidates(tuning));
    tess_cli_settings_tell_load(&tuning->asked);
    tess_progress_begin("candidates");
    const tess_status status = tess_tune_run(&tuning->search, &tuning->product, &options);
    tess_progress_end();
    if (tuning->search.campaign.bench.load.mesh)
        tess_cli_settings_tell_mesh(&tuning->asked, tuning->search.campaign.bench.load.mesh);
    return status;
}

tess_status tess_tuning_fail_without_best(const tess_tuning *tuning) {
    int n_passed = 0;
    const char *why = NULL;
    for (int i = 0; i < tuning->search.n; i++) {
        const tess_candidate *one = &tuning->search.candidates[i];
        n_passed += one->position >= TESS_STANDING_SLOWER;
        why = !why && one->run ? one->run->failure : why;
    }
    if (n_passed == 0)
        FAIL(TESS_ERROR_CHECK, "none of the candidates passed%s%s", why ? ": " : "",
             why ? why : "");
    FAIL(TESS_ERROR_USAGE,
         "%d of the candidates passed, and none has a '%s' on %s: 'tess explain %s' says where it "
         "is counted",
         n_passed, tuning->by, tuning->asked.base.device, tuning->by);
}

/* Whether a line has a setting whatever it is: what was varied, and defaults that commands differ
 * in. */
static bool is_told(tess_field field, tess_tuned_command of) {
    for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
        if (varied[i] == field)
            return true;
    return of == TESS_TUNED_MARCH && field == TESS_FIELD_device;
}

/* Whether the command has the option. */
static bool is_option(tess_field field, tess_tuned_command of) {
    const bool measures =
        field == TESS_FIELD_cache || field == TESS_FIELD_graph || field == TESS_FIELD_counters;
    const bool is_here = field == TESS_FIELD_device || field == TESS_FIELD_partition_on;
    return tess_field_is_of(field, TESS_RUNNING) && tess_fields[field].help &&
           field != TESS_FIELD_samples && !(of != TESS_TUNED_RUN && measures) &&
           !(of == TESS_TUNED_EMIT && is_here);
}

static tess_status print_setting(const tess_experiment *experiment, tess_field field,
                                 tess_tuned_command of, FILE *stream) {
    const char *standard = tess_fields[field].standard[TESS_RUNNING];
    char option[TESS_NAME_SIZE], *text = NULL;
    TRY(tess_experiment_text(experiment, field, &text));
    if (*text && (is_told(field, of) || !standard || strcmp(text, standard) != 0)) {
        tess_field_option(field, option);
        if (field == TESS_FIELD_application)
            putc(' ', stream);
        else
            fprintf(stream, " --%s=", option);
        tess_shell_word_print(text, stream);
    }
    free(text);
    return TESS_OK;
}

tess_status tess_tuning_line(const tess_experiment *experiment, tess_tuned_command of, char **out) {
    static const char *const commands[] = {
        [TESS_TUNED_RUN] = "run", [TESS_TUNED_MARCH] = "march", [TESS_TUNED_EMIT] = "emit"};
    tess_status status = TESS_OK;
    tess_printed line;
    *out = NULL;
    if (of == TESS_TUNED_EMIT &&
        (experiment->strategy.plugin->one_thread || tess_experiment_is_ranked(experiment)))
        return TESS_OK;
    TRY(tess_printed_open(&line));
    fprintf(line.stream, "tess %s", commands[of]);
    for (tess_field field = 0; field < TESS_N_FIELDS && status == TESS_OK; field++)
        if (is_option(field, of))
            status = print_setting(experiment, field, of, line.stream);
    if (of == TESS_TUNED_EMIT)
        fprintf(line.stream, " -o %s", experiment->application ? experiment->application : "mine");
    return tess_printed_close(&line, status, out);
}
