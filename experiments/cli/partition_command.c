/* The command `tess partition`: which partitioner makes the best thread blocks for a loop. */
#include "experiments/cli/partition_command.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/whole_file.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/report/home.h"
#include "experiments/report/in_situ/in_situ.h"
#include "experiments/report/progress_line.h"
#include "experiments/report/report.h"
#include "experiments/report/winner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tess_setting_use uses[] = {
    {.field = TESS_FIELD_partitioner,
     .is_list = true,
     .standard = "all",
     .words = "all that fit the mesh"},
    {.field = TESS_FIELD_block_size, .is_list = true, .standard = "128,256"},
};

static const tess_field varied[] = {TESS_FIELD_partitioner, TESS_FIELD_block_size};

static const char doc[] =
    "Compare partitioners on a mesh: cuts the elements of a loop into thread blocks, colours and "
    "checks every plan, and prints what it costs. The best value of each block size is marked.\v"
    "MESH is a file (`tess list readers`; .xz .gz .zst as they are) or a generator, see 'tess mesh "
    "generate --help'.\n\n"
    "Examples:\n"
    "  tess partition wing.su2 --map edges:cells\n"
    "  tess partition wing.su2 --map edges:cells --partitioner metis,rcb \\\n"
    "      --block-size 128,256\n"
    "  tess partition wing.su2 --map edges:cells --trade-off\n"
    "  tess partition wing.su2 --map faces:cells -p mosaic -b 128 -o wing.part\n"
    "  tess partition wing.su2 --map edges:cells --json | jq '.runs[].reuse_factor'\n\n"
    "reuse: how often a point that a block loads is used; larger is better. thread colours: rounds "
    "in which a block's threads add up, block colours: launches; fewer are better. 'tess explain "
    "METRIC' tells more, 'tess show RUN' all of a run, 'tess view RUN' shows its blocks.";

/* What --trade-off shows. */
static const char *traded_specs(void) {
    int i = 0;
    while (!tess_partitioner_at(i)->trade_off)
        i++;
    return tess_partitioner_at(i)->trade_off;
}

/* What one command works on. */
typedef struct comparison {
    tess_cli_settings asked;
    bool trade_off;     /* shapes of blocks in the place of partitioners */
    bool older_word;    /* --front was typed */
    const char *output; /* a file for the blocks; NULL */
    tess_in_situ_options show;
    tess_report report;
    tess_lab *lab; /* NULL: nothing is archived */
    tess_product product;
    tess_campaign campaign;
    tess_in_situ *in_situ; /* NULL: nothing is shown; a channel each run */
} comparison;

/* The older word, of which help is silent. */
static tess_status read_front(const char *option, const char *value, void *options) {
    (void)option;
    (void)value;
    comparison *all = options;
    all->trade_off = all->older_word = true;
    return TESS_OK;
}

static const tess_option_row more[] = {
    {"front", 0, NULL, "The older word for --trade-off", 2, .hidden = true, .read = read_front},
    {"trade-off", 0, NULL,
     "What reuse costs in thread colours: mosaic's shapes from pencils to bricks", 2,
     TESS_KEPT(comparison, trade_off)},
    {"output", 'o', "FILE",
     "Write the blocks as gpmetis does, a line an element, the number of its block; of one "
     "partitioner and block size",
     2, TESS_KEPT(comparison, output)},
    {TESS_ROWS_OF(tess_report_rows, comparison, report)},
    {TESS_ROWS_OF(tess_in_situ_rows, comparison, show)},
    {0},
};

static const tess_command_spec command_spec = {.kind = TESS_CUTTING,
                                               TESS_USES(uses),
                                               .more = more,
                                               .doc = doc,
                                               .typed = "time-limit,trade-off"};

static const char *reason_at(const comparison *all, int i) {
    return tess_partitioner_not_applicable(tess_partitioner_at(i), all->campaign.bench.load.bound);
}

