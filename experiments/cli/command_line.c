/* A command line: what a command takes, and the member of its options that keeps each value. */
#include "experiments/cli/command_line.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/plan/metrics.h"
#include "experiments/cli/help/help_page.h"
#include "experiments/cli/help/help_text.h"
#include "experiments/cli/help/help_words.h"
#include "experiments/report/progress_line.h"
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 128, FIRST_KEY = 0x1000, HELP_KEY = 'h', USAGE_KEY = FIRST_KEY - 1 };

/* Instead of argp's own, whose letter is '?'. */
static const struct argp_option help_options[] = {
    {.name = "help",
     .key = HELP_KEY,
     .arg = "all",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Show this help (also -?), and all options of a command that has many",
     .group = -2},
    {.name = "usage", .key = USAGE_KEY, .doc = "Show a short usage message", .group = -2},
    {0},
};

static const tess_option_row common_options[] = {
    {.help = "Every command:", .group = -2},
    {"json", 0, NULL, "Print one JSON object on stdout", -2, TESS_KEPT(tess_common, json)},
    {"quiet", 0, NULL, "Print nothing on stderr but errors", -2, TESS_KEPT(tess_common, quiet)},
    {"verbose", 0, NULL, "Say more on stderr", -2, TESS_KEPT(tess_common, verbose)},
    {0},
};

/* All rows of a command, where their values go, and the options as argp has them. */
typedef struct command_line {
    int n, n_options;
    const char *typed; /* tess_usage.typed */
    const tess_option_row *rows[MOST_ROWS];
    void *members[MOST_ROWS];
    struct argp_option options[MOST_ROWS + 3]; /* with help, usage and the end */
} command_line;

static bool is_end(const tess_option_row *row) {
    return !row->name && !row->help && !row->refusal && !row->kept && !row->read && !row->table;
}

static void add_rows(const tess_option_row *row, void *options, command_line *line) {
    for (; !is_end(row) && line->n < MOST_ROWS; row++) {
        void *member = (char *)options + row->offset;
        if (row->table) {
            add_rows(row->table, member, line);
            continue;
        }
        if (row->name || row->help)
            line->options[line->n_options++] =
                (struct argp_option){.name = row->name,
                                     .key = !row->name    ? 0
                                            : row->letter ? row->letter
                                                          : FIRST_KEY + line->n,
                                     .arg = row->value,
                                     .flags = (row->hidden ? OPTION_HIDDEN : 0) |
                                              (row->optional ? OPTION_ARG_OPTIONAL : 0),
                                     .doc = row->help,
                                     .group = row->group};
        line->rows[line->n] = row;
        line->members[line->n++] = member;
    }
}

static tess_status add_to_list(const tess_option_row *row, const char *value, void *member) {
    const char **items = member;
    int *n = (int *)(void *)((char *)member + row->n_offset - row->offset);
    if (*n == row->most)
        FAIL(TESS_ERROR_USAGE, row->refusal, (int)row->most);
    items[(*n)++] = value;
    return TESS_OK;
}

static tess_status keep(const tess_option_row *row, const char *value, void *member) {
    int choice = 0;
    if (row->read)
        return row->read(row->name, value, member);
    switch (row->kept) {
    case TESS_KEEPS_INTEGER:
        return tess_argument_integer(row->name, value, row->least, row->most, member);
    case TESS_KEEPS_REAL:
        return tess_argument_real(row->name, value, (double)row->least, member);
    case TESS_KEEPS_LIST:
        return add_to_list(row, value, member);
    case TESS_KEEPS_CHOICE:
        return tess_argument_choice(row->name, value, row->choices, member);
    case TESS_KEEPS_EITHER:
        TRY(tess_argument_choice(row->name, value, row->choices, &choice));
        *(bool *)member = choice == 1;
        return TESS_OK;
    case TESS_KEEPS_FLAG:
        *(bool *)member = true;
        return TESS_OK;
    default:
        if (row->name && row->refusal && *(const char **)member)
            FAIL(TESS_ERROR_USAGE, row->refusal, *(const char **)member, value);
        *(const char **)member = value;
        return TESS_OK;
    }
}

/* What tess_fail gave, hidden in an error_t: no errno is as large. */
enum { REFUSED = 0x10000 };

static error_t refuse(tess_status status) {
    return status == TESS_OK ? 0 : REFUSED + (error_t)status;
}

static error_t take_argument(const command_line *line, const char *program, const char *value) {
    for (int i = 0; i < line->n; i++) {
        const tess_option_row *row = line->rows[i];
        const bool is_taken =
            row->kept == TESS_KEEPS_TEXT && *(const char *const *)line->members[i];
        if (row->name || row->help || (is_taken && !row->refusal))
            continue;
        if (is_taken || !(row->kept || row->read))
            return refuse(tess_fail(TESS_ERROR_USAGE, row->refusal, value, value));
        return refuse(keep(row, value, line->members[i]));
    }
    return refuse(tess_fail(TESS_ERROR_USAGE, "'%s' takes no '%s'; see '%s --help'", program, value,
                            program));
}

