/* The command `tess tune`: find the best way to run a loop within a budget. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/shell_word.h"
#include "experiments/bench/signals.h"
#include "experiments/cli/command.h"
#include "experiments/cli/tune_report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_BUDGET = 0x200,
    KEY_BY,
    KEY_STRATEGY,
    KEY_PARTITIONER,
    KEY_LAYOUT,
    KEY_BLOCK_SIZE,
    KEY_PASSED, /* and all above it: options of tess run */
    MOST_WORDS = 64,
    MOST_LAYOUTS = 16
};

static const struct argp_option options[] = {
    {"mesh", KEY_PASSED, "MESH", 0, "A file or a generator, see 'tess mesh generate --help'", 1},
    {"loop", KEY_PASSED + 1, "NAME", 0, "Which loop of the application", 1},
    {"kernel", KEY_PASSED + 2, "FILE.h", 0, "Your own kernel, described by --loop FILE.yaml", 1},
    {"budget", KEY_BUDGET, "SECONDS", 0, "Time to search in, say 60s or 5m (default: 60s)", 2},
    {"by", KEY_BY, "METRIC", 0,
     "Choose by a metric in place of time: needed on the emulator, say read_sectors", 2},
    {"strategy", KEY_STRATEGY, "S[,S...]", 0, "Strategies to try (default: those that may win)", 3},
    {"partitioner", KEY_PARTITIONER, "P[,P...]", 0, "Partitioners to try (default: rcb,mosaic,gps)",
     3},
    {"layout", KEY_LAYOUT, "L[,L...]", 0,
     "Layouts to try; SET=L belongs to the one before it (default: soa,aos)", 3},
    {"block-size", KEY_BLOCK_SIZE, "N[,N...]", 0, "Block sizes to try (default: 128,256)", 3},
    {"device", KEY_PASSED + 3, "D", 0, "As in tess run (default: emulator)", 4},
    {"renumber", KEY_PASSED + 4, "none|gps|rcm|blocks|owner|colours", 0, "(default: owner)", 4},
    {"precision", KEY_PASSED + 5, "float|double", 0, "What `real` is (default: the papers')", 4},
    {"cache", KEY_PASSED + 6, "hot|cold", 0, "Caches before each sample (default: hot)", 4},
    {"counters", KEY_PASSED + 7, "yes|no", 0, "Read the hardware's counters of each run", 4},
    {"memory", KEY_PASSED + 8, "GIB", 0, "Of the device that variants timed in turns may hold", 4},
    {"seed", KEY_PASSED + 9, "N", 0, "Seed of everything random (default: 1)", 4},
    {"time-limit", KEY_PASSED + 10, "SECONDS", 0, "Of a third-party partitioner", 4},
    {"lab", KEY_PASSED + 11, "DIR", 0, "Archive in this folder (default: $TESS_LAB, else ./lab)",
     5},
    {"no-lab", KEY_PASSED + 12, NULL, 0, "Archive nothing", 5},
    {"fresh", KEY_PASSED + 13, NULL, 0,
     "Cut the mesh anew: take no partition that an earlier run of the lab left", 5},
    {NULL}};

static const char doc[] =
    "Find the best partitioner, strategy, layout and block size for a loop within a budget. Each "
    "candidate is checked; all are timed in turns, and those that are surely slower than the best "
    "leave the race while the others take more samples. A tie is called a tie.\v"
    "Examples:\n"
    "  tess tune airfoil --mesh airfoil:i=400:j=600 --device cuda --budget 60s\n"
    "  tess tune airfoil --mesh naca0012_inv.su2.xz --device host --strategy sequential,openmp\n"
    "  tess tune volna --mesh tris:nx=50:ny=50 --by read_sectors\n\n"
    "All runs are archived, so that 'tess best' and 'tess compare' find them.";

/* What is asked for: the lists, and the words of a `tess run` for the rest. */
typedef struct tune_options {
    tess_common common;
    const char *application, *by, *strategies, *partitioners, *layouts, *block_sizes;
    double budget;
    int n_words;
    char *words[MOST_WORDS];
} tune_options;

/* "60", "60s" or "5m" as seconds. */
static tess_status parse_budget(const char *text, double *seconds) {
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

static tess_status pass_on(tune_options *into, int key, const char *value) {
    const struct argp_option *option = options;
    while (option->key != key)
        option++;
    if (into->n_words + 1 >= MOST_WORDS)
        FAIL(TESS_ERROR_USAGE, "more than %d options", MOST_WORDS);
    char **word = &into->words[into->n_words++];
    if (value ? asprintf(word, "--%s=%s", option->name, value) < 0
              : asprintf(word, "--%s", option->name) < 0) {
        *word = NULL;
        FAIL(TESS_ERROR_MEMORY, "out of memory for a command line");
    }
    return TESS_OK;
}

static error_t parse(int key, char *value, struct argp_state *state) {
    tune_options *into = state->input;
    const struct {
        int key;
        const char **text;
    } texts[] = {{KEY_BY, &into->by},
                 {KEY_STRATEGY, &into->strategies},
                 {KEY_PARTITIONER, &into->partitioners},
                 {KEY_LAYOUT, &into->layouts},
                 {KEY_BLOCK_SIZE, &into->block_sizes},
                 {ARGP_KEY_ARG, &into->application}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].key == key) {
            *texts[i].text = value;
            return 0;
        }
    }
    if (key == KEY_BUDGET)
        return tess_command_refuse(parse_budget(value, &into->budget));
    if (key >= KEY_PASSED && key < KEY_PASSED + 0x100)
        return tess_command_refuse(pass_on(into, key, value));
    return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "APPLICATION --mesh MESH", .doc = doc};

