/* The command `tess march`: all loops of an application on a device, step by step. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/plural.h"
#include "experiments/bench/march_record.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/cli/march_chains.h"
#include "experiments/cli/march_loops_asked.h"
#include "experiments/cli/ranks/rank_options.h"
#include "experiments/report/in_situ/solution.h"
#include "experiments/report/in_situ/surface.h"
#include "experiments/report/progress_line.h"
#include "experiments/report/table.h"
#include "experiments/report/words/explanation.h"
#include "kernels/exchange/rank_process.h"
#include "kernels/run/execution.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct march_options {
    tess_cli_settings asked;
    const char *surface, *chains; /* NULL: none */
    const char *machine;          /* whose time is predicted; NULL: the usual one's */
    int64_t steps, every;
    bool check;
    tess_rank_setting ranks;
    tess_loops_asked loops;
    tess_step step;               /* what is asked of its loops */
    tess_in_situ_options in_situ; /* its `every`: 0: each row is shown */
} march_options;

static const tess_option_row more[] = {
    {"steps", 0, "N", "Time steps (default: 100)", TESS_KEPT(march_options, steps), .least = 1,
     .most = 1 << 30},
    {"every", 0, "N", "Steps between two rows (default: a tenth)", TESS_KEPT(march_options, every),
     .least = 1, .most = 1 << 30},
    {"surface", 0, "FILE.csv", "Write what lies on the walls at the end: place, normal, fields",
     TESS_KEPT(march_options, surface)},
    {"check", 0, NULL, "March the sequential loops in double, too, and compare what both come to",
     TESS_KEPT(march_options, check)},
    {"chains", 0, "RUNS",
     "Execute runs of loops as one kernel each: auto, auto:rings=N, none, or A+B,C+D+E (default: "
     "none)",
     TESS_KEPT(march_options, chains)},
    {"machine", 0, "FILE",
     "With --chains and --device emulator:sample=N: predict a step's time on this GPU, a file as "
     "docs/predict.md has it, h100 or h200; none: no time (default: h200)",
     TESS_KEPT(march_options, machine)},
    {TESS_ROWS_OF(tess_loops_rows, march_options, loops)},
    {TESS_ROWS_OF(tess_rank_rows, march_options, ranks)},
    {TESS_ROWS_OF(tess_step_graph_row, march_options, ranks)},
    {TESS_ROWS_OF(tess_in_situ_rows, march_options, in_situ)},
    {0},
};

/* What is a loop's own is that of --loop. */
static const tess_setting_use uses[] = {
    TESS_USES_WITHOUT_SAMPLES,
    TESS_LEFT_OUT(loop),
    TESS_LEFT_OUT(chain), /* --chains */
    {.field = TESS_FIELD_device,
     .standard = "host",
     .words = "host: the emulator takes minutes for what the host does in a second"},
    {.field = TESS_FIELD_strategy, .words = "openmp, or atomics"},
};

static const char doc[] =
    "March an application on a device. A row has the time of a step and what the application sums "
    "over the mesh in one, the mean of both since the row before.\v"
    "Sums: rms of airfoil, change of miniaero and residual of fun3d say how much a step changes; "
    "they fall towards 0 as a flow settles, and are not conserved. volume of volna is that of the "
    "water: it is conserved, all rows are the same up to rounding. bookleaf, lulesh and fv have "
    "none. 'tess explain rms' says more.\n\n"
    "Example: the residual of airfoil falls as the flow settles:\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --steps 1000\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --steps 1000 --every 50 \\\n"
    "      --catalyst solution.py\n"
    "each loop with what 'tess tune --step' found for it:\n"
    "  tess march airfoil --mesh airfoil:i=400:j=600 --settings airfoil.step.yaml\n"
    "what OP2 prints of each loop, each by the fastest of four block sizes:\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --loops --tune-blocks 64,256\n"
    "and the pressure on the profile becomes what it should be:\n"
    "  tess march airfoil --mesh airfoil:i=100:j=150 --steps 4000 --surface cp.csv\n"
    "runs of loops as one kernel each, and a whole step as one:\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --steps 10 --chains auto --check\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --steps 10 --chains \\\n"
    "      auto:rings=2 --check\n"
    "and how long that would take on an H200, by a model of it:\n"
    "  tess march airfoil --mesh airfoil:i=400:j=600 --steps 1 --chains auto \\\n"
    "      -s point-parallel --device emulator:sample=64\n"
    "The same on four ranks, which come to the same state:\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --ranks 4 --steps 10 --check";

