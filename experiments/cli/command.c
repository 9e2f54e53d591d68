/* A command: one word of the program `tess`, its options and what it does. */
#include "experiments/cli/command.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/plan/metrics.h"
#include "experiments/cli/help/help_page.h"
#include "experiments/cli/help/help_words.h"
#include "experiments/cli/report/progress_line.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define X(name) extern const tess_command tess_command_##name;
#include "experiments/cli/list.h"
#undef X

const tess_command *tess_command_at(int i) {
    static const tess_command *const commands[] = {
#define X(name) &tess_command_##name,
#include "experiments/cli/list.h"
#undef X
        NULL};
    return commands[i];
}

tess_status tess_command_find(const char *program, const tess_command *const *commands,
                              const char *name, const tess_command **out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; commands[i]; i++) {
        tess_unknown_name_add(&unknown, commands[i]->name);
        if (strcmp(commands[i]->name, name) == 0) {
            *out = commands[i];
            return TESS_OK;
        }
    }
    if (unknown.near[0])
        FAIL(TESS_ERROR_USAGE, "there is no command '%s %s'; did you mean '%s %s'?", program, name,
             program, unknown.near);
    FAIL(TESS_ERROR_USAGE, "there is no command '%s %s'; see '%s --help'", program, name, program);
}

tess_status tess_command_dispatch(const char *program, const tess_command *const *commands,
                                  int argc, char **argv) {
    tess_status status = TESS_OK;
    const tess_command *command = NULL;
    char *words = NULL;
    char **rest = NULL;
    CHECK(tess_command_find(program, commands, argv[1], &command));
    if (asprintf(&words, "%s %s", program, command->name) < 0) {
        words = NULL;
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory"));
    }
    CHECK(TESS_ALLOC(argc, &rest));
    rest[0] = words;
    for (int i = 2; i <= argc; i++)
        rest[i - 1] = argv[i];
    status = command->run(argc - 1, rest);
done:
    free(rest);
    free(words);
    return status;
}

tess_status tess_command_help(const char *form, const char *program, const char *doc,
                              const tess_command *const *commands) {
    enum { MOST_COMMANDS = 64 };
    tess_help_entry entries[MOST_COMMANDS + 1] = {{NULL, NULL}};
    for (int i = 0; commands[i] && i < MOST_COMMANDS; i++)
        entries[i] = (tess_help_entry){commands[i]->name, commands[i]->summary};
    return tess_help_group_print(form, program, doc, entries, stdout);
}

tess_status tess_command_group(const char *program, const char *doc,
                               const tess_command *const *commands, int argc, char **argv) {
    if (argc == 2 && tess_help_form(argc, argv))
        return tess_command_help(tess_help_form(argc, argv), program, doc, commands);
    const bool help = argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc >= 2 && !help)
        return tess_command_dispatch(program, commands, argc, argv);
    FILE *stream = help ? stdout : stderr;
    fprintf(stream, "Usage: %s COMMAND [OPTION...]\n%s\n\n", program, doc);
    for (int i = 0; commands[i]; i++)
        fprintf(stream, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\nWhat a command takes: %s COMMAND --help.\n", program);
    if (help)
        return TESS_OK;
    FAIL(TESS_ERROR_USAGE, "a command is missing behind '%s'", program);
}

enum { KEY_JSON = 0x1000, KEY_QUIET, KEY_VERBOSE };

static const struct argp_option common_options[] = {
    {NULL, 0, NULL, 0, "Every command:", -2},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on stdout", -2},
    {"quiet", KEY_QUIET, NULL, 0, "Print nothing on stderr but errors", -2},
    {"verbose", KEY_VERBOSE, NULL, 0, "Say more on stderr", -2},
    {NULL},
};

/* What a parse carries: the command's own input, where the common options go, what failed. */
typedef struct parse_input {
    const struct argp *argp;
    tess_common *common;
    void *input;
} parse_input;

