/* The command `tess march`: all loops of an application on a device, step by step. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/bench/experiment.h"
#include "experiments/cli/experiment_options.h"
#include "experiments/cli/rank_options.h"
#include "experiments/cli/report/table.h"
#include "experiments/cli/solution.h"
#include "experiments/cli/surface.h"
#include "kernels/run/marcher.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct march_options {
    tess_asked asked;
    const char *surface;
    int64_t steps, every;
    bool check, ranked;
    tess_rank_setting ranks;
    tess_in_situ_options in_situ; /* its `every`: 0: each row is shown */
} march_options;

enum { KEY_STEPS = 'n', KEY_EVERY = 0x100, KEY_SURFACE, KEY_CHECK };

static const struct argp_option more[] = {
    {"steps", KEY_STEPS, "N", 0, "Time steps (default: 100)", 0},
    {"every", KEY_EVERY, "N", 0, "Steps between two rows (default: a tenth)", 0},
    {"surface", KEY_SURFACE, "FILE.csv", 0,
     "Write what lies on the walls at the end: place, normal, fields", 0},
    {"check", KEY_CHECK, NULL, 0,
     "March the sequential loops in double, too, and compare what both come to", 0},
    TESS_RANK_OPTIONS,
    TESS_IN_SITU_OPTIONS,
    {NULL},
};

/* Partitioner and strategy are those of the primary loop. */
static const tess_setting_use uses[] = {
    {.field = TESS_FIELD_kernel, .left_out = true},
    {.field = TESS_FIELD_loop, .left_out = true},
    {.field = TESS_FIELD_samples, .left_out = true},
    {.field = TESS_FIELD_threads, .left_out = true},
    {.field = TESS_FIELD_cache, .left_out = true},
    {.field = TESS_FIELD_graph, .left_out = true},
    {.field = TESS_FIELD_counters, .left_out = true},
    {.field = TESS_FIELD_device, .standard = "host"},
    {.field = TESS_FIELD_layout, .standard = "aos"},
    {.field = TESS_FIELD_block_size, .standard = "256"},
    {.field = TESS_FIELD_strategy, .words = "openmp, or atomics"},
};

static const tess_asking asking = {
    .kind = TESS_RUNNING, .uses = uses, .n_uses = sizeof uses / sizeof *uses, .more = more};

static const char doc[] =
    "March an application on a device and print what its global sums gain a step.\v"
    "Example: the residual of airfoil falls as the flow settles:\n"
    "  tess march airfoil --mesh naca0012_inv.su2.xz --steps 1000\n"
    "  tess march airfoil --mesh naca0012_inv.su2.xz --steps 1000 --every 50 --catalyst "
    "solution.py\n"
    "and the pressure on the profile becomes what it should be:\n"
    "  tess march airfoil --mesh airfoil:i=100:j=150 --steps 4000 --surface cp.csv\n"
    "The same on four ranks, which come to the same state:\n"
    "  tess march airfoil --mesh airfoil:i=40:j=60 --ranks 4 --steps 10 --check";

static error_t parser(int key, char *arg, struct argp_state *state) {
    march_options *into = state->input;
    switch (key) {
    case KEY_SURFACE:
        into->surface = arg;
        return 0;
    case KEY_CHECK:
        into->check = true;
        return 0;
    case KEY_STEPS:
        return tess_command_refuse(tess_argument_integer("steps", arg, 1, 1 << 30, &into->steps));
    case KEY_EVERY:
        return tess_command_refuse(tess_argument_integer("every", arg, 1, 1 << 30, &into->every));
    default: {
        error_t error = tess_in_situ_parse(key, arg, &into->in_situ);
        if (error == ARGP_ERR_UNKNOWN)
            error = tess_rank_options_parse(key, arg, &into->ranks);
        return error == ARGP_ERR_UNKNOWN ? tess_asked_parse(key, arg, &into->asked) : error;
    }
    }
}

/* All that is opened for a march; closed in the reverse order. */
typedef struct march {
    const march_options *asked;
    const tess_experiment *experiment; /* of the primary loop */
    tess_bench bench;
    tess_state *state; /* of the application: its start, then as it is shown */
    tess_planned *planned;
    tess_store *store;
    tess_marcher *marcher;
    tess_ranked_march *ranked;    /* instead of the last three; NULL: no ranks */
    double difference, tolerance; /* from the sequential loops, where that is checked */
    double *gains;                /* of the global dats a step, in the order of the state */
    tess_in_situ *in_situ;        /* NULL: nothing is shown */
    tess_solution *solution;      /* what it shows */
} march;

