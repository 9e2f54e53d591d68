/* The command `tess list`: the names that the other commands take. */
#include "core/base/array.h"
#include "core/base/old_word.h"
#include "core/base/stream_text.h"
#include "core/base/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/report/words/listing.h"
#include "experiments/report/wrapped.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPED_WIDTH = 100, OPTION_INDENT = 8 }; /* characters */

typedef struct list_options {
    tess_common common;
    const char *kind, *name; /* name: of one of the list; NULL: all */
} list_options;

static tess_status find_listing(const char *name, const tess_listing **out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; tess_listing_at(i); i++) {
        tess_unknown_name_add(&unknown, tess_listing_at(i)->name);
        if (strcmp(tess_listing_at(i)->name, name) == 0) {
            *out = tess_listing_at(i);
            return TESS_OK;
        }
    }
    return tess_unknown_name_fail("there is no list of", &unknown,
                                  (tess_unknown_words){"?", "; there are: %s"});
}

static const tess_option_row rows[] = {
    {TESS_KEPT(list_options, kind)}, {TESS_KEPT(list_options, name)}, {0}};

/* Finds the item of a name. */
static tess_status find_item(const tess_listing *kind, const char *name, tess_item *out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    char one[64]; /* "partitioner" of "partitioners" */
    snprintf(one, sizeof one, "%.*s", (int)strlen(kind->name) - 1, kind->name);
    name = tess_word_spelled(TESS_SPELLED_TODAY, one, name);
    for (int i = 0; kind->at(i, out); i++) {
        tess_unknown_name_add(&unknown, out->name);
        if (strcmp(out->name, name) == 0)
            return TESS_OK;
    }
    char words[64];
    snprintf(words, sizeof words, "among the %s there is no", kind->name);
    return tess_unknown_name_fail(words, &unknown, (tess_unknown_words){"?", "; there are: %s"});
}

/* Prints a text that goes on below its own beginning: "NAME  what it is", wrapped at `indent`. */
static tess_status print_hanging(const char *name, int indent, const char *text, int width) {
    char *lines = NULL;
    tess_printed printed;
    TRY(tess_printed_open(&printed));
    const int own = tess_text_width(name);
    const bool beside = own + 2 <= indent;
    tess_wrapped_print(text, indent, width, printed.stream);
    TRY(tess_printed_close(&printed, TESS_OK, &lines));
    printf("%s%s%s", name, beside ? "" : "\n", beside ? lines + own : lines);
    free(lines);
    return TESS_OK;
}

/* Prints an option as it is typed after the name, with what it does below. */
static tess_status print_option(const tess_option *option, int width) {
    tess_status status = TESS_OK;
    char *name = NULL, *help = NULL;
    const bool chosen = option->kind == TESS_OPTION_CHOICE || option->kind == TESS_OPTION_LIST;
    CHECK(tess_text_print(&name, "  :%s=%s", option->key, option->value));
    CHECK(chosen ? tess_text_print(&help, "%s (%s)", option->help, option->choices)
                 : tess_text_copy(option->help, &help));
    CHECK(print_hanging(name, OPTION_INDENT, help, width));
done:
    free(name);
    free(help);
    return status;
}

static bool has_options(const tess_item *it) {
    return it->options && it->options->key;
}

static tess_status print_item(const tess_listing *kind, const tess_item *it, int indent,
                              int width) {
    char *text = NULL;
    const bool refers = kind->reference && it->reference && *it->reference;
    TRY(refers ? tess_text_print(&text, "%s (%s %s)", it->summary, kind->reference, it->reference)
               : tess_text_copy(it->summary, &text));
    const tess_status status = print_hanging(it->name, indent, text, width);
    free(text);
    return status;
}

/* Prints the names of an item's options, ":l= :method= ...". */
static tess_status print_keys(const tess_item *it, int indent, int width) {
    char *keys = NULL;
    tess_printed printed;
    TRY(tess_printed_open(&printed));
    for (const tess_option *option = it->options; option->key; option++)
        fprintf(printed.stream, "%s:%s=", option == it->options ? "" : " ", option->key);
    TRY(tess_printed_close(&printed, TESS_OK, &keys));
    tess_wrapped_print(keys, indent, width, stdout);
    free(keys);
    return TESS_OK;
}

/* Prints names with what they are, and the names of their options. */
static tess_status print_list(const tess_listing *kind, int width) {
    int longest = 0;
    bool any = false;
    tess_item it;
    for (int i = 0; kind->at(i, &it); i++)
        longest = tess_text_width(it.name) > longest ? tess_text_width(it.name) : longest;
    for (int i = 0; kind->at(i, &it); i++) {
        TRY(print_item(kind, &it, longest + 2, width));
        if (has_options(&it))
            TRY(print_keys(&it, longest + 2, width));
        any |= has_options(&it);
    }
    if (any)
        printf("\nWhat the options of one do: tess list %s NAME\n", kind->name);
    return TESS_OK;
}

/* Prints one with its options, each with its default and what it does. */
static tess_status print_one(const tess_listing *kind, const tess_item *it, int width) {
    TRY(print_item(kind, it, tess_text_width(it->name) + 2, width));
    for (const tess_option *option = it->options; option && option->key; option++)
        TRY(print_option(option, width));
    return TESS_OK;
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

static tess_status print_json(const tess_listing *kind, const char *name) {
    json_t *items = json_array();
    tess_item it;
    for (int i = 0; kind->at(i, &it); i++)
        if (!name || strcmp(it.name, name) == 0)
            json_array_append_new(items, item_json(kind, &it));
    return tess_json_print(json_pack("{s:s, s:o}", "schema", "tess.list/1", kind->name, items));
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {
        .options = rows,
        .args_doc = "KIND [NAME]",
        .doc = "List the names that other commands take, with one line about each; of NAME, what "
               "its options do, which are typed after it: metis:method=recursive:seed=3. KIND is "
               "one of partitioners, strategies, applications, devices, metrics, readers, "
               "generators, plots.\v"
               "Examples:\n  tess list partitioners\n  tess list strategies atomics"};
    list_options options = {.kind = NULL};
    TRY(tess_command_parse(&usage, argc, argv, &options.common, &options));
    if (!options.kind)
        FAIL(TESS_ERROR_USAGE, "say what to list: 'tess list partitioners', or strategies, "
                               "applications, devices, metrics, readers, generators, plots");
    const tess_listing *kind = NULL;
    TRY(find_listing(options.kind, &kind));
    tess_item it;
    if (options.name)
        TRY(find_item(kind, options.name, &it));
    if (options.common.json)
        return print_json(kind, options.name);
    const int terminal = tess_terminal_width(stdout), width = terminal > 0 ? terminal : PIPED_WIDTH;
    return options.name ? print_one(kind, &it, width) : print_list(kind, width);
}

const tess_command tess_command_list = {
    .name = "list", .summary = "List partitioners, strategies, metrics and the like", .run = run};
