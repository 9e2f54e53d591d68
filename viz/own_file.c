/* Files of our own that the program needs at run time: scripts and plug-ins. */
#include "viz/own_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the running program, "" where it is unknown. */
static void program_folder(char folder[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

void tess_own_file(const char *variable, const char *installed, const char *built,
                   char path[PATH_MAX]) {
    const char *given = getenv(variable);
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    char folder[PATH_MAX];
    program_folder(folder);
    if (snprintf(path, PATH_MAX, "%s/%s", folder, installed) >= PATH_MAX || access(path, R_OK) != 0)
        snprintf(path, PATH_MAX, "%s", built);
}
