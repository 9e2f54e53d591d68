/* tess compare: are these runs faster, slower or the same as that one? */
#include "core/base/argument.h"
#include "core/base/json.h"
#include "core/base/plain_text.h"
#include "core/base/stream_text.h"
#include "core/plan/quantity.h"
#include "experiments/archive/comparison.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/run_query.h"
#include "experiments/campaign/sweep_points.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

typedef struct compare_options {
    tess_common common;
    const char *lab, *metric;
    double margin;     /* of "same"; NAN: the default */
    double fail_above; /* ratio of a slower one that fails; infinite: none does */
    int n_names;
    const char *names[MOST_NAMES];
} compare_options;

static tess_status read_same(const char *option, const char *text, void *margin) {
    return tess_argument_percent(option, text, margin);
}

static tess_status read_fail_on(const char *option, const char *text, void *fail_above) {
    (void)option;
    static const char word[] = "slower";
    double share = 0;
    if (strcmp(text, word) != 0) {
        const size_t length = strlen(word);
        if (strncmp(text, word, length) != 0 || text[length] != ':')
            FAIL(TESS_ERROR_USAGE, "--fail-on takes slower or slower:PERCENT, not '%s'", text);
        TRY(tess_argument_percent("fail-on slower:", text + length + 1, &share));
    }
    *(double *)fail_above = 1 + share;
    return TESS_OK;
}

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(compare_options, lab)},
    {"metric", 0, "NAME", "What is compared: samples, or a metric (default: time)",
     TESS_KEPT(compare_options, metric)},
    {"same", 0, "PERCENT",
     "Called the same when the whole interval is within, different when it is outside (default: "
     "1%; of counted values 0)",
     TESS_READ_BY(read_same, compare_options, margin)},
    {"fail-on", 0, "slower:PERCENT",
     "Exit with 1 when one is slower by at least that much, say slower:2%",
     TESS_READ_BY(read_fail_on, compare_options, fail_above)},
    {TESS_KEPT_LIST(compare_options, names, n_names), .refusal = "more than %d names"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "BASE OTHER...",
    .doc =
        "Compare runs with a base: the ratio of their medians with its 95 % interval, and a "
        "verdict; of marches on ranks also the parallel efficiency of more ranks.\v"
        "  tess compare @last~1 @last\n"
        "  tess compare tag:before tag:after --fail-on slower:2%\n"
        "A name is the beginning of an id, @last, @last~1, or tag:NAME; the samples of all runs "
        "of a tag are taken together. Runs that failed their check are not compared.\n\n"
        "How they are compared:\n"
        "  in turns  Both were timed by one command, round by round: the median of the rounds' "
        "ratios, its binomial interval, the sign test. What slows the machine for a while slows "
        "both.\n"
        "  apart     The ratio of the medians, a bootstrap and a Mann-Whitney test; of several "
        "sessions Student's t of their medians. Widened by what the medians of equal runs of this "
        "lab differ by from session to session on this machine, 10 % where none was repeated. To "
        "find a small difference, run both by one command, or each several times and tag them.\n"
        "  counted   Values without noise.\n"
        "'same' needs an interval wholly within --same, 'faster' and 'slower' one wholly outside "
        "and a test with p < 0.01; else it is 'unclear'. On meshes that fit into a cache equal "
        "runs of one session differ by some percent for where their data lie: name a variant twice "
        "to see by how much."};

/* What one name on the command line means. */
typedef struct named {
    const char *name;
    tess_record *record; /* of its first run */
    tess_side side;
} named;

static void named_clear(named *one) {
    tess_record_free(one->record);
    tess_side_clear(&one->side);
}

