/* Shown columns: what `tess runs` prints of each run. */
#include "experiments/report/shown.h"

#include "core/base/array.h"
#include "core/base/name_list.h"
#include "core/plan/quantity.h"
#include "partitioners/partitioner.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Finds a column by its name; false where it is left out. */
static tess_status find_column(const tess_query *query, const char *name, bool lenient,
                               tess_shown_column *column, bool *found) {
    *column = (tess_shown_column){.tags = strcmp(name, "tags") == 0};
    if (column->tags) {
        strcpy(column->field.name, "tags");
        *found = !lenient || query->tags->n > 0;
    } else if (lenient) {
        *found = tess_run_table_find(query->table, name, &column->field) &&
                 tess_query_has(query, &column->field);
    } else {
        TRY(tess_run_table_require(query->table, name, &column->field));
        *found = true;
    }
    return TESS_OK;
}

bool tess_shown_has(const tess_shown *shown, const char *name) {
    if (shown->first && strcmp(shown->first, name) == 0)
        return true;
    for (int k = 0; k < shown->n; k++)
        if (strcmp(shown->columns[k].field.name, name) == 0)
            return true;
    return false;
}

tess_status tess_shown_choose(const tess_query *query, const char *names, bool lenient,
                              tess_shown *out) {
    char name[TESS_LISTED_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);) {
        tess_shown_column column;
        bool found = false;
        TRY(find_column(query, name, lenient, &column, &found));
        if (!found || tess_shown_has(out, column.field.name))
            continue;
        if (out->n == TESS_MOST_SHOWN)
            FAIL(TESS_ERROR_USAGE, "more than %d columns", TESS_MOST_SHOWN);
        out->columns[out->n++] = column;
    }
    return TESS_OK;
}

void tess_shown_title(const tess_run_field *field, char title[2 * TESS_COLUMN_SIZE]) {
    const tess_quantity *found = tess_title_of(field->name);
    const bool has_unit = !found && field->unit && *field->unit && strcmp(field->unit, "1") != 0 &&
                          strcmp(field->unit, "elements") != 0;
    snprintf(title, 2 * TESS_COLUMN_SIZE, has_unit ? "%s [%s]" : "%s",
             found ? found->title : field->name, field->unit);
}

double tess_shown_scale(const tess_run_field *field) {
    const tess_quantity *title = tess_title_of(field->name);
    return title ? title->scale : 1;
}

/* "rcb --refine 3": what made the blocks, as tess partition says it. */
static tess_status blocks_cell(const tess_query *query, const char *partitioner, int64_t row,
                               char **out) {
    tess_run_field refine;
    const double n = tess_run_table_find(query->table, "refine", &refine)
                         ? tess_run_number(query->table, &refine, row)
                         : 0;
    char *title = NULL;
    TRY(tess_partitioner_title(partitioner, &title));
    const tess_status status =
        n > 0 ? tess_text_print(out, "%s --refine %g", title, n) : tess_text_copy(title, out);
    free(title);
    return status;
}

tess_status tess_shown_cell(const tess_query *query, const tess_shown_column *column, int64_t row,
                            bool full, char **out) {
    char text[40] = "";
    if (column->tags)
        return tess_tags_of(query->tags, tess_run_table_id(query->table, row), out);
    if (column->field.is_text) {
        const char *words = tess_run_text(query->table, &column->field, row);
        if (!full && strcmp(column->field.name, "time") == 0)
            return tess_text_copy(*words ? strndupa(words, 19) : "", out);
        if (!full && strcmp(column->field.name, "partitioner") == 0)
            return blocks_cell(query, words, row, out);
        if (!full && strcmp(column->field.name, "mesh") == 0 && *words == '/')
            return tess_text_copy(strrchr(words, '/') + 1, out);
        return tess_text_copy(words, out);
    }
    const double number = tess_run_number(query->table, &column->field, row);
    if (!full)
        return tess_text_copy(tess_number_print(tess_shown_scale(&column->field) * number, text),
                              out);
    if (!isnan(number))
        snprintf(text, sizeof text, "%.17g", number);
    return tess_text_copy(text, out);
}

/* Positions of the usual columns on a narrow terminal: what is first left out has the highest. */
static int rank_of(const char *name) {
    static const char *const yielding[] = {
        "reuse_factor",  "mesh",      "outcome",        "device",      "loop",
        "block_colours", "bandwidth", "transfer_total", "application", "thread_colours_mean",
        "time",          "layout",    "useful_fraction"};
    for (size_t i = 0; i < sizeof yielding / sizeof *yielding; i++)
        if (strcmp(yielding[i], name) == 0)
            return (int)i + 1;
    return 0;
}

tess_status tess_shown_titles(tess_table *table, const tess_shown *columns) {
    TRY(tess_table_add_column(table, columns->first, TESS_ALIGN_LEFT));
    for (int k = 0; k < columns->n; k++) {
        const tess_run_field *field = &columns->columns[k].field;
        char title[2 * TESS_COLUMN_SIZE];
        tess_shown_title(field, title);
        const bool left = columns->columns[k].tags || field->is_text;
        TRY(tess_table_add_column(table, title, left ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
        if (columns->usual && k >= columns->n_asked)
            tess_table_yield(table, rank_of(field->name));
    }
    return TESS_OK;
}