/* Says which partitioners are too slow for this mesh to be asked for by `all`. */
static void tell_slow(const comparison *all) {
    const tess_bound_loop *bound = all->campaign.bench.load.bound;
    const char *before =
        "tess: left out, slow on so many elements (-p best takes those that cut best): ";
    for (int i = 0; tess_partitioner_at(i); i++)
        if (!reason_at(all, i) && tess_cli_partitioner_is_slow(tess_partitioner_at(i), bound)) {
            fprintf(stderr, "%s%s", before, tess_partitioner_at(i)->name);
            before = ", ";
        }
    if (*before == ',')
        fputc('\n', stderr);
}

/* Says which partitioners are not among all, a line a reason; what no mesh changes if `verbose`. */
static void tell_left_out(const comparison *all, bool verbose) {
    for (int i = 0; tess_partitioner_at(i); i++) {
        const char *reason = reason_at(all, i);
        int n_before = !verbose && tess_partitioner_not_applicable(tess_partitioner_at(i), NULL);
        for (int k = 0; reason && k < i; k++)
            n_before += reason_at(all, k) == reason;
        if (!reason || n_before)
            continue;
        fprintf(stderr, "tess: left out, %s: %s", reason, tess_partitioner_at(i)->name);
        for (int k = i + 1; tess_partitioner_at(k); k++)
            if (reason_at(all, k) == reason)
                fprintf(stderr, ", %s", tess_partitioner_at(k)->name);
        fputc('\n', stderr);
    }
}

/* Says which libraries are asked for by their defaults, and by which settings they cut best. */
static void tell_defaults(const comparison *all) {
    for (int64_t i = 0; i < all->product.n; i++) {
        const tess_chosen_partitioner *chosen = &all->product.experiments[i].partitioner;
        char best[256];
        bool is_told = strcmp(chosen->text, chosen->plugin->name) != 0;
        tess_cli_partitioner_best(chosen->plugin, all->asked.bound, best, sizeof best);
        is_told |= strcmp(best, chosen->text) == 0;
        for (int64_t k = 0; k < all->product.n; k++) {
            const char *text = all->product.experiments[k].partitioner.text;
            is_told |= strcmp(text, best) == 0 || (k < i && strcmp(text, chosen->text) == 0);
        }
        if (!is_told)
            fprintf(stderr, "tess: %s has its defaults here; it cuts best by %s\n", chosen->text,
                    best);
    }
}

/* Makes the list of experiments. Every name and option was checked before the mesh is read; which
 * partitioners are all, the loop says. */
static tess_status choose(comparison *all) {
    tess_cli_settings *asked = &all->asked;
    const char *said = asked->lists[TESS_FIELD_partitioner];
    if (all->trade_off)
        asked->lists[TESS_FIELD_partitioner] = traded_specs();
    TRY(tess_campaign_open(&all->campaign, &asked->base));
    if (!all->trade_off && strcmp(said, "all") == 0 && !asked->common.quiet)
        tell_left_out(all, asked->common.verbose);
    if (!all->trade_off && !asked->said[TESS_FIELD_partitioner] && !asked->common.quiet)
        tell_slow(all);
    asked->bound = all->campaign.bench.load.bound;
    TRY(tess_cli_settings_product(asked, varied, sizeof varied / sizeof *varied, &all->product));
    if (!all->trade_off && !asked->common.quiet)
        tell_defaults(all);
    return all->report.expectation
               ? tess_expectation_begin(all->report.expectation, &all->campaign.bench,
                                        all->product.experiments, all->product.n)
               : TESS_OK;
}

static tess_status tell_warnings(void *context, const tess_bench *bench) {
    const comparison *all = context;
    tess_cli_settings_tell_mesh(&all->asked, bench->load.mesh);
    return TESS_OK;
}

static tess_status show_start(void *context, tess_turn *turn) {
    const comparison *all = context;
    const int64_t i = turn->order[turn->number];
    const tess_experiment *experiment = &all->product.experiments[i];
    char limit[40] = "";
    if (experiment->partitioner.plugin->third_party)
        snprintf(limit, sizeof limit, " (at most %.0f s)", experiment->time_limit);
    tess_progress_set(0, 0, "[%lld/%lld] %s, block size %lld%s", (long long)i + 1,
                      (long long)all->product.n, experiment->partitioner.text,
                      (long long)experiment->block_size, limit);
    return TESS_OK;
}

