/* A dialogue: a program that this one has started, and talks with line by line. */
#include "kernels/peers/dialogue.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/process.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100, SAID_SIZE = 600, LINE_SIZE = 4096 };

struct tess_dialogue {
    const char *name, *prefix;
    pid_t child; /* and its group; 0: it is gone */
    int socket;
    FILE *printed;
    int n; /* bytes of `line` that have come; the answer, when it is whole */
    char line[LINE_SIZE];
};

static tess_status start(tess_dialogue *d, char *const *argv, int its_end) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, its_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(d->printed), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    const int error = tess_process_start_apart(argv[0], argv, &actions, &d->child);
    posix_spawn_file_actions_destroy(&actions);
    if (!error)
        return TESS_OK;
    d->child = 0;
    FAIL(TESS_ERROR_MISSING, "%s does not start: %s: %s", d->name, argv[0], strerror(error));
}

tess_status tess_dialogue_open(char *const *argv, const char *name, const char *prefix,
                               tess_dialogue **out) {
    tess_status status = TESS_OK;
    tess_dialogue *d = NULL;
    int ends[2] = {-1, -1};
    CHECK(TESS_ZEROS(1, &d));
    *d = (tess_dialogue){.name = name, .prefix = prefix, .socket = -1, .printed = tmpfile()};
    if (!d->printed || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be talked with: %s", name, strerror(errno)));
    d->socket = ends[0];
    CHECK(start(d, argv, ends[1]));
    *out = TESS_TAKE(d);
done:
    if (ends[1] >= 0)
        close(ends[1]);
    tess_dialogue_close(d);
    return status;
}

/* Ends the program, whose answers have ended, and says why as a failure. */
static tess_status fail_ended(tess_dialogue *d) {
    char tail[SAID_SIZE];
    int ended = 0;
    TRY(tess_process_wait(d->child, &ended));
    kill(-d->child, SIGKILL);
    d->child = 0;
    tess_process_tail(d->printed, tail, sizeof tail);
    const char *said = *tail ? "; it printed last:\n" : "";
    if (WIFSIGNALED(ended))
        FAIL(TESS_ERROR_CHECK, "%s was ended by signal %d (%s)%s%s", d->name, WTERMSIG(ended),
             strsignal(WTERMSIG(ended)), said, tail);
    const tess_status code = tess_process_status(WEXITSTATUS(ended));
    if (code == TESS_ERROR_MISSING || code == TESS_ERROR_USAGE)
        FAIL(code, "%s: %s", d->name, tail);
    FAIL(TESS_ERROR_CHECK, "%s ended with %d%s%s", d->name, WEXITSTATUS(ended), said, tail);
}

static tess_status fail_late(tess_dialogue *d, double time_limit) {
    char tail[SAID_SIZE];
    tess_process_tail(d->printed, tail, sizeof tail);
    FAIL(TESS_ERROR_CHECK, "%s did not answer within its time limit of %g s and was stopped%s%s",
         d->name, time_limit, *tail ? "; it printed last:\n" : "", tail);
}

/* Adds bytes to the line that is coming; what is too long for it is left out. */
static void add_to_line(tess_dialogue *d, const char *bytes, ssize_t n) {
    const ssize_t room = LINE_SIZE - 1 - d->n;
    memcpy(d->line + d->n, bytes, (size_t)(n < room ? n : room));
    d->n += (int)(n < room ? n : room);
}

/* Takes what has come of one line, whoever prints without end; *whole: it is one that begins with
 * the prefix. Other lines are kept as printed. */
static tess_status take_line(tess_dialogue *d, bool *whole) {
    char bytes[LINE_SIZE];
    *whole = false;
    ssize_t n = recv(d->socket, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK);
    if (n == 0 || (n < 0 && errno == ECONNRESET))
        return fail_ended(d);
    if (n < 0)
        return TESS_OK;
    const char *end = memchr(bytes, '\n', (size_t)n);
    n = recv(d->socket, bytes, end ? (size_t)(end - bytes) + 1 : (size_t)n, MSG_DONTWAIT);
    add_to_line(d, bytes, end ? n - 1 : n);
    if (!end)
        return TESS_OK;
    d->line[d->n] = '\0';
    d->n = 0;
    *whole = strncmp(d->line, d->prefix, strlen(d->prefix)) == 0;
    if (!*whole)
        fprintf(d->printed, "%s\n", d->line);
    fflush(d->printed);
    return TESS_OK;
}

/* To a program that has ended nothing is said, which the answer tells. */
void tess_dialogue_say(tess_dialogue *d, const char *line) {
    send(d->socket, line, strlen(line), MSG_NOSIGNAL);
    send(d->socket, "\n", 1, MSG_NOSIGNAL);
}

/* The program goes on to write where the file is, which both share. */
void tess_dialogue_forget(tess_dialogue *d) {
    fflush(d->printed);
    if (ftruncate(fileno(d->printed), 0) == 0)
        lseek(fileno(d->printed), 0, SEEK_SET);
}

tess_status tess_dialogue_ask(tess_dialogue *d, const char *line, double time_limit,
                              const char **answer) {
    const double end = time_limit > 0 ? tess_clock_seconds() + time_limit : INFINITY;
    bool whole = false;
    if (*line)
        tess_dialogue_say(d, line);
    while (!whole) {
        struct pollfd come = {.fd = d->socket, .events = POLLIN};
        TRY(tess_interrupt_check());
        if (poll(&come, 1, POLL_MILLISECONDS) > 0)
            TRY(take_line(d, &whole));
        if (!whole && tess_clock_seconds() > end)
            return fail_late(d, time_limit);
    }
    *answer = d->line + strlen(d->prefix);
    return TESS_OK;
}

void tess_dialogue_close(tess_dialogue *d) {
    if (!d)
        return;
    if (d->child) {
        kill(-d->child, SIGKILL);
        while (waitpid(d->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (d->socket >= 0)
        close(d->socket);
    if (d->printed)
        fclose(d->printed);
    free(d);
}
