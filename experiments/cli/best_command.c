/* tess best: the best runs of each mesh and loop, with ties called ties. */
#include "core/base/json.h"
#include "core/base/name_list.h"
#include "experiments/archive/comparison.h"
#include "experiments/cli/chosen_runs.h"
#include "experiments/cli/command.h"
#include "experiments/report/chart/expected_ways.h"
#include "experiments/report/home.h"
#include "experiments/report/shown.h"
#include "experiments/report/table.h"
#include "experiments/report/wrapped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 16, N_SHOWN = 3 };

static const char sampled_metric[] = "median_time", predicted_metric[] = "predicted_time",
                  traffic_metric[] = "transfer_total", counted_metric[] = "reuse_factor";

typedef struct best_options {
    tess_common common;
    const char *lab, *metric, *where, *group, *bits;
    int64_t limit;
} best_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(best_options, lab)},
    {"where", 'w', "FILTER", "Only runs that fit, as in 'tess runs'",
     TESS_KEPT(best_options, where), TESS_ONE_FILTER},
    {"same-bits", 0, "run|any",
     "Only runs whose sums have one order: in every run of a plan, or with any blocks, too",
     TESS_KEPT(best_options, bits)},
    {"group", 'g', "NAME,...", "The best of each of their values (default: mesh,loop)",
     TESS_KEPT(best_options, group)},
    {"limit", 'n', "N", "How many of each (default: 3)", TESS_KEPT(best_options, limit), .least = 1,
     .most = 1000000000},
    {TESS_KEPT(best_options, metric), .refusal = "'tess best' ranks by one metric at a time"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "[METRIC]",
    .doc = "List the best runs of each mesh and loop by a metric (default: median_time where runs "
           "have it, else predicted_time where a mesh is large enough for it to matter, else "
           "transfer_total, else reuse_factor).\v"
           "  tess best -w 'device = cuda'\n"
           "  tess best block_colours -g mesh,block_size -n 5\n"
           "Runs that failed their check are never ranked. A run whose time is not surely larger "
           "than the best one's ties with it. Of predicted times the verdict is that of partition, "
           "run and predict: against the mesh as it is stored."};

/* A ranking under way. */
typedef struct ranking {
    tess_query *query;
    tess_run_field metric, outcome, groups[MOST_FIELDS], shown[MOST_FIELDS];
    int n_groups, n_shown;
    int better; /* 1: larger is, -1: smaller is */
    int64_t limit;
    tess_table *table;
    bool judges;             /* by predicted times, also where a mesh is too small for them */
    json_t *list, *verdicts; /* of groups */
} ranking;

static tess_status split_fields(const tess_run_table *table, const char *names, bool lenient,
                                tess_run_field *fields, int *n) {
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);) {
        if (*n == MOST_FIELDS)
            FAIL(TESS_ERROR_USAGE, "more than %d names", MOST_FIELDS);
        if (!lenient)
            TRY(tess_run_table_require(table, name, &fields[*n]));
        else if (!tess_run_table_find(table, name, &fields[*n]))
            continue;
        ++*n;
    }
    return TESS_OK;
}

/* Whether some run's mesh is large enough for a GPU to care by its predicted time. */
static bool is_large_enough(const tess_query *query) {
    tess_run_field time, stored, launches;
    bool found = false;
    if (!tess_run_table_find(query->table, predicted_metric, &time))
        return false;
    const bool known = tess_run_table_find(query->table, "stored_time", &stored) &&
                       tess_run_table_find(query->table, "stored_launch_time", &launches);
    for (int64_t i = 0; i < query->n_rows && !found; i++) {
        const int64_t row = query->rows[i];
        tess_verdict_row rows[2] = {
            tess_verdict_row_of("", NULL, tess_run_number(query->table, &time, row)),
            tess_verdict_row_of("", NULL,
                                known ? tess_run_number(query->table, &stored, row) : NAN)};
        rows[1].is_stored = true;
        rows[1].launch_seconds = known ? tess_run_number(query->table, &launches, row) : 0;
        found = !isnan(rows[0].seconds) && !tess_verdict_is_too_small(rows, 2);
    }
    return found;
}

static bool has_failed(const ranking *all, int64_t row) {
    return strcmp(tess_run_text(all->query->table, &all->outcome, row), "failed") == 0;
}

