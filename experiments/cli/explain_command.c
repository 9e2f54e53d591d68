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
    int better; /* 1: larger, -1: smaller; 0: neither */
} explanation;

/* Columns of tables that are neither metrics nor settings. */
static const explanation others[] = {
    {"partition_seconds", "s", "time of the partitioner",
     "Wall time that the partitioner took, with the graph that it works on and with --refine.", -1},
    {"plan_seconds", "s", "time of the plan",
     "Wall time of what follows from the blocks: staged points, local indices, colours.", -1},
    {"median_time", "s", "median of the samples of a loop's time",
     "Tables have milliseconds (ms). Marked are the fastest run and all that may be as fast, by "
     "the intervals of their ratios: 'tess compare' shows these.",
     -1},
    {"launches", "1", "kernels that are started for one sweep over the loop",
     "One, or one for each colour where races are resolved by colours.", -1},
    {"outcome", "1", "how a run ended",
     "passed: its result is that of the sequential loop, or its plan has been proved; unchecked: a "
     "sample of blocks has no result; failed; no fit: the strategy or partitioner is none for this "
     "loop.",
     0},
    {"run", "1", "the id of a run",
     "Its time and a random part; any beginning that no other run has names it, as do @last and "
     "@last~1.",
     0},
    {"ratio", "1", "how many times as long, or as much, as the first",
     "Of times the median of the ratios of rounds that both runs took part in, or of the medians "
     "where they were not timed in turns.",
     -1},
    {"95 % interval", "1", "where the ratio lies with a probability of 95 %",
     "By the binomial distribution of the rounds' ratios, or by a bootstrap of the samples, wider "
     "where neighbouring samples resemble each other.",
     0},
    {"verdict", "1", "what interval and test agree on",
     "faster or slower: the whole interval is on one side of 1, beyond 1 %, and the test says so; "
     "same: all of it is within 1 %; unclear: more samples would tell.",
     0},
};

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
        *out = (explanation){metric->name, metric->unit, metric->long_name, metric->definition,
                             metric->better};
    return metric != NULL;
}

static bool find_other(const char *name, explanation *out) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0) {
            *out = others[i];
            return true;
        }
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (strcmp(tess_fields[field].name, name) == 0 && tess_fields[field].help) {
            *out = (explanation){name, tess_fields[field].unit, "a setting",
                                 tess_fields[field].help, 0};
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

static const char *title_of(const char *name) {
    for (int i = 0; tess_report_column_at(i); i++)
        if (strcmp(tess_report_column_at(i)->name, name) == 0)
            return tess_report_column_at(i)->title;
    return name;
}

static tess_status find(const char *asked, explanation *out) {
    const char *name = recorded_name(asked);
    tess_unknown_name unknown = tess_unknown_name_of(asked);
    if (find_metric(name, out) || find_other(name, out))
        return TESS_OK;
    for (int i = 0; tess_report_column_at(i); i++)
        tess_unknown_name_offer(&unknown, tess_report_column_at(i)->title);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tess_unknown_name_offer(&unknown, others[i].name);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        tess_unknown_name_offer(&unknown, tess_fields[field].name);
    for (int i = 0; i < tess_metric_count(); i++)
        tess_unknown_name_add(&unknown, tess_metric_at(i)->name);
    return tess_unknown_name_fail(TESS_ERROR_USAGE, "there is no metric", &unknown,
                                  (tess_unknown_words){"?", "; 'tess list metrics' names them"});
}

static void print(const explanation *found) {
    const char *better = found->better > 0   ? "larger is better"
                         : found->better < 0 ? "smaller is better"
                                             : "neither way is better by itself";
    const char *title = title_of(found->name);
    printf("%s: %s\n", found->name, found->long_name);
    if (strcmp(title, found->name) != 0)
        printf("  '%s' in tables\n", title);
    printf("  unit %s; %s\n\n", *found->unit ? found->unit : "1", better);
    tess_wrapped_print(found->definition, 2, 80, stdout);
}

static tess_status explain(const explain_options *options) {
    explanation found;
    if (!options->name)
        FAIL(TESS_ERROR_USAGE, "name a metric: 'tess list metrics' shows them");
    TRY(find(options->name, &found));
    if (options->common.json)
        return tess_json_print(
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "schema", "tess.explain/1", "name",
                      found.name, "title", title_of(found.name), "unit", found.unit, "long_name",
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
