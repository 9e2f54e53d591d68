/* The command `tess tune`: find the best way to run a loop within a budget. */
#include "core/base/argument.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/bench/step.h"
#include "experiments/cli/tuning.h"
#include "experiments/report/tune_report.h"
#include "kernels/loops/user_step.h"
#include <stdlib.h>

static const tess_setting_use uses[] = {
    TESS_USES_CANDIDATES,
    {.field = TESS_FIELD_strategy,
     .is_list = true,
     .standard = "",
     .words = "the fastest candidates"},
    {.field = TESS_FIELD_renumber,
     .standard = "owner",
     .words = "owner, so that candidates on the same blocks share a plan"},
    TESS_USES_WITHOUT_RANKS,
    TESS_LEFT_OUT(samples), /* how many, the race says */
    TESS_LEFT_OUT(chain),
};

static const char doc[] =
    "Find the best partitioner, strategy, layout and block size for a loop within a budget. Each "
    "candidate is checked; all are timed in turns, and those that are surely slower than the best "
    "leave the race while the others take more samples. A tie is called a tie. The mesh as it is "
    "stored is timed beside them, where no --partitioner is said.\v"
    "Examples:\n"
    "  tess tune airfoil --mesh airfoil:i=400:j=600 --device cuda --budget 60s\n"
    "  tess tune volna --mesh north_sea.msh.xz --device host \\\n"
    "      --strategy sequential,openmp\n"
    "  tess tune volna --mesh tris:nx=50:ny=50 --by read_sectors\n"
    "the settings of all loops of a step, then the step with them:\n"
    "  tess tune airfoil --mesh airfoil:i=400:j=600 --device cuda --step --budget 5m\n"
    "  tess march airfoil --mesh airfoil:i=400:j=600 --settings airfoil.step.yaml\n\n"
    "All runs are archived, so that 'tess best' and 'tess compare' find them.";

static tess_status read_budget(const char *option, const char *text, void *budget) {
    return tess_argument_seconds(option, text, budget);
}

static const tess_option_row more[] = {
    {"budget", 0, "SECONDS", "Time to search in, say 60s or 5m (default: 60s)", 1,
     TESS_READ_BY(read_budget, tess_tuning, search.budget)},
    {"by", 0, "METRIC",
     "Choose by a metric in place of time: needed on the emulator, say read_sectors", 1,
     TESS_KEPT(tess_tuning, by)},
    {"early", 0, NULL,
     "End when all have been tried and the slower ones are out: what is left of the budget else "
     "goes into samples of those that tie, until one of them wins, and of a winner and those "
     "within "
     "a tenth of it, until half of the budget was spent on the device",
     1, TESS_KEPT(tess_tuning, search.early)},
    {"predict", 0, "FIT",
     "Try the most hopeful variants first, by a fit of 'tess predict --fit' for this GPU, whose "
     "predictions each run corrects",
     1, TESS_KEPT(tess_tuning, predict)},
    {"step", 0, NULL,
     "Tune all loops of a time step, those that take most of it first and longest, and write what "
     "'tess march --settings' takes",
     1, TESS_KEPT(tess_tuning, step)},
    {"output", 'o', "FILE",
     "Write the settings of a step there, where no file is yet (default: APPLICATION.step.yaml, or "
     "the next name that is free)",
     1, TESS_KEPT(tess_tuning, output)},
    {"runs", 0, "N", "Try at most so many candidates, as they are ordered", 1,
     TESS_KEPT(tess_tuning, search.n_runs), .least = 1, .most = INT32_MAX},
    {0}};

static const tess_command_spec command_spec = {
    .kind = TESS_RUNNING, TESS_USES(uses), .more = more, .doc = doc, .typed = "budget,step"};

/* Gives the line that marches with the winner; NULL where its loop is one of a user's that is of no
 * step. Fails (USAGE) where it is no part of an application's. */
