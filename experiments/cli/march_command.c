/* The command `tess march`: all loops of an application on a device, step by step. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/bench/line.h"
#include "experiments/bench/signals.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/command.h"
#include "experiments/cli/solution.h"
#include "experiments/cli/surface.h"
#include "experiments/cli/table.h"
#include "kernels/run/marcher.h"
#include <stdlib.h>
#include <string.h>

typedef struct march_options {
    tess_common common;
    const char *application, *mesh, *device, *strategy, *partitioner, *layout, *renumber;
    const char *surface;
    int precision;
    int64_t block_size, steps, every;
    tess_in_situ_options in_situ; /* each row is shown: its `every` stands for --every */
} march_options;

enum {
    KEY_MESH = 'm',
    KEY_DEVICE = 'd',
    KEY_STRATEGY = 's',
    KEY_PARTITIONER = 'p',
    KEY_BLOCK_SIZE = 'b',
    KEY_STEPS = 'n',
    KEY_EVERY = 0x100,
    KEY_LAYOUT,
    KEY_RENUMBER,
    KEY_PRECISION,
    KEY_SURFACE,
};

static const struct argp_option options[] = {
    {"mesh", KEY_MESH, "MESH", 0, "A file or a generator, see 'tess mesh generate --help'", 0},
    {"steps", KEY_STEPS, "N", 0, "Time steps (default: 100)", 0},
    {"every", KEY_EVERY, "N", 0, "Steps between two rows (default: a tenth)", 0},
    {"device", KEY_DEVICE, "D", 0, "host, emulator or cuda with options (default: host)", 0},
    {"strategy", KEY_STRATEGY, "S", 0, "Of the primary loop (default: openmp, or atomics)", 0},
    {"partitioner", KEY_PARTITIONER, "P", 0, "Of the primary loop (default: rcb)", 0},
    {"block-size", KEY_BLOCK_SIZE, "N", 0, "Most elements of a block (default: 256)", 0},
    {"layout", KEY_LAYOUT, "soa|aos[,SET=aos...]", 0, "Layout of the data (default: aos)", 0},
    {"renumber", KEY_RENUMBER, "none|gps|rcm|blocks|owner|colours", 0, "(default: blocks)", 0},
    {"precision", KEY_PRECISION, "float|double", 0, "What `real` is (default: the papers')", 0},
    {"surface", KEY_SURFACE, "FILE.csv", 0,
     "Write what lies on the walls at the end: place, normal, fields", 0},
    TESS_IN_SITU_OPTIONS,
    {NULL},
};

static const char doc[] =
    "March an application on a device and print what its global sums gain a step.\v"
    "Example: the residual of airfoil falls as the flow settles:\n"
    "  tess march airfoil --mesh naca0012_inv.su2.xz --steps 1000\n"
    "  tess march airfoil --mesh naca0012_inv.su2.xz --steps 1000 --every 50 --catalyst "
    "solution.py\n"
    "and the pressure on the profile becomes what it should be:\n"
    "  tess march airfoil --mesh airfoil:i=100:j=150 --steps 4000 --surface cp.csv";

static error_t parser(int key, char *arg, struct argp_state *state) {
    static const char *const precisions[] = {"auto", "float", "double", NULL};
    march_options *into = state->input;
    switch (key) {
    case KEY_MESH:
        into->mesh = arg;
        return 0;
    case KEY_DEVICE:
        into->device = arg;
        return 0;
    case KEY_STRATEGY:
        into->strategy = arg;
        return 0;
    case KEY_PARTITIONER:
        into->partitioner = arg;
        return 0;
    case KEY_LAYOUT:
        into->layout = arg;
        return 0;
    case KEY_RENUMBER:
        into->renumber = arg;
        return 0;
    case KEY_SURFACE:
        into->surface = arg;
        return 0;
    case KEY_PRECISION:
        return tess_command_refuse(
            tess_argument_choice("precision", arg, precisions, &into->precision));
    case KEY_BLOCK_SIZE:
        return tess_command_refuse(
            tess_argument_integer("block-size", arg, 1, INT32_MAX, &into->block_size));
    case KEY_STEPS:
        return tess_command_refuse(tess_argument_integer("steps", arg, 1, 1 << 30, &into->steps));
    case KEY_EVERY:
        return tess_command_refuse(tess_argument_integer("every", arg, 1, 1 << 30, &into->every));
    case ARGP_KEY_ARG:
        into->application = arg;
        return 0;
    default:
        return tess_in_situ_parse(key, arg, &into->in_situ);
    }
}

