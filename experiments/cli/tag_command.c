/* tess tag: names for runs that belong together. tess note: words about a run. */
#include "core/base/array.h"
#include "core/base/plain_text.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/tags.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct tag_options {
    tess_common common;
    const char *lab;
    bool remove;
    int n_words;
    const char *words[TESS_MOST_WORDS];
} tag_options;

#define WORDS                                                                                      \
    { TESS_KEPT_LIST(tag_options, words, n_words), .refusal = "more than %d arguments" }

static const tess_option_row tag_rows[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(tag_options, lab)},
    {"remove", 'r', NULL, "Take the tag away", TESS_KEPT(tag_options, remove)},
    WORDS,
    {0}};

static const tess_option_row note_rows[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(tag_options, lab)},
    WORDS,
    {0}};

static const tess_usage tag_usage = {
    .options = tag_rows,
    .args_doc = "[TAG RUN...]",
    .doc = "Give runs a tag, or list the tags there are.\v"
           "  tess tag paper @last @last~1\n"
           "  tess runs -w tag:paper\n"
           "RUN is the beginning of an id, @last, @last~1, or tag:NAME (all that have it)."};

static const tess_usage note_usage = {.options = note_rows,
                                      .args_doc = "RUN [WORDS...]",
                                      .doc = "Add a note to a run, or show its notes.\v"
                                             "  tess note @last 'the machine was busy'"};

static int compare_names(const void *a, const void *b) {
    return strcmp(((const tess_tag *)a)->name, ((const tess_tag *)b)->name);
}

static tess_status print_tags(const tess_lab *lab, bool json) {
    tess_status status = TESS_OK;
    tess_tags *tags = NULL;
    tess_table *table = NULL;
    json_t *object = json_object();
    CHECK(tess_tags_read(lab, &tags));
    if (tags->n)
        qsort(tags->items, (size_t)tags->n, sizeof *tags->items, compare_names);
    CHECK(tess_table_new(TESS_TITLES("tag", ">runs"), &table));
    for (int64_t first = 0, i = 1; i <= tags->n; i++) {
        if (i < tags->n && strcmp(tags->items[i].name, tags->items[first].name) == 0)
            continue;
        json_object_set_new(object, tags->items[first].name, json_integer(i - first));
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", tags->items[first].name));
        CHECK(tess_table_add_cell(table, "%lld", (long long)(i - first)));
        first = i;
    }
    CHECK(json ? tess_json_print(json_pack("{s:s, s:O}", "schema", "tess.tags/1", "tags", object))
               : tess_table_print(table, stdout));
done:
    json_decref(object);
    tess_table_free(table);
    tess_tags_free(tags);
    return status;
}

/* How many of the runs have the tag; fails where none has. */
static tess_status count_tagged(const tess_lab *lab, const tess_run_ids *ids, const char *tag,
                                int64_t *n) {
    tess_tags *tags = NULL;
    TRY(tess_tags_read(lab, &tags));
    *n = 0;
    for (int64_t i = 0; i < ids->n; i++)
        *n += tess_tags_has(tags, ids->items[i], tag);
    tess_tags_free(tags);
    if (*n == 0)
        FAIL(TESS_ERROR_INPUT, "none of these runs has the tag '%s': 'tess tag' lists the tags",
             tag);
    return TESS_OK;
}

static tess_status tag_runs(const tess_lab *lab, const tag_options *asked) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    int64_t n = 0;
    if (asked->n_words == 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which runs %s the tag '%s'? tess tag %s%s @last",
                        asked->remove ? "lose" : "get", asked->words[0],
                        asked->remove ? "--remove " : "", asked->words[0]));
    CHECK(tess_run_ids_add(lab, asked->words + 1, asked->n_words - 1, &ids));
    n = ids.n;
    if (asked->remove)
        CHECK(count_tagged(lab, &ids, asked->words[0], &n));
    for (int64_t i = 0; i < ids.n; i++)
        CHECK(asked->remove ? tess_tag_remove(lab, ids.items[i], asked->words[0])
                            : tess_tag_add(lab, ids.items[i], asked->words[0]));
    if (!asked->common.quiet)
        fprintf(stderr, "tag %s: %s %lld run%s\n", asked->words[0],
                asked->remove ? "taken from" : "given to", (long long)n, n == 1 ? "" : "s");
done:
    tess_run_ids_clear(&ids);
    return status;
}

static tess_status tag_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static tag_options asked;
    tess_lab *lab = NULL;
    CHECK(tess_command_parse(&tag_usage, argc, argv, &asked.common, &asked));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(asked.n_words ? tag_runs(lab, &asked) : print_tags(lab, asked.common.json));
done:
    tess_lab_close(lab);
    return status;
}

/* The words behind the run's name, joined by spaces; the caller frees them. */
static tess_status join_words(const tag_options *asked, char **out) {
    size_t size = 1;
    for (int i = 1; i < asked->n_words; i++)
        size += strlen(asked->words[i]) + 1;
    TRY(TESS_ZEROS((int64_t)size, out));
    for (int i = 1; i < asked->n_words; i++) {
        strcat(*out, i > 1 ? " " : "");
        strcat(*out, asked->words[i]);
    }
    return TESS_OK;
}

static tess_status note_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static tag_options asked;
    tess_lab *lab = NULL;
    char id[TESS_RUN_ID_SIZE], *words = NULL;
    CHECK(tess_command_parse(&note_usage, argc, argv, &asked.common, &asked));
    if (asked.n_words == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which run is it about? tess note @last 'words'"));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(tess_run_id_of(lab, asked.words[0], id));
    if (asked.n_words > 1) {
        CHECK(join_words(&asked, &words));
        CHECK(tess_note_add(lab, id, words));
        if (!asked.common.quiet)
            fprintf(stderr, "note added to run %s\n", id);
    } else {
        CHECK(tess_notes_read(lab, id, &words));
        if (asked.common.json)
            CHECK(tess_json_print(
                json_pack("{s:s, s:s, s:s}", "schema", "tess.note/1", "run", id, "notes", words)));
        else
            tess_plain_print(stdout, "%s", words);
    }
done:
    free(words);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_tag = {
    .name = "tag", .summary = "Tag runs that belong together", .run = tag_run};
const tess_command tess_command_note = {
    .name = "note", .summary = "Add a note to a run", .run = note_run};
