/* A shipped mesh: one of those that come with the program. */
#include "data/shipped.h"

#include "core/base/own_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

tess_status tess_shipped_mesh(const char *name, char path[static 4096]) {
    char program[PATH_MAX], beside[PATH_MAX + sizeof "/../share/tesselab"];
    tess_own_folder(program);
    snprintf(beside, sizeof beside, "%s/../share/tesselab", program);
    const char *folders[] = {getenv("TESS_DATA"), beside, TESS_DATA_INSTALLED, TESS_DATA_SOURCE};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!folders[i])
            continue;
        snprintf(path, 4096, "%s/%s", folders[i], name);
        if (access(path, R_OK) == 0)
            return TESS_OK;
    }
    FAIL(TESS_ERROR_MISSING, "the mesh %s is not at %s: set TESS_DATA to its folder", name, path);
}
