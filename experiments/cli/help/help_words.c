/* Help words: what a shell completes behind a command. */
#include "experiments/cli/help/help_words.h"

#include "experiments/bench/experiment.h"
#include "experiments/cli/help/known_words.h"
#include "experiments/report/words/listing.h"
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A position where a value may stand. */
typedef struct value_position {
    const tess_cursor *cursor;
    const char *placeholder; /* as option tables and arguments write it: "P[,P...]" */
    size_t length;           /* of it */
    const char *before;      /* what is typed of the word and stays: "--partitioner=rcb," */
    const char *typed;       /* what is typed of the value */
    const char *doc;         /* of the option */
} value_position;

static bool is_option(const struct argp_option *option) {
    return option && (option->name || option->key || option->doc);
}

/* The option that a word names with one dash and a letter, or with two and all of its name. */
static const struct argp_option *option_of(const tess_cursor *cursor, const char *word,
                                           size_t length) {
    for (const struct argp_option *option = cursor->argp->options; is_option(option); option++)
        if ((length == 2 && word[0] == '-' && option->key == word[1]) ||
            (length > 2 && strncmp(word, "--", 2) == 0 && option->name &&
             strlen(option->name) == length - 2 &&
             strncmp(option->name, word + 2, length - 2) == 0))
            return option;
    return NULL;
}

static bool waits_for_value(const struct argp_option *option) {
    return option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* The value of an option before the cursor, or NULL. */
static const char *value_of(const tess_cursor *cursor, const char *name) {
    for (int i = 1; i < cursor->argc; i++) {
        const char *word = cursor->argv[i];
        const size_t length = strcspn(word, "=");
        const struct argp_option *option = option_of(cursor, word, length);
        if (!option || !option->name || strcmp(option->name, name) != 0)
            continue;
        if (word[length])
            return word + length + 1;
        return i + 1 < cursor->argc ? cursor->argv[i + 1] : NULL;
    }
    return NULL;
}

/* The n-th word that is no option and no option's value, or NULL. */
static const char *argument_of(const tess_cursor *cursor, int n) {
    for (int i = 1; i < cursor->argc; i++) {
        const char *word = cursor->argv[i];
        if (word[0] == '-')
            i += waits_for_value(option_of(cursor, word, strlen(word)));
        else if (n-- == 0)
            return word;
    }
    return NULL;
}

/* Prints an option of a plug-in behind "name:", with each of its choices. */
static void print_plugin_option(const value_position *position, const tess_option *option, int kept,
                                FILE *stream) {
    const char *choice = option->kind == TESS_OPTION_CHOICE ? option->choices : NULL;
    if (!choice)
        fprintf(stream, "%s%.*s%s=\t%s\n", position->before, kept, position->typed, option->key,
                option->help);
    while (choice && *choice) {
        const size_t length = strcspn(choice, "|");
        fprintf(stream, "%s%.*s%s=%.*s\t%s\n", position->before, kept, position->typed, option->key,
                (int)length, choice, option->help);
        choice += length + (choice[length] == '|');
    }
}

/* Names of a listing, or the options of the one that is typed. */
static void print_listed(const value_position *position, const tess_listing *listing,
                         FILE *stream) {
    const char *colon = strrchr(position->typed, ':');
    const size_t named = strcspn(position->typed, ":");
    tess_item item;
    for (int i = 0; listing->at(i, &item); i++) {
        if (!colon) {
            fprintf(stream, "%s%s\t%s\n", position->before, item.name, item.summary);
            continue;
        }
        if (strlen(item.name) != named || strncmp(item.name, position->typed, named) != 0)
            continue;
        for (const tess_option *option = item.options; option && option->key; option++)
            print_plugin_option(position, option, (int)(colon + 1 - position->typed), stream);
    }
}

static const tess_listing *listing_named(const char *name) {
    int i = 0;
    while (tess_listing_at(i) && strcmp(tess_listing_at(i)->name, name) != 0)
        i++;
    return tess_listing_at(i);
}

/* A generator where something is typed that no file begins with: files are the shell's. */
static void print_mesh(const value_position *position, FILE *stream) {
    glob_t files = {.gl_pathc = 0};
    char pattern[256];
    if (!position->typed[0])
        return;
    snprintf(pattern, sizeof pattern, "%s*", position->typed);
    if (glob(pattern, 0, NULL, &files) == GLOB_NOMATCH)
        print_listed(position, listing_named("generators"), stream);
    globfree(&files);
}

/* Metrics and settings. */
static void print_columns(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("metrics"), stream);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (tess_fields[field].help)
            fprintf(stream, "%s%s\t%s\n", position->before, tess_fields[field].name,
                    tess_fields[field].help);
}

static void print_partitioners(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("partitioners"), stream);
    if (!strchr(position->typed, ':'))
        fprintf(stream, "%sall\tall that fit the mesh\n%sbest\tthose that cut best\n",
                position->before, position->before);
}

static void print_strategies(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("strategies"), stream);
}

static void print_devices(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("devices"), stream);
}

static void print_applications(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("applications"), stream);
}

static void print_metrics(const value_position *position, FILE *stream) {
    print_listed(position, listing_named("metrics"), stream);
}

/* What can be listed. */
static void print_kinds(const value_position *position, FILE *stream) {
    for (int i = 0; tess_listing_at(i); i++)
        fprintf(stream, "%s%s\t\n", position->before, tess_listing_at(i)->name);
}