static tess_status march_line(const tess_experiment *winner, char **out) {
    tess_step step = {.n = 0};
    *out = NULL;
    if (winner->kernel && !tess_user_step_is(winner->kernel))
        return TESS_OK;
    TRY(tess_step_build(winner, &step));
    tess_step_clear(&step);
    return tess_tuning_line(winner, TESS_TUNED_MARCH, out);
}

/* How the winner is run again and marched: the last lines. */
static tess_status print_winner(const tess_experiment *winner) {
    char *run = NULL, *march = NULL, *emit = NULL;
    TRY(tess_tuning_line(winner, TESS_TUNED_RUN, &run));
    printf("\nThe first again: %s\n", run);
    free(run);
    TRY(tess_tuning_line(winner, TESS_TUNED_EMIT, &emit));
    if (emit)
        printf("Take it home: %s\n", emit);
    free(emit);
    const tess_status status = march_line(winner, &march);
    if (status == TESS_ERROR_USAGE)
        printf("It cannot be marched: %s\n", tess_message());
    else if (march)
        printf("March with it: %s\n", march);
    free(march);
    return status == TESS_ERROR_USAGE ? TESS_OK : status;
}

static tess_status report_json(const tess_tuning *all) {
    const tess_tune *search = &all->search;
    const bool won = search->best >= 0 && search->n_ties == 0;
    json_t *report = json_pack(
        "{s:s, s:s, s:f, s:b, s:i, s:o, s:o, s:o}", "schema", "tess.tune/1", "by",
        search->metric ? search->metric : "time", "budget", search->budget, "won", won, "ties",
        search->n_ties, "lab", tess_json_text(all->lab ? tess_lab_folder(all->lab) : NULL), "spent",
        tess_tune_spent_json(search), "candidates", tess_tune_candidates_json(search));
    char *march = NULL, *emit = NULL;
    if (search->best >= 0 &&
        tess_tuning_line(search->candidates[0].experiment, TESS_TUNED_EMIT, &emit) == TESS_OK &&
        emit)
        json_object_set_new(report, "emit", tess_json_text(emit));
    free(emit);
    if (search->best >= 0 && march_line(search->candidates[0].experiment, &march) == TESS_OK)
        json_object_set_new(report, "march", tess_json_text(march));
    free(march);
    return tess_json_print(report);
}

static tess_status report(const tess_tuning *all) {
    const tess_tune *search = &all->search;
    if (all->asked.common.json)
        return report_json(all);
    TRY(tess_tune_report_print(search, stdout));
    return search->best >= 0 ? print_winner(search->candidates[0].experiment) : TESS_OK;
}

/* Tunes one loop. */
static tess_status tune_loop(tess_tuning *all) {
    const tess_status status = tess_tuning_search(all);
    if (status != TESS_OK && status != TESS_ERROR_INTERRUPTED)
        return status;
    const tess_status printed = report(all);
    TRY(printed != TESS_OK ? printed : status);
    return all->search.best < 0 ? tess_tuning_fail_without_best(all) : TESS_OK;
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static tess_tuning all; /* a fit is large */
    all = (tess_tuning){.argc = argc,
                        .argv = argv,
                        .search = {.budget = 60, .began = tess_clock_seconds(), .best = -1}};
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &all.asked, &all));
    tess_interrupts_note();
    CHECK(tess_tuning_check(&all));
    CHECK(tess_cli_settings_lab(&all.asked, &all.lab));
    status = all.step ? tess_tuning_tune_step(&all) : tune_loop(&all);
done:
    if (status == TESS_ERROR_INTERRUPTED && fflush(stdout) == 0)
        tess_interrupts_leave(false);
    status = tess_tune_close(&all.search, status);
    tess_product_clear(&all.product);
    tess_lab_close(all.lab);
    tess_cli_settings_clear(&all.asked);
    return status;
}

const tess_command tess_command_tune = {
    .name = "tune", .summary = "Find the best way to run a loop within a budget", .run = run};
