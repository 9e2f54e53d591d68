/* The command `tess tune`: find the best way to run a loop within a budget. */
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/shell_word.h"
#include "core/plan/quantity.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/report/tune_report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tess_setting_use uses[] = {
    {.field = TESS_FIELD_block_size, .is_list = true, .standard = "128,256"},
    {.field = TESS_FIELD_partitioner, .is_list = true, .standard = "rcb,mosaic:level=quick,gps"},
    {.field = TESS_FIELD_layout, .is_list = true, .standard = "soa,aos"},
    {.field = TESS_FIELD_strategy, .is_list = true, .standard = "", .words = "those that may win"},
    {.field = TESS_FIELD_renumber,
     .standard = "owner",
     .words = "owner, so that candidates on the same blocks share a plan"},
    TESS_USES_WITHOUT_RANKS,
    {.field = TESS_FIELD_samples, .left_out = true}, /* how many, the race says */
};

/* The slowest first: strategies vary fastest, on blocks that they share. */
static const tess_field varied[] = {TESS_FIELD_block_size, TESS_FIELD_partitioner,
                                    TESS_FIELD_layout, TESS_FIELD_strategy};

static const char doc[] =
    "Find the best partitioner, strategy, layout and block size for a loop within a budget. Each "
    "candidate is checked; all are timed in turns, and those that are surely slower than the best "
    "leave the race while the others take more samples. A tie is called a tie.\v"
    "Examples:\n"
    "  tess tune airfoil --mesh airfoil:i=400:j=600 --device cuda --budget 60s\n"
    "  tess tune airfoil --mesh naca0012_inv.su2.xz --device host \\\n"
    "      --strategy sequential,openmp\n"
    "  tess tune volna --mesh tris:nx=50:ny=50 --by read_sectors\n\n"
    "All runs are archived, so that 'tess best' and 'tess compare' find them.";

/* What the command works on. */
typedef struct tuning {
    tess_cli_settings asked;
    const char *by, *predict;
    tess_fit fit;
    tess_lab *lab;
    tess_product product;
    tess_tune search;
} tuning;

/* "60", "60s" or "5m" as seconds. */
static tess_status read_budget(const char *option, const char *text, void *budget) {
    (void)option;
    double *seconds = budget;
    char *end = NULL;
    *seconds = strtod(text, &end);
    if (end != text && strcmp(end, "m") == 0)
        *seconds *= 60;
    else if (end == text || (*end && strcmp(end, "s") != 0))
        *seconds = NAN;
    if (!(*seconds > 0) || !isfinite(*seconds))
        FAIL(TESS_ERROR_USAGE, "--budget takes a time, say 60s or 5m, not '%s'", text);
    return TESS_OK;
}

static const tess_option_row more[] = {
    {"budget", 0, "SECONDS", "Time to search in, say 60s or 5m (default: 60s)", 1,
     TESS_READ_BY(read_budget, tuning, search.budget)},
    {"by", 0, "METRIC",
     "Choose by a metric in place of time: needed on the emulator, say read_sectors", 1,
     TESS_KEPT(tuning, by)},
    {"early", 0, NULL,
     "End when all have been tried and the slower ones are out: what is left of the budget else "
     "goes into samples of those that tie, until one of them wins, and of a winner and those "
     "within "
     "a tenth of it, until half of the budget was spent on the device",
     1, TESS_KEPT(tuning, search.early)},
    {"predict", 0, "FIT",
     "Try the most hopeful ways first, by a fit of 'tess predict --fit' for this GPU, whose "
     "predictions each run corrects",
     1, TESS_KEPT(tuning, predict)},
    {"runs", 0, "N", "Try at most so many candidates, as they are ordered", 1,
     TESS_KEPT(tuning, search.n_runs), .least = 1, .most = INT32_MAX},
    {0}};

static const tess_command_spec command_spec = {
    .kind = TESS_RUNNING, TESS_USES(uses), .more = more, .doc = doc};

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

/* Makes the list of candidates: every name is checked before anything runs. */
static tess_status choose(tuning *all) {
    tess_cli_settings *asked = &all->asked;
    TRY(tess_experiment_check(&asked->base));
    const tess_device *device = tess_experiment_device(&asked->base);
    all->by = all->by ? tess_recorded_name(all->by) : NULL;
    if (all->by && strcmp(all->by, "median_time") == 0)
        all->by = NULL; /* as without --by */
    if (all->predict && !device->model)
        FAIL(TESS_ERROR_USAGE,
             "--predict is for --device cuda: a fit is of a GPU, not of device %s", device->name);
    if (!all->by && device->emulates)
        FAIL(TESS_ERROR_USAGE, "the emulator's times say nothing of a GPU: choose by a metric, say "
                               "--by read_sectors");
    if (all->by && !tess_metric_find(all->by))
        FAIL(TESS_ERROR_USAGE, "there is no metric '%s'; 'tess list metrics' names them", all->by);
    if (all->by && tess_metric_find(all->by)->better == 0)
        FAIL(TESS_ERROR_USAGE, "neither a small nor a large '%s' is better: choose another metric",
             all->by);
    if (!*asked->lists[TESS_FIELD_strategy])
        TRY(tess_cli_settings_strategies(asked, false));
    if (all->predict) {
        TRY(tess_fit_read(all->predict, &all->fit));
        all->search.fit = &all->fit;
        all->search.opened = check_gpu;
    }
    asked->base.samples = all->by ? 0 : 1;
    return tess_cli_settings_product(asked, varied, sizeof varied / sizeof *varied, &all->product);
}