static const tess_command_spec command_spec = {.kind = TESS_RUNNING,
                                               TESS_USES(uses),
                                               .more = more,
                                               .doc = doc,
                                               .typed = "steps,chains,check",
                                               .marches = true};

static bool is_ranked(const march_options *asked) {
    return tess_experiment_is_ranked(&asked->asked.base);
}

/* A march that is being reported. */
typedef struct reported_march {
    const march_options *asked;
    tess_march march;
    tess_march_record_options archive;
    tess_record *record;          /* NULL: the march is not archived; owned */
    tess_rank_process *process;   /* NULL: this is no rank of several processes */
    tess_march_forecast forecast; /* of a step's time on a GPU */
    bool is_archived;
    bool is_checked;            /* against the sequential loops */
    tess_difference difference; /* from them */
    int64_t n_marched;          /* steps */
    int n_loops;                /* of `loops`: 0 where they are not timed */
    tess_loop_row loops[TESS_MOST_MARCHED];
    double *gains;           /* of the global dats a step, in the order of the state; owned */
    const char *lost;        /* the first of them that was no number; NULL: none was */
    int64_t lost_at;         /* the step */
    tess_in_situ *in_situ;   /* NULL: nothing is shown */
    tess_solution *solution; /* what it shows */
} reported_march;

/* Names the settings before what is wrong with the mesh, the chains or the loops that they have. */
static tess_status name_settings(const reported_march *m, tess_status status) {
    const char *settings = m->asked->loops.settings;
    const bool has_mesh = m->march.bench.load.mesh != NULL;
    if (!settings || (status != TESS_ERROR_USAGE && status != TESS_ERROR_INPUT) ||
        (!has_mesh && m->asked->asked.said[TESS_FIELD_mesh]))
        return status;
    return tess_fail_at(status, "%s%s", settings, has_mesh ? "" : ": mesh");
}

static tess_status reported_march_open(reported_march *m) {
    const tess_bench_options options = {.shown = tess_in_situ_wanted(&m->asked->in_situ)};
    const tess_march_setting setting = {.ranks = is_ranked(m->asked) ? &m->asked->ranks : NULL,
                                        .times_loops = m->asked->loops.shown,
                                        .keep_text = m->asked->asked.keep_text};
    TRY(name_settings(m, tess_march_open(&m->asked->step, &options, &setting, &m->march)));
    return TESS_ZEROS(m->march.state->n_dats, &m->gains);
}

static void reported_march_close(reported_march *m) {
    tess_in_situ_drop(m->in_situ);
    tess_solution_free(m->solution);
    free(m->gains);
    tess_march_close(&m->march);
    tess_record_free(m->record);
    tess_lab_close(m->archive.lab);
}

static bool is_in_step(const tess_application *application, const tess_kernel *kernel) {
    int i = 0;
    while (application->step[i] && strcmp(application->step[i], kernel->name) != 0)
        i++;
    return application->step[i] != NULL;
}

/* Says which loops of a step are left out. */
static void tell_left_out(const reported_march *m) {
    const tess_workload *load = &m->march.bench.load;
    for (int k = 0; k < load->application->n_kernels; k++) {
        const tess_kernel *kernel = &load->application->kernels[k];
        if (!m->asked->asked.common.quiet && tess_ranked_march_reports(m->march.ranked) &&
            is_in_step(load->application, kernel) && !tess_kernel_applies(kernel, load->mesh))
            tess_progress_line_tell("tess: %s is left out: %s has no %s\n", kernel->name,
                                    load->mesh->source, kernel->set);
    }
}

