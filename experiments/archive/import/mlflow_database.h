/* MLflow's database, mlflow.db: its runs, read by SQLite's library. */
#pragma once

#include "experiments/archive/import/importer.h"

/* Whether a file is one of SQLite. */
bool tess_mlflow_is_database(const tess_import_file *file);

/* Adds its runs but those that were deleted. Fails (INPUT) with the table that cannot be read,
 * (MISSING) where SQLite's library is not on this machine. */
TESS_MUST_CHECK tess_status tess_mlflow_database_read(const tess_import_file *file,
                                                      tess_imported_runs *runs);
