/* An axis: a setting of runs that a recipe may vary. */
#include "experiments/campaign/sweep_axis.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include "experiments/cli/partition_options.h"
#include "experiments/cli/run_options.h"
#include "kernels/strategies/strategy.h"
#include "partitioners/partitioner.h"
#include <stdlib.h>
#include <string.h>

#define BOTH                                                                                       \
    { true, true }
#define PARTITIONS                                                                                 \
    { true, false }
#define RUNS                                                                                       \
    { false, true }

const tess_sweep_axis tess_sweep_axes[TESS_AXES] = {
    [TESS_AXIS_MESH] = {"mesh", "mesh", {NULL, NULL}, BOTH, false},
    [TESS_AXIS_MAP] = {"map", "map", {NULL, NULL}, PARTITIONS, false},
    [TESS_AXIS_DAT] = {"dat", "dat", {"", ""}, PARTITIONS, false},
    [TESS_AXIS_APPLICATION] = {"application", NULL, {NULL, NULL}, RUNS, false},
    [TESS_AXIS_LOOP] = {"loop", "loop", {"", ""}, RUNS, false},
    [TESS_AXIS_PRECISION] = {"precision", "precision", {"auto", "auto"}, RUNS, false},
    [TESS_AXIS_DEVICE] = {"device", "device", {"emulator", "emulator"}, RUNS, false},
    [TESS_AXIS_REPETITION] = {"repetition", NULL, {"1", "1"}, {false, false}, true},
    [TESS_AXIS_PARTITIONER] = {"partitioner", "partitioner", {NULL, "rcb"}, BOTH, false},
    [TESS_AXIS_BLOCK_SIZE] = {"block_size", "block-size", {"128", "128"}, BOTH, true},
    [TESS_AXIS_SEED] = {"seed", "seed", {"1", "1"}, BOTH, true},
    [TESS_AXIS_POINTS] = {"points", "points", {"increments", "increments"}, BOTH, false},
    [TESS_AXIS_REPAIR] = {"repair", "repair", {"split", "split"}, BOTH, false},
    [TESS_AXIS_REFINE] = {"refine", "refine", {"0", "0"}, PARTITIONS, true},
    [TESS_AXIS_ORDER] = {"order", "order", {"element", "element"}, BOTH, false},
    [TESS_AXIS_COLOURING] = {"colouring", "colouring", {"fewest", "fewest"}, BOTH, false},
    [TESS_AXIS_RENUMBER] = {"renumber", "renumber", {"none", "blocks"}, BOTH, false},
    [TESS_AXIS_TIME_LIMIT] = {"time_limit", "time-limit", {"600", "600"}, BOTH, true},
    [TESS_AXIS_LAYOUT] = {"layout", "layout", {"soa", "soa"}, BOTH, false},
    [TESS_AXIS_THREADS] = {"threads", "threads", {"", ""}, RUNS, true},
    [TESS_AXIS_SAMPLES] = {"samples", "samples", {"", ""}, RUNS, true},
    [TESS_AXIS_CACHE] = {"cache", "cache", {"hot", "hot"}, RUNS, false},
    [TESS_AXIS_GRAPH] = {"graph", "graph", {"auto", "auto"}, RUNS, false},
    [TESS_AXIS_COUNTERS] = {"counters", "counters", {"no", "no"}, RUNS, false},
    [TESS_AXIS_STRATEGY] = {"strategy", "strategy", {NULL, NULL}, RUNS, false},
};

tess_status tess_sweep_line_make(tess_sweep_kind kind, const char *const *value, const char *mesh,
                                 bool view, tess_sweep_line *line) {
    *line = (tess_sweep_line){.argc = 0};
    const bool runs = kind == TESS_SWEEP_RUNS;
    TRY(tess_text_copy(runs ? "tess run" : "tess partition", &line->argv[line->argc++]));
    if (!view)
        TRY(tess_text_copy("--no-view", &line->argv[line->argc++]));
    for (int axis = 0; axis < TESS_AXES; axis++) {
        const tess_sweep_axis *about = &tess_sweep_axes[axis];
        const char *text = axis == TESS_AXIS_MESH ? mesh : value[axis];
        const bool is_argument = axis == (runs ? TESS_AXIS_APPLICATION : TESS_AXIS_MESH);
        if (!about->is_of[kind] || !text || !*text)
            continue;
        char **word = &line->argv[line->argc++];
        if (is_argument)
            TRY(tess_text_copy(text, word));
        else if (asprintf(word, "--%s=%s", about->option, text) < 0) {
            *word = NULL;
            FAIL(TESS_ERROR_MEMORY, "out of memory for a command line");
        }
    }
    return TESS_OK;
}