/* Behind help, as argp does. */
static void end_program(void) {
    if (fflush(stdout) == 0)
        exit(0);
    fprintf(stderr, "tess: error: the output cannot be written to stdout: %s\n", strerror(errno));
    exit(1);
}

static error_t help(const char *form, const struct argp_state *state) {
    if (form && strcmp(form, "all") != 0)
        return refuse(tess_fail(TESS_ERROR_USAGE, "--help=%s: it is --help or --help=all", form));
    const command_line *line = state->input;
    if (form)
        tess_help_text_print(state->name, state->root_argp, stdout);
    else
        tess_help_short_print(state->name, state->root_argp, line->typed, stdout);
    end_program();
    return 0;
}

static error_t take(int key, char *value, struct argp_state *state) {
    const command_line *line = state->input;
    if (key == ARGP_KEY_ARG)
        return take_argument(line, state->name, value);
    if (key == HELP_KEY)
        return help(value, state);
    if (key == USAGE_KEY) {
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        end_program();
    }
    for (int i = 0; i < line->n; i++)
        if (line->rows[i]->name &&
            key == (line->rows[i]->letter ? line->rows[i]->letter : FIRST_KEY + i))
            return refuse(keep(line->rows[i], value, line->members[i]));
    return ARGP_ERR_UNKNOWN;
}

static bool is_option(const struct argp_option *option) {
    return option->name || option->doc;
}

static const struct argp_option *option_find(const struct argp_option *options, const char *name,
                                             size_t length) {
    for (; is_option(options); options++)
        if (options->name && strncmp(options->name, name, length) == 0)
            return options; /* getopt accepts a beginning, too, and tells where it is ambiguous */
    return NULL;
}

static tess_status unknown_option(const char *program, const char *typed,
                                  const struct argp_option *options) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (; is_option(options); options++)
        if (options->name)
            tess_unknown_name_add(&unknown, options->name);
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
        TRY(tess_text_print(&words, "--%s%s%s", older_letters[i].option, typed[2] ? "=" : "",
                            typed + 2));
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
static tess_status letters_check(const struct argp_option *options, int argc, char **argv, int *i) {
    for (const char *letter = argv[*i] + 1; *letter; letter++) {
        const struct argp_option *option = options;
        while (is_option(option) && option->key != *letter)
            option++;
        if (option->key != *letter && access(argv[*i], F_OK) == 0)
            FAIL(TESS_ERROR_USAGE, "'%s' has no option '-%c'; the file of that name is './%s'",
                 argv[0], *letter, argv[*i]);
        if (option->key != *letter)
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
static tess_status options_check(const struct argp_option *options, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-')
            TRY(older_letter_replace(is_there("--quiet", argc, argv), argv[0], &argv[i]));
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-') {
            TRY(letters_check(options, argc, argv, &i));
            continue;
        }
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        const size_t length = strcspn(argv[i] + 2, "=");
        const struct argp_option *option = option_find(options, argv[i] + 2, length);
        if (!option)
            return unknown_option(argv[0], argv[i], options);
        const bool needs_value = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
        if (needs_value && !argv[i][2 + length]) {
            if (++i == argc)
                FAIL(TESS_ERROR_USAGE, "option '--%s' of '%s' needs a value: --%s=%s", option->name,
                     argv[0], option->name, option->arg);
        }
    }
    return TESS_OK;
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
    tess_help_words_print(
        &(tess_cursor){.argp = argp, .argc = argc, .argv = argv, .typed = typed ? typed : ""},
        stdout);
}

tess_status tess_command_parse(const tess_usage *usage, int argc, char **argv, tess_common *common,
                               void *options) {
    static command_line line; /* argp keeps pointers to its options */
    line.n = line.n_options = 0;
    line.typed = usage->typed;
    add_rows(usage->options, options, &line);
    add_rows(common_options, common, &line);
    memcpy(&line.options[line.n_options], help_options, sizeof help_options);
    const struct argp argp = {.options = line.options,
                              .parser = take,
                              .args_doc = usage->args_doc,
                              .doc = usage->doc,
                              .help_filter = usage->help_filter};
    const char *form = tess_help_form(argc, argv);
    if (form) {
        if (strcmp(form, "words") == 0)
            print_words(&argp, argc - 1, argv);
        else
            TRY(tess_help_page_print(form, argv[0], &argp, stdout));
        end_program();
    }
    static char help[] = "--help";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-?") == 0)
            argv[i] = help;
    TRY(options_check(line.options, argc, argv));
    argp_err_exit_status = tess_status_exit_code(TESS_ERROR_USAGE);
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &line);
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

void tess_command_tell_load(const tess_common *common) {
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double load = 0;
    if (!common->quiet && getloadavg(&load, 1) == 1 && load > cores)
        tess_progress_line_tell("tess: warning: the machine is busy: %.1f threads want its %.0f "
                                "cores (load average); times are longer and less certain\n",
                                load, cores);
}