static void show(const tess_tune *search, const char *what, int64_t i, int64_t n) {
    const double taken = 1e3 * (tess_clock_seconds() - search->began);
    if (what)
        tess_progress_set((int64_t)taken + 1, (int64_t)(1e3 * search->budget), "%s %lld/%lld", what,
                          (long long)i, (long long)n);
}

/* The command that runs a candidate again: what `tess run` does not do by itself. */
static tess_status print_again(const tess_experiment *experiment) {
    printf("\nThe first again: tess run");
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        const tess_field_about *about = &tess_fields[field];
        char option[TESS_NAME_SIZE], *text = NULL;
        if (!tess_field_is_of(field, TESS_RUNNING) || !about->help || field == TESS_FIELD_samples)
            continue;
        bool told = field == TESS_FIELD_renumber;
        for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
            told = told || varied[i] == field;
        TRY(tess_experiment_text(experiment, field, &text));
        if (*text && (told || !about->standard[TESS_RUNNING] ||
                      strcmp(text, about->standard[TESS_RUNNING]) != 0)) {
            tess_field_option(field, option);
            if (field == TESS_FIELD_application)
                putchar(' ');
            else
                printf(" --%s=", option);
            tess_shell_word_print(text, stdout);
        }
        free(text);
    }
    putchar('\n');
    return TESS_OK;
}

static tess_status report(const tuning *all) {
    const tess_tune *search = &all->search;
    if (!all->asked.common.json) {
        TRY(tess_tune_report_print(search, stdout));
        return search->best >= 0 ? print_again(search->candidates[0].experiment) : TESS_OK;
    }
    const bool won = search->best >= 0 && search->n_ties == 0;
    return tess_json_print(json_pack(
        "{s:s, s:s, s:f, s:b, s:i, s:o, s:o, s:o}", "schema", "tess.tune/1", "by",
        search->metric ? search->metric : "time", "budget", search->budget, "won", won, "ties",
        search->n_ties, "lab", tess_json_text(all->lab ? tess_lab_folder(all->lab) : NULL), "spent",
        tess_tune_spent_json(search), "candidates", tess_tune_candidates_json(search)));
}

/* Why there is no best: the metric has no value in runs that passed, or none did. */
static tess_status fail_without_best(const tuning *all) {
    int n_passed = 0;
    for (int i = 0; i < all->search.n; i++)
        n_passed += all->search.candidates[i].position >= TESS_STANDING_SLOWER;
    if (n_passed == 0)
        FAIL(TESS_ERROR_CHECK, "none of the candidates passed");
    FAIL(TESS_ERROR_USAGE,
         "%d of the candidates passed, and none has a '%s' on %s: 'tess explain %s' says where it "
         "is counted",
         n_passed, all->by, all->asked.base.device, all->by);
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static tuning all; /* a fit is large */
    all = (tuning){.search = {.budget = 60, .began = tess_clock_seconds(), .best = -1}};
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &all.asked, &all));
    tess_interrupts_note();
    CHECK(choose(&all));
    CHECK(tess_cli_settings_lab(&all.asked, &all.lab));
    tess_campaign_options options = tess_cli_settings_options(&all.asked, argc, argv, all.lab);
    options.bench.view = false;
    all.search.metric = all.by;
    all.search.show = show;
    tess_progress_begin("candidates");
    status = tess_tune_run(&all.search, &all.product, &options);
    tess_progress_end();
    if (status != TESS_OK && status != TESS_ERROR_INTERRUPTED)
        goto done;
    const tess_status printed = report(&all);
    CHECK(printed != TESS_OK ? printed : status);
    if (all.search.best < 0)
        CHECK(fail_without_best(&all));
done:
    status = tess_tune_close(&all.search, status);
    tess_product_clear(&all.product);
    tess_lab_close(all.lab);
    tess_cli_settings_clear(&all.asked);
    return status;
}

const tess_command tess_command_tune = {
    .name = "tune", .summary = "Find the best way to run a loop within a budget", .run = run};
