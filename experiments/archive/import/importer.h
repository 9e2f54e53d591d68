/* An importer: a plug-in that reads runs of another program from its file.
 *
 * One const struct in one file, one line in list.h. */
#pragma once

#include "experiments/archive/import/imported_runs.h"

/* What is imported: a file, or a folder. */
typedef struct tess_import_file {
    const char *path;
    bool is_folder;
    char *text;   /* with a closing zero; NULL of a folder */
    int64_t size; /* bytes of it */
    json_t *json; /* of a file that begins as JSON does; NULL */
} tess_import_file;

typedef struct tess_importer {
    const char *name;
    const char *summary; /* one line, for help */
    bool (*knows)(const tess_import_file *file);
    /* Adds the runs. Fails (INPUT) with the file and the place of what is cut off or of an unknown
     * version. */
    tess_status (*read)(const tess_import_file *file, tess_imported_runs *runs);
} tess_importer;

/* The importer of that name; NULL: the first that knows the file. Fails (USAGE) on an unknown name,
 * (INPUT) where none knows the file. */
TESS_MUST_CHECK tess_status tess_importer_find(const char *name, const tess_import_file *file,
                                               const tess_importer **out);

/* Reads a file, or looks at a folder. Fails (INPUT) where it cannot be read or is JSON that ends
 * too early, by line and column. */
TESS_MUST_CHECK tess_status tess_import_file_open(const char *path, tess_import_file *out);
void tess_import_file_close(tess_import_file *file);