static error_t common_parser(int key, char *arg, struct argp_state *state) {
    (void)arg;
    tess_common *common = state->input;
    switch (key) {
    case KEY_JSON:
        common->json = true;
        return 0;
    case KEY_QUIET:
        common->quiet = true;
        return 0;
    case KEY_VERBOSE:
        common->verbose = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parent_parser(int key, char *arg, struct argp_state *state) {
    (void)arg;
    const parse_input *parse = state->input;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = parse->input;
    state->child_inputs[1] = parse->common;
    return 0;
}

static const struct argp_option *option_find(const struct argp_option *options, const char *name,
                                             size_t length) {
    for (; options && (options->name || options->key || options->doc); options++)
        if (options->name && strncmp(options->name, name, length) == 0)
            return options; /* getopt accepts a beginning, too, and tells where it is ambiguous */
    return NULL;
}

static tess_status unknown_option(const char *program, const char *typed,
                                  const struct argp_option *own) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    static const char *const common[] = {"help", "usage", "json", "quiet", "verbose", NULL};
    tess_unknown_name unknown = tess_unknown_name_of(name);
    tess_unknown_name_add_all(&unknown, common);
    for (; own && (own->name || own->key || own->doc); own++)
        if (own->name)
            tess_unknown_name_add(&unknown, own->name);
    if (unknown.near[0])
        FAIL(TESS_ERROR_USAGE, "'%s' has no option '--%s'; did you mean '--%s'?", program, name,
             unknown.near);
    FAIL(TESS_ERROR_USAGE, "'%s' has no option '--%s'; see '%s --help'", program, name, program);
}

/* Letters that a command had before a letter meant the same in every command, and the option. */
static const struct {
    const char *command;
    char letter;
    const char *option;
} older_letters[] = {
    {"tess partition", 'm', "map"}, {"tess runs", 's', "sort"},
    {"tess plot", 's', "sort"},     {"tess compare", 'm', "metric"},
    {"tess compare", 's', "same"},  {"tess compare", 'f', "fail-on"},
    {"tess march", 'n', "steps"},   {"tess sweep", 'n', "dry-run"},
};
enum { N_OLDER_LETTERS = sizeof older_letters / sizeof *older_letters };

/* Replaces an older letter, with the value that is joined to it, by its option, and says so. */
static tess_status older_letter_replace(bool quiet, const char *command, char **argument) {
    static char *replaced[N_OLDER_LETTERS]; /* kept: options point into them */
    char *typed = *argument;
    for (int i = 0; i < N_OLDER_LETTERS; i++) {
        if (typed[1] != older_letters[i].letter || strcmp(command, older_letters[i].command) != 0)
            continue;
        char *words = NULL;
        if (asprintf(&words, "--%s%s%s", older_letters[i].option, typed[2] ? "=" : "", typed + 2) <
            0)
            FAIL(TESS_ERROR_MEMORY, "out of memory for an option");
        free(replaced[i]);
        *argument = replaced[i] = words;
        if (!quiet)
            fprintf(stderr, "tess: -%c of '%s' is --%s now: a letter means the same everywhere\n",
                    older_letters[i].letter, command, older_letters[i].option);
    }
    return TESS_OK;
}

static bool is_there(const char *word, int argc, char *const *argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

/* Fails on letters behind one '-' that are no options; *i moves on to the value of the last one. */
static tess_status letters_check(const struct argp *argp, int argc, char **argv, int *i) {
    for (const char *letter = argv[*i] + 1; *letter; letter++) {
        const struct argp_option *option = argp->options;
        while (option && (option->name || option->key || option->doc) && option->key != *letter)
            option++;
        if (*letter == '?')
            continue;
        if (!option || option->key != *letter)
            FAIL(TESS_ERROR_USAGE, "'%s' has no option '-%c'; see '%s --help'", argv[0], *letter,
                 argv[0]);
        if (!option->arg || option->flags & OPTION_ARG_OPTIONAL)
            continue;
        if (!letter[1] && ++*i == argc)
            FAIL(TESS_ERROR_USAGE, "option '-%c' of '%s' needs a value: -%c %s", *letter, argv[0],
                 *letter, option->arg);
        return TESS_OK;
    }
    return TESS_OK;
}

/* Fails on an option that getopt would refuse, in our own words. */
static tess_status options_check(const struct argp *argp, int argc, char **argv) {
    static const struct argp_option argps_own[] = {{.name = "help"}, {.name = "usage"}, {0}};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-')
            TRY(older_letter_replace(is_there("--quiet", argc, argv), argv[0], &argv[i]));
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-') {
            TRY(letters_check(argp, argc, argv, &i));
            continue;
        }
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        const size_t length = strcspn(argv[i] + 2, "=");
        const struct argp_option *option = option_find(argp->options, argv[i] + 2, length);
        if (!option)
            option = option_find(common_options, argv[i] + 2, length);
        if (!option)
            option = option_find(argps_own, argv[i] + 2, length);
        if (!option)
            return unknown_option(argv[0], argv[i], argp->options);
        const bool needs_value = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
        if (needs_value && !argv[i][2 + length]) {
            if (++i == argc)
                FAIL(TESS_ERROR_USAGE, "option '--%s' of '%s' needs a value: --%s=%s", option->name,
                     argv[0], option->name, option->arg);
        }
    }
    return TESS_OK;
}

