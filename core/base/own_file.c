/* Files of our own that run beside us: the program itself, its scripts, plug-ins and helpers. */
#include "core/base/own_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tess_status tess_own_program(char path[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        FAIL(TESS_ERROR_IO, "the path of this program cannot be found: %s", strerror(errno));
    path[length] = '\0';
    return TESS_OK;
}

void tess_own_folder(char folder[PATH_MAX]) {
    char *slash = tess_own_program(folder) == TESS_OK ? strrchr(folder, '/') : NULL;
    *(slash ? slash : folder) = '\0';
}

/* The path of the library that this code is in; false where it is part of the program, which has no
 * name among libraries: what it was called by may be another file in the folder that one is in. */
static bool find_library(char path[PATH_MAX]) {
    Dl_info about;
    struct link_map *map = NULL;
    return dladdr1((const void *)(uintptr_t)&tess_own_code_folder, &about, (void **)&map,
                   RTLD_DL_LINKMAP) &&
           map && map->l_name[0] && realpath(map->l_name, path);
}

void tess_own_code_folder(char folder[PATH_MAX]) {
    if (find_library(folder))
        *strrchr(folder, '/') = '\0';
    else
        tess_own_folder(folder);
}

void tess_own_file(const char *variable, const char *installed, const char *built,
                   char path[PATH_MAX]) {
    const char *given = getenv(variable);
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    char folder[PATH_MAX];
    tess_own_folder(folder);
    if (snprintf(path, PATH_MAX, "%s/%s", folder, installed) >= PATH_MAX || access(path, R_OK) != 0)
        snprintf(path, PATH_MAX, "%s", built);
}
