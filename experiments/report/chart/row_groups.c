/* Groups of rows: runs of a query that agree in some fields, by a name that says in which. */
#include "experiments/report/chart/row_groups.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/name_list.h"
#include "core/base/statistics.h"
#include "core/base/stream_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 24 };
static const char between = '\x1f'; /* values of a key */

typedef struct key_fields {
    const tess_query *query;
    int n;
    tess_run_field fields[MOST_FIELDS];
    bool varies[MOST_FIELDS];
} key_fields;

/* A row with the values of the fields, as one text. */
typedef struct keyed_row {
    int64_t row, position;
    char *key;
} keyed_row;

static void find_fields(const char *names, key_fields *out) {
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);)
        if (out->n < MOST_FIELDS &&
            tess_run_table_find(out->query->table, name, &out->fields[out->n]))
            out->n++;
}

/* The value of a field as tables have it: of meshes the last part of the path. */
static const char *value_text(const key_fields *by, int k, int64_t row, char number[32]) {
    const tess_run_field *field = &by->fields[k];
    if (!field->is_text)
        return tess_number_print(tess_run_number(by->query->table, field, row), number);
    const char *text = tess_run_text(by->query->table, field, row);
    return strcmp(field->name, "mesh") == 0 ? tess_last_of_path(text) : text;
}

static tess_status make_key(const key_fields *by, int64_t row, char **key) {
    tess_printed text;
    TRY(tess_printed_open(&text));
    for (int k = 0; k < by->n; k++) {
        char number[32];
        const tess_run_field *field = &by->fields[k];
        fprintf(text.stream, "%s%c",
                field->is_text ? tess_run_text(by->query->table, field, row)
                               : value_text(by, k, row, number),
                between);
    }
    return tess_printed_close(&text, TESS_OK, key);
}

static int by_key(const void *a, const void *b) {
    const keyed_row *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->position > y->position) - (x->position < y->position);
}

static void find_varying(key_fields *by, const tess_row_groups *groups) {
    for (int k = 0; k < by->n; k++) {
        char first[32], other[32];
        const char *text = groups->n ? value_text(by, k, groups->items[0].rows[0], first) : "";
        for (int64_t g = 1; g < groups->n && !by->varies[k]; g++)
            by->varies[k] = strcmp(text, value_text(by, k, groups->items[g].rows[0], other)) != 0;
    }
}

/* What stands before and behind a text that does not speak for itself. */
static void add_words(const char *field, const char **before, const char **behind) {
    if (strcmp(field, "cache") == 0)
        *behind = " cache";
    else if (strcmp(field, "host") == 0)
        *before = "on ";
    else if (strcmp(field, "renumber") == 0)
        *before = "renumbered: ";
}

/* "mosaic, block size 128": most texts speak for themselves, numbers need their name. */
static tess_status name_group(const key_fields *by, bool all, tess_row_group *group) {
    tess_printed name;
    TRY(tess_printed_open(&name));
    FILE *const stream = name.stream;
    const char *comma = "";
    for (int k = 0; k < by->n; k++) {
        char number[32];
        const char *text = value_text(by, k, group->rows[0], number), *before = "", *behind = "";
        if (!*text || (!all && !by->varies[k]))
            continue;
        fputs(comma, stream);
        comma = ", ";
        for (const char *c = by->fields[k].name; !by->fields[k].is_text && *c; c++)
            putc(*c == '_' ? ' ' : *c, stream);
        if (!by->fields[k].is_text)
            putc(' ', stream);
        add_words(by->fields[k].name, &before, &behind);
        fputs(before, stream);
        for (const char *c = text; *c; c++) /* what would steer a terminal is no part of a name */
            putc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stream);
        fputs(behind, stream);
    }
    return tess_printed_close(&name, TESS_OK, &group->name);
}

static int by_first_row(const void *a, const void *b) {
    const tess_row_group *x = a, *y = b;
    return (x->rows[0] > y->rows[0]) - (x->rows[0] < y->rows[0]);
}

static tess_status fill_groups(const keyed_row *keyed, int64_t n, tess_row_groups *out) {
    TRY(TESS_ALLOC(n, &out->rows));
    TRY(TESS_ZEROS(n, &out->items));
    for (int64_t i = 0; i < n; i++) {
        out->rows[i] = keyed[i].row;
        if (i == 0 || strcmp(keyed[i].key, keyed[i - 1].key) != 0)
            out->items[out->n++].rows = &out->rows[i];
        out->items[out->n - 1].n++;
    }
    qsort(out->items, (size_t)out->n, sizeof *out->items, by_first_row);
    return TESS_OK;
}

tess_status tess_row_groups_build(const tess_query *query, const int64_t *rows, int64_t n_rows,
                                  const char *fields, bool all, tess_row_groups *out) {
    tess_status status = TESS_OK;
    key_fields by = {.query = query};
    keyed_row *keyed = NULL;
    *out = (tess_row_groups){.n = 0};
    find_fields(fields, &by);
    CHECK(TESS_ZEROS(n_rows, &keyed));
    for (int64_t i = 0; i < n_rows; i++) {
        keyed[i] = (keyed_row){.row = rows[i], .position = i};
        CHECK(make_key(&by, rows[i], &keyed[i].key));
    }
    qsort(keyed, (size_t)n_rows, sizeof *keyed, by_key);
    CHECK(fill_groups(keyed, n_rows, out));
    find_varying(&by, out);
    for (int64_t g = 0; g < out->n; g++)
        CHECK(name_group(&by, all, &out->items[g]));
done:
    for (int64_t i = 0; keyed && i < n_rows; i++)
        free(keyed[i].key);
    free(keyed);
    if (status != TESS_OK)
        tess_row_groups_clear(out);
    return status;
}

tess_status tess_row_groups_split(const tess_query *query, const tess_row_group *of,
                                  const char *fields, const char *usual, tess_row_groups *out) {
    TRY(tess_row_groups_build(query, of->rows, of->n, fields, false, out));
    if (out->n > 1 || !usual)
        return TESS_OK;
    tess_row_groups_clear(out);
    return tess_row_groups_build(query, of->rows, of->n, usual, true, out);
}

void tess_row_groups_clear(tess_row_groups *groups) {
    for (int64_t g = 0; g < groups->n; g++)
        free(groups->items[g].name);
    free(groups->items);
    free(groups->rows);
    *groups = (tess_row_groups){.n = 0};
}

tess_status tess_row_group_value(const tess_query *query, const tess_row_group *group,
                                 const char *name, tess_group_value *out) {
    tess_run_field field;
    double *values = NULL;
    *out = (tess_group_value){.median = NAN, .least = NAN, .largest = NAN};
    if (!tess_run_table_find(query->table, name, &field) || field.is_text)
        return TESS_OK;
    TRY(TESS_ALLOC(group->n, &values));
    for (int64_t i = 0; i < group->n; i++) {
        const double value = tess_run_number(query->table, &field, group->rows[i]);
        if (isnan(value))
            continue;
        out->least = fmin(out->least, value); /* of a number and NaN: the number */
        out->largest = fmax(out->largest, value);
        values[out->n++] = value;
    }
    out->median = tess_median(values, out->n);
    free(values);
    return TESS_OK;
}