void tess_sweep_line_clear(tess_sweep_line *line) {
    for (int i = 0; i < line->argc; i++)
        free(line->argv[i]);
    *line = (tess_sweep_line){.argc = 0};
}

/* Parses the command line as its command does. */
static tess_status understand(tess_sweep_kind kind, const tess_sweep_line *line) {
    /* argp puts the options before the arguments: it works on a copy */
    char *argv[TESS_AXES + 8];
    memcpy(argv, line->argv, sizeof argv);
    if (kind == TESS_SWEEP_RUNS) {
        tess_run_options options;
        return tess_run_options_parse(line->argc, argv, &options);
    }
    tess_partition_options options;
    return tess_partition_options_parse(line->argc, argv, &options);
}

/* Checks a spec and gives its canonical text. */
static tess_status canonical_spec(int axis, const char *text, char **out) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n = 0;
    CHECK(tess_spec_list_parse(text, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "'%s' names %d where one is meant; a list of YAML is [a, b]", text, n));
    const tess_option *options = NULL;
    if (axis == TESS_AXIS_PARTITIONER) {
        const tess_partitioner *partitioner = NULL;
        CHECK(tess_partitioner_find(specs[0].name, &partitioner));
        options = partitioner->options;
    } else {
        const tess_strategy *strategy = NULL;
        CHECK(tess_strategy_find(specs[0].name, &strategy));
        options = strategy->options;
    }
    CHECK(tess_spec_check(&specs[0], options));
    status = tess_spec_print(&specs[0], options, out);
done:
    tess_spec_list_free(specs, n);
    return status;
}

/* A number in the form that records have: 0128 is 128. */
static tess_status canonical_number(int axis, const char *text, char **out) {
    const char *name = tess_sweep_axes[axis].option;
    double real = 0;
    int64_t whole = 0;
    int length = 0;
    if (axis == TESS_AXIS_TIME_LIMIT) {
        TRY(tess_argument_real(name, text, 0, &real));
        length = asprintf(out, "%.15g", real);
    } else {
        const bool size = axis == TESS_AXIS_BLOCK_SIZE;
        TRY(tess_argument_integer(name, text, size, size ? INT32_MAX : INT64_MAX, &whole));
        length = asprintf(out, "%lld", (long long)whole);
    }
    if (length >= 0)
        return TESS_OK;
    *out = NULL;
    FAIL(TESS_ERROR_MEMORY, "out of memory for a value");
}

tess_status tess_sweep_axis_read(tess_sweep_kind kind, int axis, const char *text, char **out) {
    if (!*text)
        FAIL(TESS_ERROR_USAGE, "%s: a value is missing", tess_sweep_axes[axis].name);
    const char *value[TESS_AXES] = {NULL};
    tess_sweep_line line;
    value[TESS_AXIS_APPLICATION] = "airfoil"; /* any: the value alone is looked at */
    value[TESS_AXIS_MAP] = "edges:cells";
    value[axis] = text;
    tess_status status = tess_sweep_line_make(kind, value, "quads", false, &line);
    if (status == TESS_OK)
        status = understand(kind, &line);
    tess_sweep_line_clear(&line);
    TRY(status);
    if (axis == TESS_AXIS_PARTITIONER || axis == TESS_AXIS_STRATEGY)
        return canonical_spec(axis, text, out);
    if (axis == TESS_AXIS_APPLICATION) {
        const tess_application *application = NULL;
        TRY(tess_application_find(text, &application));
    }
    if (axis == TESS_AXIS_DEVICE) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
        const tess_device *device = NULL;
        TRY(tess_device_find(name, &device));
    }
    if (axis == TESS_AXIS_LAYOUT) {
        tess_layouts layouts;
        TRY(tess_layouts_parse(text, &layouts));
    }
    if (tess_sweep_axes[axis].is_number)
        return canonical_number(axis, text, out);
    return tess_text_copy(text, out);
}