/* What the command works on. */
typedef struct tuning {
    tune_options asked;
    tess_bench bench;
    tess_lab *lab;
    int n_layouts;
    char *layouts[MOST_LAYOUTS];
    tess_run_options run[MOST_LAYOUTS];
    tess_spec *partitioners, *strategies;
    int64_t *block_sizes;
    tess_tune_space space;
    tess_tune search;
    tess_restart restart;
} tuning;

static void tuning_clear(tuning *all) {
    tess_restart_clear(&all->restart);
    tess_tune_clear(&all->search);
    free(all->block_sizes);
    tess_spec_list_free(all->strategies, all->space.n_strategies);
    tess_spec_list_free(all->partitioners, all->space.n_partitioners);
    for (int l = 0; l < all->n_layouts; l++)
        free(all->layouts[l]);
    tess_bench_close(&all->bench);
    tess_lab_close(all->lab);
    for (int w = 0; w < all->asked.n_words; w++)
        free(all->asked.words[w]);
}

/* Splits "soa,aos,edges=soa" into "soa" and "aos,edges=soa". */
static tess_status split_layouts(tuning *all) {
    tess_status status = TESS_OK;
    char *copy = NULL, *rest = NULL;
    CHECK(tess_text_copy(all->asked.layouts, &copy));
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        if (strchr(part, '=') && all->n_layouts > 0) {
            char *before = all->layouts[all->n_layouts - 1];
            if (asprintf(&all->layouts[all->n_layouts - 1], "%s,%s", before, part) < 0)
                all->layouts[all->n_layouts - 1] = NULL;
            free(before);
            continue;
        }
        if (all->n_layouts == MOST_LAYOUTS)
            CHECK(tess_fail(TESS_ERROR_USAGE, "more than %d layouts", MOST_LAYOUTS));
        CHECK(tess_text_copy(part, &all->layouts[all->n_layouts++]));
    }
done:
    free(copy);
    return status;
}

/* Reads the options as those of `tess run`, one for each layout. */
static tess_status make_runs(tuning *all) {
    const tune_options *asked = &all->asked;
    TRY(split_layouts(all));
    for (int l = 0; l < all->n_layouts; l++) {
        tess_layouts layouts;
        char *argv[MOST_WORDS + 6] = {(char[]){"tess tune"}, (char[]){"--no-view"},
                                      (char[]){"--renumber=owner"}};
        int argc = 3;
        for (int w = 0; w < asked->n_words; w++)
            argv[argc++] = asked->words[w];
        if (asked->application)
            argv[argc++] = (char *)(uintptr_t)asked->application;
        TRY(tess_layouts_parse(all->layouts[l], &layouts));
        TRY(tess_run_options_parse(argc, argv, &all->run[l]));
        all->run[l].layout = all->layouts[l];
        all->run[l].samples = asked->by ? 0 : 1; /* how many, the race says */
    }
    return TESS_OK;
}

static const char *usual_strategies(const tess_device *device) {
    return device->one_thread
               ? "sequential,openmp"
               : "point-parallel,atomics,atomics:transpose=shared,halo-atomics,owner-block,"
                 "block-colour,two-step";
}

/* Reads the lists and checks every name before anything runs. */
static tess_status make_space(tuning *all) {
    const tune_options *asked = &all->asked;
    tess_tune_space *space = &all->space;
    tess_run_setting setting;
    const char *strategies =
        asked->strategies ? asked->strategies : usual_strategies(all->bench.device);
    TRY(tess_spec_list_parse(asked->partitioners, &all->partitioners, &space->n_partitioners));
    TRY(tess_spec_list_parse(strategies, &all->strategies, &space->n_strategies));
    TRY(tess_argument_integers("block-size", asked->block_sizes, 1, INT32_MAX, &all->block_sizes,
                               &space->n_block_sizes));
    space->partitioners = all->partitioners;
    space->strategies = all->strategies;
    space->block_sizes = all->block_sizes;
    space->options = all->run;
    space->n_layouts = all->n_layouts;
    for (int p = 0; p < space->n_partitioners; p++)
        for (int s = 0; s < space->n_strategies; s++)
            TRY(tess_run_setting_make(&all->run[0], &all->partitioners[p],
                                      (int32_t)all->block_sizes[0], &all->strategies[s], &setting));
    return TESS_OK;
}