static tess_status named_read(const tess_lab *lab, const char *name, const char *metric,
                              named *one) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    tess_record *record = NULL;
    *one = (named){.name = name};
    CHECK(tess_run_ids_add(lab, &name, 1, &ids));
    for (int64_t i = 0; i < ids.n; i++) {
        CHECK(tess_lab_read_run(lab, ids.items[i], &record));
        CHECK(tess_side_add(&one->side, record, metric));
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

/* Gives "key=value" for each configured thing that differs from the base, but for the digest of all
 * of them that sweeps note; the caller frees it. */
static tess_status differences(const tess_record *base, const tess_record *other, char **out) {
    tess_printed words;
    TRY(tess_printed_open(&words));
    const char *comma = "";
    for (int64_t i = 0; i < other->configuration.n; i++) {
        const tess_value *entry = &other->configuration.items[i];
        if (strcmp(tess_values_text(&base->configuration, entry->key), entry->text) == 0 ||
            strcmp(entry->key, TESS_SWEEP_POINT_KEY) == 0)
            continue;
        fprintf(words.stream, "%s%s=%s", comma, entry->key, entry->text);
        comma = " ";
    }
    return tess_printed_close(&words, TESS_OK, out);
}

/* Says on stderr what else than the configuration differs and may explain a difference. */
static void warn_of_machines(const tess_record *base, const tess_record *other) {
    static const char *const keys[] = {"host",     "cpu",   "gpu",         "driver",       "commit",
                                       "compiler", "flags", "omp_threads", "OMP_PROC_BIND"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *a = tess_values_text(&base->environment, keys[i]);
        const char *b = tess_values_text(&other->environment, keys[i]);
        if (strcmp(a, b) != 0)
            tess_plain_print(stderr, "tess: warning: %.10s and %.10s differ in %s: '%s', '%s'\n",
                             base->id, other->id, keys[i], a, b);
    }
    if (strcmp(base->mesh, other->mesh) != 0)
        fprintf(stderr, "tess: warning: %.10s and %.10s are on different meshes\n", base->id,
                other->id);
}

/* One comparison with its words. */
typedef struct result {
    tess_run_comparison of;
    const char *verdict;
    char how[96];
    bool slower;
} result;

/* The sides are compared in turns where they can be; else with what the lab knows of the spread of
 * its sessions, which is looked up once. */
typedef struct comparing {
    const compare_options *asked;
    named base;
    bool has_spread;
    tess_session_spread spread;
    const tess_quantity *shown_as; /* a counted metric that tables name otherwise; else NULL */
    tess_table *table;
    json_t *list;
    int n_slower;
} comparing;

static tess_status find_spread(comparing *all) {
    if (all->has_spread)
        return TESS_OK;
    tess_query *query = NULL;
    TRY(tess_query_open(all->asked->lab, &query));
    const tess_status status =
        tess_session_spread_find(query->table, all->base.record, all->asked->metric, &all->spread);
    tess_query_close(query);
    all->has_spread = status == TESS_OK;
    return status;
}

static tess_status compare_sides(comparing *all, const named *other, result *out) {
    const compare_options *asked = all->asked;
    const tess_side *base = &all->base.side;
    tess_comparison_kind comparison_kind;
    TRY(tess_sides_comparison_kind(base, &other->side, &comparison_kind));
    if (comparison_kind == TESS_UNPAIRED)
        TRY(find_spread(all));
    const double usual = comparison_kind == TESS_COUNTED ? 0 : TESS_SAME_MARGIN;
    const double margin = isnan(asked->margin) ? usual : asked->margin;
    TRY(tess_sides_compare(base, &other->side, &all->spread, margin, &out->of));
    tess_comparison_how(&out->of, sizeof out->how, out->how);
    const int better = tess_better_of(asked->metric);
    out->verdict = tess_verdict_words(out->of.verdict, better, base->sampled);
    if (base->failed || other->side.failed)
        out->verdict = "failed";
    const double ratio = out->of.found.ratio;
    const double worse = better > 0 ? 1 / ratio : ratio;
    out->slower = (strcmp(out->verdict, "slower") == 0 || strcmp(out->verdict, "worse") == 0) &&
                  worse >= asked->fail_above;
    return TESS_OK;
}

/* Ranks of a march, NaN of other runs. */
static double ranks_of(const named *one) {
    return tess_record_measure(one->record, "ranks", NULL);
}

/* Time of the base times its ranks / the same of the other: 1 where twice the ranks take half the
 * time. NaN unless times of marches on ranks are compared. */
static double efficiency_of(const comparing *all, const named *other, double ratio) {
    return strcmp(all->asked->metric, "time") == 0
               ? ranks_of(&all->base) / (ranks_of(other) * ratio)
               : (double)NAN;
}

static tess_status add_titles(tess_table *table, const tess_quantity *title, const tess_side *base,
                              bool on_ranks) {
    char median[TESS_NAME_SIZE + 17];
    const bool has_unit = strcmp(base->unit, "1") != 0;
    if (title)
        snprintf(median, sizeof median, ">%s", title->title);
    else
        snprintf(median, sizeof median, has_unit ? ">median [%s]" : ">median", base->unit);
    TRY(tess_table_add_columns(
        table, TESS_TITLES("run", ">values", median, ">ratio", ">95 % interval", ">p", "verdict")));
    if (on_ranks)
        TRY(tess_table_add_column(table, "efficiency", TESS_ALIGN_RIGHT));
    return tess_table_add_columns(table, TESS_TITLES("how", "what differs"));
}

static tess_status add_row(const comparing *all, const named *one, double median,
                           const result *found, const char *what) {
    tess_table *table = all->table;
    const double efficiency = efficiency_of(all, one, found ? found->of.found.ratio : 1);
    const tess_comparison *of = found ? &found->of.found : NULL;
    const bool has_interval = of && isfinite(of->high);
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", one->name));
    TRY(tess_table_add_cell(table, "%lld", (long long)one->side.n));
    TRY(tess_table_add_cell(table, "%.5g", median * (all->shown_as ? all->shown_as->scale : 1)));
    TRY(of ? tess_table_add_cell(table, "%.4g", of->ratio) : tess_table_add_cell(table, "1"));
    TRY(tess_table_add_interval(table, "%.4g .. %.4g", of ? of->low : NAN, of ? of->high : NAN));
    const double p = has_interval ? of->p : NAN;
    TRY(tess_table_add_number(table, p < 1e-3 ? "%.0e" : "%.2g", p)); /* at most six characters */
    TRY(tess_table_add_cell(table, "%s", found ? found->verdict : "base"));
    if (isfinite(efficiency_of(all, &all->base, 1)))
        TRY(tess_table_add_number(table, "%.3f", efficiency));
    TRY(tess_table_add_cell(table, "%s", found ? found->how : ""));
    return tess_table_add_cell(table, "%s", what);
}

static json_t *side_json(const named *one, double median) {
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:s}", "name", one->name, "run",
                     one->record->id, "runs", (json_int_t)one->side.n_runs, "sessions",
                     (json_int_t)one->side.n_sessions, "samples", (json_int_t)one->side.n, "median",
                     tess_json_number(median), "unit", one->side.unit);
}

