/* The command `tess explain`: what a metric, a setting or a column of a table means; and what
 * became of the chains of a run. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/archive/run_names.h"
#include "experiments/bench/chain_record.h"
#include "experiments/cli/command.h"
#include "experiments/report/words/explanation.h"
#include "experiments/report/wrapped.h"
#include <stdlib.h>
#include <string.h>

typedef struct explain_options {
    tess_common common;
    const char *lab;
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

static const tess_option_row rows[] = {{"lab", 'l', "DIR",
                                        "The lab of a run (default: $TESS_LAB, else ./lab)",
                                        TESS_KEPT(explain_options, lab)},
                                       {TESS_READ_BY(add_word, explain_options, name)},
                                       {0}};

static tess_status refuse(const char *asked) {
    tess_unknown_name unknown = tess_unknown_name_of(asked);
    tess_explanation_offer(&unknown);
    return tess_unknown_name_fail("there is no metric", &unknown,
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

/* The words on a chain, where a value of a record's environment is that. */
static const char *chain_words(const tess_value *value) {
    const size_t length = strlen(TESS_CHAIN_KEY);
    return strncmp(value->key, TESS_CHAIN_KEY, length) == 0 ? value->text : NULL;
}

static tess_status print_chains(const tess_record *record, bool json) {
    json_t *all = json ? json_array() : NULL;
    for (int64_t i = 0; i < record->environment.n; i++) {
        const char *words = chain_words(&record->environment.items[i]);
        if (words && json)
            json_array_append_new(all, tess_json_text(words));
        else if (words)
            tess_wrapped_print(words, 0, 80, stdout);
    }
    return json ? tess_json_print(json_pack("{s:s, s:s, s:o}", "schema", "tess.explain/1", "run",
                                            record->id, "chains", all))
                : TESS_OK;
}

/* What became of the chains of a run. */
static tess_status explain_run(const explain_options *options) {
    tess_status status = TESS_OK;
    tess_lab *lab = NULL;
    tess_record *record = NULL;
    char id[TESS_RUN_ID_SIZE];
    bool any = false;
    CHECK(tess_lab_open(options->lab, false, &lab));
    CHECK(tess_run_id_of(lab, tess_run_name_behind(options->name), id));
    CHECK(tess_lab_read_run(lab, id, &record));
    for (int64_t i = 0; i < record->environment.n; i++)
        any |= chain_words(&record->environment.items[i]) != NULL;
    if (!any)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "run %s has no chains: what they are is explained of tess march --chains "
                        "and tess run --chain",
                        id));
    CHECK(print_chains(record, options->common.json));
done:
    tess_record_free(record);
    tess_lab_close(lab);
    return status;
}

static tess_status explain(const explain_options *options) {
    tess_explanation found;
    if (!options->name)
        FAIL(TESS_ERROR_USAGE, "name a metric: 'tess list metrics' shows them");
    if (options->name[0] == '@')
        return explain_run(options);
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
        .args_doc = "METRIC|@RUN",
        .doc = "Tell what a metric, a setting or a column of a table means: definition, unit, "
               "which way is better, where it misleads. Of a run, @last or @ID: what its "
               "chains do with their loops.\v"
               "  tess explain reuse_factor\n"
               "  tess explain 'touched MB'\n"
               "  tess explain @last"};
    explain_options options = {.name = NULL};
    tess_status status = tess_command_parse(&usage, argc, argv, &options.common, &options);
    if (status == TESS_OK)
        status = explain(&options);
    free(options.name);
    return status;
}

const tess_command tess_command_explain = {
    .name = "explain", .summary = "Tell what a metric, a column or a chain means", .run = run};
