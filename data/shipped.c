/* A shipped mesh: one of those that come with the program. */
#include "data/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of an installed program's meshes, wherever it was put: ../share/tesselab of its own.
 */
static void find_beside_program(char folder[static 4096]) {
    char program[4000];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    snprintf(folder, 4096, "%s/../share/tesselab", program);
}

tess_status tess_shipped_mesh(const char *name, char path[static 4096]) {
    char beside[4096];
    find_beside_program(beside);
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