static json_t *result_json(const named *one, double median, const result *found, const char *what) {
    const tess_run_comparison *of = &found->of;
    json_t *object = side_json(one, median);
    json_object_set_new(object, "ratio", tess_json_number(of->found.ratio));
    json_object_set_new(object, "low", tess_json_number(of->found.low));
    json_object_set_new(object, "high", tess_json_number(of->found.high));
    json_object_set_new(object, "p", tess_json_number(of->found.p));
    json_object_set_new(object, "verdict", json_string(found->verdict));
    json_object_set_new(object, "manner",
                        json_string(tess_comparison_kind_name(of->comparison_kind)));
    json_object_set_new(object, "differs_in", json_string(what));
    if (of->comparison_kind == TESS_IN_TURNS)
        json_object_set_new(object, "rounds", json_integer(of->n_rounds));
    if (of->comparison_kind != TESS_UNPAIRED)
        return object;
    json_object_set_new(object, "seconds_apart", tess_json_number(of->seconds_apart));
    json_object_set_new(object, "session_spread", tess_json_number(of->spread.deviation));
    json_object_set_new(object, "session_spread_df", json_integer(of->spread.df));
    return object;
}

/* Compares one name with the base and adds it to the table and to the JSON list. */
static tess_status compare_one(const tess_lab *lab, comparing *all, const char *name) {
    tess_status status = TESS_OK;
    named other = {0};
    char *what = NULL;
    result found = {.slower = false};
    double median = 0;
    CHECK(named_read(lab, name, all->asked->metric, &other));
    if (!all->asked->common.quiet)
        warn_of_machines(all->base.record, other.record);
    CHECK(compare_sides(all, &other, &found));
    CHECK(differences(all->base.record, other.record, &what));
    CHECK(tess_side_median(&other.side, &median));
    CHECK(add_row(all, &other, median, &found, what));
    json_t *object = result_json(&other, median, &found, what);
    const double efficiency = efficiency_of(all, &other, found.of.found.ratio);
    if (isfinite(efficiency))
        json_object_set_new(object, "scaling_efficiency", json_real(efficiency));
    json_array_append_new(all->list, object);
    all->n_slower += found.slower;
done:
    free(what);
    named_clear(&other);
    return status;
}

static tess_status compare_all(const tess_lab *lab, comparing *all) {
    tess_status status = TESS_OK;
    const compare_options *asked = all->asked;
    double median = 0;
    all->list = json_array();
    CHECK(named_read(lab, asked->names[0], asked->metric, &all->base));
    all->shown_as = all->base.side.sampled ? NULL : tess_title_of(asked->metric);
    CHECK(tess_table_new(NULL, &all->table));
    CHECK(add_titles(all->table, all->shown_as, &all->base.side,
                     isfinite(efficiency_of(all, &all->base, 1))));
    CHECK(tess_side_median(&all->base.side, &median));
    CHECK(add_row(all, &all->base, median, NULL, ""));
    for (int i = 1; i < asked->n_names; i++)
        CHECK(compare_one(lab, all, asked->names[i]));
    CHECK(asked->common.json
              ? tess_json_print(json_pack("{s:s, s:s, s:o, s:O}", "schema", "tess.compare/1",
                                          "metric", asked->metric, "base",
                                          side_json(&all->base, median), "comparisons", all->list))
              : tess_table_print(all->table, stdout));
done:
    json_decref(all->list);
    tess_table_free(all->table);
    named_clear(&all->base);
    return status;
}

static tess_status compare_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static compare_options asked;
    tess_lab *lab = NULL;
    comparing all = {.asked = &asked};
    asked = (compare_options){.metric = "time", .margin = NAN, .fail_above = INFINITY};
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_names < 2)
        CHECK(tess_fail(TESS_ERROR_USAGE, "what with what? tess compare BASE OTHER..."));
    asked.metric = tess_recorded_name(asked.metric);
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(compare_all(lab, &all));
    if (all.n_slower)
        CHECK(tess_fail(TESS_ERROR_CHECK, "%d of %d are slower than %s by %.3g %% or more",
                        all.n_slower, asked.n_names - 1, asked.names[0],
                        100 * (asked.fail_above - 1)));
done:
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_compare = {.name = "compare",
                                           .summary =
                                               "Compare runs: faster, slower, same or unclear",
                                           .run = compare_run};