/* Whether some run that has not failed has the number. */
static bool has_values(const ranking *all, const char *name) {
    const tess_query *query = all->query;
    tess_run_field field;
    bool found = false;
    if (!tess_run_table_find(query->table, name, &field) || field.is_text)
        return false;
    for (int64_t i = 0; i < query->n_rows && !found; i++)
        found = !isnan(tess_run_number(query->table, &field, query->rows[i])) &&
                !has_failed(all, query->rows[i]);
    return found;
}

/* Chooses by what and in which direction runs are ranked. */
static tess_status choose_metric(ranking *all, const char *name) {
    const tess_run_table *table = all->query->table;
    if (!name && has_values(all, sampled_metric))
        name = sampled_metric;
    all->judges = !name || strcmp(name, predicted_metric) == 0;
    if (!name)
        name = is_large_enough(all->query)       ? predicted_metric
               : has_values(all, traffic_metric) ? traffic_metric
                                                 : counted_metric;
    TRY(tess_run_table_require(table, name, &all->metric));
    if (all->metric.is_text)
        FAIL(TESS_ERROR_USAGE, "'%s' is a text: runs are ranked by a number", name);
    char *bare = strndupa(all->metric.name, strcspn(all->metric.name, "@"));
    const tess_quantity *known = tess_metric_find(bare);
    all->better = known ? known->better : -1; /* times and seconds */
    if (all->better == 0)
        FAIL(TESS_ERROR_USAGE, "neither a small nor a large '%s' is better: choose another metric",
             name);
    return TESS_OK;
}

static bool is_predicted(const ranking *all) {
    return strncmp(all->metric.name, predicted_metric, strlen(predicted_metric)) == 0;
}

static bool is_yardstick(const ranking *all, int64_t row) {
    tess_run_field field;
    return tess_run_table_find(all->query->table, "partitioner", &field) &&
           tess_verdict_row_of("", tess_run_text(all->query->table, &field, row), NAN).is_yardstick;
}

static bool is_ranked(const ranking *all, int64_t row) {
    return !isnan(tess_run_number(all->query->table, &all->metric, row)) && !has_failed(all, row) &&
           !(is_predicted(all) && is_yardstick(all, row));
}

static int compare_groups(const ranking *all, int64_t a, int64_t b) {
    const tess_run_table *table = all->query->table;
    for (int k = 0; k < all->n_groups; k++) {
        const tess_run_field *field = &all->groups[k];
        const double x = tess_run_number(table, field, a), y = tess_run_number(table, field, b);
        const int order =
            field->is_text ? strcmp(tess_run_text(table, field, a), tess_run_text(table, field, b))
                           : (x > y) - (x < y);
        if (order)
            return order;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *context) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    const ranking *all = context;
    const int by_group = compare_groups(all, x, y);
    if (by_group)
        return by_group;
    const double u = tess_run_number(all->query->table, &all->metric, x);
    const double v = tess_run_number(all->query->table, &all->metric, y);
    return u == v ? (x > y) - (x < y) : all->better * (u < v ? 1 : -1);
}

/* True unless a run's samples are surely slower than the best one's. */
static tess_status ties_by_samples(const ranking *all, int64_t best, int64_t row, bool *tie) {
    tess_status status = TESS_OK;
    tess_record *a = NULL, *b = NULL;
    tess_side base = {0}, other = {0};
    tess_session_spread spread;
    CHECK(tess_lab_read_run(all->query->lab, tess_run_table_id(all->query->table, best), &a));
    CHECK(tess_lab_read_run(all->query->lab, tess_run_table_id(all->query->table, row), &b));
    *tie = false;
    if (tess_record_series(a, "time") && tess_record_series(b, "time")) {
        tess_run_comparison found;
        CHECK(tess_side_add(&base, a, "time"));
        CHECK(tess_side_add(&other, b, "time"));
        CHECK(tess_session_spread_find(all->query->table, a, "time", &spread));
        CHECK(tess_sides_compare(&base, &other, &spread, TESS_SAME_MARGIN, &found));
        *tie = found.verdict != TESS_LARGER;
    }
done:
    tess_side_clear(&base);
    tess_side_clear(&other);
    tess_record_free(a);
    tess_record_free(b);
    return status;
}

