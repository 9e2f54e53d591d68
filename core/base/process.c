/* A process: another program that this one has started. */
#include "core/base/process.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100 };

/* Notes the share done that a child has written last, if any. */
static void note_progress(int written) {
    char text[64];
    long long n_done = 0, n = 0;
    const ssize_t length = pread(written, text, sizeof text - 1, 0);
    if (length <= 0)
        return;
    text[length] = '\0';
    if (sscanf(text, "%lld %lld", &n_done, &n) == 2 && n_done > 0)
        tess_progress_set(n_done, n, NULL);
}

/* `progress` is the file that the child writes its share to; -1: none. Who has seen an interrupt
 * once ends the child, though another thread takes it back. */
static tess_status wait_for(pid_t child, int progress, int *wait_status) {
    const int pidfd = (int)syscall(SYS_pidfd_open, child, 0); /* glibc: since 2.36 */
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};
    bool interrupted = tess_interrupted();
    while (!interrupted && pidfd >= 0 && poll(&ended, 1, POLL_MILLISECONDS) <= 0) {
        if (progress >= 0)
            note_progress(progress);
        interrupted = tess_interrupted();
    }
    if (interrupted)
        kill(child, SIGKILL);
    if (pidfd >= 0)
        close(pidfd);
    while (waitpid(child, wait_status, 0) < 0)
        if (errno != EINTR)
            FAIL(TESS_ERROR_IO, "a process cannot be waited for: %s", strerror(errno));
    if (interrupted)
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted");
    return TESS_OK;
}

tess_status tess_process_wait(pid_t child, int *wait_status) {
    return wait_for(child, -1, wait_status);
}

/* This program's environment with one more line; the caller frees the array. */
static tess_status add_to_environment(char *line, char ***out) {
    int64_t n = 0;
    while (environ[n])
        n++;
    TRY(TESS_ALLOC(n + 2, out));
    (*out)[0] = line; /* the first of a name is what getenv finds */
    memcpy(*out + 1, environ, (size_t)(n + 1) * sizeof **out);
    return TESS_OK;
}

static tess_status start(const tess_process_call *call, int progress, pid_t *child) {
    FILE *const files[] = {call->input, call->output, call->errors};
    posix_spawn_file_actions_t actions;
    char line[64], **environment = NULL;
    snprintf(line, sizeof line, "TESS_PROGRESS_FD=%d", progress);
    TRY(add_to_environment(line, &environment));
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++)
        if (files[i])
            posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    posix_spawn_file_actions_adddup2(&actions, progress, progress); /* stays open in the child */
    const int error = posix_spawnp(child, call->program, &actions, NULL, call->argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error)
        FAIL(TESS_ERROR_MISSING, "%s does not start: %s", call->program, strerror(error));
    return TESS_OK;
}

int tess_process_start_apart(const char *program, char *const *argv,
                             const posix_spawn_file_actions_t *actions, pid_t *child) {
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(child, program, actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

tess_status tess_process_run(const tess_process_call *call, int *wait_status) {
    pid_t child = 0;
    const int progress = memfd_create("tess-progress", MFD_CLOEXEC);
    if (progress < 0)
        FAIL(TESS_ERROR_MEMORY, "no memory to start %s: %s", call->program, strerror(errno));
    tess_status status = start(call, progress, &child);
    if (status == TESS_OK)
        status = wait_for(child, progress, wait_status);
    close(progress);
    return status;
}

tess_status tess_process_status(int exit_code) {
    static const tess_status ours[] = {TESS_ERROR_USAGE, TESS_ERROR_INPUT, TESS_ERROR_MISSING};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (tess_status_exit_code(ours[i]) == exit_code)
            return ours[i];
    return TESS_ERROR_IO;
}

void tess_process_tail(FILE *printed, char *text, size_t size) {
    const long length = fseek(printed, 0, SEEK_END) == 0 ? ftell(printed) : 0;
    const long begin = length > (long)size - 1 ? length - (long)size + 1 : 0;
    fseek(printed, begin, SEEK_SET);
    size_t n = fread(text, 1, size - 1, printed);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
}
