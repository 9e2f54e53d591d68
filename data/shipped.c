/* A shipped mesh: one of those that come with the program. */
#include "data/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

tess_status tess_shipped_mesh(const char *name, char path[static 4096]) {
    const char *folders[] = {getenv("TESS_DATA"), TESS_DATA_INSTALLED, TESS_DATA_SOURCE};
    for (int i = 0; i < 3; i++) {
        if (!folders[i])
            continue;
        snprintf(path, 4096, "%s/%s", folders[i], name);
        if (access(path, R_OK) == 0)
            return TESS_OK;
    }
    FAIL(TESS_ERROR_MISSING, "the mesh %s is not at %s: set TESS_DATA to its folder", name, path);
}