static tess_status position_of(const ranking *all, int64_t best, int64_t row, const char **words) {
    const double x = tess_run_number(all->query->table, &all->metric, best);
    const double y = tess_run_number(all->query->table, &all->metric, row);
    bool tie = tess_verdict_ties(x, y);
    if (best != row && strcmp(all->metric.name, sampled_metric) == 0)
        TRY(ties_by_samples(all, best, row, &tie));
    *words = best == row ? "best" : tie ? "tie" : "";
    return TESS_OK;
}

static tess_status add_field_cell(const ranking *all, const tess_run_field *field, int64_t row) {
    const tess_shown_column column = {.field = *field};
    char *text = NULL;
    TRY(tess_shown_cell(all->query, &column, row, false, &text));
    const tess_status status = tess_table_add_cell(all->table, "%s", text);
    free(text);
    return status;
}

static tess_status add_run(ranking *all, int64_t best, int64_t row) {
    const tess_run_table *table = all->query->table;
    const double x = tess_run_number(table, &all->metric, best);
    const double y = tess_run_number(table, &all->metric, row);
    const char *words = "";
    TRY(position_of(all, best, row, &words));
    TRY(tess_table_add_row(all->table));
    for (int k = 0; k < all->n_groups; k++)
        TRY(add_field_cell(all, &all->groups[k], row));
    for (int k = 0; k < all->n_shown; k++)
        TRY(add_field_cell(all, &all->shown[k], row));
    TRY(add_field_cell(all, &all->metric, row));
    TRY(tess_table_add_cell(all->table, "%.3f", y / x));
    TRY(tess_table_add_cell(all->table, "%s", words));
    TRY(tess_table_add_cell(all->table, "%.*s", tess_query_id_width(all->query),
                            tess_run_table_id(table, row)));
    json_t *object = tess_query_json(all->query, row);
    json_object_set_new(object, "place", json_string(words));
    json_object_set_new(object, "ratio_to_best", tess_json_number(y / x));
    json_array_append_new(all->list, object);
    return TESS_OK;
}

static tess_status add_title(ranking *all, const tess_run_field *field) {
    char title[2 * TESS_COLUMN_SIZE];
    tess_shown_title(field, title);
    TRY(tess_table_add_column(all->table, title,
                              field->is_text ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
    /* What a narrow terminal leaves out, the last first. */
    static const char *const yielding[] = {"loop", "device", "layouts"};
    for (int i = 0; i < 3; i++)
        if (strcmp(field->name, yielding[i]) == 0)
            tess_table_yield(all->table, i + 1);
    return TESS_OK;
}

static tess_status add_titles(ranking *all) {
    for (int k = 0; k < all->n_groups; k++)
        TRY(add_title(all, &all->groups[k]));
    for (int k = 0; k < all->n_shown; k++)
        TRY(add_title(all, &all->shown[k]));
    TRY(add_title(all, &all->metric));
    return tess_table_add_columns(all->table, TESS_TITLES(">ratio", "", "run"));
}

static bool is_among(const tess_run_field *field, const tess_run_field *fields, int n) {
    for (int k = 0; k < n; k++)
        if (strcmp(fields[k].name, field->name) == 0)
            return true;
    return false;
}

/* Whether runs of one group have different texts; they stand group after group. */
static bool differs_in_a_group(const ranking *all, const tess_run_field *field) {
    const tess_query *query = all->query;
    bool differs = false;
    for (int64_t i = 1; i < query->n_rows && !differs; i++)
        differs = compare_groups(all, query->rows[i - 1], query->rows[i]) == 0 &&
                  strcmp(tess_run_text(query->table, field, query->rows[i - 1]),
                         tess_run_text(query->table, field, query->rows[i])) != 0;
    return differs;
}

/* What is shown beside the groups: the settings that some ranked run has, and the application where
 * a loop of that name is of several. */
static tess_status choose_shown(ranking *all) {
    tess_run_field fields[MOST_FIELDS];
    int n = 0;
    TRY(split_fields(all->query->table,
                     "application,partitioner,strategy,layouts,device,block_size", true, fields,
                     &n));
    for (int k = 0; k < n; k++)
        if (tess_query_has(all->query, &fields[k]) &&
            !is_among(&fields[k], all->groups, all->n_groups) &&
            (strcmp(fields[k].name, "application") != 0 || differs_in_a_group(all, &fields[k])))
            all->shown[all->n_shown++] = fields[k];
    return TESS_OK;
}

/* Leaves the runs that are ranked, the best of each group first. */
static void sort_rows(ranking *all) {
    tess_query *query = all->query;
    int64_t n = 0;
    for (int64_t i = 0; i < query->n_rows; i++)
        if (is_ranked(all, query->rows[i]))
            query->rows[n++] = query->rows[i];
    query->n_rows = n;
    qsort_r(query->rows, (size_t)n, sizeof *query->rows, compare_rows, all);
}

/* Keeps the verdict of a group's runs [n]. */
static tess_status judge(ranking *all, int64_t *rows, int64_t n) {
    tess_status status = TESS_OK;
    tess_expected_ways ways = {.n = 0};
    char *words = NULL;
    CHECK(tess_expected_ways_read(all->query, &(tess_row_group){.n = n, .rows = rows}, &ways));
    CHECK(tess_expected_ways_words(&ways, &words));
    if (*words)
        json_array_append_new(all->verdicts, json_sprintf("%s.", words));
done:
    free(words);
    tess_expected_ways_clear(&ways);
    return status;
}

static tess_status rank(ranking *all) {
    const tess_query *query = all->query;
    const int64_t n = query->n_rows;
    int64_t first = 0, n_of_group = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || compare_groups(all, query->rows[first], query->rows[i]) != 0) {
            first = i;
            n_of_group = 0;
        }
        if (n_of_group++ < all->limit)
            TRY(add_run(all, query->rows[first], query->rows[i]));
        if (all->judges &&
            (i + 1 == n || compare_groups(all, query->rows[i], query->rows[i + 1]) != 0))
            TRY(judge(all, &query->rows[first], n_of_group));
    }
    return TESS_OK;
}