/* All that is opened for a march; closed in the reverse order. */
typedef struct march {
    const march_options *asked;
    const tess_device *device;
    tess_target *target;
    tess_workload load;
    tess_spec *partitioner, *strategy;
    int n_partitioners, n_strategies;
    tess_layouts layouts;
    tess_line *line;
    tess_store *store;
    tess_marcher *marcher;
    double *gains;           /* of the global dats a step, in the order of the state */
    tess_in_situ *in_situ;   /* NULL: nothing is shown */
    tess_solution *solution; /* what it shows */
} march;

static void march_close(march *m) {
    tess_in_situ_drop(m->in_situ);
    tess_solution_free(m->solution);
    free(m->gains);
    tess_marcher_close(m->marcher);
    tess_store_close(m->store);
    tess_line_free(m->line);
    tess_spec_list_free(m->strategy, m->n_strategies);
    tess_spec_list_free(m->partitioner, m->n_partitioners);
    tess_workload_clear(&m->load);
    if (m->target)
        m->device->close(m->target);
}

static tess_status cut(march *m, const tess_strategy *strategy) {
    tess_setting setting = {.spec = &m->partitioner[0],
                            .block_size = (int32_t)m->asked->block_size,
                            .seed = 1,
                            .layout = m->layouts.layout,
                            .time_limit = 600};
    TRY(tess_renumber_parse(m->asked->renumber, &setting.renumber));
    TRY(tess_partitioner_find(m->partitioner[0].name, &setting.partitioner));
    TRY(tess_spec_check(&m->partitioner[0], setting.partitioner->options));
    setting.over = strategy->owns_points ? tess_workload_points(&m->load) : NULL;
    return tess_line_run(m->load.bound, &setting, &m->line);
}

static tess_status march_open(march *m) {
    const march_options *asked = m->asked;
    const tess_strategy *strategy = NULL;
    const tess_workload_names names = {.mesh = asked->mesh,
                                       .application = asked->application,
                                       .precision = asked->precision,
                                       .all_maps = tess_in_situ_wanted(&asked->in_situ)};
    TRY(tess_device_open(asked->device, &m->device, &m->target));
    TRY(tess_layouts_parse(asked->layout, &m->layouts));
    TRY(tess_spec_list_parse(asked->partitioner, &m->partitioner, &m->n_partitioners));
    TRY(tess_spec_list_parse(asked->strategy         ? asked->strategy
                             : m->device->one_thread ? "openmp"
                                                     : "atomics",
                             &m->strategy, &m->n_strategies));
    TRY(tess_strategy_find(m->strategy[0].name, &strategy));
    TRY(tess_spec_check(&m->strategy[0], strategy->options));
    TRY(tess_workload_open(&names, &m->load));
    TRY(cut(m, strategy));
    TRY(TESS_ZEROS(m->load.start->n_dats, &m->gains));
    /* The workload stands before its primary loop; a march begins at the start. */
    tess_state_free(m->load.start);
    m->load.start = NULL;
    TRY(tess_application_start(m->load.application, m->load.mesh, m->load.real, &m->load.start));
    TRY(tess_store_open(m->device, m->target, m->load.start, m->line->renumbering, &m->layouts,
                        &m->store));
    const tess_marcher_setting setting = {.application = m->load.application,
                                          .kernel = m->load.kernel,
                                          .strategy = strategy,
                                          .spec = &m->strategy[0],
                                          .block_size = (int32_t)asked->block_size};
    return tess_marcher_open(&setting, m->store, m->load.bound, m->line->plan, &m->marcher);
}

/* Prepares to show the solution over the blocks of the primary loop, and shows the start. */
static tess_status show_start(march *m) {
    TRY(tess_in_situ_open(&m->asked->in_situ, &m->asked->common, 1, m->partitioner, 1,
                          &m->asked->block_size, &m->in_situ));
    if (!m->in_situ)
        return TESS_OK;
    tess_in_situ_set_plan(m->in_situ, 0, m->load.bound, m->line->plan, m->line->partition->block_of,
                          m->line->metrics);
    TRY(tess_solution_new(m->load.application, m->in_situ, &m->solution));
    return tess_solution_show(m->solution, m->load.start, 0);
}

static tess_status show_step(march *m, int64_t step) {
    if (!m->in_situ)
        return TESS_OK;
    TRY(tess_store_download(m->store, m->load.start));
    return tess_solution_show(m->solution, m->load.start, step);
}

static bool is_sum(const march *m, int d) {
    const tess_dat *dat = &m->load.start->dats[d];
    const tess_application *application = m->load.application;
    for (int k = 0; k < application->n_kernels; k++)
        for (int a = 0; a < application->kernels[k].n_args; a++) {
            const tess_kernel_arg *arg = &application->kernels[k].args[a];
            if (dat->set == TESS_GLOBAL && !arg->set && arg->access == TESS_INC &&
                strcmp(arg->dat, dat->name) == 0)
                return true;
        }
    return false;
}

