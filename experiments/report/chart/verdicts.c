/* Verdicts: of each problem of the chosen runs which way is best, and what may be as good. */
#include "experiments/report/chart/verdicts.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/report/chart/expected_ways.h"
#include "experiments/report/chart/timed_groups.h"
#include "experiments/report/home.h"
#include <stdlib.h>

enum { MOST_ROWS = 24 };

static void add_interval(json_t *row, const tess_timed_group *one) {
    char how[96];
    const tess_comparison *found = &one->with_fastest.found;
    tess_comparison_how(&one->with_fastest, sizeof how, how);
    json_object_set_new(row, "ratio", tess_json_number(found->ratio));
    json_object_set_new(row, "low", tess_json_number(found->low));
    json_object_set_new(row, "high", tess_json_number(found->high));
    json_object_set_new(row, "p", tess_json_number(found->p));
    json_object_set_new(row, "how", tess_json_text(how));
    json_object_set_new(
        row, "verdict",
        json_string(tess_verdict_words(one->with_fastest.verdict, tess_better_of("time"), true)));
}

/* "fastest" where all others are surely slower, else a tie. */
static const char *first_verdict(const tess_timed_groups *timed) {
    for (int64_t i = 1; i < timed->n; i++)
        if (!timed->items[i].beaten)
            return "tie";
    return "fastest";
}

static json_t *timed_rows(const tess_timed_groups *timed) {
    json_t *rows = json_array();
    for (int64_t i = 0; i < timed->n; i++) {
        const tess_timed_group *one = &timed->items[i];
        json_t *row = json_pack(
            "{s:o, s:I, s:o, s:o, s:o}", "name", tess_json_text(one->group->name), "values",
            (json_int_t)one->side.n, "median", tess_json_number(1e3 * one->median), "median_low",
            tess_json_number(1e3 * one->low), "median_high", tess_json_number(1e3 * one->high));
        if (i == 0)
            json_object_set_new(row, "verdict", json_string(first_verdict(timed)));
        else if (one->compared)
            add_interval(row, one);
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Adds how the first of the rows is taken home. */
static tess_status add_home(const tess_query *query, const tess_row_group *best, json_t *rows) {
    char *home = NULL;
    TRY(tess_home_text(query, best->rows[best->n - 1], "", &home));
    json_object_set_new(json_array_get(rows, 0), "home", tess_json_text(home));
    free(home);
    return TESS_OK;
}

/* Adds a problem with its rows, which it takes over. */
static void add_verdict(const tess_row_group *problem, const char *metric, const char *unit,
                        json_t *rows, int64_t n_left_out, json_t *list) {
    json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:o, s:I}", "title",
                                          tess_json_text(problem->name), "metric", metric, "unit",
                                          unit, "rows", rows, "left_out", (json_int_t)n_left_out));
}

static tess_status add_timed(const tess_query *query, const tess_row_group *problem, json_t *list) {
    tess_status status = TESS_OK;
    tess_timed_groups timed = {.n = 0};
    json_t *rows = NULL;
    CHECK(tess_timed_groups_read(query, problem, TESS_PLOT_SETTINGS, NULL, MOST_ROWS, &timed));
    if (timed.n > 1) {
        rows = timed_rows(&timed);
        CHECK(add_home(query, timed.items[0].group, rows));
        add_verdict(problem, "time", "ms", TESS_TAKE(rows), timed.all.n - timed.n, list);
    }
done:
    json_decref(rows);
    tess_timed_groups_clear(&timed);
    return status;
}

/* A way to make blocks with the bytes that the loop is predicted to move. */
typedef struct counted_group {
    const tess_row_group *group;
    tess_group_value moved;
} counted_group;

static int by_moved(const void *a, const void *b) {
    const counted_group *x = a, *y = b;
    return (x->moved.median > y->moved.median) - (x->moved.median < y->moved.median);
}

/* --- by predicted time ------------------------------------------------------------------------ */

/* How many runs stand behind a row: those of the group of its name. */
static int64_t count_runs(const tess_row_groups *groups, const tess_verdict_row *row) {
    int64_t n = 0;
    for (int64_t g = 0; g < groups->n; g++)
        if (row->is_stored || groups->items[g].name == row->name)
            n += groups->items[g].n;
    return n;
}

/* The rows [n] of a table, the best first and the mesh as it is stored last. */
static json_t *expected_rows(const tess_row_groups *groups, const tess_verdict_row *rows,
                             int64_t n) {
    json_t *list = json_array();
    for (int64_t i = 0; i < n && i < MOST_ROWS; i++)
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o, s:s}", "name",
                                              tess_json_text(rows[i].name), "values",
                                              (json_int_t)count_runs(groups, &rows[i]), "median",
                                              tess_json_number(1e3 * rows[i].seconds), "ratio",
                                              tess_json_number(rows[i].seconds / rows[0].seconds),
                                              "verdict", tess_verdict_word(rows, n, i)));
    return list;
}

