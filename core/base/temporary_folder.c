/* A temporary folder: files of a while. */
#include "core/base/temporary_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

void tess_temporary_folder_make(const char *name, char folder[static TESS_TEMPORARY_SIZE]) {
    const char *stated = getenv("TMPDIR");
    const int length = snprintf(folder, TESS_TEMPORARY_SIZE, "%s/%s-XXXXXX",
                                stated && stated[0] ? stated : "/tmp", name);
    if (length >= TESS_TEMPORARY_SIZE || !mkdtemp(folder))
        folder[0] = '\0';
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *level) {
    (void)info;
    (void)kind;
    (void)level;
    remove(path);
    return 0;
}

void tess_temporary_folder_remove(const char *folder) {
    if (folder[0])
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
