/* A process: another program that this one has started. */
#include "core/base/process.h"

#include "core/base/interrupt.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100 };

tess_status tess_process_wait(pid_t child, int *wait_status) {
    const int pidfd = pidfd_open(child, 0);
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};
    while (pidfd >= 0 && poll(&ended, 1, POLL_MILLISECONDS) <= 0 && !tess_interrupted())
        ;
    if (tess_interrupted())
        kill(child, SIGKILL);
    if (pidfd >= 0)
        close(pidfd);
    while (waitpid(child, wait_status, 0) < 0)
        if (errno != EINTR)
            FAIL(TESS_ERROR_IO, "a process cannot be waited for: %s", strerror(errno));
    return tess_interrupt_check();
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
