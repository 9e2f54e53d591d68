/* A folder: made unless it is there. */
#include "core/base/folder.h"

#include "core/base/array.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the folder that a path lies in is a group's. */
static bool is_of_group(const char *path) {
    char folder[PATH_MAX];
    struct stat about;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *slash = memrchr(path, '/', length);
    const int size = slash ? (int)(slash - path) + 1 : 1;
    if (size >= PATH_MAX)
        return false;
    snprintf(folder, sizeof folder, "%.*s", size, slash ? path : ".");
    return stat(folder, &about) == 0 && (about.st_mode & S_ISGID) && (about.st_mode & S_IWGRP);
}

bool tess_folder_make(const char *path) {
    struct stat about;
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST;
    if (is_of_group(path) && stat(path, &about) == 0)
        return chmod(path, (about.st_mode | S_IWGRP) & 07777) == 0;
    return true;
}

tess_status tess_folders_make(const char *path, bool shared) {
    tess_status status = TESS_OK;
    char *part = NULL;
    if (!path[0])
        FAIL(TESS_ERROR_USAGE, "a folder without a name cannot be made");
    if (strcmp(path, "-") == 0)
        FAIL(TESS_ERROR_USAGE, "- is the standard output, not a folder");
    TRY(tess_text_copy(path, &part));
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (shared ? !tess_folder_make(part) : mkdir(part, 0777) != 0 && errno != EEXIST)
            CHECK(tess_fail(TESS_ERROR_IO, "the folder %s cannot be made: %s", path,
                            strerror(errno)));
        if (!slash)
            break;
        *slash = '/';
    }
done:
    free(part);
    return status;
}

void tess_folder_share_file(const char *path, int file) {
    struct stat about;
    if (is_of_group(path) && fstat(file, &about) == 0 && !(about.st_mode & S_IWGRP))
        (void)!fchmod(file, (about.st_mode | S_IWGRP) & 07777);
}

bool tess_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *tess_last_of_path(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
