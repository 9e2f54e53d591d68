/* The command `tess explain`: what a metric, a setting or a column of a table means. */
#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/plan/metrics.h"
#include "experiments/cli/command.h"
#include "experiments/cli/report/report_columns.h"
#include "experiments/cli/report/wrapped.h"
#include <stdlib.h>
#include <string.h>

typedef struct explain_options {
    tess_common common;
    char *name; /* owned */
} explain_options;

/* What is explained. */
typedef struct explanation {
    const char *name, *unit, *long_name, *definition;
    int better;         /* 1: larger, -1: smaller; 0: neither */
    const char *titles; /* other words for it, separated by '|' */
} explanation;

static const explanation words[] = {
#define TESS_WORD(name, titles, unit, better, long_name, definition)                               \
    {#name, unit, long_name, definition, better, titles},
#include "experiments/cli/help/word_list.h"
#undef TESS_WORD
};
enum { N_WORDS = sizeof words / sizeof *words };

static error_t parser(int key, char *arg, struct argp_state *state) {
    explain_options *options = state->input;
    char *before = options->name;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (asprintf(&options->name, "%s%s%s", before ? before : "", before ? " " : "", arg) < 0) {
        options->name = before;
        return tess_command_refuse(tess_fail(TESS_ERROR_MEMORY, "out of memory for a name"));
    }
    free(before);
    return 0;
}

static bool find_metric(const char *name, explanation *out) {
    const tess_metric *metric = tess_metric_find(name);
    if (metric)
        *out = (explanation){metric->name,       metric->unit,   metric->long_name,
                             metric->definition, metric->better, ""};
    return metric != NULL;
}

/* True where a word is one of those separated by '|'. */
static bool is_among(const char *word, const char *titles) {
    const size_t n = strlen(word);
    for (; *titles;
         titles += titles[strcspn(titles, "|")] ? strcspn(titles, "|") + 1 : strcspn(titles, "|"))
        if (strcspn(titles, "|") == n && strncmp(titles, word, n) == 0)
            return true;
    return false;
}

static bool find_word(const char *name, explanation *out) {
    for (int i = 0; i < N_WORDS; i++)
        if (strcmp(words[i].name, name) == 0 || is_among(name, words[i].titles)) {
            *out = words[i];
            return true;
        }
    return false;
}

static bool find_setting(const char *name, explanation *out) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (strcmp(tess_fields[field].name, name) == 0 && tess_fields[field].help) {
            *out = (explanation){tess_fields[field].name,
                                 tess_fields[field].unit,
                                 "a setting",
                                 tess_fields[field].help,
                                 0,
                                 ""};
            return true;
        }
    return false;
}

/* The name that records have for the title of a column; itself where it is none. */
static const char *recorded_name(const char *title) {
    for (int i = 0; tess_report_column_at(i); i++)
        if (strcmp(tess_report_column_at(i)->title, title) == 0)
            return tess_report_column_at(i)->name;
    return title;
}

static const char *title_of(const explanation *found) {
    for (int i = 0; tess_report_column_at(i); i++)
        if (strcmp(tess_report_column_at(i)->name, found->name) == 0)
            return tess_report_column_at(i)->title;
    return found->name;
}

/* Finds what a title says: without its unit, "transfer_total [B]", and the source behind it,
 * "cut@plan", and with '_' for a space. */
static bool find(const char *asked, explanation *out) {
    char title[256];
    snprintf(title, sizeof title, "%s", asked);
    char *unit = strstr(title, " [");
    if (unit)
        *unit = '\0';
    for (int turn = 0; turn < 3; turn++) {
        const char *name = recorded_name(title);
        if (find_metric(name, out) || find_word(name, out) || find_setting(name, out))
            return true;
        if (turn == 0)
            title[strcspn(title, "@")] = '\0';
        for (char *space = title; turn == 1 && (space = strchr(space, ' '));)
            *space = '_';
    }
    return false;
}

static tess_status refuse(const char *asked) {
    tess_unknown_name unknown = tess_unknown_name_of(asked);
    for (int i = 0; tess_report_column_at(i); i++)
        tess_unknown_name_offer(&unknown, tess_report_column_at(i)->title);
    for (int i = 0; i < N_WORDS; i++)
        tess_unknown_name_offer(&unknown, words[i].name);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        tess_unknown_name_offer(&unknown, tess_fields[field].name);
    for (int i = 0; i < tess_metric_count(); i++)
        tess_unknown_name_add(&unknown, tess_metric_at(i)->name);
    return tess_unknown_name_fail(TESS_ERROR_USAGE, "there is no metric", &unknown,
                                  (tess_unknown_words){"?", "; 'tess list metrics' names them"});
}

/* The signs of core/plan/metric_list.h. */
static const char signs[] =
    "b is a block, E(b) the elements that it executes, P(b) the distinct points that these access. "
    "An "
    "access is an element with a slot that has a point. w is 2 for data that are read and written, "
    "else 1; a row is all values of one element.";

static void print(const explanation *found) {
    const char *better = found->better > 0   ? "larger is better"
                         : found->better < 0 ? "smaller is better"
                                             : "neither way is better by itself";
    const char *title = title_of(found);
    printf("%s: %s\n", found->name, found->long_name);
    if (strcmp(title, found->name) != 0)
        printf("  '%s' in tables\n", title);
    else if (*found->titles && !strchr(found->titles, '|'))
        printf("  '%s' in tables\n", found->titles);
    printf("  %s%s; %s\n\n", *found->unit ? "unit " : "a text", found->unit, better);
    tess_wrapped_print(found->definition, 2, 80, stdout);
    if (strstr(found->definition, "(b)")) {
        putchar('\n');
        tess_wrapped_print(signs, 2, 80, stdout);
    }
}

static tess_status explain(const explain_options *options) {
    explanation found;
    if (!options->name)
        FAIL(TESS_ERROR_USAGE, "name a metric: 'tess list metrics' shows them");
    if (!find(options->name, &found))
        return refuse(options->name);
    if (options->common.json)
        return tess_json_print(
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "schema", "tess.explain/1", "name",
                      found.name, "title", title_of(&found), "unit", found.unit, "long_name",
                      found.long_name, "definition", found.definition, "better", found.better));
    print(&found);
    return TESS_OK;
}

static tess_status run(int argc, char **argv) {
    static const struct argp argp = {
        .parser = parser,
        .args_doc = "METRIC",
        .doc = "Tell what a metric, a setting or a column of a table means: definition, unit, "
               "which way is better, where it misleads."};
    explain_options options = {.name = NULL};
    tess_status status = tess_command_parse(&argp, argc, argv, &options.common, &options);
    if (status == TESS_OK)
        status = explain(&options);
    free(options.name);
    return status;
}

const tess_command tess_command_explain = {
    .name = "explain", .summary = "Tell what a metric or a column means", .run = run};
