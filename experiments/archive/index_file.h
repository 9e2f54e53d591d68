/* The index of a lab: index.hdf, its run table (DESIGN section 8): derived and disposable.
 *
 * /columns   name, unit, kind ("text" or "number") of each column, in order
 * /runs      a compound with these columns, a row a run, sorted by id */
#ifndef TESS_INDEX_FILE_H
#define TESS_INDEX_FILE_H

#include "experiments/archive/lab.h"
#include "experiments/archive/run_table.h"

TESS_MUST_CHECK tess_status tess_index_file_write(const tess_run_table *table, const char *path);
TESS_MUST_CHECK tess_status tess_index_file_read(const char *path, tess_run_table **out);

/* Called with the runs read so far while an index is made; `progress` may be NULL. */
typedef void (*tess_index_progress)(int64_t n_read, int64_t n);

/* Gives the table of all runs of a lab: from its index, with those that are new since read, and
 * without those that are gone. An index that was missing, damaged or behind is written anew (where
 * that is possible: a lab may be read-only). *n_unreadable runs could not be read and are left out;
 * the message says why of the last one. */
TESS_MUST_CHECK tess_status tess_lab_table(const tess_lab *lab, tess_index_progress progress,
                                           tess_run_table **out, int64_t *n_unreadable);

#endif
