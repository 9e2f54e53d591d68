/* The command `tess explain`: what a metric, a setting or a column of a table means. */
#include "core/base/array.h"
#include "experiments/cli/command.h"
#include "experiments/report/words/explanation.h"
#include "experiments/report/wrapped.h"
#include <stdlib.h>
#include <string.h>

typedef struct explain_options {
    tess_common common;
    char *name; /* owned */
} explain_options;

/* A name of several words may be typed as they are. */
static tess_status add_word(const char *option, const char *word, void *name) {
    (void)option;
    char **kept = name, *before = *kept;
    TRY(tess_text_print(kept, "%s%s%s", before ? before : "", before ? " " : "", word));
    free(before);
    return TESS_OK;
}

static const tess_option_row rows[] = {{TESS_READ_BY(add_word, explain_options, name)}, {0}};

static tess_status refuse(const char *asked) {
    tess_unknown_name unknown = tess_unknown_name_of(asked);
    tess_explanation_offer(&unknown);
    return tess_unknown_name_fail(TESS_ERROR_USAGE, "there is no metric", &unknown,
                                  (tess_unknown_words){"?", "; 'tess list metrics' names them"});
}

/* The signs of core/plan/quantities.h. */
static const char signs[] =
    "b is a block, E(b) the elements that it executes, P(b) the distinct points that these access. "
    "An "
    "access is an element with a slot that has a point. w is 2 for data that are read and written, "
    "else 1; a row is all values of one element.";

static void print(const tess_explanation *found) {
    const char *better = found->better > 0   ? "larger is better"
                         : found->better < 0 ? "smaller is better"
                                             : "neither way is better by itself";
    const char *title = tess_explanation_title(found);
    printf("%s: %s\n", found->name, found->long_name);
    if (strcmp(title, found->name) != 0)
        printf("  '%s' in tables\n", title);
    printf("  %s%s; %s\n\n", *found->unit ? "unit " : "a text", found->unit, better);
    tess_wrapped_print(found->definition, 2, 80, stdout);
    if (strstr(found->definition, "(b)")) {
        putchar('\n');
        tess_wrapped_print(signs, 2, 80, stdout);
    }
}

static tess_status explain(const explain_options *options) {
    tess_explanation found;
    if (!options->name)
        FAIL(TESS_ERROR_USAGE, "name a metric: 'tess list metrics' shows them");
    if (!tess_explanation_find(options->name, &found))
        return refuse(options->name);
    if (options->common.json)
        return tess_json_print(json_pack(
            "{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "schema", "tess.explain/1", "name", found.name,
            "title", tess_explanation_title(&found), "unit", found.unit, "long_name",
            found.long_name, "definition", found.definition, "better", found.better));
    print(&found);
    return TESS_OK;
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {
        .options = rows,
        .args_doc = "METRIC",
        .doc = "Tell what a metric, a setting or a column of a table means: definition, unit, "
               "which way is better, where it misleads."};
    explain_options options = {.name = NULL};
    tess_status status = tess_command_parse(&usage, argc, argv, &options.common, &options);
    if (status == TESS_OK)
        status = explain(&options);
    free(options.name);
    return status;
}

const tess_command tess_command_explain = {
    .name = "explain", .summary = "Tell what a metric or a column means", .run = run};
