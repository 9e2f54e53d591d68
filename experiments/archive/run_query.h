/* A query: a lab's run table with its tags, and which of its rows are asked for, in which order. */
#pragma once

#include "experiments/archive/filter.h"
#include <jansson.h>

typedef struct tess_query {
    tess_lab *lab;
    tess_run_table *table;
    tess_tags *tags;
    int64_t n_rows;
    int64_t *rows; /* rows of the table */
    int64_t n_unreadable;
    char *misfit; /* words on a filter that no run fits, of which parts; else NULL */
} tess_query;

/* Opens the lab at `folder` (NULL: the default) with all its runs, oldest first; shows progress on
 * stderr where reading them takes long and that is a terminal. */
TESS_MUST_CHECK tess_status tess_query_open(const char *folder, tess_query **out);
void tess_query_close(tess_query *query);

/* Keeps the rows that fit a filter (experiments/archive/filter.h). */
TESS_MUST_CHECK tess_status tess_query_filter(tess_query *query, const char *where);
/* Sorts by the fields named, separated by commas; '-' before a name: largest first. Runs that lack
 * a field come last; equal ones stay in the order of time. */
TESS_MUST_CHECK tess_status tess_query_sort(tess_query *query, const char *names);
/* Keeps the last n rows. */
void tess_query_keep_last(tess_query *query, int64_t n);

/* True for a field that some of the kept rows have. */
bool tess_query_has(const tess_query *query, const tess_run_field *field);

/* The start of an id that no other run of the table has, at least 8 characters, as long for all. */
int tess_query_id_width(const tess_query *query);

/* A run's scalars: its id as `run`, `tags`, and each field that it has by its name, metrics without
 * their source where only one has them. NULL when out of memory. */
json_t *tess_query_json(const tess_query *query, int64_t row);

/* A number for people: whole ones as they are, others with 4 digits. `text` has 32 bytes. */
const char *tess_number_print(double number, char text[32]);