/* What each global sum gained a step since the last look; it begins at 0 again, as what is small
 * would be lost beside what was large at first. */
static tess_status look(march *m, int64_t n) {
    for (int d = 0; d < m->load.start->n_dats; d++) {
        if (!is_sum(m, d))
            continue;
        const tess_stored *stored = tess_store_find(m->store, m->load.start->dats[d].name, "");
        double value[4] = {0};
        tess_dat dat = *stored->dat;
        dat.values = value;
        TRY(m->device->download(m->target, value, stored->address,
                                (int64_t)tess_type_size(dat.type)));
        m->gains[d] = tess_dat_value(&dat, 0) / (double)n;
        tess_dat_set(&dat, 0, 0);
        TRY(m->device->upload(m->target, stored->address, value,
                              (int64_t)tess_type_size(dat.type)));
    }
    return TESS_OK;
}

static tess_status march_on(march *m, tess_table *table, json_t *rows) {
    const march_options *asked = m->asked;
    const int64_t every = asked->every > 0 ? asked->every : (asked->steps + 9) / 10;
    for (int64_t done = 0; done < asked->steps && !tess_interrupted();) {
        const int64_t n = done + every <= asked->steps ? every : asked->steps - done;
        double seconds = 0;
        TRY(tess_marcher_run(m->marcher, (int)n, &seconds));
        TRY(look(m, n));
        done += n;
        TRY(show_step(m, done));
        json_t *row = json_pack("{s:I, s:f}", "step", (json_int_t)done, "seconds_per_step",
                                seconds / (double)n);
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "%lld", (long long)done));
        TRY(tess_table_add_cell(table, "%.4g", 1e3 * seconds / (double)n));
        for (int d = 0; d < m->load.start->n_dats; d++)
            if (is_sum(m, d)) {
                TRY(tess_table_add_cell(table, "%.6g", m->gains[d]));
                json_object_set_new(row, m->load.start->dats[d].name,
                                    tess_json_number(m->gains[d]));
            }
        json_array_append_new(rows, row);
    }
    return TESS_OK;
}

static tess_status march_and_report(march *m) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    json_t *rows = json_array();
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "step", TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_column(table, "ms/step", TESS_ALIGN_RIGHT));
    for (int d = 0; d < m->load.start->n_dats; d++)
        if (is_sum(m, d))
            CHECK(tess_table_add_column(table, m->load.start->dats[d].name, TESS_ALIGN_RIGHT));
    CHECK(march_on(m, table, rows));
    if (m->asked->common.json)
        CHECK(tess_json_print(json_pack("{s:s, s:s, s:o, s:O}", "schema", "tess.march/1",
                                        "application", m->asked->application, "mesh",
                                        tess_json_text(m->load.mesh->source), "rows", rows)));
    else
        CHECK(tess_table_print(table, stdout));
done:
    json_decref(rows);
    tess_table_free(table);
    return status;
}

static tess_status write_surface(march *m) {
    if (!m->asked->surface)
        return TESS_OK;
    TRY(tess_store_download(m->store, m->load.start));
    return tess_surface_write(m->load.application, m->load.start, m->asked->surface);
}

static tess_status run(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parser, .args_doc = "APPLICATION --mesh MESH", .doc = doc};
    march_options asked = {.device = "host",
                           .partitioner = "rcb",
                           .layout = "aos",
                           .renumber = "blocks",
                           .block_size = 256,
                           .steps = 100};
    TRY(tess_command_parse(&argp, argc, argv, &asked.common, &asked));
    if (!asked.application || !asked.mesh)
        FAIL(TESS_ERROR_USAGE,
             "name an application and a mesh: tess march APPLICATION --mesh MESH");
    if (!asked.every)
        asked.every = asked.in_situ.every;
    tess_status status = TESS_OK;
    march m = {.asked = &asked};
    CHECK(march_open(&m));
    if (asked.surface)
        CHECK(tess_surface_check(m.load.application));
    CHECK(show_start(&m));
    tess_interrupts_note();
    CHECK(march_and_report(&m));
    CHECK(write_surface(&m));
    tess_in_situ *in_situ = m.in_situ;
    m.in_situ = NULL;
    CHECK(tess_in_situ_close(in_situ));
done:
    march_close(&m);
    return status;
}

const tess_command tess_command_march = {
    .name = "march", .summary = "March an application on a device", .run = run};
