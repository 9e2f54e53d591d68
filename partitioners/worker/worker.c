/* The worker: the program that runs third-party partitioners, and how tess runs it. */
#include "partitioners/worker/worker.h"

#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/own_file.h"
#include "core/base/process.h"
#include "core/base/temporary_folder.h"
#include "partitioners/worker/worker_request.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100, SAID_SIZE = 400 /* bytes of its output that are quoted */ };

/* A worker that has been started, and what became of it. */
typedef struct worker_process {
    pid_t pid;  /* its process group, too, which has all that it starts */
    int output; /* memory that takes what it prints */
    int wait_status;
    double cpu_seconds;
} worker_process;

/* Finds the worker from the folder of a program or a library of ours: lib/ or lib/x86_64-linux-gnu/
 * is beside bin/, which is within the folder of a build. */
static bool find_beside(const char *folder, char path[PATH_MAX]) {
    static const char *const places[] = {"tess-worker", "bin/tess-worker", "../bin/tess-worker",
                                         "../../bin/tess-worker",
                                         "../libexec/tesselab/tess-worker"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (snprintf(path, PATH_MAX, "%s/%s", folder, places[i]) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
    return false;
}

tess_status tess_worker_path(char path[PATH_MAX]) {
    const char *stated = getenv("TESS_WORKER");
    if (stated && stated[0]) {
        snprintf(path, PATH_MAX, "%s%s", strchr(stated, '/') ? "" : "./", stated);
        if (access(path, X_OK) == 0)
            return TESS_OK;
        FAIL(TESS_ERROR_MISSING, "TESS_WORKER is %s, which cannot be executed: %s", stated,
             strerror(errno));
    }
    char folder[PATH_MAX], program[PATH_MAX];
    tess_own_code_folder(folder);
    tess_own_folder(program);
    if (find_beside(folder, path) || find_beside(program, path))
        return TESS_OK;
    FAIL(TESS_ERROR_MISSING,
         "the program tess-worker, which runs this partitioner, is not beside this one in %s: "
         "build it or say where it is with TESS_WORKER",
         program);
}

/* Starts the worker: the request on its file descriptor, its output into memory, no other file of
 * ours open, signals as in a new program, in a process group of its own. */
static tess_status worker_start(const char *path, int request_fd, worker_process *worker) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, worker->output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, worker->output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, request_fd, TESS_WORKER_FD);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, TESS_WORKER_FD + 1);
    char *const arguments[] = {(char[]){"tess-worker"}, (char[]){"--run"}, NULL};
    const int error = tess_process_start_apart(path, arguments, &actions, &worker->pid);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        FAIL(TESS_ERROR_MISSING, "%s cannot be started: %s", path, strerror(error));
    return TESS_OK;
}

/* Waits until the worker ends, its time is over or the observer has had enough. */
static tess_status worker_watch(const tess_partition_problem *problem, int pidfd,
                                const char *spec) {
    const double start = tess_clock_seconds();
    const double limit = problem->time_limit > 0 ? problem->time_limit : INFINITY;
    const tess_observer *observer = problem->observer;
    for (;;) {
        struct pollfd ended = {.fd = pidfd, .events = POLLIN};
        const double left = limit - (tess_clock_seconds() - start);
        if (left <= 0)
            FAIL(TESS_ERROR_CHECK,
                 "partitioner %s did not end within its time limit of %g s and was stopped", spec,
                 problem->time_limit);
        if (poll(&ended, 1, left < 0.1 ? (int)(left * 1000) + 1 : POLL_MILLISECONDS) > 0)
            return TESS_OK;
        TRY(tess_interrupt_check());
        if (observer && observer->progress)
            TRY(observer->progress(observer->context, spec, 0));
    }
}

/* Waits for the worker; one that is to be stopped is killed first. It is gone afterwards, and so is
 * all that it has started. */
