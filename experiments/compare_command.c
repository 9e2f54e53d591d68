/* tess compare: are these runs faster, slower or the same as that one? */
#include "core/array.h"
#include "experiments/command.h"
#include "experiments/run_names.h"
#include "experiments/run_query.h"
#include "experiments/statistics.h"
#include "experiments/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

typedef struct compare_options {
    tess_common common;
    const char *lab, *metric;
    double margin;     /* of "same" */
    double fail_above; /* ratio of a slower one that fails; infinite: none does */
    int n_names;
    const char *names[MOST_NAMES];
} compare_options;

static const struct argp_option options[] = {
    {"lab", 'l', "DIR", 0, "The lab (default: TESS_LAB, else ./lab)", 0},
    {"metric", 'm', "NAME", 0, "What is compared: samples, or a metric (default: time)", 0},
    {"same", 's', "PERCENT", 0, "Called the same when the whole interval is within (default: 1%)",
     0},
    {"fail-on", 'f', "slower:PERCENT", 0,
     "Exit with 1 when one is slower by at least that much, say slower:2%", 0},
    {NULL}};

/* A percentage with or without its sign, as a share. */
static tess_status parse_percent(const char *option, const char *text, double *share) {
    char *end = NULL;
    *share = strtod(text, &end) / 100;
    if (end == text || (*end && strcmp(end, "%") != 0) || !(*share >= 0) || !isfinite(*share))
        FAIL(TESS_ERROR_USAGE, "%s takes a percentage, not '%s'", option, text);
    return TESS_OK;
}

static tess_status parse_fail_on(const char *text, double *fail_above) {
    static const char word[] = "slower";
    double share = 0;
    if (strcmp(text, word) != 0) {
        const size_t length = strlen(word);
        if (strncmp(text, word, length) != 0 || text[length] != ':')
            FAIL(TESS_ERROR_USAGE, "--fail-on takes slower or slower:PERCENT, not '%s'", text);
        TRY(parse_percent("--fail-on slower:", text + length + 1, &share));
    }
    *fail_above = 1 + share;
    return TESS_OK;
}

static error_t parse(int key, char *value, struct argp_state *state) {
    compare_options *into = state->input;
    switch (key) {
    case 'l':
        into->lab = value;
        return 0;
    case 'm':
        into->metric = value;
        return 0;
    case 's':
        return tess_command_refuse(parse_percent("--same", value, &into->margin));
    case 'f':
        return tess_command_refuse(parse_fail_on(value, &into->fail_above));
    case ARGP_KEY_ARG:
        if (into->n_names == MOST_NAMES)
            return tess_command_refuse(
                tess_fail(TESS_ERROR_USAGE, "more than %d names", MOST_NAMES));
        into->names[into->n_names++] = value;
        return 0;
    case ARGP_KEY_END:
        return into->n_names >= 2
                   ? 0
                   : tess_command_refuse(
                         tess_fail(TESS_ERROR_USAGE, "what with what? tess compare BASE OTHER..."));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "BASE OTHER...",
    .doc = "Compares runs with a base: the ratio of their medians with its 95 % interval, and a "
           "verdict.\v"
           "  tess compare @last~1 @last\n"
           "  tess compare tag:before tag:after --fail-on slower:2%\n"
           "A name is the beginning of an id, @last, @last~1, or tag:NAME; the samples of all runs "
           "of a tag are taken together. 'faster' and 'slower' need an interval that excludes 1 "
           "and a Mann-Whitney test with p < 0.01; 'same' an interval wholly within --same; else "
           "it is 'unclear'. Runs that failed their check are not compared."};

/* What one name on the command line means: its runs and their samples, taken together. */
typedef struct side {
    const char *name;
    tess_record *record; /* of its first run */
    int64_t n_runs, n, capacity;
    double *samples; /* or the values of a metric */
    char unit[TESS_NAME_SIZE];
    bool sampled, failed;
} side;

static void side_clear(side *one) {
    tess_record_free(one->record);
    free(one->samples);
}

static tess_status append_values(side *one, const double *values, int64_t n, const char *unit) {
    TRY(TESS_RESERVE(one->n + n, &one->capacity, &one->samples));
    memcpy(one->samples + one->n, values, (size_t)n * sizeof *values);
    one->n += n;
    snprintf(one->unit, sizeof one->unit, "%s", unit);
    return TESS_OK;
}

/* Adds what a run has of a metric: its samples, else its one value. */
static tess_status add_run(side *one, const tess_record *record, const char *metric) {
    one->failed |= record->outcome == TESS_FAILED;
    one->n_runs++;
    const tess_series *series = tess_record_series(record, metric);
    if (series) {
        one->sampled = true;
        return append_values(one, series->values, series->n, series->unit);
    }
    const char *at = strchr(metric, '@');
    char *name = strndupa(metric, at ? (size_t)(at - metric) : strlen(metric));
    const double value = tess_record_measure(record, name, at ? at + 1 : NULL);
    if (isnan(value))
        FAIL(TESS_ERROR_INPUT,
             "run %s has neither samples nor a metric '%s'; --metric NAME says what is compared, "
             "'tess show %.10s' what it has",
             record->id, metric, record->id);
    const tess_metric *known = tess_metric_find(name);
    return append_values(one, &value, 1, known ? known->unit : "1");
}

static tess_status side_read(const tess_lab *lab, const char *name, const char *metric, side *one) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    tess_record *record = NULL;
    *one = (side){.name = name};
    CHECK(tess_run_ids_add(lab, name, &ids));
    for (int64_t i = 0; i < ids.n; i++) {
        CHECK(tess_lab_read_run(lab, ids.items[i], &record));
        CHECK(add_run(one, record, metric));
        if (one->record)
            tess_record_free(record);
        else
            one->record = record;
        record = NULL;
    }
done:
    tess_record_free(record);
    tess_run_ids_clear(&ids);
    return status;
}

