/* The options of a command that are settings of experiments. */
#include "experiments/cli/experiment_options.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "experiments/bench/cut_cost.h"
#include "experiments/report/progress_line.h"
#include "kernels/codegen/launch_options.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = TESS_N_FIELDS + 2, LONGEST_HELP = 512, LONGEST_VALUE = 96 };

static const tess_option_row archiving[] = {
    {"lab", 'l', "DIR", "Archive in this folder (default: $TESS_LAB, else ./lab)", 6,
     TESS_KEPT(tess_cli_settings, lab)},
    {"no-lab", 0, NULL, "Archive nothing", 6, TESS_KEPT(tess_cli_settings, no_lab)},
    {0},
};

static const tess_option_row viewing[] = {
    {"view", 0, NULL, "Write each plan's file for ParaView now; else the first tess view does", 6,
     TESS_KEPT(tess_cli_settings, view)},
    {"no-view", .hidden = true,
     TESS_KEPT(tess_cli_settings, no_view)}, /* of 0.1, when views were usual */
    {0},
};

static const tess_option_row executing[] = {
    {"ignore-cache", 0, NULL, "Take no blocks that an earlier run of the lab left", 6,
     TESS_KEPT(tess_cli_settings, fresh)},
    {"fresh", .hidden = true, TESS_KEPT(tess_cli_settings, fresh)}, /* of 0.2 */
    {"memory", 0, "GIB",
     "Memory of the device that the variants which are timed in turns may hold; what does not fit "
     "makes a session of its own (default: three quarters of what a GPU has free, or "
     "a quarter of this machine's memory)",
     5, TESS_KEPT(tess_cli_settings, memory)},
    {0},
};

static const tess_option_row texts[] = {
    {"keep-text", 0, "DIR", "Keep the generated pages in this folder, made where it is missing", 5,
     TESS_KEPT(tess_cli_settings, keep_text)},
    {0},
};

static const tess_setting_use *use_of(const tess_command_spec *command_spec, tess_field field) {
    static const tess_setting_use usual = {.standard = NULL};
    for (int i = 0; i < command_spec->n_uses; i++)
        if (command_spec->uses[i].field == field)
            return &command_spec->uses[i];
    return &usual;
}

static bool is_asked(const tess_command_spec *command_spec, tess_field field) {
    return tess_field_is_of(field, command_spec->kind) && tess_fields[field].help &&
           !use_of(command_spec, field)->left_out;
}

/* The setting that stands without an option's name. */
static tess_field argument_of(const tess_command_spec *command_spec) {
    return command_spec->kind == TESS_RUNNING ? TESS_FIELD_application : TESS_FIELD_mesh;
}

static const char *standard_of(const tess_command_spec *command_spec, tess_field field) {
    const char *standard = use_of(command_spec, field)->standard;
    return standard ? standard : tess_fields[field].standard[command_spec->kind];
}

static tess_status set_defaults(const tess_command_spec *command_spec, tess_cli_settings *out) {
    tess_status status = TESS_OK;
    tess_cli_settings asked = {.command_spec = command_spec};
    TRY(tess_experiment_init(command_spec->kind, &asked.base));
    for (int i = 0; i < command_spec->n_uses; i++) {
        const tess_setting_use *use = &command_spec->uses[i];
        if (use->is_list)
            asked.lists[use->field] = standard_of(command_spec, use->field);
        else if (use->standard)
            CHECK(tess_experiment_set(&asked.base, use->field, use->standard));
    }
    *out = asked;
    return TESS_OK;
done:
    tess_cli_settings_clear(&asked);
    return status;
}

void tess_cli_settings_clear(tess_cli_settings *asked) {
    if (asked->command_spec)
        tess_experiment_clear(&asked->base);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        free(asked->typed[field]);
        asked->typed[field] = NULL;
    }
    asked->command_spec = NULL;
}