static void print_maps(const value_position *position, FILE *stream) {
    const char *mesh = value_of(position->cursor, "mesh");
    mesh = mesh ? mesh : argument_of(position->cursor, 0);
    if (mesh)
        tess_known_maps_print(position->before, mesh, stream);
}

static void print_runs(const value_position *position, FILE *stream) {
    tess_known_runs_print(position->before, value_of(position->cursor, "lab"), stream);
}

/* A tag, then runs. */
static void print_tagged(const value_position *position, FILE *stream) {
    const char *lab = value_of(position->cursor, "lab");
    if (argument_of(position->cursor, 0))
        tess_known_runs_print(position->before, lab, stream);
    else
        tess_known_tags_print(position->before, lab, stream);
}

static const struct known_placeholder {
    const char *name;
    void (*print)(const value_position *position, FILE *stream);
} known[] = {
    {"P[,P...]", print_partitioners},
    {"P", print_partitioners},
    {"S[,S...]", print_strategies},
    {"S", print_strategies},
    {"D", print_devices},
    {"APPLICATION", print_applications},
    {"KIND", print_kinds},
    {"METRIC", print_metrics},
    {"METRIC|@RUN", print_metrics},
    {"[METRIC]", print_metrics},
    {"NAME", print_metrics},
    {"NAME,...", print_columns},
    {"MESH", print_mesh},
    {"MAP", print_maps},
    {"FROM:TO", print_maps},
    {"RUN", print_runs},
    {"RUN...", print_runs},
    {"[RUN...]", print_runs},
    {"BASE", print_runs},
    {"OTHER...", print_runs},
    {"A", print_runs},
    {"B", print_runs},
    {"RUN...]", print_tagged},
    {"[TAG", print_tagged},
};

/* One of a|b|c; what may follow a value, as in soa|aos[,SET=aos...], is left out. */
static void print_choices(const value_position *position, FILE *stream) {
    const char *word = position->placeholder, *end = word + position->length;
    while (memchr(position->placeholder, '|', position->length) && word < end) {
        const size_t length = strcspn(word, "|[ ");
        fprintf(stream, "%s%.*s\t%s\n", position->before, (int)length, word, position->doc);
        word += length;
        if (*word != '|')
            break;
        word++;
    }
}

/* Prints the values of a place; behind the last comma of a list another one begins. */
static void print_values(value_position position, FILE *stream) {
    const char *comma = strrchr(position.typed, ',');
    const bool is_list = memchr(position.placeholder, ',', position.length);
    char *before = NULL;
    if (is_list && comma) {
        if (asprintf(&before, "%s%.*s", position.before, (int)(comma + 1 - position.typed),
                     position.typed) < 0)
            return;
        position.before = before;
        position.typed = comma + 1;
    }
    size_t k = 0;
    while (k < sizeof known / sizeof *known &&
           (strlen(known[k].name) != position.length ||
            strncmp(known[k].name, position.placeholder, position.length) != 0))
        k++;
    if (k < sizeof known / sizeof *known)
        known[k].print(&position, stream);
    else
        print_choices(&position, stream);
    free(before);
}

static void print_option_values(const tess_cursor *cursor, const struct argp_option *option,
                                size_t n_before, FILE *stream) {
    char before[128];
    snprintf(before, sizeof before, "%.*s", (int)n_before, cursor->typed);
    print_values((value_position){.cursor = cursor,
                                  .placeholder = option->arg,
                                  .length = strlen(option->arg),
                                  .before = before,
                                  .typed = cursor->typed + n_before,
                                  .doc = option->doc ? option->doc : ""},
                 stream);
}

static void print_options(const struct argp_option *option, FILE *stream) {
    for (; is_option(option); option++)
        if (option->name && !(option->flags & OPTION_HIDDEN))
            fprintf(stream, "--%s%s\t%s\n", option->name, option->arg ? "=" : "",
                    option->doc ? option->doc : "");
}

/* The argument whose turn it is: words that are there took those before it; one with "..." takes
 * all that follow. A word behind "--mesh" is that option's. */
static void print_arguments(const tess_cursor *cursor, FILE *stream) {
    int n_before = 0;
    while (argument_of(cursor, n_before))
        n_before++;
    const char *word = cursor->argp->args_doc;
    for (int k = 0; word && *word && *word != '-'; k++) {
        const size_t length = strcspn(word, " ");
        const bool takes_rest = memmem(word, length, "...", 3) != NULL;
        if (k == n_before || (k < n_before && takes_rest))
            print_values((value_position){.cursor = cursor,
                                          .placeholder = word,
                                          .length = length,
                                          .before = "",
                                          .typed = cursor->typed,
                                          .doc = ""},
                         stream);
        word += length;
        word += strspn(word, " ");
    }
}

void tess_help_words_print(const tess_cursor *cursor, FILE *stream) {
    const char *last = cursor->argc > 1 ? cursor->argv[cursor->argc - 1] : "";
    const size_t named = strcspn(cursor->typed, "=");
    const struct argp_option *waiting = option_of(cursor, last, strlen(last));
    const struct argp_option *typed =
        cursor->typed[named] ? option_of(cursor, cursor->typed, named) : NULL;
    if (waits_for_value(waiting)) {
        print_option_values(cursor, waiting, 0, stream);
        return;
    }
    if (typed && typed->arg) {
        print_option_values(cursor, typed, named + 1, stream);
        return;
    }
    if (cursor->typed[0] != '-')
        print_arguments(cursor, stream);
    print_options(cursor->argp->options, stream);
}