static tess_status watch(void *context, tess_run *run) {
    comparison *all = context;
    const tess_workload *load = &all->campaign.bench.load;
    run->observer = tess_in_situ_watch(all->in_situ, (int)run->number, load->mesh, load->loop->set);
    return TESS_OK;
}

/* Shows the plan, and says what became of the run. */
static tess_status tell(void *context, tess_run *run) {
    comparison *all = context;
    const tess_planned *planned = run->planned;
    if (run->failure && !run->interrupted)
        tess_progress_line_tell("tess: %s at block size %lld failed: %s\n",
                                run->experiment->partitioner.text,
                                (long long)run->experiment->block_size, run->failure);
    if (run->failure)
        return TESS_OK;
    tess_progress_line_report("tess: [%lld/%lld] %s, block size %lld: reuse %.3f, cut in %.3g s\n",
                              (long long)run->number + 1, (long long)all->product.n,
                              run->experiment->partitioner.text,
                              (long long)run->experiment->block_size,
                              tess_run_value(run, "reuse_factor"), planned->partition_seconds);
    if (run->unviewed && !all->asked.common.quiet)
        tess_progress_line_tell("tess: %s is archived without a view: %s\n", run->run,
                                run->unviewed);
    if (planned->partition->remark[0] && !all->asked.common.quiet)
        tess_progress_line_tell("tess: %s\n", planned->partition->remark);
    return TESS_OK;
}

static tess_status write_blocks(const char *path, const tess_partition *partition) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = false};
    CHECK(tess_whole_file_open(path, &file));
    for (int64_t i = 0; i < partition->n_elements; i++)
        fprintf(file.stream, "%d\n", partition->block_of[i]);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

static tess_status show_plan(void *context, tess_run *run) {
    comparison *all = context;
    tess_planned *planned = run->planned;
    if (all->output)
        TRY(write_blocks(all->output, planned->partition));
    tess_in_situ_show_plan(all->in_situ, (int)run->number, all->campaign.bench.load.bound,
                           planned->plan, planned->partition->block_of,
                           tess_planned_metrics(planned));
    planned->partition_seconds -= tess_in_situ_seconds(all->in_situ); /* no work of its own */
    return all->report.expectation
               ? tess_expectation_add(all->report.expectation, &all->campaign.bench, run)
               : TESS_OK;
}

static tess_status prepare(comparison *all, int argc, char **argv) {
    tess_cli_settings *asked = &all->asked;
    if (all->older_word && !asked->common.quiet)
        fputs("tess: --front is called --trade-off now\n", stderr);
    if (all->output)
        TRY(tess_whole_file_check(all->output));
    TRY(tess_experiment_check(&asked->base));
    TRY(tess_report_check(&all->report, TESS_CUTTING));
    TRY(tess_report_expect(&all->report));
    if (all->trade_off && asked->typed[TESS_FIELD_partitioner])
        FAIL(TESS_ERROR_USAGE, "--trade-off compares shapes of mosaic: leave out --partitioner");
    TRY(tess_cli_settings_lab(asked, &all->lab));
    tess_campaign_options options = tess_cli_settings_options(asked, argc, argv, all->lab);
    options.not_applicable_fails = true;
    options.bench.shown = tess_in_situ_wanted(&all->show);
    const tess_campaign_listener listener = {.context = all,
                                             .turn = show_start,
                                             .opened = tell_warnings,
                                             .begun = watch,
                                             .planned = show_plan,
                                             .ended = tell};
    TRY(tess_campaign_begin(&options, &listener, &all->campaign));
    TRY(choose(all));
    if (all->output && all->product.n != 1)
        FAIL(TESS_ERROR_USAGE,
             "--output is for the blocks of one partitioner and block size, not of %lld: say "
             "-p mosaic -b 128",
             (long long)all->product.n);
    return tess_in_situ_open(&all->show, asked->common.quiet, all->product.experiments,
                             (int)all->product.n, 1, &all->in_situ);
}