/* One letter for what is typed most, the same in every command; 0: none. */
static int letter_of(tess_field field) {
    switch (field) {
    case TESS_FIELD_mesh:
        return 'm';
    case TESS_FIELD_map:
        return 'M';
    case TESS_FIELD_partitioner:
        return 'p';
    case TESS_FIELD_strategy:
        return 's';
    case TESS_FIELD_block_size:
        return 'b';
    case TESS_FIELD_device:
        return 'd';
    default:
        return 0;
    }
}

/* What stands for the value in help: N, SECONDS, split|move, P[,P...], MESH. */
static void print_value(tess_field field, bool is_list, char text[static LONGEST_VALUE]) {
    const tess_field_about *about = &tess_fields[field];
    char one[LONGEST_VALUE / 2] = "";
    size_t used = 0;
    switch (about->type) {
    case TESS_TYPE_CHOICE:
        for (int i = 0; about->choices[i] && used < sizeof one; i++)
            used += (size_t)snprintf(one + used, sizeof one - used, "%s%s", i ? "|" : "",
                                     about->choices[i]);
        break;
    case TESS_TYPE_INTEGER:
        snprintf(one, sizeof one, "N");
        break;
    case TESS_TYPE_REAL:
        snprintf(one, sizeof one, strcmp(about->unit, "s") == 0 ? "SECONDS" : "NUMBER");
        break;
    case TESS_TYPE_LAYOUT:
        snprintf(text, LONGEST_VALUE, "soa|aos|aos16[,%s...]", is_list ? "" : "SET=aos");
        return;
    case TESS_TYPE_PARTITIONER:
        snprintf(one, sizeof one, "P");
        break;
    case TESS_TYPE_STRATEGY:
    case TESS_TYPE_DEVICE:
    case TESS_TYPE_ENGINE:
        snprintf(one, sizeof one, "%c", toupper(about->name[0]));
        break;
    default:
        snprintf(one, sizeof one, "%s", about->name);
        for (char *c = one; *c; c++)
            *c = (char)toupper(*c);
    }
    snprintf(text, LONGEST_VALUE, is_list ? "%s[,%s...]" : "%s", one, one);
}

static void print_help(const tess_command_spec *command_spec, tess_field field,
                       char text[static LONGEST_HELP]) {
    const char *words = use_of(command_spec, field)->words;
    const char *standard = words ? words : standard_of(command_spec, field);
    const char *help = tess_fields[field].help, *told = strstr(help, " (default: ");
    if (standard && *standard && told) /* the command's own stands for it */
        snprintf(text, LONGEST_HELP, "%.*s (default: %s)%s", (int)(told - help), help, standard,
                 strchr(told, ')') + 1);
    else if (standard && *standard)
        snprintf(text, LONGEST_HELP, "%s (default: %s)", help, standard);
    else
        snprintf(text, LONGEST_HELP, "%s", help);
}

static bool is_yes_or_no(tess_field field) {
    const char *const *choices = tess_fields[field].choices;
    return choices && strcmp(choices[0], "no") == 0 && strcmp(choices[1], "yes") == 0;
}

static tess_status set_argument(const char *option, const char *text, void *into) {
    (void)option;
    tess_cli_settings *asked = into;
    const tess_field field = argument_of(asked->command_spec);
    char *before = NULL;
    asked->said[field] = true;
    TRY(tess_experiment_text(&asked->base, field, &before));
    const bool is_mesh = field == TESS_FIELD_application && strpbrk(text, ".:/");
    const tess_status status =
        *before ? tess_fail(TESS_ERROR_USAGE, "one %s at a time: '%s' and '%s'%s%s",
                            tess_fields[field].name, before, text, is_mesh ? "; say --mesh " : "",
                            is_mesh ? text : "")
                : tess_experiment_set(&asked->base, field, text);
    free(before);
    return status;
}

/* A word of a list for several values, which the loop may say. */
static bool is_word_for_several(tess_field field, const char *text) {
    return (field == TESS_FIELD_partitioner &&
            (strcmp(text, "all") == 0 || strcmp(text, "best") == 0)) ||
           (field == TESS_FIELD_strategy && strcmp(text, "all") == 0);
}

