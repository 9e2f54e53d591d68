/* An input file: one that is there, and ends. */
#include "core/base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tess_status check_regular(const char *path, int fd, int64_t *size) {
    struct stat about;
    if (fstat(fd, &about) != 0)
        FAIL(TESS_ERROR_IO, "%s: cannot be examined: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        FAIL(TESS_ERROR_INPUT, "%s: is %s, not a file", path,
             S_ISDIR(about.st_mode) ? "a directory" : "a pipe, socket or device");
    *size = about.st_size;
    return TESS_OK;
}

tess_status tess_input_open(const char *path, int *fd, int64_t *size) {
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a fifo must not make us wait */
    if (*fd < 0 && path[0] == '~' && errno == ENOENT)
        FAIL(TESS_ERROR_INPUT,
             "%s: cannot be opened: %s; ~ is a home only where the shell sees it: without quotes, "
             "and in front",
             path, strerror(errno));
    if (*fd < 0)
        FAIL(TESS_ERROR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    const tess_status status = check_regular(path, *fd, size);
    if (status != TESS_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

tess_status tess_input_open_stream(const char *path, FILE **out) {
    int fd = -1;
    int64_t size = 0;
    TRY(tess_input_open(path, &fd, &size));
    *out = fdopen(fd, "r");
    if (!*out) {
        close(fd);
        FAIL(TESS_ERROR_MEMORY, "out of memory for a stream of %s", path);
    }
    return TESS_OK;
}