/* Gives the archived run that is best, or NULL. */
static tess_status find_best(const comparison *all, const tess_run **out) {
    const tess_campaign *campaign = &all->campaign;
    tess_status status = TESS_OK;
    const tess_run **runs = NULL;
    int64_t n = 0, best = -1;
    *out = NULL;
    CHECK(TESS_ALLOC(campaign->n, &runs));
    for (int64_t i = 0; i < campaign->n; i++)
        if (campaign->runs[i] && campaign->runs[i]->run && !campaign->runs[i]->failure)
            runs[n++] = campaign->runs[i];
    CHECK(tess_winner_find(runs, n, all->report.expectation, &best));
    *out = best < 0 ? NULL : runs[best];
done:
    free(runs);
    return status;
}

static void print_next(const comparison *all, const tess_run *best) {
    fprintf(stderr, "\nArchived in %s. Next:", all->report.lab);
    for (int i = 0; i < 2; i++) {
        fprintf(stderr, "\n  tess %s %s", i == 0 ? "show" : "view", best->run);
        tess_home_print_lab(all->lab, stderr);
    }
    const tess_experiment *x = best->experiment;
    fputs("\n  ", stderr);
    tess_home_print_cut(&(tess_home_cut){.run = best->run,
                                         .mesh = x->mesh,
                                         .map = x->map,
                                         .partitioner = x->partitioner.text,
                                         .block_size = x->block_size,
                                         .is_refined = x->refine > 0},
                        all->lab, stderr);
    fputc('\n', stderr);
}

/* Prints what is finished, and what to do next with the winner. */
static tess_status report(comparison *all, char winner[TESS_RUN_ID_SIZE]) {
    const tess_campaign *campaign = &all->campaign;
    all->report.campaign = campaign;
    all->report.lab = all->lab ? tess_lab_folder(all->lab) : NULL;
    if (all->asked.common.json)
        return tess_json_print(tess_report_json(&all->report));
    TRY(tess_report_print(&all->report, stdout));
    fflush(stdout); /* what comes next belongs below it, in one pipe, too */
    const tess_run *best = NULL;
    TRY(find_best(all, &best));
    if (best)
        snprintf(winner, TESS_RUN_ID_SIZE, "%s", best->run);
    if (!best || all->asked.common.quiet)
        return TESS_OK;
    print_next(all, best);
    return TESS_OK;
}

/* Whether there is something to show: all, what an interrupt left, or what was made before a disk
 * was full. */
static bool has_rows(const tess_campaign *campaign, tess_status status) {
    bool one_passed = false;
    for (int64_t i = 0; i < campaign->n; i++)
        one_passed |= campaign->runs[i] && campaign->runs[i]->run && !campaign->runs[i]->failure;
    return status == TESS_OK || status == TESS_ERROR_INTERRUPTED || one_passed;
}

tess_status tess_partition_command_run(int argc, char **argv, char winner[TESS_RUN_ID_SIZE]) {
    tess_status status = TESS_OK;
    comparison all = {.trade_off = false};
    *winner = 0;
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &all.asked, &all));
    tess_interrupts_note();
    CHECK(prepare(&all, argc, argv));
    tess_progress_begin("partitioners");
    status = tess_campaign_run(&all.campaign, all.product.experiments, all.product.n);
    tess_progress_end();
    if (has_rows(&all.campaign, status)) {
        const tess_status printed = report(&all, winner);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(tess_campaign_verdict(&all.campaign));
        CHECK(tess_in_situ_close(TESS_TAKE(all.in_situ)));
    }
done:
    tess_in_situ_drop(all.in_situ);
    tess_report_clear(&all.report);
    status = tess_campaign_close(&all.campaign, status);
    tess_product_clear(&all.product);
    tess_lab_close(all.lab);
    tess_cli_settings_clear(&all.asked);
    return status;
}

static tess_status run(int argc, char **argv) {
    char winner[TESS_RUN_ID_SIZE];
    return tess_partition_command_run(argc, argv, winner);
}

const tess_command tess_command_partition = {
    .name = "partition", .summary = "Compare partitioners on a mesh", .run = run};