static void march_close(march *m) {
    tess_in_situ_drop(m->in_situ);
    tess_solution_free(m->solution);
    free(m->gains);
    tess_ranked_march_close(m->ranked);
    tess_marcher_close(m->marcher);
    tess_store_close(m->store);
    tess_planned_release(m->planned);
    tess_state_free(m->state);
    tess_bench_close(&m->bench);
}

/* Opens the loops of a march without ranks. */
static tess_status open_marcher(march *m) {
    const tess_experiment *x = m->experiment;
    const tess_run cut = {.experiment = x};
    const tess_workload *load = &m->bench.load;
    TRY(tess_experiment_plan(&m->bench, &cut, &m->planned));
    TRY(tess_planned_measure(m->planned, load->bound, x->layout.layouts.layout));
    TRY(tess_store_open(m->bench.device, m->bench.target, m->state, m->planned->renumbering,
                        &x->layout.layouts, &m->store));
    const tess_marcher_setting setting = {.application = load->application,
                                          .kernel = load->kernel,
                                          .strategy = x->strategy.plugin,
                                          .spec = x->strategy.spec,
                                          .block_size = (int32_t)x->block_size};
    return tess_marcher_open(&setting, m->store, load->bound, m->planned->plan, &m->marcher);
}

static tess_status march_open(march *m) {
    const tess_bench_options options = {.shown = tess_in_situ_wanted(&m->asked->in_situ)};
    const tess_workload *load = &m->bench.load;
    TRY(tess_bench_open(m->experiment, &options, &m->bench));
    /* The bench stands before its loop; a march begins at the start. */
    TRY(tess_application_start(load->application, load->mesh, load->real, &m->state));
    TRY(TESS_ZEROS(m->state->n_dats, &m->gains));
    if (m->asked->ranked)
        return tess_ranked_march_open(&m->bench, &m->asked->ranks, m->state, &m->ranked);
    return open_marcher(m);
}

/* Brings what the march has come to into its state. */
static tess_status fetch_state(march *m) {
    return m->ranked ? tess_team_gather(m->ranked->team, m->state)
                     : tess_store_download(m->store, m->state);
}

static bool is_in_step(const tess_application *application, const tess_kernel *kernel) {
    int i = 0;
    while (application->step[i] && strcmp(application->step[i], kernel->name) != 0)
        i++;
    return application->step[i] != NULL;
}

/* Says which loops of a step are left out. */
static void tell_left_out(const march *m) {
    const tess_workload *load = &m->bench.load;
    for (int k = 0; k < load->application->n_kernels; k++) {
        const tess_kernel *kernel = &load->application->kernels[k];
        if (!m->asked->asked.common.quiet && is_in_step(load->application, kernel) &&
            !tess_kernel_applies(kernel, load->mesh))
            fprintf(stderr, "tess: %s is left out: %s has no %s\n", kernel->name,
                    load->mesh->source, kernel->set);
    }
}

/* Prepares to show the solution over the blocks of the primary loop, and shows the start. */
static tess_status show_start(march *m) {
    TRY(tess_in_situ_open(&m->asked->in_situ, &m->asked->asked.common, m->experiment, 1, 1,
                          &m->in_situ));
    if (!m->in_situ)
        return TESS_OK;
    tess_in_situ_set_plan(m->in_situ, 0, m->bench.load.bound, m->planned->plan,
                          m->planned->partition->block_of, tess_planned_metrics(m->planned));
    TRY(tess_solution_new(m->bench.load.application, m->in_situ, &m->solution));
    return tess_solution_show(m->solution, m->state, 0);
}

static tess_status show_step(march *m, int64_t step) {
    if (!m->in_situ)
        return TESS_OK;
    TRY(fetch_state(m));
    return tess_solution_show(m->solution, m->state, step);
}

static bool is_sum(const march *m, int d) {
    const tess_dat *dat = &m->state->dats[d];
    const tess_application *application = m->bench.load.application;
    for (int k = 0; k < application->n_kernels; k++)
        for (int a = 0; a < application->kernels[k].n_args; a++) {
            const tess_kernel_arg *arg = &application->kernels[k].args[a];
            if (dat->set == TESS_GLOBAL && !arg->set && arg->access == TESS_INC &&
                strcmp(arg->dat, dat->name) == 0)
                return true;
        }
    return false;
}

