/* The command `tess bound`: what a time step must move and compute at least: loop by loop, in
 * chains and as a whole, and what a machine takes for it. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/command.h"
#include "experiments/model/step_bound.h"
#include "experiments/report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Print what the loops of a time step move and compute at least: loop by loop, in chains (runs "
    "of loops that one kernel executes block by block) with the rings that their blocks compute "
    "again, and as if each value were moved once; how long a machine takes to move that as fast as "
    "it copies, and to compute it at its rate; and why loops are no chain. No GPU is needed.\v"
    "Examples:\n"
    "  tess bound airfoil --mesh quads:nx=1200:ny=600\n"
    "  tess bound airfoil --mesh quads:nx=1200:ny=600 --arithmetic \\\n"
    "      fast --machine h100\n"
    "  tess bound --kernel mine.h --loop mine.yaml --mesh tris:nx=50:ny=50 --json\n\n"
    "docs/predict.md says how bytes and flops are counted.";

typedef struct asked_bound {
    tess_common common;
    const char *application, *loop, *kernel, *mesh, *machine_name, *partitioner_text;
    int64_t block_size;
    tess_precision precision;
    tess_arithmetic arithmetic;
    bool all;
    tess_machine machine;
    tess_spec *spec; /* of the partitioner, owned */
    const tess_partitioner *partitioner;
} asked_bound;

static const char *const precisions[] = {"auto", "float", "double", NULL},
                         *const arithmetics[] = {TESS_ARITHMETIC_NAMES, NULL};

static const tess_option_row options[] = {
    {"mesh", 'm', "MESH", "A mesh that has the loops' maps, as of tess run", 1,
     TESS_KEPT(asked_bound, mesh)},
    {"machine", 0, "FILE", "A machine file, or one that ships: h200 (default), h100, k20m ...", 1,
     TESS_KEPT(asked_bound, machine_name)},
    {"precision", 0, "NAME", "What `real` is: auto (default: as in the papers), float or double", 1,
     TESS_KEPT_CHOICE(asked_bound, precision, precisions)},
    {"arithmetic", 0, "NAME", "How divisions and roots are computed: exact (default) or fast", 1,
     TESS_KEPT_CHOICE(asked_bound, arithmetic, arithmetics)},
    {"block-size", 0, "N", "Most points of a chain's block (default: 256)", 1,
     TESS_KEPT(asked_bound, block_size), .least = 1, .most = 65535},
    {"partitioner", 'p', "NAME", "How these blocks are cut (default: rcb)", 1,
     TESS_KEPT(asked_bound, partitioner_text)},
    {"all", 0, NULL, "Every legal chain, also those that a longer one with as many rings holds", 1,
     TESS_KEPT(asked_bound, all)},
    {"kernel", 0, "FILE", "A kernel of your own: its header; a step: its description", 1,
     TESS_KEPT(asked_bound, kernel)},
    {"loop", 0, "FILE", "With --kernel: the file that describes it", 1,
     TESS_KEPT(asked_bound, loop)},
    {TESS_KEPT(asked_bound, application)},
    {0}};

/* --- words ------------------------------------------------------------------------------------ */

/* The loops of a chain by their numbers in the step, as "2-5 adt_calc .. update". */
static void print_loops(const tess_step_bound *bound, const tess_bound_part *part, char *text,
                        size_t size) {
    const int last = part->first + part->n - 1;
    snprintf(text, size, "%d-%d %s .. %s", part->first + 1, last + 1, bound->own[part->first]->name,
             bound->own[last]->name);
}

static int times_in_step(const tess_step_bound *bound, int k) {
    int n = 0;
    for (int i = 0; i < bound->n; i++)
        n += strcmp(bound->own[i]->name, bound->own[k]->name) == 0;
    return n;
}

static bool came_before(const tess_step_bound *bound, int k) {
    for (int i = 0; i < k; i++)
        if (strcmp(bound->own[i]->name, bound->own[k]->name) == 0)
            return true;
    return false;
}

