/* The command `tess gate`: is this program slower than a reference? */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/own_file.h"
#include "core/base/statistics.h"
#include "core/base/whole_file.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/run_query.h"
#include "experiments/bench/step_record.h"
#include "experiments/campaign/sweep.h"
#include "experiments/cli/command.h"
#include "experiments/report/gate_report.h"
#include "kernels/loops/user_step.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 256 };

typedef struct gate_options {
    tess_common common;
    const char *lab, *reference, *subset, *junit, *kernel, *loop;
    double limit, budget;
    bool allow_exec;
    int n_names;
    const char *names[MOST_NAMES];
} gate_options;

static tess_status read_limit(const char *option, const char *text, void *limit) {
    TRY(tess_argument_percent(option, text, limit));
    if (!(*(double *)limit > 0))
        FAIL(TESS_ERROR_USAGE, "--%s takes a percentage above 0, not '%s'", option, text);
    return TESS_OK;
}

static tess_status read_budget(const char *option, const char *text, void *budget) {
    return tess_argument_seconds(option, text, budget);
}

static const tess_option_row options[] = {
    {"reference-program", 0, "PATH",
     "Make each run by this program, too, in turns: the tess of an earlier version (default: what "
     "the lab has)",
     TESS_KEPT(gate_options, reference)},
    {"limit", 0, "PERCENT", "What counts as slower (default: 2%)",
     TESS_READ_BY(read_limit, gate_options, limit)},
    {"budget", 0, "SECONDS", "Time for all runs, say 60s or 5m (default: 3m)",
     TESS_READ_BY(read_budget, gate_options, budget)},
    {"junit", 0, "FILE", "Write the verdicts as JUnit's XML, too", TESS_KEPT(gate_options, junit)},
    {"subset", 0, "NAME", "Of recipes: only the subset of this name",
     TESS_KEPT(gate_options, subset)},
    {"kernel", 0, "FILE", "Of runs of your own kernel: the kernel as it is now",
     TESS_KEPT(gate_options, kernel)},
    {"loop", 0, "FILE", "Its loop: the description, or a loop of your step",
     TESS_KEPT(gate_options, loop)},
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(gate_options, lab)},
    {"allow-exec", 0, NULL,
     "Execute code that a recipe names, too: a kernel, a partitioner. Read it first", 1,
     TESS_KEPT(gate_options, allow_exec)},
    {TESS_KEPT_LIST(gate_options, names, n_names), .refusal = "more than %d names"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "RECIPE.yaml|RUN...",
    .doc =
        "Tell whether this program is slower than a reference: each run is made again, by both in "
        "turns, until it is slower, the same, or the time is over.\v"
        "Examples:\n"
        "  tess gate --reference-program ./tess-0.2 execute.yaml --junit gate.xml\n"
        "  tess gate tag:before --limit 5%\n"
        "  tess gate tag:before --kernel flux.h --loop flux.yaml\n"
        "RUN is the beginning of an id, @last, or tag:NAME. Without --reference-program the times "
        "in the lab count: of three runs at least that are equal to each, made on this machine.\n"
        "'slower' is said where more than half of the limit is sure, 'same' where less than the "
        "limit is; equal programs are called slower in one of 200 gates at most, however many runs "
        "they have. Exit code 1: some run is slower, or fails; 3: the reference fails."};

/* The times in the lab of runs that are equal. */
typedef struct archived_case {
    char *key; /* what they are equal in */
    tess_experiment experiment;
    int64_t n, capacity;
    double *times;
} archived_case;

typedef struct archived_cases {
    int64_t n, capacity;
    archived_case *items;
} archived_cases;

static void archived_cases_clear(archived_cases *cases) {
    for (int64_t i = 0; i < cases->n; i++) {
        free(cases->items[i].key);
        tess_experiment_clear(&cases->items[i].experiment);
        free(cases->items[i].times);
    }
    free(cases->items);
}

static bool is_of_this_host(const tess_record *record) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return strcmp(tess_values_text(&record->environment, "host"), host) == 0;
}

/* The experiment that a run was; its code is what the command line names. */
static tess_status experiment_of(const gate_options *asked, const tess_record *record,
                                 tess_experiment *out) {
    static const bool said[TESS_N_FIELDS];
    const char *device = tess_values_text(&record->configuration, "device");
    TRY(tess_experiment_init(TESS_RUNNING, out));
    if (*device)
        TRY(tess_experiment_set(out, TESS_FIELD_device, device));
    if (asked->kernel)
        TRY(tess_experiment_set(out, TESS_FIELD_kernel, asked->kernel));
    if (asked->loop)
        TRY(tess_experiment_set(out, TESS_FIELD_loop, asked->loop));
    return tess_step_record_take(record, said, out);
}