/* Fails where a value is not one of its setting's. */
static tess_status check_values(const tess_cli_settings *asked, tess_field field,
                                const char *list) {
    tess_status status = TESS_OK;
    tess_axis values = {.n = 0};
    tess_experiment tried;
    TRY(tess_experiment_copy(&asked->base, &tried));
    CHECK(tess_axis_split(field, list, &values));
    for (int i = 0; i < values.n; i++)
        if (!is_word_for_several(field, values.texts[i]))
            CHECK(tess_experiment_set(&tried, field, values.texts[i]));
done:
    tess_axis_clear(&values);
    tess_experiment_clear(&tried);
    return status;
}

/* A list that is typed again goes on. */
static tess_status add_to_list(tess_cli_settings *asked, tess_field field, const char *more) {
    char *before = asked->typed[field];
    TRY(check_values(asked, field, more));
    if (asprintf(&asked->typed[field], "%s%s%s", before ? before : "", before ? "," : "", more) <
        0) {
        asked->typed[field] = before;
        FAIL(TESS_ERROR_MEMORY, "out of memory for a list");
    }
    free(before);
    asked->lists[field] = asked->typed[field];
    return TESS_OK;
}

static tess_status set_field(const char *option, const char *value, void *into) {
    tess_cli_settings *asked = into;
    tess_field field = 0;
    char name[TESS_NAME_SIZE] = "";
    while (strcmp(name, option) != 0)
        tess_field_option(field++, name);
    field--;
    asked->said[field] = true;
    if (use_of(asked->command_spec, field)->is_list)
        return add_to_list(asked, field, value);
    return tess_experiment_set(&asked->base, field, value ? value : "yes");
}

/* The settings of a command, ended by a zero; valid until the next call. */
static const tess_option_row *settings_of(const tess_command_spec *command_spec) {
    static const int groups[] = {
        [TESS_DECIDES_MESH] = 1, [TESS_DECIDES_BLOCKS] = 2,  [TESS_DECIDES_PLAN] = 3,
        [TESS_DECIDES_RUN] = 4,  [TESS_DECIDES_SAMPLES] = 5, [TESS_DECIDES_NOTHING] = 3};
    static tess_option_row rows[MOST_ROWS];
    static char names[TESS_N_FIELDS][TESS_NAME_SIZE], values[TESS_N_FIELDS][LONGEST_VALUE],
        helps[TESS_N_FIELDS][LONGEST_HELP];
    int n = 0;
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        if (!is_asked(command_spec, field) || field == argument_of(command_spec))
            continue;
        tess_field_option(field, names[field]);
        print_value(field, use_of(command_spec, field)->is_list, values[field]);
        print_help(command_spec, field, helps[field]);
        rows[n++] = (tess_option_row){.name = names[field],
                                      .letter = letter_of(field),
                                      .value = values[field],
                                      .help = helps[field],
                                      .group = groups[tess_fields[field].decides],
                                      .optional = is_yes_or_no(field),
                                      .read = set_field};
    }
    rows[n++] = (tess_option_row){.read = set_argument};
    rows[n] = (tess_option_row){.name = NULL};
    return rows;
}

tess_status tess_cli_settings_read(const tess_command_spec *command_spec, int argc, char **argv,
                                   tess_cli_settings *out, void *options) {
    TRY(set_defaults(command_spec, out));
    const size_t offset = (size_t)((char *)out - (char *)options);
    const bool executes = command_spec->kind == TESS_RUNNING;
    const bool archives = !command_spec->archives_nothing;
    static const tess_option_row none[] = {{0}};
    const tess_option_row rows[] = {
        {.table = settings_of(command_spec), .offset = offset},
        {.table = archives ? archiving : none, .offset = offset},
        {.table = archives && !command_spec->marches ? viewing : none, .offset = offset},
        {.table = archives && executes && !command_spec->marches ? executing : none,
         .offset = offset},
        {.table = archives && executes ? texts : none, .offset = offset},
        {.table = command_spec->more ? command_spec->more : none},
        {0}};
    const tess_usage usage = {.options = rows,
                              .args_doc = command_spec->kind == TESS_RUNNING
                                              ? "APPLICATION --mesh MESH"
                                              : "MESH --map FROM:TO",
                              .doc = command_spec->doc,
                              .typed = command_spec->typed};
    return tess_command_parse(&usage, argc, argv, &out->common, options);
}