static tess_status prepare(tuning *all, int argc, char **argv) {
    const tune_options *asked = &all->asked;
    TRY(make_runs(all));
    TRY(tess_bench_open(&all->run[0], &all->bench));
    if (!asked->by && strcmp(all->bench.device->name, "emulator") == 0)
        FAIL(TESS_ERROR_USAGE, "the emulator's times say nothing of a GPU: choose by a metric, say "
                               "--by read_sectors");
    if (asked->by && !tess_metric_find(asked->by))
        FAIL(TESS_ERROR_USAGE, "there is no metric '%s'; 'tess list metrics' names them",
             asked->by);
    if (asked->by && tess_metric_find(asked->by)->better == 0)
        FAIL(TESS_ERROR_USAGE, "neither a small nor a large '%s' is better: choose another metric",
             asked->by);
    TRY(make_space(all));
    TRY(tess_bench_load(&all->bench));
    all->search = (tess_tune){.bench = &all->bench,
                              .space = &all->space,
                              .metric = asked->by,
                              .budget = asked->budget,
                              .argc = argc,
                              .argv = argv,
                              .quiet = asked->common.quiet,
                              .began = all->search.began - all->restart.seconds,
                              .restart = &all->restart,
                              .best = -1};
    if (all->run[0].no_lab)
        return TESS_OK;
    TRY(tess_lab_open(all->run[0].lab, true, &all->lab));
    return tess_bench_archive_in(&all->bench, all->lab);
}

/* The best first, then by how far they are from it. */
static int compare_candidates(const void *a, const void *b) {
    const tess_candidate *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? 1 : -1;
    const double u = fabs(log(x->ratio)), v = fabs(log(y->ratio));
    return (u > v) - (u < v);
}

/* The command that runs a candidate again. */
static void print_again(const tuning *all, const tess_candidate *one) {
    printf("\nThe first again: tess run");
    if (all->asked.application)
        printf(" %s", all->asked.application);
    printf(" --renumber=owner");
    for (int w = 0; w < all->asked.n_words; w++) {
        putchar(' ');
        tess_shell_word_print(all->asked.words[w], stdout);
    }
    printf(" --strategy=%s --partitioner=%s --block-size=%d --layout=%s\n", one->row->strategy,
           one->row->partitioner, one->block_size, one->options->layout);
}

static tess_status report(const tuning *all) {
    const tess_tune *search = &all->search;
    if (!all->asked.common.json) {
        TRY(tess_tune_report_print(search, stdout));
        if (search->best >= 0)
            print_again(all, &search->candidates[0]);
        return TESS_OK;
    }
    const bool won = search->best >= 0 && search->n_ties == 0;
    return tess_json_print(json_pack("{s:s, s:s, s:f, s:b, s:i, s:o, s:o}", "schema", "tess.tune/1",
                                     "by", search->metric ? search->metric : "time", "budget",
                                     search->budget, "won", won, "ties", search->n_ties, "lab",
                                     tess_json_text(all->lab ? tess_lab_folder(all->lab) : NULL),
                                     "candidates", tess_tune_candidates_json(search)));
}

/* After a candidate that broke the device for good: the race begins again without it. */
static tess_status start_anew(tuning *all) {
    const tess_restart restart = all->restart;
    all->restart = (tess_restart){.n = 0};
    tuning_clear(all);
    *all = (tuning){.restart = restart};
    return tess_restart_go(&restart);
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    tuning all = {.asked = {.partitioners = "rcb,mosaic,gps",
                            .layouts = "soa,aos",
                            .block_sizes = "128,256",
                            .budget = 60},
                  .search = {.began = tess_clock_seconds()}};
    CHECK(tess_command_parse(&argp, argc, argv, &all.asked.common, &all.asked));
    CHECK(tess_restart_read(&all.restart));
    CHECK(prepare(&all, argc, argv));
    tess_interrupts_note();
    status = tess_tune_run(&all.search);
    if (status != TESS_OK && status != TESS_ERROR_INTERRUPTED)
        goto done;
    qsort(all.search.candidates, (size_t)all.search.n, sizeof *all.search.candidates,
          compare_candidates);
    all.search.best = all.search.best < 0 ? -1 : 0;
    const tess_status printed = report(&all);
    CHECK(printed != TESS_OK ? printed : status);
    if (all.search.best < 0)
        CHECK(tess_fail(TESS_ERROR_CHECK, "none of the candidates passed"));
done:
    if (all.bench.lost && all.restart.broken && !tess_interrupted())
        status = start_anew(&all);
    tuning_clear(&all);
    return status;
}

const tess_command tess_command_tune = {
    .name = "tune", .summary = "Find the best way to run a loop within a budget", .run = run};