static tess_bound_part sum_of_loops(const tess_step_bound *bound) {
    tess_bound_part sum = {.n = bound->n, .points = 1};
    for (int k = 0; k < bound->n; k++) {
        sum.bytes += bound->loops[k].bytes;
        tess_operations_add(&sum.operations, 1, &bound->loops[k].operations);
    }
    return sum;
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct report {
    const asked_bound *asked;
    const tess_workload *load;
    const tess_step_bound *bound;
    tess_table *table;
} report;

static tess_status add_row(report *r, const char *name, const tess_bound_part *part) {
    const tess_operations *o = &part->operations;
    const double n = (double)r->bound->n_points;
    tess_bound_times times;
    TRY(tess_bound_times_of(r->bound, part, &r->asked->machine, &times));
    TRY(tess_table_add_row(r->table));
    TRY(tess_table_add_cell(r->table, "%s", name));
    TRY(tess_table_add_cell(r->table, part->n_blocks > 0 ? "%d" : "", part->n_rings));
    TRY(tess_table_add_number(r->table, "%.2f", part->n_blocks > 0 ? part->points : NAN));
    TRY(tess_table_add_cell(r->table, "%.4g", part->bytes / n));
    TRY(tess_table_add_cell(r->table, "%.4g", tess_operations_flops(o) / n));
    TRY(tess_table_add_cell(r->table, "%.3g", (o->divisions + o->roots) / n));
    TRY(tess_table_add_cell(r->table, "%.3g", 1e3 * times.bytes));
    TRY(tess_table_add_number(r->table, "%.3g", 1e3 * times.flops));
    return tess_table_add_cell(r->table, "%s",
                               isnan(times.flops)          ? ""
                               : times.bytes > times.flops ? "bytes"
                                                           : "flops");
}

static tess_status add_loop_rows(report *r) {
    char name[2 * TESS_NAME_SIZE];
    for (int k = 0; k < r->bound->n; k++) {
        const int times = times_in_step(r->bound, k);
        if (came_before(r->bound, k))
            continue;
        snprintf(name, sizeof name, times > 1 ? "%s, %d times" : "%s", r->bound->own[k]->name,
                 times);
        TRY(add_row(r, name, &r->bound->loops[k]));
    }
    const tess_bound_part sum = sum_of_loops(r->bound);
    return add_row(r, "step, loop by loop", &sum);
}

/* The chains that a cut is the first to have, then all of it; `end`: beyond the last of them. */
static tess_status add_cut_rows(report *r, int cut, int *next) {
    const tess_step_bound *bound = r->bound;
    const tess_bound_cut *of = &bound->cuts[cut];
    char name[4 * TESS_NAME_SIZE];
    for (; *next < bound->n_chains && bound->chains[*next].n_rings <= of->most_rings; ++*next) {
        print_loops(bound, &bound->chains[*next], name, sizeof name);
        TRY(add_row(r, name, &bound->chains[*next]));
    }
    snprintf(name, sizeof name, of->most_rings == 0 ? "step, no rings" : "step, %d ring%s",
             of->most_rings, of->most_rings == 1 ? "" : "s");
    return add_row(r, name, &of->sum);
}

static tess_status print_table(report *r) {
    tess_status status = TESS_OK;
    int next = 0;
    CHECK(tess_table_new(TESS_TITLES("loop", ">rings", ">computed"), &r->table));
    tess_table_yield(r->table, 2);
    CHECK(tess_table_add_columns(r->table, TESS_TITLES(">B/point", ">flop/point")));
    tess_table_yield(r->table, 1);
    CHECK(tess_table_add_columns(r->table, TESS_TITLES(">div/point")));
    tess_table_yield(r->table, 3);
    CHECK(tess_table_add_columns(r->table, TESS_TITLES(">ms bytes", ">ms flops", "bound by")));
    CHECK(add_loop_rows(r));
    for (int cut = 0; cut < r->bound->n_cuts; cut++)
        CHECK(add_cut_rows(r, cut, &next));
    for (; next < r->bound->n_chains; next++) {
        char name[4 * TESS_NAME_SIZE];
        print_loops(r->bound, &r->bound->chains[next], name, sizeof name);
        CHECK(add_row(r, name, &r->bound->chains[next]));
    }
    CHECK(add_row(r, "step, each value once", &r->bound->once));
    CHECK(tess_table_print(r->table, stdout));
done:
    tess_table_free(r->table);
    return status;
}

static void print_notes(const report *r) {
    const tess_step_bound *bound = r->bound;
    const tess_machine *machine = &r->asked->machine;
    const bool is_double = bound->real == TESS_DOUBLE;
    printf("A point is one of %lld %s; blocks of %lld; %s, %s arithmetic.\n",
           (long long)bound->n_points, bound->points, (long long)r->asked->block_size,
           tess_type_name(bound->real), arithmetics[r->asked->arithmetic]);
    if (isnan(machine->flop_rate[is_double]))
        printf("%s does not say how many flops it computes: add '%s_rate' (flop/s) to 'numbers' of "
               "its file.\n",
               machine->name, tess_type_name(bound->real));
    if (bound->n_chains > 0)
        printf("Chains took 1.7 to 3.6 times their bound on an H200 (docs/results/steps.md); tess "
               "march --chains on --device emulator:sample=64 predicts them.\n");
    for (int i = 0; i < bound->n_refusals; i++)
        printf("%s\n", bound->refusals[i].why);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *loops_json(const tess_step_bound *bound, int first, int n) {
    json_t *names = json_array();
    for (int k = first; k < first + n; k++)
        json_array_append_new(names, json_string(bound->own[k]->name));
    return names;
}

static tess_status add_json(const report *r, const char *kind, const tess_bound_part *part,
                            json_t *parts) {
    const tess_operations *o = &part->operations;
    tess_bound_times times;
    TRY(tess_bound_times_of(r->bound, part, &r->asked->machine, &times));
    json_array_append_new(
        parts,
        json_pack("{s:s, s:i, s:o, s:i, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "kind", kind,
                  "first", part->first + 1, "loops", loops_json(r->bound, part->first, part->n),
                  "rings", part->n_rings, "blocks", (json_int_t)part->n_blocks, "points",
                  part->points, "bytes", part->bytes, "flops", tess_operations_flops(o),
                  "divisions", o->divisions, "roots", o->roots, "seconds_of_bytes", times.bytes,
                  "seconds_of_flops", tess_json_number(times.flops)));
    return TESS_OK;
}

static tess_status print_json(const report *r) {
    const tess_step_bound *bound = r->bound;
    const tess_bound_part sum = sum_of_loops(bound);
    tess_status status = TESS_OK;
    json_t *parts = json_array(), *refusals = json_array();
    for (int k = 0; k < bound->n; k++)
        CHECK(add_json(r, "loop", &bound->loops[k], parts));
    CHECK(add_json(r, "loop by loop", &sum, parts));
    for (int c = 0; c < bound->n_chains; c++)
        CHECK(add_json(r, "chain", &bound->chains[c], parts));
    for (int c = 0; c < bound->n_cuts; c++)
        CHECK(add_json(r, "in chains", &bound->cuts[c].sum, parts));
    CHECK(add_json(r, "once", &bound->once, parts));
    for (int i = 0; i < bound->n_refusals; i++)
        json_array_append_new(
            refusals, json_pack("{s:i, s:o, s:o}", "first", bound->refusals[i].first + 1, "loops",
                                loops_json(bound, bound->refusals[i].first, bound->refusals[i].n),
                                "why", tess_json_text(bound->refusals[i].why)));
    CHECK(tess_json_print(json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:I, s:I, s:O, s:O}", "schema", "tess.bound/1",
        "application", tess_json_text(r->asked->kernel ? r->asked->kernel : r->asked->application),
        "mesh", tess_json_text(r->load->mesh->source), "machine", r->asked->machine.name,
        "precision", tess_type_name(bound->real), "arithmetic", arithmetics[r->asked->arithmetic],
        "points", bound->points, "n_points", (json_int_t)bound->n_points, "block_size",
        (json_int_t)r->asked->block_size, "parts", parts, "refusals", refusals)));
done:
    json_decref(parts);
    json_decref(refusals);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

/* The loops of the step that the mesh has elements for; of a kernel of one's own that alone. The
 * caller frees them. */
static tess_status find_kernels(const tess_workload *load, const tess_kernel ***out, int *n) {
    const tess_application *application = load->application;
    *n = 0;
    if (!application) {
        TRY(TESS_ALLOC(1, out));
        (*out)[(*n)++] = load->kernel;
        return TESS_OK;
    }
    int most = 0;
    while (application->step[most])
        most++;
    TRY(TESS_ZEROS(most, out));
    for (int k = 0; k < most; k++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[k], &kernel));
        if (tess_kernel_applies(kernel, load->mesh))
            (*out)[(*n)++] = kernel;
    }
    return TESS_OK;
}

