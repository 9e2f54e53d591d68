/* An experiment: what one run is made of, as a value. */
#include "experiments/bench/experiment_value.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "kernels/applications/applications.h"
#include "kernels/cut/device_cutter.h"
#include "kernels/exchange/engine.h"
#include "kernels/loops/user_step.h"
#include "kernels/run/chain_choice.h"
#include "kernels/run/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char absent[] = "absent";

#define ABSENT absent
#define REQUIRED NULL
#define ABOUT_TEXT .type = TESS_TYPE_TEXT
#define ABOUT_APPLICATION .type = TESS_TYPE_APPLICATION
#define ABOUT_DEVICE .type = TESS_TYPE_DEVICE
#define ABOUT_ENGINE .type = TESS_TYPE_ENGINE
#define ABOUT_PARTITIONER .type = TESS_TYPE_PARTITIONER
#define ABOUT_STRATEGY .type = TESS_TYPE_STRATEGY
#define ABOUT_LAYOUT .type = TESS_TYPE_LAYOUT
#define ABOUT_INTEGER(low, high) .type = TESS_TYPE_INTEGER, .least = (low), .most = (high)
#define ABOUT_REAL(low) .type = TESS_TYPE_REAL, .least = (low)
/* Names in another order than their values would put NULL over one of them: that does not compile.
 */
#define ABOUT_CHOICE(...)                                                                          \
    .type = TESS_TYPE_CHOICE, .choices = (const char *const[]) {                                   \
        __VA_ARGS__, NULL                                                                          \
    }

#define TESS_FIELD(member, takes, of, cutting, running, timing, what, words)                       \
    [TESS_FIELD_##member] = {.name = #member,                                                      \
                             .unit = of,                                                           \
                             .help = words,                                                        \
                             .standard = {cutting, running, timing},                               \
                             ABOUT_##takes,                                                        \
                             .decides = TESS_DECIDES_##what,                                       \
                             .offset = offsetof(tess_experiment, member)},
const tess_field_about tess_fields[TESS_N_FIELDS] = {
#include "experiments/bench/experiment_fields.h"
};
#undef TESS_FIELD

bool tess_field_is_of(tess_field field, tess_experiment_kind kind) {
    return tess_fields[field].standard[kind] != absent;
}

bool tess_field_is_number(tess_field field) {
    return tess_fields[field].type == TESS_TYPE_INTEGER ||
           tess_fields[field].type == TESS_TYPE_REAL;
}

bool tess_field_is_plugin(tess_field field) {
    return tess_fields[field].type == TESS_TYPE_PARTITIONER ||
           tess_fields[field].type == TESS_TYPE_STRATEGY;
}

const char *tess_field_recorded(tess_field field) {
    switch (field) {
    case TESS_FIELD_map: /* what the loop's name says, as the next */
    case TESS_FIELD_dat:
    case TESS_FIELD_kernel:     /* the application's place has it */
    case TESS_FIELD_repetition: /* a sweep's */
        return NULL;
    case TESS_FIELD_order:
        return "thread_order";
    default:
        return tess_fields[field].decides == TESS_DECIDES_SAMPLES ? NULL : tess_fields[field].name;
    }
}

void tess_field_option(tess_field field, char option[static TESS_NAME_SIZE]) {
    snprintf(option, TESS_NAME_SIZE, "%s", tess_fields[field].name);
    for (char *c = option; *c; c++)
        *c = *c == '_' ? '-' : *c;
}

static void *member_of(tess_experiment *experiment, tess_field field) {
    return (char *)experiment + tess_fields[field].offset;
}

static const void *value_of(const tess_experiment *experiment, tess_field field) {
    return (const char *)experiment + tess_fields[field].offset;
}