/* Whether the loop is over a box's cells or nodes, or reaches some. */
static bool has_box(const tess_bound_loop *bound) {
    int64_t shape[3];
    bool found = tess_box_of_set(bound->mesh, bound->set, shape);
    for (int t = 0; !found && t < bound->n_targets; t++)
        found = tess_box_of_set(bound->mesh, bound->targets[t].set, shape);
    return found;
}

const char *tess_partitioner_not_applicable(const tess_partitioner *partitioner,
                                            const tess_bound_loop *bound) {
    static const char incomplete[] = "each needs an option of its own",
                      on_request[] = "each runs only where it is named",
                      shapeless[] = "the loop reaches no structured box",
                      placeless[] = "the mesh has no coordinates";
    for (const tess_option *option = partitioner->options; option->key; option++)
        if (tess_option_is_required(option))
            return incomplete;
    if (partitioner->on_request)
        return on_request;
    if (partitioner->needs_shape && bound && !has_box(bound))
        return shapeless;
    if (partitioner->needs_coordinates && bound && !bound->mesh->coordinates)
        return placeless;
    return NULL;
}

/* Whether an element of the loop reaches two points at most. */
static bool has_pairs(const tess_bound_loop *bound) {
    int n_slots = 0;
    for (int t = 0; bound && t < bound->n_targets; t++)
        n_slots += bound->targets[t].incremented ? bound->targets[t].n_slots : 0;
    return n_slots > 0 && n_slots <= 2;
}

void tess_cli_partitioner_best(const tess_partitioner *partitioner, const tess_bound_loop *bound,
                               char *text, size_t size) {
    tess_partitioner_expert(partitioner, has_pairs(bound), text, size);
}

bool tess_cli_partitioner_is_slow(const tess_partitioner *partitioner,
                                  const tess_bound_loop *bound) {
    char text[256];
    tess_partitioner_expert(partitioner, has_pairs(bound), text, sizeof text);
    return tess_partitioner_is_slow(partitioner->name, text, bound->n_elements);
}

/* Which of those that fit a list has. */
typedef enum choice { ALL, ONLY_BEST, ONLY_QUICK } choice;

static void print_partitioners(choice which, const tess_bound_loop *bound, FILE *list) {
    char text[256];
    const char *before = "";
    for (int i = 0; tess_partitioner_at(i); i++) {
        const tess_partitioner *partitioner = tess_partitioner_at(i);
        if (tess_partitioner_not_applicable(partitioner, bound) ||
            (which == ONLY_BEST && !partitioner->cuts_best) ||
            (which == ONLY_QUICK && tess_cli_partitioner_is_slow(partitioner, bound)))
            continue;
        tess_partitioner_expert(partitioner, has_pairs(bound), text, sizeof text);
        fprintf(list, "%s%s", before, text);
        before = ",";
    }
}

/* A variant, and on GPUs that with each launch option which is worth a try. */
static void print_variant(const tess_device *device, const tess_variant *variant, bool predicted,
                          FILE *list) {
    static const char *const tuned[] = {TESS_LAUNCH_OPTIONS_TUNED};
    fprintf(list, "%s%s", ftell(list) > 0 ? "," : "", variant->spec);
    for (int i = 0; !device->one_thread && !predicted && tuned[i]; i++)
        fprintf(list, ",%s:%s", variant->spec, tuned[i]);
}

/* Whether a variant is for the kinds of loops: to be tried, to be predicted, or for its bits. */
static bool is_for(const tess_variant *variant, int kinds, bool predicted, bool bits) {
    const int more = predicted ? variant->predicted : bits ? variant->same_bits : 0;
    return ((variant->tuned | more) & kinds) != 0;
}