static void print_verdicts(const ranking *all) {
    size_t i;
    json_t *words;
    json_array_foreach(all->verdicts, i, words) {
        printf("\n");
        tess_wrapped_print(json_string_value(words), 0, tess_terminal_width(stdout), stdout);
    }
}

/* Says how the best of the first group is taken home. */
static tess_status print_home(const ranking *all) {
    char *home = NULL;
    TRY(tess_home_text(all->query, all->query->n_rows ? all->query->rows[0] : -1, "  ", &home));
    fflush(stdout);
    if (*home)
        fprintf(stderr, "\nTake it home:\n%s", home);
    free(home);
    return TESS_OK;
}

/* Leaves the runs whose bits are at least as sure. */
static tess_status filter_bits(tess_query *query, const char *bits) {
    const bool any = strcmp(bits, "any") == 0;
    if (!any && strcmp(bits, "run") != 0)
        FAIL(TESS_ERROR_USAGE, "--same-bits takes run or any, not '%s'", bits);
    return tess_query_filter(query, any ? "same_bits = any" : "same_bits = run or same_bits = any");
}

static tess_status best_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    best_options asked = {.limit = N_SHOWN};
    ranking all = {.list = json_array(), .verdicts = json_array()};
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    all.limit = asked.limit;
    const tess_chosen_runs chosen = {.lab = asked.lab, .where = asked.where};
    CHECK(tess_chosen_runs_open(&chosen, asked.common.quiet, &all.query));
    if (all.query->table->n_rows == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "the lab %s has no runs yet",
                        tess_lab_folder(all.query->lab)));
    if (asked.bits)
        CHECK(filter_bits(all.query, asked.bits));
    CHECK(tess_run_table_require(all.query->table, "outcome", &all.outcome));
    CHECK(choose_metric(&all, asked.metric));
    CHECK(split_fields(all.query->table, asked.group ? asked.group : "mesh,loop", !asked.group,
                       all.groups, &all.n_groups));
    sort_rows(&all);
    CHECK(choose_shown(&all));
    CHECK(tess_table_new(NULL, &all.table));
    CHECK(add_titles(&all));
    CHECK(rank(&all));
    CHECK(asked.common.json ? tess_json_print(json_pack("{s:s, s:s, s:O, s:O}", "schema",
                                                        "tess.best/1", "metric", all.metric.name,
                                                        "runs", all.list, "verdicts", all.verdicts))
                            : tess_table_print(all.table, stdout));
    if (!asked.common.json)
        print_verdicts(&all);
    if (!asked.common.json && !asked.common.quiet)
        CHECK(print_home(&all));
done:
    json_decref(all.list);
    json_decref(all.verdicts);
    tess_table_free(all.table);
    tess_query_close(all.query);
    return status;
}

const tess_command tess_command_best = {
    .name = "best", .summary = "Rank runs, with ties called ties", .run = best_run};