static bool is_shown(const reported_march *m) {
    return tess_in_situ_wanted(&m->asked->in_situ);
}

/* Gives what is shown the blocks of the primary loop, of all ranks where there are some. */
static tess_status set_blocks(reported_march *m) {
    if (!m->march.ranked) {
        const tess_planned *planned = tess_march_plans_first(&m->march.plans);
        tess_in_situ_set_plan(m->in_situ, 0, m->march.bench.load.bound, planned->plan,
                              planned->partition->block_of, tess_planned_metrics(planned));
        return TESS_OK;
    }
    tess_ranked_blocks *blocks = NULL;
    TRY(tess_team_gather_blocks(m->march.ranked->team, &blocks));
    tess_in_situ_set_ranks(m->in_situ, 0, m->march.bench.load.mesh, blocks);
    tess_ranked_blocks_free(blocks);
    return TESS_OK;
}

/* Prepares to show the solution over the blocks, and shows the start: in the process that reports
 * for all, while the others wait. */
static tess_status show_start(reported_march *m) {
    if (!is_shown(m))
        return TESS_OK;
    const bool shows = tess_ranked_march_reports(m->march.ranked);
    tess_in_situ_options asked = m->asked->in_situ;
    asked.communicator = m->march.ranked ? m->march.ranked->crew->self : 0;
    if (shows)
        TRY(tess_in_situ_open(&asked, m->asked->asked.common.quiet, &m->march.experiment, 1, 1,
                              &m->in_situ));
    TRY(set_blocks(m));
    if (shows)
        TRY(tess_solution_new(m->march.bench.load.application, m->in_situ, &m->solution));
    if (shows)
        TRY(tess_solution_show(m->solution, m->march.state, 0));
    return tess_ranked_march_await(m->march.ranked);
}

/* Brings the pieces of all ranks together and shows them. */
static tess_status show_step(reported_march *m, int64_t step) {
    if (!is_shown(m))
        return TESS_OK;
    tess_rank_process_watch(m->process, false);
    TRY(tess_march_fetch(&m->march));
    if (m->solution)
        TRY(tess_solution_show(m->solution, m->march.state, step));
    TRY(tess_ranked_march_await(m->march.ranked));
    tess_rank_process_watch(m->process, true);
    return TESS_OK;
}

/* What each global sum gained a step since the last look; it begins at 0 again, as what is small
 * would be lost beside what was large at first. */
static tess_status look(reported_march *m, int64_t n) {
    for (int d = 0; d < m->march.state->n_dats; d++) {
        if (!tess_march_sums(&m->march, &m->march.state->dats[d]))
            continue;
        TRY(tess_march_take_sum(&m->march, m->march.state->dats[d].name, &m->gains[d]));
        m->gains[d] /= (double)n;
        if (!isfinite(m->gains[d]) && !m->lost) {
            m->lost = m->march.state->dats[d].name;
            m->lost_at = m->n_marched;
        }
    }
    return TESS_OK;
}

/* The step at which the next of rows or pictures is due: a multiple of `every`, or the last one. */
static int64_t next_due(int64_t step, int64_t every, int64_t last) {
    const int64_t due = (step / every + 1) * every;
    return due < last ? due : last;
}

