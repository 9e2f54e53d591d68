/* tess diff: what two runs do not have in common. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/plan/quantity.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/run_query.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 160 };

typedef struct diff_options {
    tess_common common;
    const char *lab;
    bool all;
    int n_names;
    const char *names[2];
} diff_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(diff_options, lab)},
    {"all", 0, NULL, "What is equal, too, and what no two runs have in common",
     TESS_KEPT(diff_options, all)},
    {TESS_KEPT_LIST(diff_options, names, n_names),
     .refusal = "'tess diff' takes two runs; 'tess compare' takes more"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "A B",
    .doc = "Show what differs between two runs: configuration, metrics, environment.\v"
           "  tess diff @last~1 @last\n"
           "'tess compare' says whether a difference of times is more than noise."};

/* Something that both runs may have: a position for each. */
typedef struct pair {
    const char *section, *key, *unit;
    const char *text[2]; /* NULL where a run lacks it */
    double number[2];    /* NaN if it is no number */
    bool passing;        /* differs between any two runs: shown with --all only */
} pair;

typedef struct pairs {
    int64_t n, capacity;
    pair *items;
} pairs;

static bool is_passing(const char *section, const char *key) {
    static const char *const keys[] = {"load", "cpu_clock", "command", "folder", "session"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return strcmp(section, "steps") == 0;
}

static tess_status pair_of(pairs *all, const char *section, const char *key, pair **out) {
    for (int64_t i = 0; i < all->n; i++) {
        *out = &all->items[i];
        if (strcmp((*out)->section, section) == 0 && strcmp((*out)->key, key) == 0)
            return TESS_OK;
    }
    TRY(TESS_RESERVE(all->n + 1, &all->capacity, &all->items));
    *out = &all->items[all->n++];
    **out = (pair){.section = section, .key = key, .unit = "", .number = {NAN, NAN}};
    (*out)->passing = is_passing(section, key);
    return TESS_OK;
}

static tess_status add_entries(pairs *all, const char *section, const tess_values *entries,
                               int side) {
    for (int64_t i = 0; i < entries->n; i++) {
        const tess_value *entry = &entries->items[i];
        pair *both = NULL;
        TRY(pair_of(all, section, entry->key, &both));
        both->text[side] = entry->text;
        both->number[side] = entry->number;
        both->unit = entry->unit;
    }
    return TESS_OK;
}

/* Metrics of one source are a section, so that the same name from two sources is two pairs. */
static tess_status add_measures(pairs *all, const tess_record *record, int side) {
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        pair *both = NULL;
        TRY(pair_of(all, measure->source, measure->name, &both));
        both->text[side] = "";
        both->number[side] = measure->value;
        both->unit = measure->unit;
    }
    return TESS_OK;
}

static tess_status add_record(pairs *all, const tess_record *record, int side) {
    static const char *const digests[] = {"mesh_digest", "plan_digest"};
    const char *const values[] = {record->mesh, record->plan};
    for (int i = 0; i < 2; i++) {
        pair *both = NULL;
        TRY(pair_of(all, "configuration", digests[i], &both));
        both->text[side] = values[i];
    }
    pair *outcome = NULL;
    TRY(pair_of(all, "check", "outcome", &outcome));
    outcome->text[side] = tess_outcome_name(record->outcome);
    TRY(add_entries(all, "configuration", &record->configuration, side));
    TRY(add_measures(all, record, side));
    TRY(add_entries(all, "environment", &record->environment, side));
    return add_entries(all, "steps", &record->steps, side);
}

static bool is_equal(const pair *both) {
    if (!both->text[0] || !both->text[1])
        return false;
    if (!isnan(both->number[0]) || !isnan(both->number[1]))
        return both->number[0] == both->number[1];
    return strcmp(both->text[0], both->text[1]) == 0;
}

static bool is_digest(const char *text) {
    enum { DIGITS = 64 };
    return strlen(text) == DIGITS && strspn(text, "0123456789abcdef") == DIGITS;
}