/* Leaves a setting unsaid. */
static void unset(tess_experiment *experiment, tess_field field) {
    void *member = member_of(experiment, field);
    switch (tess_fields[field].type) {
    case TESS_TYPE_TEXT:
    case TESS_TYPE_APPLICATION:
    case TESS_TYPE_DEVICE:
    case TESS_TYPE_ENGINE:
        free(*(char **)member);
        *(char **)member = NULL;
        return;
    case TESS_TYPE_PARTITIONER: {
        tess_chosen_partitioner *chosen = member;
        free(chosen->text);
        tess_spec_list_free(chosen->spec, chosen->spec ? 1 : 0);
        *chosen = (tess_chosen_partitioner){.text = NULL};
        return;
    }
    case TESS_TYPE_STRATEGY: {
        tess_chosen_strategy *chosen = member;
        free(chosen->text);
        tess_spec_list_free(chosen->spec, chosen->spec ? 1 : 0);
        *chosen = (tess_chosen_strategy){.text = NULL};
        return;
    }
    case TESS_TYPE_LAYOUT:
        free(((tess_chosen_layout *)member)->text);
        *(tess_chosen_layout *)member = (tess_chosen_layout){.text = NULL};
        return;
    case TESS_TYPE_INTEGER:
        *(int64_t *)member = TESS_UNSAID;
        return;
    case TESS_TYPE_REAL:
        *(double *)member = NAN;
        return;
    case TESS_TYPE_CHOICE:
        *(int *)member = -1;
        return;
    }
}

/* Checks a spec and gives its canonical text. */
static tess_status accept_spec(const tess_spec *spec, const tess_option *options, char **text) {
    TRY(tess_spec_check(spec, options));
    return tess_spec_print(spec, options, text);
}

static tess_status set_partitioner(const char *text, tess_chosen_partitioner *chosen) {
    TRY(tess_spec_parse_one(text, "partitioner", &chosen->spec));
    TRY(tess_partitioner_find(chosen->spec->name, &chosen->plugin));
    return accept_spec(chosen->spec, chosen->plugin->options, &chosen->text);
}

static tess_status set_strategy(const char *text, tess_chosen_strategy *chosen) {
    TRY(tess_spec_parse_one(text, "strategy", &chosen->spec));
    TRY(tess_strategy_find(chosen->spec->name, &chosen->plugin));
    return accept_spec(chosen->spec, chosen->plugin->options, &chosen->text);
}

/* Finds the device whose name a text begins with. */
static tess_status find_device(const char *text, const tess_device **out) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return tess_device_find(name, out);
}

static tess_status set_device(const char *text, char **out) {
    const tess_device *device = NULL;
    TRY(find_device(text, &device));
    return tess_text_copy(text, out);
}

static tess_status set_engine(const char *text, char **out) {
    const tess_engine *engine = NULL;
    TRY(tess_engine_find(text, &engine));
    return tess_text_copy(text, out);
}

static tess_status set_application(const char *text, char **out) {
    const tess_application *application = NULL;
    TRY(tess_application_find(text, &application));
    return tess_text_copy(text, out);
}

/* The text of a setting that is unsaid becomes its value. */
static tess_status read_value(tess_field field, const char *text, void *member) {
    const tess_field_about *about = &tess_fields[field];
    char option[TESS_NAME_SIZE];
    tess_field_option(field, option);
    switch (about->type) {
    case TESS_TYPE_TEXT:
        return tess_text_copy(text, member);
    case TESS_TYPE_APPLICATION:
        return set_application(text, member);
    case TESS_TYPE_DEVICE:
        return set_device(text, member);
    case TESS_TYPE_ENGINE:
        return set_engine(text, member);
    case TESS_TYPE_PARTITIONER:
        return set_partitioner(text, member);
    case TESS_TYPE_STRATEGY:
        return set_strategy(text, member);
    case TESS_TYPE_LAYOUT:
        TRY(tess_layouts_parse(text, &((tess_chosen_layout *)member)->layouts));
        return tess_text_copy(text, &((tess_chosen_layout *)member)->text);
    case TESS_TYPE_INTEGER:
        return tess_argument_integer(option, text, about->least, about->most, member);
    case TESS_TYPE_REAL:
        return tess_argument_real(option, text, (double)about->least, member);
    case TESS_TYPE_CHOICE:
        return tess_argument_choice(option, text, about->choices, member);
    }
    FAIL(TESS_ERROR_INTERNAL, "the setting %s has no type", about->name);
}