/* The case of that key, made at its first run: it takes the experiment. */
static tess_status find_case(archived_cases *cases, char **key, tess_experiment *experiment,
                             archived_case **out) {
    for (int64_t i = 0; i < cases->n; i++) {
        *out = &cases->items[i];
        if (strcmp((*out)->key, *key) == 0)
            return TESS_OK;
    }
    TRY(TESS_RESERVE(cases->n + 1, &cases->capacity, &cases->items));
    *out = &cases->items[cases->n++];
    **out = (archived_case){.key = TESS_TAKE(*key), .experiment = *experiment};
    *experiment = (tess_experiment){.kind = TESS_RUNNING};
    return TESS_OK;
}

static tess_status add_time(const tess_record *record, archived_case *one) {
    const tess_series *times = tess_record_series(record, "time");
    if (!times || times->n == 0 || record->outcome == TESS_FAILED)
        return TESS_OK;
    TRY(TESS_RESERVE(one->n + 1, &one->capacity, &one->times));
    return tess_median_of(times->values, times->n, &one->times[one->n++]);
}

static tess_status add_record(const gate_options *asked, const tess_record *record,
                              archived_cases *cases) {
    tess_status status = TESS_OK;
    tess_experiment experiment = {.kind = TESS_RUNNING};
    archived_case *one = NULL;
    char *key = NULL;
    if (!is_of_this_host(record))
        FAIL(TESS_ERROR_INPUT, "run %s was made on %s, whose times say nothing of this machine",
             record->id, tess_values_text(&record->environment, "host"));
    CHECK(experiment_of(asked, record, &experiment));
    CHECK(tess_experiment_key(&experiment, TESS_DECIDES_MESH, TESS_DECIDES_RUN, &key));
    CHECK(find_case(cases, &key, &experiment, &one));
    CHECK(add_time(record, one));
done:
    free(key);
    tess_experiment_clear(&experiment);
    return status;
}

/* Adds the runs that a name means. */
static tess_status add_runs(const gate_options *asked, const tess_lab *lab, const char *name,
                            archived_cases *cases) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    tess_record *record = NULL;
    CHECK(tess_run_ids_add(lab, &name, 1, &ids));
    for (int64_t i = 0; i < ids.n; i++) {
        CHECK(tess_lab_read_run(lab, ids.items[i], &record));
        CHECK(add_record(asked, record, cases));
        tess_record_free(record);
        record = NULL;
    }
done:
    tess_record_free(record);
    tess_run_ids_clear(&ids);
    return status;
}

/* The times of a point of a recipe in the lab, on this machine. */
static tess_status find_times(const tess_query *query, const char *digest, archived_case *out) {
    tess_run_field point;
    tess_record *record = NULL;
    if (!query || !tess_run_table_find(query->table, TESS_SWEEP_POINT_KEY, &point))
        return TESS_OK;
    for (int64_t i = 0; i < query->n_rows; i++) {
        const int64_t row = query->rows[i];
        if (strcmp(tess_run_text(query->table, &point, row), digest) != 0)
            continue;
        TRY(tess_lab_read_run(query->lab, tess_run_table_id(query->table, row), &record));
        const tess_status status = is_of_this_host(record) ? add_time(record, out) : TESS_OK;
        tess_record_free(record);
        TRY(status);
    }
    return TESS_OK;
}

/* Repetitions of a point are one case. */
static tess_status add_point(const tess_recipe *recipe, const tess_sweep_point *point,
                             const tess_query *query, archived_cases *cases) {
    tess_status status = TESS_OK;
    tess_experiment experiment = {.kind = TESS_RUNNING};
    archived_case *one = NULL;
    char *mesh = NULL, *key = NULL;
    if (point->kind != TESS_RUNNING)
        return TESS_OK;
    CHECK(tess_sweep_mesh(recipe, point, &mesh));
    CHECK(tess_sweep_experiment(point, mesh, &experiment));
    CHECK(tess_experiment_key(&experiment, TESS_DECIDES_MESH, TESS_DECIDES_RUN, &key));
    CHECK(find_case(cases, &key, &experiment, &one));
    CHECK(find_times(query, point->digest, one));
done:
    free(mesh);
    free(key);
    tess_experiment_clear(&experiment);
    return status;
}

static tess_status add_recipe(const gate_options *asked, const char *path, archived_cases *cases) {
    tess_status status = TESS_OK;
    tess_recipe *recipe = NULL;
    tess_sweep_points *points = NULL;
    tess_query *query = NULL;
    CHECK(tess_recipe_read(path, asked->subset, &recipe));
    if (recipe->runs_code && !asked->allow_exec)
        CHECK(tess_yaml_fail(recipe->yaml, recipe->runs_code,
                             "the recipe names code that would be executed here: read it, then "
                             "say --allow-exec"));
    CHECK(tess_sweep_points_build(recipe, &points));
    if (!asked->reference)
        CHECK(tess_query_open(asked->lab, &query));
    for (int64_t i = 0; i < points->n; i++)
        CHECK(add_point(recipe, &points->items[i], query, cases));
done:
    tess_query_close(query);
    tess_sweep_points_free(points);
    tess_recipe_free(recipe);
    return status;
}