static tess_status check_asked(asked_bound *asked) {
    if (!asked->application == !asked->kernel || !asked->mesh)
        FAIL(TESS_ERROR_USAGE,
             "%s Say 'tess bound airfoil --mesh quads:nx=1200:ny=600', or name a kernel of yours "
             "by --kernel and --loop",
             !asked->mesh         ? "on which mesh?"
             : asked->application ? "an application or --kernel, not both."
                                  : "whose step?");
    const bool is_step = tess_user_step_is(asked->kernel);
    if (is_step && asked->loop)
        FAIL(TESS_ERROR_USAGE, "of a step all loops are shown: leave out --loop");
    if (!is_step && !asked->kernel != !asked->loop)
        FAIL(TESS_ERROR_USAGE,
             asked->kernel
                 ? "--kernel FILE.h needs --loop FILE.yaml, which describes its args; a step "
                   "is --kernel FILE.yaml"
                 : "--loop FILE.yaml goes with --kernel FILE.h; of an application all "
                   "loops of a step are shown");
    TRY(tess_machine_read(asked->machine_name, &asked->machine));
    TRY(tess_spec_parse_one(asked->partitioner_text, "partitioner", &asked->spec));
    TRY(tess_partitioner_find(asked->spec->name, &asked->partitioner));
    return tess_spec_check(asked->spec, asked->partitioner->options);
}

