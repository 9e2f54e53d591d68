/* The command `tess model`: the limits of a loop that only gathers, by the model of Langguth et al.
 */
#include "core/base/json.h"
#include "experiments/cli/command.h"
#include "experiments/model/gather_model.h"
#include "experiments/report/model_against.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 32 };

static const char doc[] = "Print what the model of Langguth et al. (2015) allows a loop that only "
                          "gathers, in GFLOPS: for each level of memory and working set, and their "
                          "minimum, where the machine has levels; for each bandwidth, where it has "
                          "those.\v"
                          "Examples:\n"
                          "  tess model fv\n"
                          "  tess model fv --hits one-word\n"
                          "  tess model fv --machine k20m\n"
                          "  tess model fv --machine k20m --against lab\n"
                          "  tess model fv --machine h200 --against lab --bandwidths runs\n\n"
                          "docs/langguth-model.md explains both readings.";

/* What is asked for. */
typedef struct asked_model {
    tess_common common;
    const char *application, *loop, *machine_name;
    const char *against; /* a lab; NULL: none */
    const tess_kernel *kernel;
    tess_hit_cost hits;
    bool reached; /* bandwidths, by the runs of that lab */
    int64_t neighbours;
    int n_sets;
    double sets[MOST_SETS];
    tess_machine machine;
    tess_gather_loop gather;
} asked_model;

static tess_status read_sets(const char *option, const char *text, void *model) {
    (void)option;
    asked_model *all = model;
    all->n_sets = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *end = NULL;
        const double words = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(words > 0) || !isfinite(words) ||
            all->n_sets == MOST_SETS)
            FAIL(TESS_ERROR_USAGE, "--working-set takes at most %d numbers above 0, not '%s'",
                 MOST_SETS, text);
        all->sets[all->n_sets++] = words;
    }
    return TESS_OK;
}

static const char *const hit_costs[] = {"free", "one-word", NULL}, *const bandwidths[] = {
                                                                       "machine", "runs", NULL};

static const tess_option_row options[] = {
    {"machine", 0, "FILE",
     "A machine file, or one that ships: sandy-bridge-core (default), sandy-bridge, k20m, h100, "
     "h200",
     1, TESS_KEPT(asked_model, machine_name)},
    {"hits", 0, "COST",
     "What a hit in a nearer level costs: free (equation 6, default) or one-word (equation 5)", 1,
     TESS_KEPT_CHOICE(asked_model, hits, hit_costs)},
    {"working-set", 0, "WORDS",
     "Words that a block reads at random, separated by commas (default: table 2 of the paper)", 1,
     .read = read_sets},
    {"neighbours", 0, "N", "Slots of a map that is read whole (default: 4)", 1,
     TESS_KEPT(asked_model, neighbours), .least = 1, .most = 1000},
    {"loop", 0, "NAME", "Which loop of the application (default: its primary one)", 1,
     TESS_KEPT(asked_model, loop)},
    {"against", 0, "LAB", "Instead: the limits beside what the runs of this lab counted and took",
     2, TESS_KEPT(asked_model, against)},
    {"bandwidths", 0, "WHOSE",
     "With --against: the machine's (default), or those that its runs reached, as the paper takes "
     "its own",
     2, TESS_KEPT_CHOICE(asked_model, reached, bandwidths)},
    {TESS_KEPT(asked_model, application)},
    {0}};

static tess_status find_loop(asked_model *all) {
    const tess_application *application = NULL;
    if (!all->application)
        FAIL(TESS_ERROR_USAGE, "whose loop? Say 'tess model fv'");
    TRY(tess_application_find(all->application, &application));
    TRY(tess_application_kernel(application, all->loop, &all->kernel));
    TRY(tess_gather_loop_of(all->kernel, (int)all->neighbours, &all->gather));
    TRY(tess_machine_read(all->machine_name, &all->machine));
    if (isnan(all->machine.line_bytes))
        FAIL(TESS_ERROR_INPUT,
             "machine %s lacks the number 'line_bytes' (B; what memory hands over at once): add it "
             "to 'numbers'",
             all->machine.name);
    if (!all->reached && !tess_machine_has_limits(&all->machine))
        FAIL(TESS_ERROR_INPUT,
             "machine %s lacks levels, or a bandwidth: add 'memory_bandwidth' (B/s) to 'numbers', "
             "with unit and source",
             all->machine.name);
    return TESS_OK;
}

static double level(const asked_model *all, int i, int set) {
    return 1e-9 * tess_gather_level(&all->gather, &all->machine, i, all->sets[set], all->hits);
}

static double minimum(const asked_model *all, int set) {
    double least = INFINITY;
    for (int i = 0; i < all->machine.n_levels; i++)
        least = fmin(least, level(all, i, set));
    return least;
}

