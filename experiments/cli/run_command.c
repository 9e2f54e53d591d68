/* The command `tess run`: execute a loop by strategies on a device, checked, counted and timed. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "experiments/bench/recording.h"
#include "experiments/campaign/sweep_points.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/cli/ranks/rank_options.h"
#include "experiments/cli/standing_run.h"
#include "experiments/report/in_situ/solution.h"
#include "experiments/report/progress_line.h"
#include "experiments/report/report.h"
#include "kernels/exchange/rank_process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_ROUNDS = 5 }; /* with less an interrupted run is not kept */

static const tess_setting_use uses[] = {
    {.field = TESS_FIELD_partitioner,
     .is_list = true,
     .words = "rcb, which is quick; 'best': those that cut best"},
    {.field = TESS_FIELD_block_size, .is_list = true},
    {.field = TESS_FIELD_layout, .is_list = true},
    {.field = TESS_FIELD_ranks, .is_list = true},
    {.field = TESS_FIELD_rank_partitioner, .is_list = true},
    {.field = TESS_FIELD_halo, .is_list = true},
    {.field = TESS_FIELD_strategy, .is_list = true, .standard = ""},
};

/* The slowest first: runs on the same blocks come one after another. */
static const tess_field varied[] = {
    TESS_FIELD_partitioner,      TESS_FIELD_block_size, TESS_FIELD_layout,  TESS_FIELD_ranks,
    TESS_FIELD_rank_partitioner, TESS_FIELD_halo,       TESS_FIELD_strategy};

static const char doc[] =
    "Execute a loop of an application by strategies on a device, check every result against the "
    "sequential loop in double precision, count and time it.\v"
    "Examples:\n"
    "  tess run volna --mesh north_sea.msh.xz --strategy atomics,block-colour\n"
    "  tess run lulesh --mesh hexes:nx=40:ny=40:nz=40 --device host \\\n"
    "      --strategy sequential,openmp\n"
    "  tess run airfoil --mesh quads:nx=1200:ny=600 --device cuda \\\n"
    "      --partitioner rcb,metis --block-size 128,256\n"
    "  tess run --kernel mine.h --loop mine.yaml --mesh tris:nx=50:ny=50\n"
    "  tess run airfoil --mesh airfoil:i=40:j=60 --device host --ranks 1,2,4\n"
    "  tess run airfoil --mesh airfoil:i=40:j=60 --chain res_calc+bres_calc+update\n\n"
    "A chain (docs/concepts.md) is one kernel of several loops; of --strategy it takes the "
    "blocks.\n"
    "A run whose result differs is archived as failed and never ranked.";

/* What one command works on. */
typedef struct series {
    tess_cli_settings asked;
    tess_in_situ_options show;
    tess_report report;
    int64_t steps;
    int argc; /* of the program */
    char **argv;
    tess_lab *lab; /* NULL: nothing is archived */
    tess_product product;
    int n_channels, stride; /* experiments c * stride ... share the blocks of channel c */
    tess_campaign campaign;
    tess_in_situ *in_situ;      /* NULL: nothing is shown */
    tess_rank_setting ranks;    /* launcher, timeout and rounds */
    const char *sweep_point;    /* which point of which sweep this is; NULL: none */
    bool stands_by;             /* it is a standing run */
    tess_rank_process *process; /* NULL: this is no rank of several processes */
    tess_crew *crew;            /* of these; NULL */
    tess_planned **planned;     /* [n_channels] blocks that the solution will be shown over */
    int64_t n_unsaid;           /* runs left out for a reason that was said before */
} series;

static const tess_option_row more[] = {
    {"steps", 0, "N",
     "Time steps of the application, on the host after the runs, that --catalyst or --viz show "
     "over the blocks (default: 20)",
     10, TESS_KEPT(series, steps), .least = 1, .most = INT64_MAX},
    {TESS_ROWS_OF(tess_report_rows, series, report)},
    {TESS_ROWS_OF(tess_in_situ_rows, series, show)},
    {TESS_ROWS_OF(tess_rank_rows, series, ranks)},
    {"sweep-point", 0, "SWEEP:DIGEST:REPETITION", "The point of a sweep that this run is", 10,
     TESS_KEPT(series, sweep_point), .hidden = true},
    {"stand-by", 0, NULL, "Time the run once for each line of the standard input", 10,
     TESS_KEPT(series, stands_by), .hidden = true},
    {0},
};

static const tess_command_spec command_spec = {
    .kind = TESS_RUNNING, TESS_USES(uses), .more = more, .doc = doc, .typed = "loop,threads"};