/* The variants for a device of one thread, or of many, and a loop of one of these kinds. */
static void print_variants(const tess_experiment *x, int kinds, bool predicted, FILE *list) {
    const tess_device *device = tess_experiment_device(x);
    for (int i = 0; tess_strategy_at(i); i++) {
        const tess_strategy *strategy = tess_strategy_at(i);
        if (strategy->one_thread != device->one_thread)
            continue;
        for (const tess_variant *v = strategy->variants; v && v->spec; v++)
            if (is_for(v, kinds, predicted, x->same_bits > TESS_BITS_VARY))
                print_variant(device, v, predicted, list);
    }
}

tess_status tess_cli_settings_strategies(tess_cli_settings *asked, bool predicted) {
    const tess_experiment *x = &asked->base;
    const tess_workload_names names = {
        .application = x->application, .kernel = x->kernel, .loop = x->loop};
    bool gathers = false, in_parts = false;
    char *text = NULL;
    tess_printed list;
    TRY(tess_workload_kind(&names, &gathers, &in_parts));
    const int kinds =
        gathers ? TESS_LOOPS_THAT_READ : TESS_LOOPS_THAT_ADD | (in_parts ? TESS_LOOPS_IN_PARTS : 0);
    TRY(tess_printed_open(&list));
    print_variants(x, kinds, predicted, list.stream);
    TRY(tess_printed_close(&list, TESS_OK, &text));
    free(asked->typed[TESS_FIELD_strategy]);
    asked->lists[TESS_FIELD_strategy] = asked->typed[TESS_FIELD_strategy] = text;
    return TESS_OK;
}

/* All strategies, and the variants that are there for the same bits. */
static void print_strategies(bool bits, FILE *list) {
    for (int i = 0; tess_strategy_at(i); i++) {
        const tess_strategy *strategy = tess_strategy_at(i);
        if (!strategy->elsewhere)
            fprintf(list, "%s%s", i ? "," : "", strategy->name);
        for (const tess_variant *v = strategy->variants; bits && v && v->spec; v++)
            if (v->same_bits & TESS_LOOPS_THAT_ADD)
                fprintf(list, ",%s", v->spec);
    }
}

/* Takes out what stands in the list before, as other words may say it, and tells so. */
static tess_status drop_repeated(const tess_cli_settings *asked, tess_axis *axis) {
    tess_status status = TESS_OK;
    tess_experiment one = {.kind = asked->base.kind}, other = one;
    char option[TESS_NAME_SIZE];
    int kept = 0;
    tess_field_option(axis->field, option);
    CHECK(tess_experiment_copy(&asked->base, &one));
    CHECK(tess_experiment_copy(&asked->base, &other));
    for (int i = 0; i < axis->n; i++) {
        bool is_there = false;
        CHECK(tess_experiment_set(&one, axis->field, axis->texts[i]));
        for (int k = 0; k < kept && !is_there; k++) {
            CHECK(tess_experiment_set(&other, axis->field, axis->texts[k]));
            is_there = tess_experiment_agrees(&one, &other, axis->field);
        }
        char *text = TESS_TAKE(axis->texts[i]);
        if (is_there && !asked->common.quiet)
            fprintf(stderr, "tess: --%s names %s twice: it is made once\n", option, text);
        if (is_there)
            free(text);
        else
            axis->texts[kept++] = text;
    }
    axis->n = kept;
done:
    tess_experiment_clear(&one);
    tess_experiment_clear(&other);
    return status;
}

/* Splits the list of a setting, with names for "best" and for "all", which are the quick ones where
 * nobody typed it. */