/* Adds a row for the n steps up to `step`, which took so many seconds. */
static tess_status add_row(reported_march *m, int64_t step, int64_t n, double seconds,
                           tess_table *table, json_t *rows) {
    json_t *row =
        json_pack("{s:I, s:f}", "step", (json_int_t)step, "seconds_per_step", seconds / (double)n);
    json_array_append_new(rows, row);
    TRY(tess_march_record_add_step(&m->march, seconds / (double)n, m->record));
    TRY(look(m, n));
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%lld", (long long)step));
    TRY(tess_table_add_cell(table, "%.4g", 1e3 * seconds / (double)n));
    for (int d = 0; d < m->march.state->n_dats; d++)
        if (tess_march_sums(&m->march, &m->march.state->dats[d])) {
            TRY(tess_table_add_cell(table, isnan(m->gains[d]) ? "nan" : "%.6g", m->gains[d]));
            json_object_set_new(row, m->march.state->dats[d].name, tess_json_number(m->gains[d]));
        }
    return TESS_OK;
}

static tess_status march_on(reported_march *m, tess_table *table, json_t *rows) {
    const march_options *asked = m->asked;
    const int64_t last = asked->steps;
    const int64_t every = asked->every > 0 ? asked->every : (last + 9) / 10;
    const int64_t shown = is_shown(m) && asked->in_situ.every > 0 ? asked->in_situ.every : every;
    double seconds = 0;
    for (int64_t step = 0, row = 0; step < last && !tess_interrupted();) {
        const int64_t row_due = next_due(step, every, last), show_due = next_due(step, shown, last);
        const int64_t due = row_due < show_due ? row_due : show_due;
        double taken = 0;
        const tess_status marched = tess_march_run(&m->march, (int)(due - step), &taken);
        if (marched == TESS_ERROR_INTERRUPTED)
            return TESS_OK; /* what is shown so far stands */
        TRY(marched);
        seconds += taken;
        if (m->march.ranked)
            tess_progress_add(due - step);
        step = m->n_marched = due;
        if (step == show_due)
            TRY(show_step(m, step));
        if (step != row_due)
            continue;
        TRY(add_row(m, step, step - row, seconds, table, rows));
        row = step;
        seconds = 0;
    }
    return TESS_OK;
}

static json_t *ranks_json(const tess_ranked_march *ranked, tess_halo_mode mode) {
    static const char *const modes[] = {TESS_HALO_NAMES};
    const tess_exchange_timing *timing = &ranked->timing;
    json_t *ranks = json_pack("{s:I, s:s, s:s, s:I, s:I}", "n", (json_int_t)ranked->crew->n_ranks,
                              "engine", ranked->crew->engine->name, "halo", modes[mode],
                              "exchange_bytes", (json_int_t)ranked->traffic.bytes,
                              "exchange_messages", (json_int_t)ranked->traffic.messages);
    if (timing->n_rounds > 0)
        json_object_update_new(
            ranks, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "step_seconds", timing->step,
                             "serial_seconds", timing->serial, "unexchanged_seconds",
                             timing->unexchanged, "exchange_seconds", timing->exchange,
                             "pack_seconds", timing->pack, "exposed_seconds", timing->exposed,
                             "hidden_share", tess_json_number(timing->hidden)));
    return ranks;
}

static tess_status print_json(const reported_march *m, json_t *rows) {
    json_t *all = json_pack("{s:s, s:s, s:o, s:O}", "schema", "tess.march/1", "application",
                            m->march.bench.load.application->name, "mesh",
                            tess_json_text(m->march.bench.load.mesh->source), "rows", rows);
    if (m->asked->loops.shown)
        json_object_set_new(all, "loops", tess_loop_rows_json(m->loops, m->n_loops));
    json_t *chains = tess_march_chains_json(&m->march, &m->forecast);
    if (chains)
        json_object_set_new(all, "chains", chains);
    if (m->forecast.is_made)
        json_object_set_new(all, "predicted", tess_march_forecast_json(&m->forecast));
    if (m->march.ranked)
        json_object_set_new(
            all, "ranks", ranks_json(m->march.ranked, tess_experiment_halo(&m->asked->asked.base)));
    if (m->is_checked)
        json_object_set_new(all, "check",
                            json_pack("{s:o, s:f}", "difference",
                                      tess_json_number(m->difference.largest), "tolerance",
                                      m->difference.tolerance));
    return tess_json_print(all);
}

