/* A look at a file in a process of its own: libraries of others read and write outside of their
 * memory, or end the process, where some files are damaged. */
#include "data/formats/probe_in_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process says of its look. */
typedef struct look_answer {
    tess_status status;
    char message[1024];
} look_answer;

/* Ends this process once it has computed for longer than a look takes: libraries go round for ever
 * in some damaged files. */
static void limit_seconds(void) {
    enum { SECONDS = 10 }; /* of a processor */
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_cur < SECONDS ? limit.rlim_cur : SECONDS;
    setrlimit(RLIMIT_CPU, &limit);
}

_Noreturn static void answer(int to, tess_status (*look)(const void *context),
                             const void *context) {
    look_answer said = {.status = TESS_OK};
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    limit_seconds();
    said.status = look(context);
    if (said.status != TESS_OK)
        snprintf(said.message, sizeof said.message, "%s", tess_message());
    _exit(write(to, &said, sizeof said) == sizeof said ? 0 : 1);
}

/* Waits for the process, which has broken where it gave no answer. */
static bool wait_for_answer(pid_t child, int from, look_answer *said) {
    int ended = 0;
    ssize_t n = 0;
    do
        n = read(from, said, sizeof *said); /* one write, shorter than a pipe holds */
    while (n < 0 && errno == EINTR);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return n == sizeof *said && ended == 0;
}

tess_status tess_probe_in_child(const char *path, const char *library,
                                tess_status (*look)(const void *context), const void *context) {
    int ends[2];
    look_answer said = {.status = TESS_OK};
    if (pipe2(ends, O_CLOEXEC) != 0)
        FAIL(TESS_ERROR_IO, "%s: no pipe to a process that looks through it: %s", path,
             strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        answer(ends[1], look, context);
    close(ends[1]);
    const bool answered = child > 0 && wait_for_answer(child, ends[0], &said);
    const int reason = errno;
    close(ends[0]);
    if (child < 0)
        FAIL(TESS_ERROR_IO, "%s: no process to look through it: %s", path, strerror(reason));
    if (!answered)
        FAIL(TESS_ERROR_INPUT, "%s: offset 0: %s breaks as it looks through it: damaged", path,
             library);
    return said.status == TESS_OK ? TESS_OK : tess_fail(said.status, "%s", said.message);
}