/* Adds "key=value" for each configured thing that differs from the base; the caller frees it. */
static tess_status differences(const tess_record *base, const tess_record *other, char **out) {
    size_t size = 0;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a description");
    const char *comma = "";
    for (int64_t i = 0; i < other->configuration.n; i++) {
        const tess_entry *entry = &other->configuration.items[i];
        if (strcmp(tess_entries_text(&base->configuration, entry->key), entry->text) == 0)
            continue;
        fprintf(stream, "%s%s=%s", comma, entry->key, entry->text);
        comma = " ";
    }
    if (fclose(stream) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a description");
    return TESS_OK;
}

/* Says on stderr what else than the configuration differs and may explain a difference. */
static void warn_of_machines(const tess_record *base, const tess_record *other) {
    static const char *const keys[] = {"host",   "cpu",      "gpu",  "driver",
                                       "commit", "compiler", "flags"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *a = tess_entries_text(&base->environment, keys[i]);
        const char *b = tess_entries_text(&other->environment, keys[i]);
        if (strcmp(a, b) != 0)
            fprintf(stderr, "tess: warning: %.10s and %.10s differ in %s: '%s', '%s'\n", base->id,
                    other->id, keys[i], a, b);
    }
    if (strcmp(base->mesh, other->mesh) != 0)
        fprintf(stderr, "tess: warning: %.10s and %.10s are on different meshes\n", base->id,
                other->id);
}

/* One comparison with its words. */
typedef struct result {
    tess_comparison found;
    const char *verdict;
    bool slower;
} result;

/* 1 where larger values are better, -1 where smaller are, 0 where neither. */
static int better_of(const char *metric) {
    const tess_metric *known = tess_metric_find(metric);
    return known ? known->better : strstr(metric, "time") || strstr(metric, "seconds") ? -1 : 0;
}

static const char *verdict_words(tess_verdict verdict, int better, bool sampled) {
    if (verdict == TESS_UNCLEAR)
        return "unclear";
    if (verdict == TESS_SAME)
        return "same";
    if (!better)
        return verdict == TESS_LARGER ? "larger" : "smaller";
    const bool good = (verdict == TESS_LARGER) == (better > 0);
    return sampled ? (good ? "faster" : "slower") : good ? "better" : "worse";
}

static tess_status compare_sides(const side *base, const side *other, const compare_options *asked,
                                 result *out) {
    TRY(tess_compare(base->samples, base->n, other->samples, other->n, &out->found));
    tess_verdict verdict = tess_comparison_verdict(&out->found, asked->margin);
    const bool exact = !base->sampled && !other->sampled && base->n == 1 && other->n == 1;
    if (exact) /* metrics that are counted have no noise */
        verdict = out->found.ratio > 1   ? TESS_LARGER
                  : out->found.ratio < 1 ? TESS_SMALLER
                                         : TESS_SAME;
    out->verdict = verdict_words(verdict, better_of(asked->metric), base->sampled);
    if (base->failed || other->failed)
        out->verdict = "failed";
    const double worse = better_of(asked->metric) > 0 ? 1 / out->found.ratio : out->found.ratio;
    out->slower = (strcmp(out->verdict, "slower") == 0 || strcmp(out->verdict, "worse") == 0) &&
                  worse >= asked->fail_above;
    return TESS_OK;
}

static tess_status add_titles(tess_table *table, const side *base) {
    char median[TESS_NAME_SIZE + 16];
    snprintf(median, sizeof median, strcmp(base->unit, "1") ? "median [%s]" : "median", base->unit);
    TRY(tess_table_add_column(table, "run", TESS_ALIGN_LEFT));
    TRY(tess_table_add_column(table, "values", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, median, TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, "ratio", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, "95 % interval", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, "p", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, "verdict", TESS_ALIGN_LEFT));
    return tess_table_add_column(table, "what differs", TESS_ALIGN_LEFT);
}

static tess_status add_row(tess_table *table, const side *one, double median, const result *found,
                           const char *what) {
    const bool has_interval = found && isfinite(found->found.high);
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", one->name));
    TRY(tess_table_add_cell(table, "%lld", (long long)one->n));
    TRY(tess_table_add_cell(table, "%.5g", median));
    TRY(found ? tess_table_add_cell(table, "%.4f", found->found.ratio)
              : tess_table_add_cell(table, "1"));
    TRY(has_interval
            ? tess_table_add_cell(table, "%.4f .. %.4f", found->found.low, found->found.high)
            : tess_table_add_cell(table, "%s", ""));
    TRY(has_interval ? tess_table_add_cell(table, "%.2g", found->found.p)
                     : tess_table_add_cell(table, "%s", ""));
    TRY(tess_table_add_cell(table, "%s", found ? found->verdict : "base"));
    return tess_table_add_cell(table, "%s", what);
}

static json_t *side_json(const side *one, double median) {
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:s}", "name", one->name, "run", one->record->id,
                     "runs", (json_int_t)one->n_runs, "samples", (json_int_t)one->n, "median",
                     tess_json_number(median), "unit", one->unit);
}

