/* A query: a lab's run table with its tags, and which of its rows are asked for. */
#include "experiments/archive/run_query.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/name_list.h"
#include "core/base/progress.h"
#include "core/base/stream_text.h"
#include "experiments/archive/run_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST_ID = 8, MOST_SORT_FIELDS = 8 };

static void note_progress(int64_t n_read, int64_t n) {
    tess_progress_set(n_read, n, NULL);
}

tess_status tess_query_open(const char *folder, tess_query **out) {
    tess_status status = TESS_OK;
    tess_query *query = NULL;
    CHECK(TESS_ZEROS(1, &query));
    CHECK(tess_lab_open(folder, false, &query->lab));
    tess_progress_begin("indexing runs");
    status = tess_lab_table(query->lab, note_progress, &query->table, &query->n_unreadable);
    tess_progress_end();
    CHECK(status);
    CHECK(tess_tags_read(query->lab, &query->tags));
    CHECK(TESS_ALLOC(query->table->n_rows, &query->rows));
    query->n_rows = query->table->n_rows;
    for (int64_t i = 0; i < query->n_rows; i++)
        query->rows[i] = i;
    *out = TESS_TAKE(query);
done:
    tess_query_close(query);
    return status;
}

void tess_query_close(tess_query *query) {
    if (!query)
        return;
    tess_lab_close(query->lab);
    tess_run_table_free(query->table);
    tess_tags_free(query->tags);
    free(query->rows);
    free(query->misfit);
    free(query);
}

/* Keeps the words on a filter that no run fits. */
static tess_status tell_misfit(tess_query *query, const tess_filter *filter) {
    tess_printed words;
    free(TESS_TAKE(query->misfit));
    TRY(tess_printed_open(&words));
    tess_filter_print_misfit(filter, query->table, query->tags, words.stream);
    return tess_printed_close(&words, TESS_OK, &query->misfit);
}

tess_status tess_query_filter(tess_query *query, const char *where) {
    tess_filter *filter = NULL;
    if (query->table->n_rows == 0)
        return TESS_OK; /* no run, so no name is known */
    TRY(tess_filter_parse(where, query->table, &filter));
    int64_t n = 0;
    for (int64_t i = 0; i < query->n_rows; i++)
        if (tess_filter_fits(filter, query->table, query->tags, query->rows[i]))
            query->rows[n++] = query->rows[i];
    query->n_rows = n;
    const tess_status status = n > 0 ? TESS_OK : tell_misfit(query, filter);
    tess_filter_free(filter);
    return status;
}

/* By what rows are sorted. */
typedef struct sort_order {
    const tess_run_table *table;
    int n_fields;
    tess_run_field fields[MOST_SORT_FIELDS];
    bool descending[MOST_SORT_FIELDS];
} sort_order;

static int compare_field(const sort_order *order, int k, int64_t a, int64_t b) {
    const tess_run_field *field = &order->fields[k];
    const int sign = order->descending[k] ? -1 : 1;
    if (field->is_text) {
        const char *x = tess_run_text(order->table, field, a);
        const char *y = tess_run_text(order->table, field, b);
        return !*x || !*y ? !*x - !*y : sign * strcmp(x, y);
    }
    const double x = tess_run_number(order->table, field, a);
    const double y = tess_run_number(order->table, field, b);
    return isnan(x) || isnan(y) ? (isnan(x) != 0) - (isnan(y) != 0) : sign * ((x > y) - (x < y));
}

static int compare_rows(const void *a, const void *b, void *context) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    const sort_order *order = context;
    for (int k = 0; k < order->n_fields; k++) {
        const int by_field = compare_field(order, k, x, y);
        if (by_field)
            return by_field;
    }
    return (x > y) - (x < y);
}

tess_status tess_query_sort(tess_query *query, const char *names) {
    if (query->table->n_rows == 0)
        return TESS_OK;
    sort_order order = {.table = query->table};
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);) {
        if (order.n_fields == MOST_SORT_FIELDS)
            FAIL(TESS_ERROR_USAGE, "runs are sorted by %d names at most", MOST_SORT_FIELDS);
        order.descending[order.n_fields] = *name == '-';
        TRY(tess_run_table_require(query->table, name + (*name == '-'),
                                   &order.fields[order.n_fields]));
        order.n_fields++;
    }
    qsort_r(query->rows, (size_t)query->n_rows, sizeof *query->rows, compare_rows, &order);
    return TESS_OK;
}

void tess_query_keep_last(tess_query *query, int64_t n) {
    if (n >= query->n_rows)
        return;
    memmove(query->rows, query->rows + query->n_rows - n, (size_t)n * sizeof *query->rows);
    query->n_rows = n;
}

bool tess_query_has(const tess_query *query, const tess_run_field *field) {
    for (int64_t i = 0; i < query->n_rows; i++)
        if (field->is_text ? *tess_run_text(query->table, field, query->rows[i]) != '\0'
                           : !isnan(tess_run_number(query->table, field, query->rows[i])))
            return true;
    return false;
}

int tess_query_id_width(const tess_query *query) {
    int width = SHORTEST_ID;
    for (int64_t row = 1; row < query->table->n_rows; row++) {
        const char *a = tess_run_table_id(query->table, row - 1);
        const char *b = tess_run_table_id(query->table, row);
        int same = 0;
        while (a[same] && a[same] == b[same])
            same++;
        width = same + 1 > width ? same + 1 : width;
    }
    return width;
}

/* Whether a column "NAME@SOURCE" is NAME's only one in this row. */
static bool is_only_source(const tess_run_table *table, const tess_run_column *column,
                           int64_t row) {
    const size_t length = strcspn(column->name, "@") + 1;
    for (int64_t i = 0; i < table->n_columns; i++) {
        const tess_run_column *other = &table->columns[i];
        if (other != column && strncmp(other->name, column->name, length) == 0 &&
            !isnan(tess_run_column_number(table, other, row)))
            return false;
    }
    return true;
}

static void set_column(json_t *object, const tess_run_table *table, const tess_run_column *column,
                       int64_t row) {
    char name[TESS_COLUMN_SIZE];
    snprintf(name, sizeof name, "%s", column->name);
    if (column->is_text) {
        const char *text = tess_run_column_text(table, column, row);
        if (*text)
            json_object_set_new(object, name, tess_json_text(text));
        return;
    }
    const double number = tess_run_column_number(table, column, row);
    if (isnan(number))
        return;
    if (strchr(name, '@') && is_only_source(table, column, row))
        *strchr(name, '@') = '\0';
    json_object_set_new(object, name,
                        fabs(number) < 9e15 && number == floor(number)
                            ? json_integer((json_int_t)number)
                            : tess_json_number(number));
}

json_t *tess_query_json(const tess_query *query, int64_t row) {
    json_t *object = json_object(), *tags = json_array();
    const char *id = tess_run_table_id(query->table, row);
    for (int64_t i = 0; i < query->table->n_columns; i++)
        set_column(object, query->table, &query->table->columns[i], row);
    for (int64_t i = 0; i < query->tags->n; i++)
        if (strcmp(query->tags->items[i].run, id) == 0)
            json_array_append_new(tags, json_string(query->tags->items[i].name));
    json_object_set_new(object, "tags", tags);
    return object;
}

const char *tess_number_print(double number, char text[32]) {
    if (isnan(number))
        return "";
    snprintf(text, 32, number == floor(number) && fabs(number) < 1e9 ? "%.0f" : "%.4g", number);
    return text;
}