static tess_status tell_note(void *context, const tess_bench *bench) {
    series *all = context;
    tess_expectation *expectation = all->report.expectation;
    const tess_user_kernel *user = bench->load.user;
    if (!all->sweep_point) {
        tess_cli_settings_tell_mesh(&all->asked, bench->load.mesh);
        tess_cli_settings_tell_load(&all->asked);
    }
    if (user && user->note && !all->asked.common.quiet)
        tess_progress_line_tell("tess: %s: %s\n", all->asked.base.loop, user->note);
    return expectation ? tess_expectation_begin(expectation, &all->campaign.bench,
                                                all->product.experiments, all->product.n)
                       : TESS_OK;
}

static tess_status expect(void *context, tess_run *run) {
    const series *all = context;
    return all->report.expectation
               ? tess_expectation_add(all->report.expectation, &all->campaign.bench, run)
               : TESS_OK;
}

static tess_status show_start(void *context, tess_turn *turn) {
    const series *all = context;
    const int64_t i = turn->order[turn->number];
    tess_rank_process_begin(all->process, i);
    const tess_experiment *experiment = &all->product.experiments[i];
    tess_progress_set(0, 0, "[%lld/%lld] %s, %s, block size %lld", (long long)i + 1,
                      (long long)all->product.n, experiment->strategy.text,
                      experiment->partitioner.text, (long long)experiment->block_size);
    return TESS_OK;
}

static tess_status note_point(const series *all, tess_record *record) {
    return all->sweep_point ? tess_sweep_point_note_words(record, all->sweep_point) : TESS_OK;
}

static tess_status begin_run(void *context, tess_run *run) {
    return note_point(context, run->record);
}

static tess_status show_round(void *context, tess_session *session) {
    const series *all = context;
    const int round = session->n_taken;
    if (round == session->n_rounds)
        return TESS_OK;
    if (round == 0 && all->asked.common.verbose)
        tess_progress_line_tell(
            "tess: session %s: %lld runs timed in turns, %d rounds, %.3g of %.3g GiB held\n",
            session->name, (long long)session->n, session->n_rounds,
            (double)session->bytes / 0x1p30, (double)session->budget / 0x1p30);
    tess_progress_set(round, session->n_rounds, "round %d/%d of %lld runs", round + 1,
                      session->n_rounds, (long long)session->n);
    tess_progress_line_draw();
    return TESS_OK;
}

/* The blocks that the solution will be shown over: of elements rather than of points. */
static void keep_for_view(series *all, const tess_run *run) {
    tess_planned **kept = &all->planned[run->number / all->stride];
    if (!all->in_situ || !run->planned || !run->planned->partition ||
        (*kept && !(*kept)->plan->owns_points))
        return;
    tess_planned_release(*kept);
    *kept = tess_planned_share(run->planned);
}

/* Whether a run before was left out for the same reason. */
static bool is_said(const series *all, const tess_run *run) {
    for (int64_t i = 0; run->not_applicable && i < run->number; i++) {
        const tess_run *before = all->campaign.runs[i];
        if (before && before->not_applicable && strcmp(before->failure, run->failure) == 0)
            return true;
    }
    return false;
}

static tess_status tell(void *context, tess_run *run) {
    series *all = context;
    keep_for_view(all, run);
    const bool said = is_said(all, run);
    all->n_unsaid += said;
    const bool is_error = !run->not_applicable; /* which is told though little else is */
    if (run->failure && run->record && !run->interrupted && !said &&
        (is_error || !all->asked.common.quiet))
        tess_progress_line_tell("tess: %s, %s, block size %lld %s: %s\n",
                                run->experiment->strategy.text, run->experiment->partitioner.text,
                                (long long)run->experiment->block_size,
                                is_error ? "failed" : "is left out", run->failure);
    if (run->failure && !run->is_agreed) /* the others wait for this rank */
        tess_rank_process_leave(all->crew, tess_fail(TESS_ERROR_CHECK, "%s", run->failure));
    return TESS_OK;
}

static void tell_restart(const series *all) {
    if (tess_campaign_restarts(&all->campaign) && !all->asked.common.quiet)
        tess_progress_line_tell(
            "tess: the device stays broken; starting anew without the run that broke it\n");
}

/* Whether an experiment has the partitioner and the block size of the first. */
static bool share_blocks(const series *all, int64_t i) {
    const tess_experiment *first = &all->product.experiments[0], *x = &all->product.experiments[i];
    return tess_experiment_agrees(first, x, TESS_FIELD_partitioner) &&
           tess_experiment_agrees(first, x, TESS_FIELD_block_size);
}