static tess_status split_list(const tess_cli_settings *asked, tess_field field, tess_axis *out) {
    const char *typed = asked->lists[field];
    const choice all = asked->said[field] ? ALL : ONLY_QUICK;
    tess_axis words = {.n = 0};
    char *text = NULL;
    tess_printed list;
    tess_status status = TESS_OK;
    CHECK(tess_axis_split(field, typed, &words));
    CHECK(tess_printed_open(&list));
    for (int i = 0; i < words.n; i++) {
        fputs(i ? "," : "", list.stream);
        if (!is_word_for_several(field, words.texts[i]))
            fputs(words.texts[i], list.stream);
        else if (field == TESS_FIELD_strategy)
            print_strategies(asked->base.same_bits > TESS_BITS_VARY, list.stream);
        else
            print_partitioners(strcmp(words.texts[i], "best") == 0 ? ONLY_BEST : all, asked->bound,
                               list.stream);
    }
    CHECK(tess_printed_close(&list, TESS_OK, &text));
    status = tess_axis_split(field, text, out);
done:
    tess_axis_clear(&words);
    free(text);
    return status;
}

static void tell_large_blocks(const tess_product *product) {
    enum { MOST_THREADS = 1024 }; /* of a block, by CUDA */
    int64_t largest = 0;
    for (int64_t i = 0; i < product->n; i++)
        largest = product->experiments[i].block_size > largest ? product->experiments[i].block_size
                                                               : largest;
    if (largest > MOST_THREADS)
        fprintf(stderr,
                "tess: blocks of %lld elements: a GPU's blocks have %d threads at most, and little "
                "shared memory\n",
                (long long)largest, MOST_THREADS);
}

tess_status tess_cli_settings_product(const tess_cli_settings *asked, const tess_field *fields,
                                      int n_fields, tess_product *out) {
    tess_status status = TESS_OK;
    tess_axis axes[TESS_N_FIELDS] = {{.n = 0}};
    int n_axes = 0;
    for (int i = 0; i < n_fields; i++) {
        const tess_field field = fields[i];
        if (!asked->typed[field] && !*asked->lists[field])
            continue; /* it is left unsaid */
        CHECK(split_list(asked, field, &axes[n_axes++]));
        /* with samples they show what equal runs differ by */
        if (tess_experiment_samples(&asked->base) == 0)
            CHECK(drop_repeated(asked, &axes[n_axes - 1]));
    }
    CHECK(tess_product_build(&asked->base, axes, n_axes, out));
    if (!asked->common.quiet)
        tell_large_blocks(out);
done:
    for (int i = 0; i < n_axes; i++)
        tess_axis_clear(&axes[i]);
    return status;
}

tess_status tess_cli_settings_lab(const tess_cli_settings *asked, tess_lab **out) {
    *out = NULL;
    if (asked->lab && strcmp(asked->lab, "none") == 0)
        FAIL(TESS_ERROR_USAGE,
             "--lab none is a folder: --no-lab archives nothing, --lab ./none is that folder");
    if (asked->no_lab)
        return TESS_OK;
    tess_lab *lab = NULL;
    TRY(tess_lab_open(asked->lab, true, &lab));
    const tess_status status = tess_lab_check_writable(lab);
    if (status == TESS_OK)
        *out = lab;
    else
        tess_lab_close(lab);
    return status;
}

void tess_cli_settings_tell_mesh(const tess_cli_settings *asked, const tess_mesh *mesh) {
    for (int64_t i = 0; i < mesh->n_warnings && !asked->common.quiet; i++)
        tess_progress_line_tell("tess: %s: warning: %s\n", asked->base.mesh, mesh->warnings[i]);
}

void tess_cli_settings_tell_load(const tess_cli_settings *asked) {
    const bool is_alone = strcmp(tess_experiment_engine(&asked->base), "local") == 0;
    if (is_alone && tess_experiment_device(&asked->base)->one_thread)
        tess_command_tell_load(&asked->common);
}

tess_campaign_options tess_cli_settings_options(const tess_cli_settings *asked, int argc,
                                                char *const *argv, tess_lab *lab) {
    return (tess_campaign_options){.bench = {.argc = argc,
                                             .argv = argv,
                                             .lab = lab,
                                             .fresh = asked->fresh,
                                             .view = asked->view,
                                             .keep_text = asked->keep_text},
                                   .memory = asked->memory};
}