static tess_status print_levels(const asked_model *all) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    char title[48];
    CHECK(tess_table_new(TESS_TITLES("GFLOPS"), &table));
    for (int set = 0; set < all->n_sets; set++) {
        snprintf(title, sizeof title, "%.0f words", all->sets[set]);
        CHECK(tess_table_add_column(table, title, TESS_ALIGN_RIGHT));
    }
    for (int i = 0; i <= all->machine.n_levels; i++) {
        const bool last = i == all->machine.n_levels;
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", last ? "minimum" : all->machine.levels[i].name));
        for (int set = 0; set < all->n_sets; set++)
            CHECK(
                tess_table_add_cell(table, "%.2f", last ? minimum(all, set) : level(all, i, set)));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

/* Sectors a cell at which the L2 and a bandwidth of memory limit alike; NaN without both. */
static double balance(const asked_model *all, tess_bandwidth memory) {
    return tess_gather_balance(&all->gather, all->machine.bandwidth[TESS_BANDWIDTH_L2],
                               all->machine.bandwidth[memory]);
}

static tess_status print_bandwidths(const asked_model *all) {
    static const char *const titles[] = {
        "bandwidth",          ">GB/s", ">GFLOPS, each value once", ">a line each neighbour",
        ">a word an element", NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(titles, &table));
    tess_table_yield(table, 1); /* the bound that is furthest off */
    for (tess_bandwidth b = 0; b < TESS_N_BANDWIDTHS; b++) {
        const double bandwidth = all->machine.bandwidth[b];
        if (isnan(bandwidth))
            continue;
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", tess_bandwidth_name(b)));
        CHECK(tess_table_add_cell(table, "%.2f", 1e-9 * bandwidth));
        CHECK(tess_table_add_cell(table, "%.2f", 1e-9 * tess_gather_best(&all->gather, bandwidth)));
        CHECK(tess_table_add_cell(
            table, "%.2f",
            1e-9 * tess_gather_worst(&all->gather, bandwidth, all->machine.line_bytes)));
        CHECK(tess_table_add_cell(table, "%.1f", 1e-9 * all->gather.flops * bandwidth / 8));
    }
    CHECK(tess_table_print(table, stdout));
    for (tess_bandwidth b = TESS_BANDWIDTH_MEMORY; b <= TESS_BANDWIDTH_REACHED; b++)
        if (!isnan(balance(all, b)))
            printf("L2 and %s limit alike at %.3f sectors a cell, read and written.\n",
                   tess_bandwidth_name(b), balance(all, b));
done:
    tess_table_free(table);
    return status;
}

static json_t *levels_json(const asked_model *all) {
    json_t *levels = json_array();
    for (int i = 0; i <= all->machine.n_levels && all->machine.n_levels > 0; i++) {
        json_t *cells = json_array();
        const bool last = i == all->machine.n_levels;
        for (int set = 0; set < all->n_sets; set++)
            json_array_append_new(cells, json_real(last ? minimum(all, set) : level(all, i, set)));
        json_array_append_new(levels, json_pack("{s:s, s:o}", "level",
                                                last ? "minimum" : all->machine.levels[i].name,
                                                "gflops", cells));
    }
    return levels;
}

static tess_status print_json(const asked_model *all) {
    json_t *sets = json_array(), *limits = json_object();
    for (int set = 0; set < all->n_sets; set++)
        json_array_append_new(sets, json_real(all->sets[set]));
    for (tess_bandwidth b = 0; b < TESS_N_BANDWIDTHS; b++) {
        const double bandwidth = all->machine.bandwidth[b];
        if (!isnan(bandwidth))
            json_object_set_new(limits, tess_bandwidth_name(b),
                                json_pack("{s:f, s:f, s:f}", "best",
                                          1e-9 * tess_gather_best(&all->gather, bandwidth), "worst",
                                          1e-9 * tess_gather_worst(&all->gather, bandwidth,
                                                                   all->machine.line_bytes),
                                          "one_word", 1e-9 * all->gather.flops * bandwidth / 8));
    }
    return tess_json_print(json_pack(
        "{s:s, s:s, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "schema", "tess.model/1", "machine",
        all->machine.name, "flops", all->gather.flops, "regular_words", all->gather.regular,
        "irregular_words", all->gather.irregular, "working_sets", sets, "levels", levels_json(all),
        "limits", limits, "balance", tess_json_number(balance(all, TESS_BANDWIDTH_MEMORY)),
        "balance_reached", tess_json_number(balance(all, TESS_BANDWIDTH_REACHED))));
}

/* The limits beside the runs of a lab. */
static tess_status compare(const asked_model *all) {
    const tess_model_against asked = {.application = all->application,
                                      .kernel = all->kernel->name,
                                      .loop = &all->gather,
                                      .machine = &all->machine,
                                      .hits = all->hits,
                                      .lab = all->against,
                                      .reached = all->reached};
    json_t *found = NULL;
    if (!all->common.json)
        return tess_model_against_print(&asked);
    TRY(tess_model_against_json(&asked, &found));
    return tess_json_print(json_pack("{s:s, s:s, s:o}", "schema", "tess.model/1", "machine",
                                     all->machine.name, "against", found));
}

static tess_status run(int argc, char **argv) {
    asked_model all = {.machine_name = "sandy-bridge-core",
                       .neighbours = 4,
                       .n_sets = 5,
                       .sets = {140, 4000, 32000, 500000, 2500000}};
    static const tess_usage usage = {
        .options = options, .args_doc = "APPLICATION", .doc = doc, .typed = "machine"};
    TRY(tess_command_parse(&usage, argc, argv, &all.common, &all));
    if (all.reached && !all.against)
        FAIL(TESS_ERROR_USAGE, "--bandwidths runs needs --against LAB, whose runs they are of");
    TRY(find_loop(&all));
    if (all.against)
        return compare(&all);
    if (all.common.json)
        return print_json(&all);
    printf("%s on %s: an element streams %g words, reads %g at neighbours, computes %g flops.\n\n",
           all.application, all.machine.name, all.gather.regular, all.gather.irregular,
           all.gather.flops);
    return all.machine.n_levels > 0 ? print_levels(&all) : print_bandwidths(&all);
}

const tess_command tess_command_model = {
    .name = "model", .summary = "Print the limits of a loop that only gathers", .run = run};