tess_status tess_experiment_set(tess_experiment *experiment, tess_field field, const char *text) {
    unset(experiment, field);
    if (!*text)
        return TESS_OK;
    const tess_status status = read_value(field, text, member_of(experiment, field));
    if (status != TESS_OK)
        unset(experiment, field); /* half a value is not kept */
    return status;
}

/* The text of a value that is kept as one; NULL where it is unsaid. */
static const char *text_of(const void *value, tess_field_type type) {
    return type == TESS_TYPE_PARTITIONER ? ((const tess_chosen_partitioner *)value)->text
           : type == TESS_TYPE_STRATEGY  ? ((const tess_chosen_strategy *)value)->text
           : type == TESS_TYPE_LAYOUT    ? ((const tess_chosen_layout *)value)->text
                                         : *(char *const *)value;
}

tess_status tess_experiment_text(const tess_experiment *experiment, tess_field field, char **out) {
    const tess_field_about *about = &tess_fields[field];
    const void *value = value_of(experiment, field);
    char number[32] = "";
    switch (about->type) {
    case TESS_TYPE_INTEGER:
        if (*(const int64_t *)value != TESS_UNSAID)
            snprintf(number, sizeof number, "%lld", (long long)*(const int64_t *)value);
        return tess_text_copy(number, out);
    case TESS_TYPE_REAL:
        if (!isnan(*(const double *)value))
            snprintf(number, sizeof number, "%.15g", *(const double *)value);
        return tess_text_copy(number, out);
    case TESS_TYPE_CHOICE:
        return tess_text_copy(*(const int *)value < 0 ? "" : about->choices[*(const int *)value],
                              out);
    default: {
        const char *text = text_of(value, about->type);
        return tess_text_copy(text ? text : "", out);
    }
    }
}

tess_status tess_experiment_blocks(const tess_experiment *experiment, char **out) {
    char *title = NULL;
    TRY(tess_partitioner_title(experiment->partitioner.text ? experiment->partitioner.text : "",
                               &title));
    if (experiment->refine <= 0) {
        *out = title;
        return TESS_OK;
    }
    const tess_status status =
        tess_text_print(out, "%s --refine %lld", title, (long long)experiment->refine);
    free(title);
    return status;
}

bool tess_experiment_agrees(const tess_experiment *one, const tess_experiment *other,
                            tess_field field) {
    const tess_field_type type = tess_fields[field].type;
    const void *a = value_of(one, field), *b = value_of(other, field);
    if (type == TESS_TYPE_INTEGER)
        return *(const int64_t *)a == *(const int64_t *)b;
    if (type == TESS_TYPE_CHOICE)
        return *(const int *)a == *(const int *)b;
    if (type == TESS_TYPE_REAL)
        return *(const double *)a == *(const double *)b ||
               (isnan(*(const double *)a) && isnan(*(const double *)b));
    const char *left = text_of(a, type), *right = text_of(b, type);
    return left == right || (left && right && strcmp(left, right) == 0);
}

const tess_device *tess_experiment_device(const tess_experiment *experiment) {
    const tess_device *device = NULL;
    return find_device(experiment->device, &device) == TESS_OK ? device : NULL;
}

int tess_experiment_samples(const tess_experiment *experiment) {
    enum { USUAL = 20 };
    if (experiment->kind == TESS_CUTTING)
        return 0;
    if (experiment->samples != TESS_UNSAID)
        return (int)experiment->samples;
    const tess_device *device = tess_experiment_device(experiment);
    return !device || device->emulates || device->compiles_only ? 0 : USUAL;
}

const char *tess_experiment_engine(const tess_experiment *experiment) {
    return experiment->engine ? experiment->engine : "local";
}

bool tess_experiment_is_ranked(const tess_experiment *experiment) {
    return experiment->ranks > 0 || strcmp(tess_experiment_engine(experiment), "local") != 0;
}

tess_status tess_experiment_init(tess_experiment_kind kind, tess_experiment *out) {
    tess_status status = TESS_OK;
    tess_experiment experiment = {.kind = kind};
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        unset(&experiment, field);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        const char *standard = tess_fields[field].standard[kind];
        if (standard && standard != absent)
            CHECK(tess_experiment_set(&experiment, field, standard));
    }
    *out = experiment;
    return TESS_OK;