/* What tess_command_refuse hides in an error_t: no errno is as large. */
enum { REFUSED = 0x10000 };

error_t tess_command_refuse(tess_status status) {
    return status == TESS_OK ? 0 : REFUSED + (error_t)status;
}

/* Tells once of a metric that is named as in earlier versions. */
static void note_renamed(int argc, char **argv) {
    const char *old = NULL, *now = NULL;
    for (int i = 1; i < argc; i++) {
        if (tess_metric_old_name_in(argv[i], &old, &now)) {
            fprintf(stderr, "tess: the metric %s is called %s now\n", old, now);
            return;
        }
    }
}

/* For a shell, which says by TESS_TYPED what is typed of the word at the cursor; a mesh or a lab
 * that takes longer to read than people wait is given up. */
static void print_words(const struct argp *argp, int argc, char *const *argv) {
    enum { PATIENCE = 2 };
    const char *typed = getenv("TESS_TYPED");
    alarm(PATIENCE);
    tess_help_words_print(&(tess_cursor){.argp = argp,
                                         .common = common_options,
                                         .argc = argc,
                                         .argv = argv,
                                         .typed = typed ? typed : ""},
                          stdout);
}

tess_status tess_command_parse(const struct argp *argp, int argc, char **argv, tess_common *common,
                               void *input) {
    const char *form = tess_help_form(argc, argv);
    if (form) {
        if (strcmp(form, "words") == 0)
            print_words(argp, argc - 1, argv);
        else
            TRY(tess_help_page_print(form, argv[0], argp, common_options, stdout));
        exit(fflush(stdout) == 0 ? 0 : 1); /* as argp does behind --help */
    }
    static char help[] = "--help";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = help;
    TRY(options_check(argp, argc, argv));
    const struct argp own = {.options = argp->options, .parser = argp->parser};
    const struct argp common_argp = {.options = common_options, .parser = common_parser};
    const struct argp_child children[] = {{.argp = &own}, {.argp = &common_argp}, {NULL}};
    const struct argp parent = {.parser = parent_parser,
                                .args_doc = argp->args_doc,
                                .doc = argp->doc,
                                .children = children,
                                .help_filter = argp->help_filter};
    parse_input parse = {.argp = argp, .common = common, .input = input};
    argp_err_exit_status = tess_status_exit_code(TESS_ERROR_USAGE);
    const error_t error = argp_parse(&parent, argc, argv, 0, NULL, &parse);
    if (error >= REFUSED)
        return (tess_status)(error - REFUSED);
    if (error)
        FAIL(TESS_ERROR_USAGE, "'%s' cannot be understood: %s; see '%s --help'", argv[0],
             strerror(error), argv[0]);
    if (!common->quiet)
        note_renamed(argc, argv);
    if (!common->quiet && !common->json)
        tess_progress_line_open(stderr);
    return TESS_OK;
}

error_t tess_command_keep(const tess_kept *members, int key, const char *value, void *options) {
    while (members->key && members->key != key)
        members++;
    if (!members->key)
        return ARGP_ERR_UNKNOWN;
    void *member = (char *)options + members->offset;
    if (members->is_flag)
        *(bool *)member = true;
    else
        *(const char **)member = value;
    return 0;
}

error_t tess_command_collect(const char *value, const char **items, int *n, int most,
                             const char *what) {
    if (*n == most)
        return tess_command_refuse(tess_fail(TESS_ERROR_USAGE, "more than %d %s", most, what));
    items[(*n)++] = value;
    return 0;
}

tess_status tess_json_print(json_t *object) {
    if (!object)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON output cannot be made");
    const int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (failed || putchar('\n') == EOF)
        FAIL(TESS_ERROR_IO, "the JSON output cannot be written to stdout");
    return TESS_OK;
}