static tess_status find_and_report(const asked_bound *asked, const tess_workload *load) {
    tess_status status = TESS_OK;
    const tess_kernel **kernels = NULL;
    tess_step_bound bound = {.n = 0};
    tess_bound_setting setting = {.mesh = load->mesh,
                                  .start = load->start,
                                  .arithmetic = asked->arithmetic,
                                  .partitioner = asked->partitioner,
                                  .spec = asked->spec,
                                  .block_size = (int32_t)asked->block_size};
    CHECK(find_kernels(load, &kernels, &setting.n));
    setting.kernels = kernels;
    tess_progress_begin("counting");
    status = tess_step_bound_find(&setting, asked->all, &bound);
    tess_progress_end();
    CHECK(status);
    report r = {.asked = asked, .load = load, .bound = &bound};
    if (asked->common.json) {
        CHECK(print_json(&r));
    } else {
        CHECK(print_table(&r));
        print_notes(&r);
    }
done:
    tess_step_bound_clear(&bound);
    free(kernels);
    return status;
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {.options = options, .args_doc = "[APPLICATION]", .doc = doc};
    asked_bound asked = {.machine_name = "h200", .partitioner_text = "rcb", .block_size = 256};
    tess_workload load = {.mesh = NULL};
    tess_status status = TESS_OK;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    CHECK(check_asked(&asked));
    const tess_workload_names names = {.mesh = asked.mesh,
                                       .application = asked.application,
                                       .loop = asked.loop,
                                       .kernel = asked.kernel,
                                       .precision = asked.precision,
                                       .unexecuted = true};
    CHECK(tess_workload_open(&names, &load));
    CHECK(find_and_report(&asked, &load));
done:
    tess_spec_list_free(asked.spec, asked.spec ? 1 : 0);
    tess_workload_clear(&load);
    return status;
}

const tess_command tess_command_bound = {
    .name = "bound", .summary = "What a time step must move and compute at least", .run = run};
