/* The command `tess list`: the names that the other commands take. */
#include "core/base/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/listing.h"
#include "experiments/cli/report/table.h"
#include <string.h>

typedef struct list_options {
    tess_common common;
    const tess_listing *listing; /* NULL: none given */
} list_options;

static tess_status read_listing(const char *option, const char *name, void *listing) {
    (void)option;
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; tess_listing_at(i); i++) {
        tess_unknown_name_add(&unknown, tess_listing_at(i)->name);
        if (strcmp(tess_listing_at(i)->name, name) == 0) {
            *(const tess_listing **)listing = tess_listing_at(i);
            return TESS_OK;
        }
    }
    return tess_unknown_name_fail(TESS_ERROR_USAGE, "there is no list of", &unknown,
                                  (tess_unknown_words){"?", "; there are: %s"});
}

static const tess_option_row rows[] = {{TESS_READ_BY(read_listing, list_options, listing)}, {0}};

/* Rows for the options of an item, as typed after its name. */
static tess_status add_options(const tess_option *option, tess_table *table) {
    for (; option && option->key; option++) {
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "  :%s=%s", option->key, option->value));
        if (option->kind == TESS_OPTION_CHOICE || option->kind == TESS_OPTION_LIST)
            TRY(tess_table_add_cell(table, "  %s (%s)", option->help, option->choices));
        else
            TRY(tess_table_add_cell(table, "  %s", option->help));
    }
    return TESS_OK;
}

static tess_status print_table(const tess_listing *kind) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    tess_item it;
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_columns(table, (const char *const[]){"name", "what it is", NULL}));
    if (kind->reference)
        CHECK(tess_table_add_column(table, kind->reference, TESS_ALIGN_LEFT));
    for (int i = 0; kind->at(i, &it); i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", it.name));
        CHECK(tess_table_add_cell(table, "%s", it.summary));
        if (kind->reference)
            CHECK(tess_table_add_cell(table, "%s", it.reference ? it.reference : ""));
        CHECK(add_options(it.options, table));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

/* The item as JSON: name, summary, what it is from, and its options with their defaults. */
static json_t *item_json(const tess_listing *kind, const tess_item *it) {
    json_t *object = json_pack("{s:s, s:s}", "name", it->name, "summary", it->summary);
    if (kind->reference && it->reference)
        json_object_set_new(object, kind->reference, json_string(it->reference));
    json_t *options = it->options ? json_object() : NULL;
    for (const tess_option *option = it->options; option && option->key; option++)
        json_object_set_new(options, option->key, json_string(option->value));
    if (options)
        json_object_set_new(object, "options", options);
    return object;
}

static tess_status print_json(const tess_listing *kind) {
    json_t *items = json_array();
    tess_item it;
    for (int i = 0; kind->at(i, &it); i++)
        json_array_append_new(items, item_json(kind, &it));
    return tess_json_print(json_pack("{s:s, s:o}", "schema", "tess.list/1", kind->name, items));
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {
        .options = rows,
        .args_doc = "KIND",
        .doc = "List the names that other commands take, with one line about each and the options "
               "that are typed after it: metis:method=recursive:seed=3. KIND is one of "
               "partitioners, strategies, applications, devices, metrics, readers, generators, "
               "plots."};
    list_options options = {.listing = NULL};
    TRY(tess_command_parse(&usage, argc, argv, &options.common, &options));
    if (!options.listing)
        FAIL(TESS_ERROR_USAGE, "say what to list: 'tess list partitioners', or strategies, "
                               "applications, devices, metrics, readers, generators, plots");
    const tess_listing *kind = options.listing;
    return options.common.json ? print_json(kind) : print_table(kind);
}

const tess_command tess_command_list = {
    .name = "list", .summary = "List partitioners, strategies, metrics and the like", .run = run};
