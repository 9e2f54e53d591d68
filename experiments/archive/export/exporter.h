/* An exporter: a plug-in that writes runs in a format of other programs.
 *
 * One const struct in one file, one line in list.h. */
#pragma once

#include "experiments/archive/run_query.h"
#include <stdio.h>

typedef struct tess_exporter {
    const char *name;
    const char *summary; /* one line, for help */
    /* Writes the rows of the query to the stream, whose errors the caller finds. */
    tess_status (*write)(const tess_query *query, FILE *stream);
    /* Or else: writes them as files into a folder that is there. */
    tess_status (*write_folder)(const tess_query *query, const char *folder);
} tess_exporter;

/* Reads the record of each row in turn and gives it to `write`. */
TESS_MUST_CHECK tess_status tess_export_records(const tess_query *query, void *context,
                                                tess_status (*write)(void *context,
                                                                     const tess_record *record));

/* The path of the plan file of the query's one run; fails (USAGE) where there are more. */
TESS_MUST_CHECK tess_status tess_export_plan_path(const tess_query *query,
                                                  char path[TESS_PATH_SIZE]);

/* Writes JSON, indented, with a line end, and takes its reference; NULL is out of memory. */
TESS_MUST_CHECK tess_status tess_export_json(json_t *object, FILE *stream);

/* A field of CSV, quoted where it must be (RFC 4180). */
void tess_export_csv_field(const char *text, FILE *stream);
