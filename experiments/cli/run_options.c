/* The options of `tess run`: what its command line asks for. */
#include "experiments/cli/run_options.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include "experiments/archive/plan_choices.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_MESH = 'm',
    KEY_PARTITIONER = 'p',
    KEY_STRATEGY = 's',
    KEY_BLOCK_SIZE = 'b',
    KEY_DEVICE = 'd',
    KEY_LAB = 'l',
    KEY_KERNEL = 0x100,
    KEY_LOOP,
    KEY_THREADS,
    KEY_SAMPLES,
    KEY_MEMORY,
    KEY_LAYOUT,
    KEY_PRECISION,
    KEY_POINTS,
    KEY_REPAIR,
    KEY_ORDER,
    KEY_COLOURING,
    KEY_RENUMBER,
    KEY_SEED,
    KEY_TIME_LIMIT,
    KEY_KEEP_TEXT,
    KEY_NO_LAB,
    KEY_NO_VIEW,
    KEY_STEPS,
    KEY_CACHE,
    KEY_GRAPH,
    KEY_COUNTERS,
    KEY_FRESH,
};

static const struct argp_option options[] = {
    {"mesh", KEY_MESH, "MESH", 0, "A file or a generator, see 'tess mesh generate --help'", 1},
    {"loop", KEY_LOOP, "NAME", 0,
     "Which loop of the application (default: its primary one); with --kernel: a YAML file", 1},
    {"kernel", KEY_KERNEL, "FILE.h", 0,
     "Your own kernel instead of an application, described by --loop FILE.yaml", 1},
    {"strategy", KEY_STRATEGY, "S[,S...]", 0,
     "How the loop is executed, say atomics,block-colour:stage=increments (default: atomics on "
     "GPUs and the emulator, openmp on the host); 'tess list strategies' names them",
     2},
    {"partitioner", KEY_PARTITIONER, "P[,P...]", 0, "How blocks are made (default: rcb)", 2},
    {"block-size", KEY_BLOCK_SIZE, "N[,N...]", 0, "Most elements of a block (default: 128)", 2},
    {"threads", KEY_THREADS, "N", 0,
     "Threads of a block (default: the block size; half of it by point-parallel where elements "
     "have "
     "two ends)",
     2},
    {"layout", KEY_LAYOUT, "soa|aos[,SET=aos...]", 0, "Layout of the data (default: soa)", 2},
    {"renumber", KEY_RENUMBER, "none|gps|rcm|blocks|owner|colours", 0,
     "Where data lie in memory (default: owner where a strategy's blocks own points, colours for "
     "global-colour, else blocks)",
     2},
    {"precision", KEY_PRECISION, "float|double", 0, "What `real` is (default: the papers')", 2},
    {"device", KEY_DEVICE, "D", 0,
     "host, emulator or cuda with options (default: emulator); 'tess list devices'", 3},
    {"samples", KEY_SAMPLES, "N", 0,
     "Timed runs after the warm-up (default: 20 on host and cuda, 0 on the emulator); all variants "
     "of a command are timed in turns, a round of one sample each after the other",
     3},
    {"memory", KEY_MEMORY, "GIB", 0,
     "Memory of the device that the variants which are timed in turns may hold; what does not fit "
     "makes a session of its own (default: a quarter of this machine's memory)",
     3},
    {"cache", KEY_CACHE, "hot|cold", 0,
     "Caches before each sample: as the run before it leaves them, or flushed (default: hot)", 3},
    {"graph", KEY_GRAPH, "auto|on|off", 0,
     "Make the launches of a loop as one graph (default: auto, on cuda where there are several)",
     3},
    {"counters", KEY_COUNTERS, "yes|no", OPTION_ARG_OPTIONAL,
     "Read the hardware's counters, too, on cuda by ncu in a run of its own (default: no); the "
     "emulator always counts",
     3},
    {"keep-text", KEY_KEEP_TEXT, "DIR", 0,
     "Keep the generated pages in this folder, made where it is missing", 3},
    {"points", KEY_POINTS, "increments|all", 0, "What blocks should share (default: increments)",
     4},
    {"repair", KEY_REPAIR, "split|move", 0, "What becomes of overfull blocks (default: split)", 4},
    {"order", KEY_ORDER, "element|colour", 0, "Order inside a block (default: element)", 4},
    {"colouring", KEY_COLOURING, "fewest|dsatur|greedy", 0,
     "How threads and blocks are coloured (default: fewest)", 4},
    {"seed", KEY_SEED, "N", 0, "Seed of everything random (default: 1)", 4},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0, "Of a third-party partitioner (default: 600)", 4},
    {"lab", KEY_LAB, "DIR", 0, "Archive in this folder (default: $TESS_LAB, else ./lab)", 5},
    {"fresh", KEY_FRESH, NULL, 0,
     "Cut the mesh anew: take no partition that an earlier run of the lab left", 5},
    {"no-lab", KEY_NO_LAB, NULL, 0, "Archive nothing", 5},
    {"no-view", KEY_NO_VIEW, NULL, 0, "Write no file for ParaView", 5},
    {"steps", KEY_STEPS, "N", 0,
     "Time steps of the application, on the host after the runs, that --catalyst or --viz show "
     "over "
     "the blocks (default: 20)",
     10},
    TESS_IN_SITU_OPTIONS,
    {NULL},
};