/* Gives the value of a global sum, which begins at 0 again. */
static tess_status take_sum(march *m, const char *name, double *sum) {
    if (m->ranked)
        return tess_team_take_sum(m->ranked->team, name, sum);
    const tess_stored *stored = tess_store_find(m->store, name, "");
    double value[4] = {0};
    tess_dat dat = *stored->dat;
    const int64_t bytes = (int64_t)tess_type_size(dat.type);
    dat.values = value;
    TRY(m->bench.device->download(m->bench.target, value, stored->address, bytes));
    *sum = tess_dat_value(&dat, 0);
    tess_dat_set(&dat, 0, 0);
    return m->bench.device->upload(m->bench.target, stored->address, value, bytes);
}

/* What each global sum gained a step since the last look; it begins at 0 again, as what is small
 * would be lost beside what was large at first. */
static tess_status look(march *m, int64_t n) {
    for (int d = 0; d < m->state->n_dats; d++) {
        if (!is_sum(m, d))
            continue;
        TRY(take_sum(m, m->state->dats[d].name, &m->gains[d]));
        m->gains[d] /= (double)n;
    }
    return TESS_OK;
}

/* The step at which the next of rows or pictures is due: a multiple of `every`, or the last one. */
static int64_t next_due(int64_t step, int64_t every, int64_t last) {
    const int64_t due = (step / every + 1) * every;
    return due < last ? due : last;
}

/* Adds a row for the n steps up to `step`, which took so many seconds. */
static tess_status add_row(march *m, int64_t step, int64_t n, double seconds, tess_table *table,
                           json_t *rows) {
    json_t *row =
        json_pack("{s:I, s:f}", "step", (json_int_t)step, "seconds_per_step", seconds / (double)n);
    json_array_append_new(rows, row);
    TRY(look(m, n));
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%lld", (long long)step));
    TRY(tess_table_add_cell(table, "%.4g", 1e3 * seconds / (double)n));
    for (int d = 0; d < m->state->n_dats; d++)
        if (is_sum(m, d)) {
            TRY(tess_table_add_cell(table, "%.6g", m->gains[d]));
            json_object_set_new(row, m->state->dats[d].name, tess_json_number(m->gains[d]));
        }
    return TESS_OK;
}

static tess_status march_on(march *m, tess_table *table, json_t *rows) {
    const march_options *asked = m->asked;
    const int64_t last = asked->steps;
    const int64_t every = asked->every > 0 ? asked->every : (last + 9) / 10;
    const int64_t shown = m->in_situ && asked->in_situ.every > 0 ? asked->in_situ.every : every;
    double seconds = 0;
    for (int64_t step = 0, row = 0; step < last && !tess_interrupted();) {
        const int64_t row_due = next_due(step, every, last), show_due = next_due(step, shown, last);
        const int64_t due = row_due < show_due ? row_due : show_due;
        double taken = 0;
        const tess_status marched = m->ranked
                                        ? tess_team_run(m->ranked->team, (int)(due - step), &taken)
                                        : tess_marcher_run(m->marcher, (int)(due - step), &taken);
        if (marched == TESS_ERROR_INTERRUPTED)
            return TESS_OK; /* what is shown so far stands */
        TRY(marched);
        seconds += taken;
        step = due;
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

/* Compares with the sequential loops in double; sums, which were taken on the way, are left out. */
static tess_status compare(march *m) {
    tess_status status = TESS_OK;
    tess_state *want = NULL;
    if (!m->asked->check)
        return TESS_OK;
    CHECK(fetch_state(m));
    CHECK(
        tess_application_start(m->bench.load.application, m->bench.load.mesh, TESS_DOUBLE, &want));
    for (int64_t i = 0; i < m->asked->steps; i++)
        CHECK(tess_application_march(m->bench.load.application, want));
    for (int d = 0; d < want->n_dats; d++)
        if (want->dats[d].set == TESS_GLOBAL)
            tess_dat_set(&want->dats[d], 0, tess_dat_value(&m->state->dats[d], 0));
    const tess_difference found = tess_state_compare(m->state, want);
    m->difference = found.largest;
    m->tolerance = found.tolerance;
    if (found.largest > found.tolerance)
        CHECK(tess_fail(TESS_ERROR_CHECK,
                        "%s comes to another state than the sequential loops: %s differs by %.1e, "
                        "over %.0e%s",
                        m->experiment->application, found.dat->name, found.largest, found.tolerance,
                        m->state->real == TESS_FLOAT
                            ? "; --precision double tells whether that is rounding"
                            : ""));
done:
    tess_state_free(want);
    return status;
}

static tess_status print_json(const march *m, json_t *rows) {
    json_t *all = json_pack("{s:s, s:s, s:o, s:O}", "schema", "tess.march/1", "application",
                            m->experiment->application, "mesh",
                            tess_json_text(m->bench.load.mesh->source), "rows", rows);
    if (m->ranked)
        json_object_set_new(
            all, "ranks",
            json_pack("{s:I, s:s, s:s, s:I, s:I}", "n", (json_int_t)m->ranked->crew->n_ranks,
                      "engine", m->ranked->crew->engine->name, "halo",
                      m->asked->ranks.mode == TESS_HALO_SUMS ? "sums" : "exec", "exchange_bytes",
                      (json_int_t)m->ranked->traffic.bytes, "exchange_messages",
                      (json_int_t)m->ranked->traffic.messages));
    if (m->asked->check)
        json_object_set_new(all, "check",
                            json_pack("{s:o, s:f}", "difference", tess_json_number(m->difference),
                                      "tolerance", m->tolerance));
    return tess_json_print(all);
}

/* What stands below the table. */
static void print_notes(const march *m) {
    if (m->ranked)
        printf("%d ranks by %s: %.4g kB in %lld messages a step\n", m->ranked->crew->n_ranks,
               m->ranked->crew->engine->name, 1e-3 * (double)m->ranked->traffic.bytes,
               (long long)m->ranked->traffic.messages);
    if (m->asked->check)
        printf("the sequential loops come to the same state: largest difference %.1e, bound %.0e\n",
               m->difference, m->tolerance);
}

static tess_status march_and_report(march *m) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    json_t *rows = json_array();
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "step", TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_column(table, "ms/step", TESS_ALIGN_RIGHT));
    for (int d = 0; d < m->state->n_dats; d++)
        if (is_sum(m, d))
            CHECK(tess_table_add_column(table, m->state->dats[d].name, TESS_ALIGN_RIGHT));
    CHECK(march_on(m, table, rows));
    CHECK(compare(m));
    if (!tess_ranked_march_reports(m->ranked))
        goto done;
    if (m->asked->asked.common.json)
        CHECK(print_json(m, rows));
    else {
        CHECK(tess_table_print(table, stdout));
        print_notes(m);
    }
done:
    json_decref(rows);
    tess_table_free(table);
    return status;
}