static json_t *result_json(const side *one, const result *found, const char *what) {
    json_t *object = side_json(one, found->found.median_b);
    json_object_set_new(object, "ratio", tess_json_number(found->found.ratio));
    json_object_set_new(object, "low", tess_json_number(found->found.low));
    json_object_set_new(object, "high", tess_json_number(found->found.high));
    json_object_set_new(object, "p", tess_json_number(found->found.p));
    json_object_set_new(object, "verdict", json_string(found->verdict));
    json_object_set_new(object, "differs_in", json_string(what));
    return object;
}

/* Compares one name with the base and adds it to the table and to the JSON list. */
static tess_status compare_one(const tess_lab *lab, const side *base, const char *name,
                               const compare_options *asked, tess_table *table, json_t *list,
                               int *n_slower) {
    tess_status status = TESS_OK;
    side other = {0};
    char *what = NULL;
    result found = {0};
    CHECK(side_read(lab, name, asked->metric, &other));
    if (!asked->common.quiet)
        warn_of_machines(base->record, other.record);
    CHECK(compare_sides(base, &other, asked, &found));
    CHECK(differences(base->record, other.record, &what));
    CHECK(add_row(table, &other, found.found.median_b, &found, what));
    json_array_append_new(list, result_json(&other, &found, what));
    *n_slower += found.slower;
done:
    free(what);
    side_clear(&other);
    return status;
}

static tess_status compare_all(const tess_lab *lab, const compare_options *asked, int *n_slower) {
    tess_status status = TESS_OK;
    side base = {0};
    tess_table *table = NULL;
    json_t *list = json_array();
    CHECK(side_read(lab, asked->names[0], asked->metric, &base));
    CHECK(tess_table_new(&table));
    CHECK(add_titles(table, &base));
    double median = 0;
    CHECK(tess_median_of(base.samples, base.n, &median));
    CHECK(add_row(table, &base, median, NULL, ""));
    for (int i = 1; i < asked->n_names; i++)
        CHECK(compare_one(lab, &base, asked->names[i], asked, table, list, n_slower));
    CHECK(asked->common.json
              ? tess_json_print(json_pack("{s:s, s:s, s:o, s:O}", "schema", "tess-compare-1",
                                          "metric", asked->metric, "base", side_json(&base, median),
                                          "comparisons", list))
              : tess_table_print(table, stdout));
done:
    json_decref(list);
    tess_table_free(table);
    side_clear(&base);
    return status;
}

static tess_status compare_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static compare_options asked;
    tess_lab *lab = NULL;
    int n_slower = 0;
    asked = (compare_options){.metric = "time", .margin = 0.01, .fail_above = INFINITY};
    CHECK(tess_command_parse(&argp, argc, argv, &asked.common, &asked));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(compare_all(lab, &asked, &n_slower));
    if (n_slower)
        CHECK(tess_fail(TESS_ERROR_CHECK, "%d of %d are slower than %s by %.3g %% or more",
                        n_slower, asked.n_names - 1, asked.names[0], 100 * (asked.fail_above - 1)));
done:
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_compare = {.name = "compare",
                                           .summary =
                                               "Compare runs: faster, slower, same or unclear",
                                           .run = compare_run};