static void print_timing(const tess_exchange_timing *timing) {
    printf("a step takes %.4g ms, %.4g without exchanges, %.4g where nothing runs beside them: "
           "%.3g us are exposed, %.3g of the exchange is hidden\n"
           "the exchanges alone take %.4g us, %.4g of them packing\n",
           1e3 * timing->step, 1e3 * timing->unexchanged, 1e3 * timing->serial,
           1e6 * timing->exposed, timing->hidden, 1e6 * timing->exchange, 1e6 * timing->pack);
}

static void print_sums(const reported_march *m) {
    for (int d = 0; d < m->march.state->n_dats; d++) {
        const tess_dat *dat = &m->march.state->dats[d];
        tess_explanation found;
        const bool ships = !m->march.bench.load.step; /* else a word is its author's */
        if (ships && tess_march_sums(&m->march, dat) && tess_explanation_find(dat->name, &found))
            printf("%s: %s\n", dat->name, found.long_name);
    }
}

/* Warns of a state that has grown beyond all numbers. */
static void tell_lost(const reported_march *m) {
    if (m->lost && !m->asked->asked.common.quiet)
        fprintf(stderr,
                "tess: warning: %s is no number from step %lld on: the state has grown beyond all "
                "numbers, as where steps are too long for cells that are very flat ('tess mesh "
                "info' shows shapes); the times hold, the values do not\n",
                m->lost, (long long)m->lost_at);
}

/* What stands below the table. */
static void print_notes(const reported_march *m) {
    print_sums(m);
    tess_march_chains_print(&m->march, &m->forecast);
    if (m->march.ranked)
        printf("%d rank%s by %s: %.4g kB in %lld message%s a step\n",
               m->march.ranked->crew->n_ranks, tess_plural(m->march.ranked->crew->n_ranks),
               m->march.ranked->crew->engine->name, 1e-3 * (double)m->march.ranked->traffic.bytes,
               (long long)m->march.ranked->traffic.messages,
               tess_plural(m->march.ranked->traffic.messages));
    if (m->march.ranked && m->march.ranked->timing.n_rounds > 0)
        print_timing(&m->march.ranked->timing);
    if (m->record)
        printf("run %s\n", m->record->id);
    if (m->is_checked)
        printf("the sequential loops come to the same state: largest difference %.1e, bound %.0e\n",
               m->difference.largest, m->difference.tolerance);
}

static tess_status write_surface(reported_march *m) {
    if (!m->asked->surface)
        return TESS_OK;
    TRY(tess_march_fetch(&m->march));
    if (!tess_ranked_march_reports(m->march.ranked))
        return TESS_OK;
    return tess_surface_write(m->march.bench.load.application, m->march.state, m->asked->surface);
}

/* What each loop took: in all steps where each was waited for, else in some more for the record,
 * which nobody waits for otherwise. */
static tess_status time_loops(reported_march *m) {
    enum { TIMED = 10 };
    const bool within = m->asked->loops.shown;
    if (m->march.ranked || tess_interrupted() || (!within && !m->record))
        return TESS_OK;
    if (!within)
        TRY(tess_march_time_loops(&m->march,
                                  m->asked->steps < TIMED ? (int)m->asked->steps : TIMED));
    return tess_march_loop_rows(&m->march, m->loops, &m->n_loops);
}

/* One that was interrupted is kept where it has as many rows as an interrupted run has rounds. */
enum { FEWEST_ROWS = 5 };

static tess_status archive(reported_march *m) {
    const tess_series *rows = m->record ? tess_record_series(m->record, "time") : NULL;
    if (tess_interrupted() && (!rows || rows->n < FEWEST_ROWS)) {
        tess_record_free(TESS_TAKE(m->record));
        return TESS_OK;
    }
    m->archive.steps = m->n_marched;
    TRY(tess_march_record_loops(m->loops, m->n_loops, m->asked->loops.shown, m->record));
    TRY(tess_march_forecast_record(&m->forecast, m->record));
    TRY(tess_march_record_store(&m->archive, &m->march, m->is_checked ? &m->difference : NULL,
                                m->record));
    m->is_archived = m->record != NULL;
    return TESS_OK;
}

