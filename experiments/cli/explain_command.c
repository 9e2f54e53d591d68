/* The command `tess explain`: what a metric means. */
#include "core/base/unknown_name.h"
#include "core/plan/metrics.h"
#include "experiments/cli/command.h"
#include "experiments/cli/report/wrapped.h"
#include <string.h>

typedef struct explain_options {
    tess_common common;
    const char *metric;
} explain_options;

static error_t parser(int key, char *arg, struct argp_state *state) {
    explain_options *options = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (options->metric)
        return tess_command_refuse(tess_fail(TESS_ERROR_USAGE, "one metric at a time"));
    options->metric = arg;
    return 0;
}

static tess_status unknown_metric(const char *name) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; i < tess_metric_count(); i++)
        tess_unknown_name_add(&unknown, tess_metric_at(i)->name);
    return tess_unknown_name_fail(TESS_ERROR_USAGE, "there is no metric", &unknown,
                                  (tess_unknown_words){"?", "; 'tess list metrics' names them"});
}

static tess_status run(int argc, char **argv) {
    static const struct argp argp = {
        .parser = parser,
        .args_doc = "METRIC",
        .doc = "Tell what a metric means: definition, unit, which way is better, where it "
               "misleads."};
    explain_options options = {.metric = NULL};
    TRY(tess_command_parse(&argp, argc, argv, &options.common, &options));
    if (!options.metric)
        FAIL(TESS_ERROR_USAGE, "name a metric: 'tess list metrics' shows them");
    const tess_metric *metric = tess_metric_find(options.metric);
    if (!metric)
        return unknown_metric(options.metric);
    const char *better = metric->better > 0   ? "larger is better"
                         : metric->better < 0 ? "smaller is better"
                                              : "neither way is better by itself";
    if (options.common.json)
        return tess_json_print(json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "schema",
                                         "tess.explain/1", "name", metric->name, "unit",
                                         metric->unit, "long_name", metric->long_name, "definition",
                                         metric->definition, "better", metric->better));
    printf("%s: %s\n  unit %s; %s\n\n", metric->name, metric->long_name, metric->unit, better);
    tess_wrapped_print(metric->definition, 2, 80, stdout);
    return TESS_OK;
}

const tess_command tess_command_explain = {
    .name = "explain", .summary = "Tell what a metric means", .run = run};