static const char doc[] =
    "Execute a loop of an application by strategies on a device, check every result against the "
    "sequential loop in double precision, count and time it.\v"
    "Examples:\n"
    "  tess run airfoil --mesh naca0012_inv.su2.xz --strategy atomics,block-colour\n"
    "  tess run lulesh --mesh hexes:nx=40:ny=40:nz=40 --device host --strategy "
    "sequential,openmp\n"
    "  tess run airfoil --mesh quads:nx=1200:ny=600 --device cuda --partitioner rcb,metis "
    "--block-size 128,256\n"
    "  tess run --kernel mine.h --loop mine.yaml --mesh tris:nx=50:ny=50\n\n"
    "A run whose result differs is archived as failed and never ranked.";

/* The options that choose by name: the names are in the order of the enums. */
static const tess_choice choices[] = {
    TESS_PLAN_CHOICES(tess_run_options),
    {KEY_PRECISION,
     "precision",
     offsetof(tess_run_options, precision),
     {"auto", "float", "double"}},
    {KEY_CACHE, "cache", offsetof(tess_run_options, cache), {"hot", "cold"}},
    {KEY_GRAPH, "graph", offsetof(tess_run_options, graph), {"auto", "on", "off"}},
    {KEY_COUNTERS, "counters", offsetof(tess_run_options, counters), {"no", "yes"}},
};

/* The options that are kept as they are typed. */
static const struct {
    int key;
    size_t offset; /* of the text in tess_run_options */
} texts[] = {
    {KEY_MESH, offsetof(tess_run_options, mesh)},
    {KEY_LOOP, offsetof(tess_run_options, loop)},
    {KEY_KERNEL, offsetof(tess_run_options, kernel)},
    {KEY_STRATEGY, offsetof(tess_run_options, strategies)},
    {KEY_PARTITIONER, offsetof(tess_run_options, partitioners)},
    {KEY_BLOCK_SIZE, offsetof(tess_run_options, block_sizes)},
    {KEY_LAYOUT, offsetof(tess_run_options, layout)},
    {KEY_DEVICE, offsetof(tess_run_options, device)},
    {KEY_KEEP_TEXT, offsetof(tess_run_options, keep_text)},
    {KEY_LAB, offsetof(tess_run_options, lab)},
};

static error_t parse_choice(int key, char *text, tess_run_options *into) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].key == key) {
            *(const char **)(void *)((char *)into + texts[i].offset) = text;
            return 0;
        }
    }
    return tess_command_choose(choices, sizeof choices / sizeof choices[0], key, text, into);
}

static error_t parser(int key, char *arg, struct argp_state *state) {
    tess_run_options *into = state->input;
    switch (key) {
    case KEY_NO_LAB:
        into->no_lab = true;
        return 0;
    case KEY_NO_VIEW:
        into->no_view = true;
        return 0;
    case KEY_FRESH:
        into->fresh = true;
        return 0;
    case KEY_SEED:
        return tess_command_refuse(tess_argument_integer("seed", arg, 0, INT64_MAX, &into->seed));
    case KEY_THREADS:
        return tess_command_refuse(tess_argument_integer("threads", arg, 32, 1024, &into->threads));
    case KEY_SAMPLES:
        return tess_command_refuse(
            tess_argument_integer("samples", arg, 0, 1000000, &into->samples));
    case KEY_MEMORY:
        return tess_command_refuse(tess_argument_real("memory", arg, 0, &into->memory));
    case KEY_TIME_LIMIT:
        return tess_command_refuse(tess_argument_real("time-limit", arg, 0, &into->time_limit));
    case ARGP_KEY_ARG:
        if (into->application)
            return tess_command_refuse(tess_fail(TESS_ERROR_USAGE,
                                                 "one application at a time: '%s' and '%s'",
                                                 into->application, arg));
        into->application = arg;
        return 0;
    case KEY_STEPS:
        return tess_command_refuse(tess_argument_integer("steps", arg, 1, INT64_MAX, &into->steps));
    case KEY_COUNTERS:
        return parse_choice(key, arg ? arg : (char[]){"yes"}, into);
    default: {
        const error_t error = tess_in_situ_parse(key, arg, &into->in_situ);
        return error == ARGP_ERR_UNKNOWN ? parse_choice(key, arg, into) : error;
    }
    }
}