static tess_status write_surface(march *m) {
    if (!m->asked->surface)
        return TESS_OK;
    TRY(fetch_state(m));
    if (!tess_ranked_march_reports(m->ranked))
        return TESS_OK;
    return tess_surface_write(m->bench.load.application, m->state, m->asked->surface);
}

/* The experiment of the primary loop. */
static tess_status choose(march_options *asked) {
    tess_experiment *x = &asked->asked.base;
    if (!x->application || !x->mesh)
        FAIL(TESS_ERROR_USAGE,
             "name an application and a mesh: tess march APPLICATION --mesh MESH");
    TRY(tess_rank_options_check(&asked->ranks, &asked->ranked));
    if (asked->ranked && tess_in_situ_wanted(&asked->in_situ))
        FAIL(TESS_ERROR_USAGE,
             "what marches on ranks is not shown while it runs: leave --ranks out");
    if (x->strategy.plugin)
        return TESS_OK;
    const bool one_thread = tess_experiment_device(x)->one_thread;
    return tess_experiment_set(x, TESS_FIELD_strategy, one_thread ? "openmp" : "atomics");
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    march_options asked = {.steps = 100};
    march m = {.asked = &asked, .experiment = &asked.asked.base};
    CHECK(tess_asked_init(&asking, &asked.asked));
    const struct argp argp = {.options = tess_asking_options(&asking),
                              .parser = parser,
                              .args_doc = "APPLICATION --mesh MESH",
                              .doc = doc};
    CHECK(tess_command_parse(&argp, argc, argv, &asked.asked.common, &asked));
    tess_interrupts_note();
    CHECK(choose(&asked));
    CHECK(march_open(&m));
    tell_left_out(&m);
    if (asked.surface)
        CHECK(tess_surface_check(m.bench.load.application));
    CHECK(show_start(&m));
    CHECK(march_and_report(&m));
    CHECK(write_surface(&m));
    tess_in_situ *in_situ = m.in_situ;
    m.in_situ = NULL;
    CHECK(tess_in_situ_close(in_situ));
done:
    if (status != TESS_OK && m.ranked && m.ranked->crew && m.ranked->crew->n_here == 1)
        fprintf(stderr, "tess: rank %d: %s\n", m.ranked->crew->first, tess_message());
    if (status == TESS_OK || !tess_ranked_march_abort(m.ranked, tess_status_exit_code(status)))
        march_close(&m);
    tess_asked_clear(&asked.asked);
    return status;
}

const tess_command tess_command_march = {
    .name = "march", .summary = "March an application on a device", .run = run};