/* Fails where what is said of ranks does not go together with the rest. */
static tess_status check_ranks(series *all) {
    const tess_experiment *first = &all->product.experiments[0];
    const bool is_ranked = tess_experiment_is_ranked(first);
    const bool launched = strcmp(tess_experiment_engine(first), "local") != 0;
    for (int64_t i = 0; i < all->product.n; i++) {
        const tess_experiment *x = &all->product.experiments[i];
        TRY(tess_experiment_check_ranks(x));
        if (launched && !tess_experiment_agrees(first, x, TESS_FIELD_ranks))
            FAIL(TESS_ERROR_USAGE,
                 "one number of ranks at a time by --engine %s: a launcher starts its processes",
                 first->engine);
    }
    if (all->stands_by && (is_ranked || all->product.n > 1))
        FAIL(TESS_ERROR_USAGE, "--stand-by is for one run without ranks");
    if (is_ranked && tess_in_situ_wanted(&all->show))
        FAIL(TESS_ERROR_USAGE, "what runs on ranks is not shown: leave --catalyst and --viz out; "
                               "tess march --ranks shows it");
    return tess_rank_options_check(first, &all->ranks);
}

/* Makes the list of experiments: every name and option is checked before anything runs. */
static tess_status choose(series *all) {
    tess_cli_settings *asked = &all->asked;
    TRY(tess_experiment_check(&asked->base));
    TRY(tess_report_check(&all->report, TESS_RUNNING));
    if (asked->base.kernel && tess_in_situ_wanted(&all->show))
        FAIL(TESS_ERROR_USAGE, "a kernel of your own has no time steps to show: leave --catalyst "
                               "and --viz out");
    if (!*asked->lists[TESS_FIELD_strategy]) {
        TRY(tess_experiment_choose_strategy(&asked->base));
        asked->lists[TESS_FIELD_strategy] = asked->base.strategy.text;
    }
    TRY(tess_cli_settings_product(asked, varied, sizeof varied / sizeof *varied, &all->product));
    TRY(check_ranks(all));
    while (all->stride < all->product.n && share_blocks(all, all->stride))
        all->stride++;
    all->n_channels = (int)(all->product.n / all->stride);
    return TESS_ZEROS(all->n_channels, &all->planned);
}

/* What a rank's parent does when its child has failed: archives the run that was in the making. */
static void archive_failure(void *context, int64_t task, const char *why) {
    const series *all = context;
    const tess_experiment *x = &all->product.experiments[task];
    tess_record *record = NULL;
    tess_status status = TESS_OK;
    if (!all->lab)
        return;
    CHECK(tess_record_new(all->argc, all->argv, &record));
    CHECK(tess_record_experiment(record, x));
    CHECK(note_point(all, record));
    CHECK(tess_record_set_check(record, TESS_FAILED, why));
    CHECK(tess_lab_store_run(all->lab, record));
done:
    tess_record_free(record);
    if (status != TESS_OK)
        fprintf(stderr, "tess: the run is not archived: %s\n", tess_message());
}

/* Where the experiments are on ranks of several processes: has them started, and joins them. */
static tess_status join_ranks(series *all) {
    const tess_experiment *x = &all->product.experiments[0];
    const tess_rank_process_setting watched = {
        .timeout = all->ranks.timeout, .failed = archive_failure, .context = all};
    if (strcmp(tess_experiment_engine(x), "local") == 0)
        return TESS_OK;
    TRY(tess_rank_process_start(&watched, &all->process));
    TRY(tess_crew_open(x->engine, x->ranks > 0 ? (int32_t)x->ranks : 0, &all->crew));
    all->asked.common.quiet |= all->crew->first > 0;
    return TESS_OK;
}

static void watch(void *context, bool watched) {
    tess_rank_process_watch(context, watched);
}

static tess_status prepare(series *all, int argc, char **argv) {
    all->argc = argc;
    all->argv = argv;
    TRY(choose(all));
    TRY(tess_rank_options_launch(&all->product.experiments[0], &all->ranks, "run", argv));
    TRY(tess_cli_settings_lab(&all->asked, &all->lab));
    TRY(join_ranks(all));
    if (!all->sweep_point && !tess_experiment_device(&all->asked.base)->one_thread)
        TRY(tess_report_expect(&all->report));
    tess_campaign_options options = tess_cli_settings_options(&all->asked, argc, argv, all->lab);
    options.fewest_rounds = FEWEST_ROUNDS;
    options.job = (tess_bench_job){.crew = all->crew,
                                   .pulse = tess_rank_process_pulse(all->process),
                                   .watch = watch,
                                   .context = all->process,
                                   .exchange_rounds = (int)all->ranks.n_rounds,
                                   .is_early = true};
    options.bench.shown = tess_in_situ_wanted(&all->show);
    const tess_campaign_listener listener = {.context = all,
                                             .turn = show_start,
                                             .opened = tell_note,
                                             .begun = begin_run,
                                             .planned = expect,
                                             .round = show_round,
                                             .ended = tell};
    TRY(tess_campaign_begin(&options, &listener, &all->campaign));
    return tess_in_situ_open(&all->show, all->asked.common.quiet, all->product.experiments,
                             all->n_channels, all->stride, &all->in_situ);
}