/* Of a digest the beginning, which tells it from others. */
static const char *value_words(const pair *both, int side, char words[CELL_SIZE]) {
    enum { DIGEST_SHOWN = 12 };
    char number[32];
    const char *text = both->text[side];
    if (!text)
        return "-";
    if (!isnan(both->number[side]))
        text = tess_number_print(both->number[side], number);
    snprintf(words, CELL_SIZE, "%.*s", is_digest(text) ? DIGEST_SHOWN : CELL_SIZE, text);
    return words;
}

/* A row as people read it: by the title of a metric, in the unit that the title says. */
static tess_status add_row(tess_table *table, const pair *both) {
    const tess_quantity *title = tess_title_of(both->key);
    pair shown = *both;
    char a[CELL_SIZE], b[CELL_SIZE];
    for (int side = 0; side < 2; side++)
        shown.number[side] *= title ? title->scale : 1;
    const bool has_unit = strcmp(both->unit, "1") != 0 && (!title || title->scale == 1);
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", both->section));
    TRY(tess_table_add_cell(table, "%s", title ? title->title : both->key));
    TRY(tess_table_add_cell(table, "%s", value_words(&shown, 0, a)));
    TRY(tess_table_add_cell(table, "%s", value_words(&shown, 1, b)));
    TRY(tess_table_add_number(table, "%.4g", both->number[1] / both->number[0]));
    return tess_table_add_cell(table, "%s", has_unit ? both->unit : "");
}

static tess_status print_table(const pairs *all, const diff_options *asked) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    int64_t n_rows = 0;
    CHECK(tess_table_new(TESS_TITLES("of", "what"), &table));
    CHECK(tess_table_add_column(table, asked->names[0], TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_column(table, asked->names[1], TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_columns(table, TESS_TITLES(">ratio", "unit")));
    for (int64_t i = 0; i < all->n; i++) {
        const pair *both = &all->items[i];
        if (!asked->all && (both->passing || is_equal(both)))
            continue;
        CHECK(add_row(table, both));
        n_rows++;
    }
    if (n_rows)
        CHECK(tess_table_print(table, stdout));
    else
        printf("nothing differs but what no two runs have in common, which --all shows\n");
done:
    tess_table_free(table);
    return status;
}

static json_t *value_json(const pair *both, int side) {
    if (!both->text[side])
        return json_null();
    return isnan(both->number[side]) ? json_string(both->text[side])
                                     : tess_json_number(both->number[side]);
}

static tess_status print_json(const pairs *all, const diff_options *asked,
                              tess_record *const records[2]) {
    json_t *list = json_array();
    for (int64_t i = 0; i < all->n; i++) {
        const pair *both = &all->items[i];
        if (asked->all || !(both->passing || is_equal(both)))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:[o, o], s:b}", "of",
                                                  both->section, "what", both->key, "unit",
                                                  both->unit, "values", value_json(both, 0),
                                                  value_json(both, 1), "equal", is_equal(both)));
    }
    return tess_json_print(json_pack("{s:s, s:[s, s], s:o}", "schema", "tess.diff/1", "runs",
                                     records[0]->id, records[1]->id, "differences", list));
}

static tess_status diff_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    diff_options asked = {0};
    tess_lab *lab = NULL;
    tess_record *records[2] = {NULL, NULL};
    pairs all = {0};
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_names < 2)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which two runs? tess diff A B"));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    for (int side = 0; side < 2; side++) {
        char id[TESS_RUN_ID_SIZE];
        CHECK(tess_run_id_of(lab, asked.names[side], id));
        CHECK(tess_lab_read_run(lab, id, &records[side]));
        CHECK(add_record(&all, records[side], side));
    }
    CHECK(asked.common.json ? print_json(&all, &asked, records) : print_table(&all, &asked));
done:
    free(all.items);
    tess_record_free(records[0]);
    tess_record_free(records[1]);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_diff = {
    .name = "diff", .summary = "Show what differs between two runs", .run = diff_run};