done:
    tess_experiment_clear(&experiment);
    return status;
}

tess_status tess_experiment_copy(const tess_experiment *from, tess_experiment *out) {
    tess_status status = TESS_OK;
    tess_experiment copy;
    char *text = NULL;
    TRY(tess_experiment_init(from->kind, &copy));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        CHECK(tess_experiment_text(from, field, &text));
        CHECK(tess_experiment_set(&copy, field, text));
        free(text);
        text = NULL;
    }
    *out = copy;
    return TESS_OK;
done:
    free(text);
    tess_experiment_clear(&copy);
    return status;
}

void tess_experiment_clear(tess_experiment *experiment) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        unset(experiment, field);
}

bool tess_experiment_runs_code(const tess_experiment *experiment) {
    const tess_partitioner *partitioner = experiment->partitioner.plugin;
    return experiment->kernel || experiment->command || (partitioner && partitioner->runs_code);
}

tess_status tess_experiment_check_ranks(const tess_experiment *experiment) {
    const tess_experiment *x = experiment;
    const bool said = x->rank_partitioner.text || x->engine || x->halo >= 0 || x->overlap >= 0;
    if (said && !tess_experiment_is_ranked(x))
        FAIL(TESS_ERROR_USAGE, "say how many ranks: --ranks N");
    if (x->chain && tess_experiment_is_ranked(x))
        FAIL(TESS_ERROR_USAGE, "a chain runs without ranks: leave out --chain or --ranks");
    return TESS_OK;
}

/* A device that is to cut blocks is there, and can. */
static tess_status check_partition_on(const tess_experiment *x) {
    if (x->partition_on != TESS_PARTITION_ON_DEVICE)
        return TESS_OK;
    if (!x->device)
        FAIL(TESS_ERROR_USAGE,
             "--partition-on device: say which, --device cuda, or emulator where there is no GPU");
    return tess_device_cutter_check(x->device);
}

tess_status tess_experiment_check(const tess_experiment *experiment) {
    const tess_experiment *x = experiment;
    if (x->kind == TESS_CUTTING && !x->mesh)
        FAIL(TESS_ERROR_USAGE, "name a mesh: tess partition MESH --map FROM:TO");
    if (x->kind == TESS_CUTTING && !x->map)
        FAIL(TESS_ERROR_USAGE,
             "say which map the loop increments through: --map FROM:TO; 'tess mesh info --maps %s' "
             "lists what this mesh has",
             x->mesh);
    TRY(check_partition_on(x));
    if (x->kind != TESS_RUNNING)
        return TESS_OK;
    if (!x->application && !x->kernel)
        FAIL(TESS_ERROR_USAGE,
             "name an application and a mesh: APPLICATION --mesh MESH; 'tess list "
             "applications' names the former");
    if (x->application && x->kernel)
        FAIL(TESS_ERROR_USAGE, "an application or --kernel, not both");
    const bool is_step = tess_user_step_is(x->kernel);
    if (x->chain && x->loop && (x->application || is_step))
        FAIL(TESS_ERROR_USAGE,
             "--loop or --chain, not both: a chain takes its loops from the step");
    if (x->kernel && !x->loop && !is_step)
        FAIL(TESS_ERROR_USAGE,
             "--kernel FILE.h needs --loop FILE.yaml, which describes its args; a step of several "
             "loops is --kernel FILE.yaml");
    if (!x->mesh)
        FAIL(TESS_ERROR_USAGE, "name a mesh: %s --mesh MESH",
             x->application ? x->application : "--kernel FILE.h --loop FILE.yaml");
    return TESS_OK;
}

tess_status tess_experiment_check_whole(const tess_experiment *experiment) {
    if (experiment->kind == TESS_TIMING)
        FAIL(TESS_ERROR_USAGE,
             "another program is timed by 'tess record', or by a recipe's command");
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char *text = NULL;
        if (tess_fields[field].standard[experiment->kind])
            continue;
        TRY(tess_experiment_text(experiment, field, &text));
        const bool said = *text;
        free(text);
        if (!said)
            FAIL(TESS_ERROR_USAGE, "the experiment lacks the setting '%s'",
                 tess_fields[field].name);
    }
    TRY(tess_experiment_check_ranks(experiment));
    return tess_experiment_check(experiment);
}

