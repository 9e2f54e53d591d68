/* Groups of rows: runs of a query that agree in some fields, by a name that says in which. */
#pragma once

#include "experiments/archive/run_query.h"

typedef struct tess_row_group {
    int64_t n;
    int64_t *rows; /* rows of the table, in the order of the query; part of the groups' array */
    char *name;    /* "mosaic, block size 128"; owned */
} tess_row_group;

typedef struct tess_row_groups {
    int64_t n;
    tess_row_group *items;
    int64_t *rows;
} tess_row_groups;

/* Groups rows [n_rows] of the query's table by the fields named, separated by commas; names that no
 * run has are passed over. Groups come in the order of their first rows. Their names have the
 * fields in which they differ, or, with `all`, those that they have. */
TESS_MUST_CHECK tess_status tess_row_groups_build(const tess_query *query, const int64_t *rows,
                                                  int64_t n_rows, const char *fields, bool all,
                                                  tess_row_groups *out);
/* Groups the rows of a group, named by what differs; or, where nothing does, by the fields `usual`,
 * which these fields contain, so that what is shown has a name (NULL: it has none). */
TESS_MUST_CHECK tess_status tess_row_groups_split(const tess_query *query, const tess_row_group *of,
                                                  const char *fields, const char *usual,
                                                  tess_row_groups *out);
void tess_row_groups_clear(tess_row_groups *groups);

/* The median of a field over the rows of a group that have it, the least and the largest, and how
 * many have it; NaN and 0 where none has. */
typedef struct tess_group_value {
    double median, least, largest;
    int64_t n;
} tess_group_value;
TESS_MUST_CHECK tess_status tess_row_group_value(const tess_query *query,
                                                 const tess_row_group *group, const char *field,
                                                 tess_group_value *out);
