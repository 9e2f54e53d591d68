/* Shown columns: what `tess runs` prints of each run. */
#pragma once

#include "experiments/archive/run_query.h"
#include "experiments/report/table.h"

enum { TESS_MOST_SHOWN = 64 };

/* One column: a field of the run table, or the tags. */
typedef struct tess_shown_column {
    tess_run_field field;
    bool tags;
} tess_shown_column;

typedef struct tess_shown {
    const char *first; /* the name of what each row begins with; NULL: of nothing */
    bool usual;  /* nobody asked for these columns: some may be left out on a narrow terminal, */
    int n_asked; /* but for the first ones */
    int n;
    tess_shown_column columns[TESS_MOST_SHOWN];
} tess_shown;

/* Whether a row says it already: in its first column, or in one that is shown. */
bool tess_shown_has(const tess_shown *shown, const char *name);

/* Appends the columns named, separated by commas, each once. Fails (USAGE) on a name that no run
 * has, or leaves those out that no chosen run has, where it is lenient. */
TESS_MUST_CHECK tess_status tess_shown_choose(const tess_query *query, const char *names,
                                              bool lenient, tess_shown *out);

/* The text of a cell, which the caller frees: numbers in full or for people. */
TESS_MUST_CHECK tess_status tess_shown_cell(const tess_query *query,
                                            const tess_shown_column *column, int64_t row, bool full,
                                            char **out);

/* The title of a field, "touched MB" or, where it has none of its own, "NAME [UNIT]"; numbers of it
 * are shown times the scale. */
void tess_shown_title(const tess_run_field *field, char title[2 * TESS_COLUMN_SIZE]);
double tess_shown_scale(const tess_run_field *field);

/* Adds the columns to a table, the first before them, with their units. */
TESS_MUST_CHECK tess_status tess_shown_titles(tess_table *table, const tess_shown *columns);

typedef enum tess_shown_form { TESS_FORM_TABLE, TESS_FORM_CSV, TESS_FORM_JSON } tess_shown_form;

/* Prints one row for each combination of values of the columns `by` (names, separated by commas):
 * these values, how many runs have them, and the medians of the shown columns that are numbers. */
TESS_MUST_CHECK tess_status tess_groups_print(tess_query *query, const char *by,
                                              const tess_shown *shown, tess_shown_form form);
