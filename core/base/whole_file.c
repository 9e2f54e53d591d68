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

static tess_status cannot_write(const char *path) {
    FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
}

/* Gives the folder that the path lies in; the caller frees it. */
static tess_status folder_of(const char *path, char **out) {
    const char *slash = strrchr(path, '/');
    return slash ? tess_text_print(out, "%.*s", (int)(slash - path) + 1, path)
                 : tess_text_copy(".", out);
}

/* Makes a rename last through a power cut. A file system that cannot sync folders says EINVAL. */
static tess_status sync_folder_of(const char *path) {
    tess_status status = TESS_OK;
    char *folder = NULL;
    int file = -1;
    CHECK(folder_of(path, &folder));
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
    char *folder = NULL;
    struct stat about;
    if (strcmp(path, "-") == 0)
        FAIL(TESS_ERROR_USAGE, "- is the standard output, not a file to write");
    TRY(folder_of(path, &folder));
    const int refused = access(folder, W_OK | X_OK) != 0 ? errno : 0;
    free(folder);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        FAIL(TESS_ERROR_IO, "%s is a %s, not a file to write", path,
             S_ISDIR(about.st_mode) ? "folder" : "pipe, socket or device");
    errno = refused;
    return refused ? cannot_write(path) : TESS_OK;
}

tess_status tess_whole_file_open(const char *path, tess_whole_file *file) {
    char *folder = NULL;
    TRY(tess_whole_file_check(path));
    TRY(tess_text_copy(path, &file->path));
    TRY(temporary_path(path, &file->temporary));
    TRY(folder_of(path, &folder));
    int number = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (number < 0) {
        number = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        file->is_named = number >= 0;
    }
    if (number < 0)
        return cannot_write(path);
    file->stream = fdopen(number, "w");
    if (!file->stream) {
        close(number);
        FAIL(TESS_ERROR_MEMORY, "out of memory for a stream to %s", path);
    }
    return TESS_OK;
}

/* The temporary gets its name, then the path's. */
static tess_status stream_keep(tess_whole_file *file) {
    char nameless[64];
    const int number = fileno(file->stream);
    snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", number);
    if (fflush(file->stream) != 0 || ferror(file->stream) ||
        (!file->is_remade && fsync(number) != 0))
        return cannot_write(file->path);
    if (!file->is_named &&
        linkat(AT_FDCWD, nameless, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) != 0)
        return cannot_write(file->path);
    file->is_named = true;
    const int closed = fclose(file->stream);
    file->stream = NULL;
    if (closed != 0 || rename(file->temporary, file->path) != 0)
        return cannot_write(file->path);
    file->is_named = false;
    return file->is_remade ? TESS_OK : sync_folder_of(file->path);
}

tess_status tess_whole_file_keep(tess_whole_file *file) {
    tess_interrupt_wait_begin();
    const tess_status status = stream_keep(file);
    tess_interrupt_wait_end();
    return status;
}

void tess_whole_file_release(tess_whole_file *file) {
    if (file->stream)
        fclose(file->stream);
    if (file->is_named)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (tess_whole_file){.is_remade = file->is_remade};
}

static tess_status write_bytes(const char *path, const void *bytes, size_t size, bool is_remade) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = is_remade};
    tess_interrupt_wait_begin();
    CHECK(tess_whole_file_open(path, &file));
    if (size > 0)
        fwrite(bytes, 1, size, file.stream); /* the stream keeps what fails until it is kept */
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    tess_interrupt_wait_end();
    return status;
}

tess_status tess_whole_file_write(const char *path, const void *bytes, size_t size) {
    return write_bytes(path, bytes, size, false);
}

tess_status tess_whole_file_remake(const char *path, const void *bytes, size_t size) {
    return write_bytes(path, bytes, size, true);
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