static tess_status worker_wait(const tess_partition_problem *problem, const char *spec,
                               worker_process *worker) {
    const int pidfd = (int)syscall(SYS_pidfd_open, worker->pid, 0); /* glibc: since 2.36 */
    tess_status status =
        pidfd < 0 ? tess_fail(TESS_ERROR_IO, "a process cannot be watched: %s", strerror(errno))
                  : worker_watch(problem, pidfd, spec);
    kill(-worker->pid, SIGKILL); /* not waited for yet, so the group is still its */
    struct rusage usage = {.ru_maxrss = 0};
    while (wait4(worker->pid, &worker->wait_status, 0, &usage) < 0 && errno == EINTR)
        ;
    worker->cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (pidfd >= 0)
        close(pidfd);
    return status;
}

/* Writes the last `most` bytes of what the worker printed, on one line, as "; it said: ..." or
 * nothing. */
static void said(const worker_process *worker, int most, char text[SAID_SIZE + 32]) {
    char bytes[SAID_SIZE];
    const off_t end = lseek(worker->output, 0, SEEK_END);
    const off_t start = end > most ? end - most : 0;
    ssize_t n = pread(worker->output, bytes, (size_t)most, start);
    while (n > 0 && isspace((unsigned char)bytes[n - 1]))
        n--;
    text[0] = '\0';
    if (n <= 0)
        return;
    for (ssize_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)bytes[i]))
            bytes[i] = ' ';
    snprintf(text, SAID_SIZE + 32, "; it said: %s%.*s", start > 0 ? "..." : "", (int)n, bytes);
}

/* Fails unless the worker ended well and has reported success. */
static tess_status worker_judge(const worker_process *worker, const char *spec,
                                const tess_worker_report *report) {
    char output[SAID_SIZE + 32];
    said(worker, SAID_SIZE, output);
    if (WIFSIGNALED(worker->wait_status)) {
        const int number = WTERMSIG(worker->wait_status);
        if (number == SIGINT)
            FAIL(TESS_ERROR_INTERRUPTED, "partitioner %s was interrupted", spec);
        FAIL(TESS_ERROR_CHECK, "partitioner %s crashed: its library was ended by %s (SIG%s)%s",
             spec, strsignal(number), sigabbrev_np(number) ? sigabbrev_np(number) : "?", output);
    }
    if (WEXITSTATUS(worker->wait_status) != 0 || !report->finished)
        FAIL(TESS_ERROR_CHECK, "partitioner %s ended its process with exit code %d%s", spec,
             WEXITSTATUS(worker->wait_status), output);
    if (report->status != TESS_OK)
        FAIL(report->status, "partitioner %s: %.*s%s", spec, TESS_WORKER_MESSAGE_SIZE - 1,
             report->message, output);
    return TESS_OK;
}

/* Passes on what a worker printed that has answered. */
static void remark(const worker_process *worker, const tess_observer *observer) {
    char output[SAID_SIZE + 32];
    if (!observer || !observer->remark)
        return;
    said(worker, TESS_REMARK_SIZE - 32, output);
    if (output[0])
        observer->remark(observer->context, output + strlen("; "));
}

tess_status tess_worker_run(const tess_partition_problem *problem, const char *spec,
                            int32_t *block_of, tess_worker_cost *cost) {
    tess_status status = TESS_OK;
    char path[PATH_MAX];
    tess_worker_request *request = NULL;
    worker_process worker = {.output = -1};
    CHECK(tess_worker_path(path));
    CHECK(tess_worker_request_new(problem, spec, &request));
    tess_temporary_folder_make("tess-worker", request->folder);
    worker.output = memfd_create("tess-worker-output", MFD_CLOEXEC);
    if (worker.output < 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "no memory for the output of %s: %s", path,
                        strerror(errno)));
    CHECK(worker_start(path, request->fd, &worker));
    CHECK(worker_wait(problem, spec, &worker));
    CHECK(worker_judge(&worker, spec, request->report));
    memcpy(block_of, request->block_of, (size_t)problem->n_elements * sizeof *block_of);
    remark(&worker, problem->observer);
    const tess_worker_report *report = request->report;
    *cost = (tess_worker_cost){.cpu_seconds = worker.cpu_seconds - report->mark.cpu_seconds,
                               .start_cpu_seconds = report->mark.cpu_seconds,
                               .peak_bytes = report->peak_bytes,
                               .grown_bytes = report->grown_bytes};
done:
    if (worker.output >= 0)
        close(worker.output);
    if (request)
        tess_temporary_folder_remove(request->folder);
    tess_worker_request_free(request);
    return status;
}
