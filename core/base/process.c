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