static tess_status add_expected(const tess_query *query, const tess_row_group *problem,
                                json_t *list) {
    tess_status status = TESS_OK;
    tess_expected_ways all = {.n = 0};
    json_t *shown = NULL;
    char *words = NULL;
    CHECK(tess_expected_ways_read(query, problem, &all));
    if (all.n < 2)
        goto done;
    CHECK(tess_expected_ways_words(&all, &words));
    shown = expected_rows(&all.groups, all.rows, all.n);
    for (int64_t g = 0; g < all.groups.n; g++)
        if (all.groups.items[g].name == all.rows[0].name)
            CHECK(add_home(query, &all.groups.items[g], shown));
    add_verdict(problem, "predicted time", "ms", TESS_TAKE(shown),
                all.n > MOST_ROWS ? all.n - MOST_ROWS : 0, list);
    json_object_set_new(json_array_get(list, json_array_size(list) - 1), "words",
                        tess_json_text(words));
done:
    json_decref(shown);
    free(words);
    tess_expected_ways_clear(&all);
    return status;
}

/* --- by estimated traffic --------------------------------------------------------------------- */

static json_t *counted_rows(const counted_group *items, int64_t n) {
    json_t *rows = json_array();
    const double best = items[0].moved.median, same = best * (1 + TESS_SAME_MARGIN);
    for (int64_t i = 0; i < n; i++) {
        const double value = items[i].moved.median;
        const bool tie = i == 0 && n > 1 && items[1].moved.median <= same;
        const char *verdict = tie ? "tie" : i == 0 ? "best" : value <= same ? "same" : "worse";
        json_array_append_new(rows, json_pack("{s:o, s:I, s:o, s:o, s:s}", "name",
                                              tess_json_text(items[i].group->name), "values",
                                              (json_int_t)items[i].moved.n, "median",
                                              tess_json_number(1e-6 * value), "ratio",
                                              tess_json_number(value / best), "verdict", verdict));
    }
    return rows;
}

static tess_status add_counted(const tess_query *query, const tess_row_group *problem,
                               json_t *list) {
    tess_status status = TESS_OK;
    tess_row_groups groups = {.n = 0};
    counted_group *items = NULL;
    json_t *rows = NULL;
    tess_group_value predicted;
    TRY(tess_row_group_value(query, problem, "predicted_time", &predicted));
    if (predicted.n > 0) /* which says more */
        return TESS_OK;
    CHECK(tess_row_groups_build(query, problem->rows, problem->n,
                                "partitioner,refine,repair,points", false, &groups));
    if (groups.n < 2)
        goto done;
    CHECK(TESS_ALLOC(groups.n, &items));
    for (int64_t g = 0; g < groups.n; g++) {
        items[g].group = &groups.items[g];
        CHECK(tess_row_group_value(query, &groups.items[g], "transfer_total", &items[g].moved));
    }
    qsort(items, (size_t)groups.n, sizeof *items, by_moved);
    const int64_t n = groups.n < MOST_ROWS ? groups.n : MOST_ROWS;
    rows = counted_rows(items, n);
    CHECK(add_home(query, items[0].group, rows));
    add_verdict(problem, "traffic", "MB", TESS_TAKE(rows), groups.n - n, list);
done:
    json_decref(rows);
    free(items);
    tess_row_groups_clear(&groups);
    return status;
}

/* Says which mesh and loop the verdicts from `first` on are of. */
static void name_problem(const tess_query *query, const tess_row_group *problem, size_t first,
                         json_t *list) {
    static const char *const names[] = {"mesh", "loop"};
    tess_run_field field;
    for (size_t i = first; i < json_array_size(list); i++)
        for (int k = 0; k < 2; k++)
            if (tess_run_table_find(query->table, names[k], &field))
                json_object_set_new(
                    json_array_get(list, i), names[k],
                    tess_json_text(tess_run_text(query->table, &field, problem->rows[0])));
}

/* Adds what `add` finds of each problem; none where no run has the metrics. */
static tess_status
add_problems(const tess_plot_request *request, const char *needed, const char *by,
             tess_status (*add)(const tess_query *, const tess_row_group *, json_t *),
             json_t *list) {
    tess_status status = TESS_OK;
    tess_row_groups problems = {.n = 0};
    tess_chart *notes = NULL;
    CHECK(tess_chart_new("verdicts", &notes));
    if (tess_plot_problems(request, notes, needed, by, &problems) == TESS_OK)
        for (int64_t g = 0; g < problems.n; g++) {
            const size_t n = json_array_size(list);
            CHECK(add(request->query, &problems.items[g], list));
            name_problem(request->query, &problems.items[g], n, list);
        }
done:
    tess_row_groups_clear(&problems);
    tess_chart_free(notes);
    return status;
}

tess_status tess_verdicts_json(const tess_plot_request *request, json_t **out) {
    tess_status status = TESS_OK;
    json_t *list = json_array();
    tess_plot_request all = *request;
    all.all_problems = true;
    CHECK(add_problems(&all, "median_time", TESS_PLOT_PROBLEM, add_timed, list));
    CHECK(add_problems(&all, "predicted_time", "application,loop,mesh,predicted_for", add_expected,
                       list));
    CHECK(add_problems(&all, "transfer_total,block_size", "loop,mesh,block_size,layout,renumber",
                       add_counted, list));
    *out = list;
    return TESS_OK;
done:
    json_decref(list);
    return status;
}