/* Shows the solution over the blocks of the runs, as far as the command line asks for it. */
static tess_status show_solution(series *all) {
    const tess_workload *load = &all->campaign.bench.load;
    for (int c = 0; all->in_situ && c < all->n_channels; c++) {
        const tess_planned *planned = all->planned[c];
        if (planned)
            tess_in_situ_set_plan(all->in_situ, c, load->bound, planned->plan,
                                  planned->partition->block_of, tess_planned_metrics(planned));
    }
    if (all->in_situ)
        TRY(tess_solution_march(load->application, load->mesh, all->steps,
                                all->show.every ? all->show.every : 1, all->in_situ));
    return tess_in_situ_close(TESS_TAKE(all->in_situ));
}

static tess_status report(series *all) {
    if (all->n_unsaid > 0 && !all->asked.common.quiet)
        fprintf(stderr, "tess: %lld more %s left out for %s\n", (long long)all->n_unsaid,
                all->n_unsaid > 1 ? "are" : "is",
                all->n_unsaid > 1 ? "the same reasons" : "the same reason");
    all->report.campaign = &all->campaign;
    all->report.lab = all->lab ? tess_lab_folder(all->lab) : NULL;
    if (!tess_bench_reports(&all->campaign.bench))
        return TESS_OK;
    if (all->asked.common.json)
        return tess_json_print(tess_report_json(&all->report));
    return tess_report_print(&all->report, stdout);
}

/* Fails where counters were asked for and not read. */
static tess_status count_uncounted(const series *all) {
    int n_uncounted = 0;
    const char *why = "";
    for (int64_t i = 0; i < all->campaign.n; i++) {
        const tess_run *run = all->campaign.runs[i];
        n_uncounted += run && run->uncounted;
        why = run && run->uncounted ? run->uncounted : why;
    }
    if (n_uncounted)
        FAIL(TESS_ERROR_MISSING,
             "the counters of %d of %lld runs were not read, their times %s: %s", n_uncounted,
             (long long)all->campaign.n, all->lab ? "are archived" : "are above", why);
    return TESS_OK;
}

/* What the status says of the runs; where a sweep asks, it must know that its point does not fit.
 */
static tess_status verdict(const series *all) {
    const tess_run *first = all->campaign.n > 0 ? all->campaign.runs[0] : NULL;
    if (all->sweep_point && first && first->not_applicable)
        FAIL(TESS_ERROR_USAGE, "%s", first->failure);
    return tess_campaign_verdict(&all->campaign);
}

/* All ranks have come to the end. */
static tess_status await_ranks(const series *all) {
    if (!all->crew)
        return TESS_OK;
    tess_rank_process_watch(all->process, true);
    return tess_crew_meet(all->crew);
}

static tess_status series_clear(series *all, tess_status status) {
    tess_in_situ_drop(all->in_situ);
    tess_report_clear(&all->report);
    for (int c = 0; all->planned && c < all->n_channels; c++)
        tess_planned_release(all->planned[c]);
    free(all->planned);
    if (status != TESS_OK)
        tess_rank_process_leave(all->crew, status);
    tell_restart(all);
    tess_campaign_drop_runs(&all->campaign);
    if (all->crew)
        all->crew->engine->close(all->crew);
    status = tess_campaign_close(&all->campaign, status);
    tess_product_clear(&all->product);
    tess_lab_close(all->lab);
    tess_cli_settings_clear(&all->asked);
    return status;
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    series all = {.steps = 20, .stride = 1};
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &all.asked, &all));
    tess_interrupts_note();
    CHECK(prepare(&all, argc, argv));
    if (all.stands_by) {
        CHECK(tess_standing_run(all.product.experiments, &all.campaign.options.bench));
        goto done;
    }
    tess_progress_begin("strategies");
    status = tess_campaign_run(&all.campaign, all.product.experiments, all.product.n);
    tess_progress_end();
    if (status == TESS_OK || status == TESS_ERROR_INTERRUPTED) {
        const tess_status printed = report(&all);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(verdict(&all));
        CHECK(count_uncounted(&all));
        CHECK(show_solution(&all));
        CHECK(await_ranks(&all));
    }
done:
    return series_clear(&all, status);
}

const tess_command tess_command_run = {
    .name = "run", .summary = "Execute a loop by strategies on a device", .run = run};