/* What an interrupt leaves of a march. */
static tess_status say_what_is_kept(const reported_march *m) {
    const long long done = m->n_marched, asked = m->asked->steps;
    if (!tess_ranked_march_reports(m->march.ranked))
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted");
    if (done == 0)
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted before the first row: nothing is kept");
    if (m->is_archived)
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted after %lld of %lld steps, which are kept: run %s",
             done, asked, m->record->id);
    if (!m->archive.lab)
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted after %lld of %lld steps", done, asked);
    FAIL(TESS_ERROR_INTERRUPTED,
         "interrupted after %lld of %lld steps: nothing is kept, as there are fewer than %d rows "
         "(--every N)",
         done, asked, FEWEST_ROWS);
}

static tess_status march_and_report(reported_march *m) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    json_t *rows = json_array();
    CHECK(tess_table_new(TESS_TITLES(">step", ">ms/step"), &table));
    for (int d = 0; d < m->march.state->n_dats; d++)
        if (tess_march_sums(&m->march, &m->march.state->dats[d]))
            CHECK(tess_table_add_column(table, m->march.state->dats[d].name, TESS_ALIGN_RIGHT));
    tess_progress_begin("marching");
    tess_progress_set(0, m->asked->steps, NULL);
    tess_rank_process_watch(m->process, true);
    status = march_on(m, table, rows);
    tess_rank_process_watch(m->process, false);
    if (status == TESS_OK && m->asked->check && !tess_interrupted()) {
        tess_progress_set(0, m->asked->steps, "marching the sequential loops");
        status = tess_march_check(&m->march, m->asked->steps, &m->difference);
        m->is_checked = status == TESS_OK;
        status = status == TESS_ERROR_INTERRUPTED ? TESS_OK : status; /* the steps stand */
    }
    tess_progress_end();
    CHECK(status);
    CHECK(write_surface(m));
    if (m->march.ranked && m->asked->ranks.n_rounds > 0)
        CHECK(tess_exchange_timing_take(m->march.ranked->team, (int)m->asked->ranks.n_rounds,
                                        &m->march.ranked->timing));
    if (!tess_ranked_march_reports(m->march.ranked))
        goto done;
    CHECK(time_loops(m));
    CHECK(tess_march_forecast_make(m->asked->machine, &m->march, &m->forecast));
    CHECK(archive(m));
    if (m->asked->asked.common.json)
        CHECK(print_json(m, rows));
    else {
        CHECK(tess_table_print(table, stdout));
        if (m->asked->loops.shown)
            CHECK(tess_loop_rows_print(m->loops, m->n_loops));
        print_notes(m);
    }
    tell_lost(m);
done:
    json_decref(rows);
    tess_table_free(table);
    return status;
}

/* Takes what is asked for to how each loop is to run. */
static tess_status choose(march_options *asked) {
    tess_experiment *x = &asked->asked.base;
    const bool *said = asked->asked.said;
    TRY(tess_loops_asked_open(&asked->loops, asked->asked.lab, said, x));
    if (x->kernel && !tess_user_step_is(x->kernel))
        FAIL(TESS_ERROR_USAGE,
             "a march needs a step: --kernel FILE.yaml, which describes its loops; one loop alone "
             "is run by 'tess run'");
    if (!x->application == !x->kernel || !x->mesh)
        FAIL(TESS_ERROR_USAGE,
             "name an application and a mesh: tess march APPLICATION --mesh MESH");
    TRY(tess_march_forecast_check(asked->machine));
    TRY(tess_experiment_check_ranks(x));
    TRY(tess_rank_options_check(x, &asked->ranks));
    asked->ranks.spoils = asked->check;
    asked->ranks.counted = !asked->asked.no_lab;
    asked->ranks.keep_text = asked->asked.keep_text;
    TRY(tess_experiment_choose_strategy(x));
    TRY(tess_execution_check_device(x->strategy.plugin, tess_experiment_device(x)));
    if (asked->loops.loop)
        TRY(tess_experiment_set(x, TESS_FIELD_loop, asked->loops.loop));
    TRY(tess_loops_asked_build(&asked->loops, said, x, &asked->step));
    return asked->chains ? tess_step_chain(&asked->step, asked->chains) : TESS_OK;
}