tess_status tess_run_options_parse(int argc, char **argv, tess_run_options *into) {
    static const struct argp argp = {
        .options = options, .parser = parser, .args_doc = "APPLICATION --mesh MESH", .doc = doc};
    *into = (tess_run_options){.partitioners = "rcb",
                               .block_sizes = "128",
                               .layout = "soa",
                               .device = "emulator",
                               .renumber = -1, /* as the strategy likes it */
                               .seed = 1,
                               .samples = -1,
                               .steps = 20,
                               .time_limit = 600};
    TRY(tess_command_parse(&argp, argc, argv, &into->common, into));
    if (!into->application && !into->kernel)
        FAIL(TESS_ERROR_USAGE, "name an application: tess run APPLICATION --mesh MESH; 'tess list "
                               "applications' names them");
    if (into->application && into->kernel)
        FAIL(TESS_ERROR_USAGE, "an application or --kernel, not both");
    if (into->kernel && !into->loop)
        FAIL(TESS_ERROR_USAGE, "--kernel FILE.h needs --loop FILE.yaml, which describes its args");
    if (into->kernel && tess_in_situ_wanted(&into->in_situ))
        FAIL(TESS_ERROR_USAGE, "a kernel of your own has no time steps to show: leave --catalyst "
                               "and --viz out");
    if (!into->mesh)
        FAIL(TESS_ERROR_USAGE, "name a mesh: tess run %s --mesh MESH",
             into->application ? into->application : "--kernel FILE.h --loop FILE.yaml");
    return TESS_OK;
}

/* The name of an option. */
static const char *name_of(int key) {
    const struct argp_option *option = options;
    while (option->key != key)
        option++;
    return option->name;
}

/* Words of a command line, one after another, each ended by a zero. */
static void print_words(const tess_run_options *from, const char *program, FILE *stream) {
    fprintf(stream, "%s%crun%c", program, 0, 0);
    if (from->application)
        fprintf(stream, "%s%c", from->application, 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text =
            *(const char *const *)(const void *)((const char *)from + texts[i].offset);
        if (text)
            fprintf(stream, "--%s=%s%c", name_of(texts[i].key), text, 0);
    }
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        const int value = *(const int *)(const void *)((const char *)from + choices[i].offset);
        const bool is_own = value < 0 || (choices[i].key == KEY_PRECISION && value == 0);
        if (!is_own) /* chosen by the application or the strategy */
            fprintf(stream, "--%s=%s%c", choices[i].option, choices[i].names[value], 0);
    }
    fprintf(stream, "--seed=%lld%c--time-limit=%.17g%c", (long long)from->seed, 0, from->time_limit,
            0);
    if (from->threads)
        fprintf(stream, "--threads=%lld%c", (long long)from->threads, 0);
    if (from->samples >= 0)
        fprintf(stream, "--samples=%lld%c", (long long)from->samples, 0);
    if (from->no_lab)
        fprintf(stream, "--no-lab%c", 0);
    fprintf(stream, "--no-view%c--quiet", 0);
}

tess_status tess_run_line_print(const tess_run_options *from, const char *program, char ***argv) {
    tess_status status = TESS_OK;
    char *words = NULL;
    size_t size = 0;
    int n = 1;
    FILE *stream = open_memstream(&words, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a command line");
    print_words(from, program, stream);
    if (fclose(stream) != 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory for a command line"));
    for (size_t i = 0; i < size; i++)
        n += words[i] == '\0';
    CHECK(TESS_ZEROS(n + 1, argv));
    char *at = words;
    for (int i = 0; i < n; i++, at += strlen(at) + 1)
        (*argv)[i] = at;
    words = NULL;
done:
    free(words);
    return status;
}

void tess_run_line_free(char **argv) {
    if (argv)
        free(argv[0]); /* the words lie one behind the other */
    free(argv);
}
