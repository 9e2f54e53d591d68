/* The command `tess list`: the names that the other commands take. */
#include "core/metrics.h"
#include "experiments/argument.h"
#include "experiments/command.h"
#include "experiments/table.h"
#include "partitioners/partitioner.h"

/* One kind of thing that can be listed. */
typedef struct listing {
    const char *name; /* as typed */
    /* The i-th one's name and one line about it; false past the last. */
    bool (*at)(int i, const char **name, const char **summary);
} listing;

static bool partitioner_at(int i, const char **name, const char **summary) {
    const tess_partitioner *partitioner = tess_partitioner_at(i);
    if (!partitioner)
        return false;
    *name = partitioner->name;
    *summary = partitioner->summary;
    return true;
}

static bool metric_at(int i, const char **name, const char **summary) {
    if (i >= tess_metric_count())
        return false;
    *name = tess_metric_at(i)->name;
    *summary = tess_metric_at(i)->long_name;
    return true;
}

static const listing listings[] = {
    {"partitioners", partitioner_at},
    {"metrics", metric_at},
};

static const char *const listing_names[] = {"partitioners", "metrics", NULL};

typedef struct list_options {
    tess_common common;
    int listing; /* into listings; -1: none given */
} list_options;

static error_t parser(int key, char *arg, struct argp_state *state) {
    list_options *options = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    return tess_command_refuse(
        tess_argument_choice("what to list", arg, listing_names, &options->listing));
}

/* The options of the partitioner of that name, as typed after it. */
static tess_status add_options(tess_table *table, const char *name) {
    const tess_partitioner *partitioner = NULL;
    TRY(tess_partitioner_find(name, &partitioner));
    for (const tess_option *option = partitioner->options; option->key; option++) {
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "  :%s=%s", option->key, option->value));
        if (option->kind == TESS_OPTION_CHOICE)
            TRY(tess_table_add_cell(table, "  %s (%s)", option->help, option->choices));
        else
            TRY(tess_table_add_cell(table, "  %s", option->help));
    }
    return TESS_OK;
}

static tess_status print_table(const listing *kind) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const char *name = NULL, *summary = NULL;
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "name", TESS_ALIGN_LEFT));
    CHECK(tess_table_add_column(table, "what it is", TESS_ALIGN_LEFT));
    for (int i = 0; kind->at(i, &name, &summary); i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", name));
        CHECK(tess_table_add_cell(table, "%s", summary));
        if (kind->at == partitioner_at)
            CHECK(add_options(table, name));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_json(const listing *kind) {
    json_t *items = json_array();
    const char *name = NULL, *summary = NULL;
    for (int i = 0; kind->at(i, &name, &summary); i++)
        json_array_append_new(items, json_pack("{s:s, s:s}", "name", name, "summary", summary));
    return tess_json_print(json_pack("{s:s, s:o}", "schema", "tess.list/1", kind->name, items));
}

static tess_status run(int argc, char **argv) {
    static const struct argp argp = {
        .parser = parser,
        .args_doc = "partitioners|metrics",
        .doc = "List the names that other commands take, with one line about each."};
    list_options options = {.listing = -1};
    TRY(tess_command_parse(&argp, argc, argv, &options.common, &options));
    if (options.listing < 0)
        FAIL(TESS_ERROR_USAGE, "say what to list: 'tess list partitioners' or 'tess list metrics'");
    const listing *kind = &listings[options.listing];
    return options.common.json ? print_json(kind) : print_table(kind);
}

const tess_command tess_command_list = {
    .name = "list", .summary = "List partitioners and metrics", .run = run};