/* The cases that the names mean: recipes are files of YAML, the others runs. */
static tess_status add_cases(const gate_options *asked, tess_gate *gate) {
    tess_status status = TESS_OK;
    archived_cases cases = {0};
    tess_lab *lab = NULL;
    for (int i = 0; i < asked->n_names; i++) {
        const char *name = asked->names[i];
        if (tess_text_ends(name, ".yaml") || tess_text_ends(name, ".yml")) {
            if (asked->kernel)
                CHECK(tess_fail(TESS_ERROR_USAGE,
                                "--kernel is of runs: the recipe %s names its own", name));
            CHECK(add_recipe(asked, name, &cases));
            continue;
        }
        if (asked->kernel && !asked->loop && !tess_user_step_is(asked->kernel))
            CHECK(tess_fail(TESS_ERROR_USAGE,
                            "--kernel FILE.h needs --loop FILE.yaml, which describes its args"));
        if (!lab)
            CHECK(tess_lab_open(asked->lab, false, &lab));
        CHECK(add_runs(asked, lab, name, &cases));
    }
    for (int64_t i = 0; i < cases.n; i++)
        CHECK(tess_gate_add(gate, &cases.items[i].experiment, cases.items[i].times,
                            cases.items[i].n));
    if (gate->n == 0)
        CHECK(tess_fail(
            TESS_ERROR_INPUT,
            "there is nothing to time: a gate makes runs of loops, and none of these is one"));
done:
    archived_cases_clear(&cases);
    tess_lab_close(lab);
    return status;
}

static tess_status report(const gate_options *asked, const tess_gate *gate) {
    if (asked->junit)
        TRY(tess_gate_junit_write(gate, asked->junit));
    if (asked->common.json)
        return tess_json_print(tess_gate_report_json(gate));
    return tess_gate_report_print(gate, stdout);
}

/* Warns of runs that nothing is known of: a reference may be too slow for the budget, or hang. */
static void warn_untried(const tess_gate *gate) {
    int64_t n = 0;
    for (int64_t i = 0; i < gate->n; i++)
        n += gate->cases[i].state == TESS_GATE_OUT_OF_TIME && gate->cases[i].n == 0;
    if (n > 0)
        fprintf(stderr,
                "tess: warning: %lld of %lld runs had no turn within the budget of %g s, so that "
                "nothing is known of them: say a longer --budget\n",
                (long long)n, (long long)gate->n, gate->budget);
}

static tess_status verdict(const tess_gate *gate) {
    const int64_t n_slower = tess_gate_count(gate, TESS_GATE_SLOWER);
    const int64_t n_failed = tess_gate_count(gate, TESS_GATE_FAILED);
    const int64_t n_lacking = tess_gate_count(gate, TESS_GATE_NO_REFERENCE);
    if (n_slower + n_failed)
        FAIL(TESS_ERROR_CHECK, "%lld of %lld runs are slower, %lld failed", (long long)n_slower,
             (long long)gate->n, (long long)n_failed);
    if (n_lacking)
        FAIL(TESS_ERROR_INPUT, "the reference, %s, gives no time of %lld of %lld runs",
             gate->reference, (long long)n_lacking, (long long)gate->n);
    return TESS_OK;
}

static tess_status gate_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static gate_options asked;
    char program[PATH_MAX];
    asked = (gate_options){.limit = 0.02, .budget = 180};
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_names == 0)
        FAIL(TESS_ERROR_USAGE, "what is to be run? tess gate RECIPE.yaml, or RUN");
    if (asked.loop && !asked.kernel)
        FAIL(TESS_ERROR_USAGE, "--loop is of --kernel FILE: a run says its own");
    TRY(tess_own_program(program));
    tess_gate gate = {.program = program,
                      .reference = asked.reference,
                      .lab = asked.lab,
                      .limit = asked.limit,
                      .budget = asked.budget,
                      .at_once = 8};
    if (asked.junit)
        CHECK(tess_whole_file_check(asked.junit));
    CHECK(add_cases(&asked, &gate));
    tess_interrupts_note();
    const tess_status ran = tess_gate_run(&gate);
    if (ran == TESS_OK || ran == TESS_ERROR_INTERRUPTED)
        CHECK(report(&asked, &gate));
    CHECK(ran);
    if (!asked.common.quiet)
        warn_untried(&gate);
    CHECK(verdict(&gate));
done:
    tess_gate_clear(&gate);
    return status;
}

const tess_command tess_command_gate = {.name = "gate",
                                        .summary =
                                            "Tell whether this program is slower than a reference",
                                        .run = gate_run};