tess_status tess_experiment_key(const tess_experiment *experiment, tess_decides first,
                                tess_decides last, char **out) {
    tess_status status = TESS_OK;
    char *text = NULL;
    tess_printed key;
    TRY(tess_printed_open(&key));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        if (tess_fields[field].decides < first || tess_fields[field].decides > last)
            continue;
        CHECK(tess_experiment_text(experiment, field, &text));
        fprintf(key.stream, "%s=%s\n", tess_fields[field].name, text);
        free(text);
        text = NULL;
    }
done:
    free(text);
    return tess_printed_close(&key, status, out);
}

/* Prints the words one behind the other, each ended by a zero, and counts them. */
static tess_status print_words(const tess_experiment *experiment, FILE *stream, int *n_words) {
    static const tess_field arguments[] = {TESS_FIELD_mesh, TESS_FIELD_application,
                                           TESS_FIELD_host};
    const tess_experiment_kind kind = experiment->kind;
    const tess_field argument = arguments[kind];
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char *text = NULL, option[TESS_NAME_SIZE];
        if (!tess_field_is_of(field, kind) || !tess_fields[field].help ||
            field == TESS_FIELD_command)
            continue;
        TRY(tess_experiment_text(experiment, field, &text));
        tess_field_option(field, option);
        if (*text && field == argument)
            fprintf(stream, "%s%c", text, 0);
        else if (*text)
            fprintf(stream, "--%s=%s%c", option, text, 0);
        *n_words += *text != '\0';
        free(text);
    }
    if (kind == TESS_TIMING) {
        fprintf(stream, "--warm-up=0%c--%csh%c-c%c%s%c", 0, 0, 0, 0, experiment->command, 0);
        *n_words += 5;
    }
    return TESS_OK;
}

tess_status tess_experiment_command(const tess_experiment *experiment, const char *const *flags,
                                    int n_flags, char ***out) {
    static const char *const commands[] = {"partition", "run", "record"};
    tess_status status = TESS_OK;
    char *words = NULL, **argv = NULL;
    tess_printed line;
    int n = 2 + n_flags;
    TRY(tess_printed_open(&line));
    fprintf(line.stream, "tess%c%s%c", 0, commands[experiment->kind], 0);
    for (int i = 0; i < n_flags; i++)
        fprintf(line.stream, "%s%c", flags[i], 0);
    CHECK(tess_printed_close(&line, print_words(experiment, line.stream, &n), &words));
    CHECK(TESS_ZEROS(n + 1, &argv));
    char *at = words;
    for (int i = 0; i < n; i++, at += strlen(at) + 1)
        argv[i] = at;
    *out = argv;
    words = NULL;
done:
    free(words);
    return status;
}

/* Whether a chain has a loop that adds to points: one cut by the program has. */
static tess_status is_adding(const tess_experiment *x, bool *out) {
    const tess_application *application = NULL;
    TRY(tess_application_find(x->application, &application));
    *out = strncmp(x->chain, "auto", strlen("auto")) == 0;
    char name[TESS_NAME_SIZE];
    for (const char *rest = x->chain; tess_chains_next(&rest, name);)
        for (int k = 0; k < application->n_kernels; k++) {
            const tess_kernel *kernel = &application->kernels[k];
            for (int a = 0; strcmp(kernel->name, name) == 0 && a < kernel->n_args; a++)
                *out |= kernel->args[a].map && kernel->args[a].access == TESS_INC;
        }
    return TESS_OK;
}

tess_status tess_experiment_choose_strategy(tess_experiment *x) {
    const bool one_thread = tess_experiment_device(x)->one_thread;
    bool adds = x->chain && x->kernel;
    if (x->strategy.plugin)
        return TESS_OK;
    if (x->chain && x->application)
        TRY(is_adding(x, &adds));
    return tess_experiment_set(x, TESS_FIELD_strategy,
                               one_thread ? "openmp"
                               : adds     ? "point-parallel"
                                          : "atomics");
}

void tess_words_free(char **words) {
    if (words)
        free(words[0]); /* they lie one behind the other */
    free(words);
}