/* Opens the lab and the record, if the march is to be archived. */
static tess_status open_archive(reported_march *m, int argc, char **argv) {
    m->archive = (tess_march_record_options){.argc = argc,
                                             .argv = argv,
                                             .step = &m->asked->step,
                                             .ranks = is_ranked(m->asked) ? &m->asked->ranks : NULL,
                                             .steps = m->asked->steps};
    TRY(tess_cli_settings_lab(&m->asked->asked, &m->archive.lab));
    return tess_march_record_new(&m->archive, &m->record);
}

/* A march that cannot be archived has failed all the same. */
static void archive_failure(void *context, int64_t task, const char *why) {
    (void)task;
    reported_march *m = context;
    if (tess_march_record_fail(&m->archive, why, m->record) != TESS_OK)
        fprintf(stderr, "tess: the march is not archived: %s\n", tess_message());
}

/* Whether the march failed, not what it was asked for with. */
static bool is_failure(tess_status status) {
    return status == TESS_ERROR_CHECK || status == TESS_ERROR_IO || status == TESS_ERROR_MEMORY ||
           status == TESS_ERROR_INTERNAL;
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    march_options asked = {.steps = 100};
    reported_march m = {.asked = &asked};
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &asked.asked, &asked));
    CHECK(choose(&asked));
    CHECK(tess_rank_options_launch(&asked.asked.base, &asked.ranks, "march", argv));
    CHECK(open_archive(&m, argc, argv));
    const tess_rank_process_setting watched = {
        .timeout = asked.ranks.timeout, .failed = archive_failure, .context = &m};
    if (is_ranked(&asked))
        CHECK(tess_rank_process_start(&watched, &m.process));
    asked.ranks.pulse = tess_rank_process_pulse(m.process);
    tess_interrupts_note();
    CHECK(reported_march_open(&m));
    tell_left_out(&m);
    tess_cli_settings_tell_mesh(&asked.asked, m.march.bench.load.mesh);
    tess_cli_settings_tell_load(&asked.asked);
    if (asked.surface)
        CHECK(tess_surface_check(m.march.bench.load.application, asked.surface));
    CHECK(show_start(&m));
    CHECK(march_and_report(&m));
    tess_in_situ *in_situ = m.in_situ;
    m.in_situ = NULL;
    CHECK(tess_in_situ_close(in_situ));
    CHECK(tess_ranked_march_await(m.march.ranked));
    tess_rank_process_watch(m.process, true); /* to the end */
done:
    if (is_failure(status)) {
        char why[1024];
        snprintf(why, sizeof why, "%s", tess_message());
        archive_failure(&m, 0, why);
        status = tess_fail(status, "%s", why);
    }
    if (status != TESS_OK && m.march.ranked)
        tess_rank_process_leave(m.march.ranked->crew, status);
    if (status == TESS_ERROR_INTERRUPTED || (status == TESS_OK && tess_interrupted()))
        status = say_what_is_kept(&m);
    reported_march_close(&m);
    tess_step_clear(&asked.step);
    tess_loops_asked_close(&asked.loops);
    tess_cli_settings_clear(&asked.asked);
    return status;
}

const tess_command tess_command_march = {
    .name = "march", .summary = "March an application on a device", .run = run};
