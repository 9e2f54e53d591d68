/* A whole file: one that readers see complete or not at all, whatever becomes of its writer. */
#include "core/base/whole_file.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOST_SIZE = 65, STALE_AFTER_SECONDS = 3600 };

static const char suffix[] = ".tmp";

/* The host's name without dots, which separate the parts of a temporary's name. */
static void host_name(char host[HOST_SIZE]) {
    if (gethostname(host, HOST_SIZE) != 0)
        strcpy(host, "unknown");
    host[HOST_SIZE - 1] = '\0';
    host[strcspn(host, ".")] = '\0';
    if (!*host)
        strcpy(host, "unknown");
}

static tess_status temporary_path(const char *path, char **out) {
    const char *slash = strrchr(path, '/');
    const int folder_length = slash ? (int)(slash - path) + 1 : 0;
    char host[HOST_SIZE];
    host_name(host);
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        FAIL(TESS_ERROR_IO, "no random numbers from the system: %s", strerror(errno));
    if (asprintf(out, "%.*s.%s.%s.%ld.%016" PRIx64 "%s", folder_length, path, path + folder_length,
                 host, (long)getpid(), number, suffix) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a file name");
    return TESS_OK;
}

static tess_status write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            FAIL(TESS_ERROR_IO, "%s", written < 0 ? strerror(errno) : "nothing more is written");
        bytes += written;
        size -= (size_t)written;
    }
    if (fsync(file) != 0)
        FAIL(TESS_ERROR_IO, "%s", strerror(errno));
    return TESS_OK;
}

/* Makes a rename last through a power cut. A file system that cannot sync folders says EINVAL. */
static tess_status sync_folder_of(const char *path) {
    tess_status status = TESS_OK;
    char *folder = NULL;
    int file = -1;
    const char *slash = strrchr(path, '/');
    CHECK(tess_text_copy(slash ? path : ".", &folder));
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || (fsync(file) != 0 && errno != EINVAL))
        CHECK(tess_fail(TESS_ERROR_IO, "cannot sync the folder %s: %s", folder, strerror(errno)));
done:
    if (file >= 0)
        close(file);
    free(folder);
    return status;
}

tess_status tess_whole_file_check(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        return TESS_OK;
    FAIL(TESS_ERROR_IO, "%s is a %s, not a file to write", path,
         S_ISDIR(about.st_mode) ? "folder" : "pipe, socket or device");
}

tess_status tess_whole_file_write(const char *path, const void *bytes, size_t size) {
    tess_status status = TESS_OK;
    char *temporary = NULL;
    bool made = false;
    int file = -1;
    TRY(tess_whole_file_check(path));
    tess_interrupt_wait_begin();
    CHECK(temporary_path(path, &temporary));
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s", strerror(errno)));
    made = true;
    CHECK(write_all(file, bytes, size));
    const int closed = close(file);
    file = -1;
    if (closed != 0 || rename(temporary, path) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s", strerror(errno)));
    made = false;
    CHECK(sync_folder_of(path));
done:
    if (file >= 0)
        close(file);
    if (made)
        unlink(temporary);
    free(temporary);
    tess_interrupt_wait_end();
    if (status == TESS_ERROR_IO)
        status = tess_fail_at(status, "cannot write %s (%.1f kB; nothing else is lost)", path,
                              (double)size / 1e3);
    return status;
}

bool tess_whole_file_is_temporary(const char *name) {
    const size_t length = strlen(name);
    return length >= sizeof suffix && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

/* The writer's host and process number from the name of a temporary; false where it has none. */
static bool writer_of(const char *name, char host[HOST_SIZE], long *process) {
    const char *parts[4]; /* behind the last four dots: host, process, random, tmp */
    const char *end = name + strlen(name);
    for (int i = 3; i >= 0; i--) {
        const char *dot = memrchr(name, '.', (size_t)(end - name));
        if (!dot)
            return false;
        parts[i] = dot + 1;
        end = dot;
    }
    const size_t length = (size_t)(parts[1] - parts[0]) - 1;
    if (length >= HOST_SIZE)
        return false;
    memcpy(host, parts[0], length);
    host[length] = '\0';
    char *rest = NULL;
    *process = strtol(parts[1], &rest, 10);
    return *process > 0 && *rest == '.';
}

bool tess_whole_file_is_stale(const char *folder, const char *name) {
    char here[HOST_SIZE], host[HOST_SIZE];
    long process = 0;
    host_name(here);
    if (writer_of(name, host, &process) && strcmp(host, here) == 0 &&
        kill((pid_t)process, 0) != 0 && errno == ESRCH)
        return true;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return false;
    struct stat about;
    const bool old = stat(path, &about) == 0 && time(NULL) - about.st_mtime > STALE_AFTER_SECONDS;
    free(path);
    return old;
}
