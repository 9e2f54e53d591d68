/* A rank's process: one of several that a launcher has started. */
#include "kernels/exchange/rank_process.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/own_file.h"
#include "core/base/print_args.h"
#include "kernels/exchange/mpi_library.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 16, PATH_SIZE = 256, HOST_SIZE = 64, INTERRUPTED = 130 };
static const double GRACE = 2, TICK = 0.2;

/* Shared by parent and child. */
struct tess_rank_process {
    int rank;
    char host[HOST_SIZE];
    double timeout;
    _Atomic int64_t pulse, task;
    _Atomic bool watched;
    _Atomic int n_segments; /* shared memory that the child has */
    char segments[MOST_SEGMENTS][PATH_SIZE];
};

/* What the parent has seen of its child. */
typedef struct watching {
    const tess_rank_process_setting *setting;
    tess_rank_process *process;
    pid_t child;
    double stopped_at; /* 0: it runs */
    int64_t pulse;
    double moved_at, looked_at;
} watching;

static void remove_segments(const tess_rank_process *process) {
    for (int i = 0; i < process->n_segments; i++)
        unlink(process->segments[i]);
}

__attribute__((noreturn)) static void end(const watching *w, int code) {
    kill(w->child, SIGKILL);
    if (code != 0)
        remove_segments(w->process);
    _exit(code);
}

__attribute__((noreturn, format(printf, 2, 3))) static void end_saying(const watching *w,
                                                                       const char *format, ...) {
    char words[256], line[512];
    TESS_PRINT_ARGS(words, format);
    const int n = snprintf(line, sizeof line, "tess: rank %d on %s: %s\n", w->process->rank,
                           w->process->host, words);
    line[n - 1] = '\0';
    w->setting->failed(w->setting->context, w->process->task, line + strlen("tess: "));
    line[n - 1] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        end(w, tess_status_exit_code(TESS_ERROR_IO));
    end(w, tess_status_exit_code(TESS_ERROR_CHECK));
}

/* Takes all that has become of the child. */
static void take_changes(watching *w) {
    int state = 0;
    while (waitpid(w->child, &state, WNOHANG | WUNTRACED | WCONTINUED) == w->child) {
        if (WIFEXITED(state)) /* where it failed it has said why */
            end(w, WEXITSTATUS(state));
        if (WIFSIGNALED(state))
            end_saying(w, "ended by signal %d (%s)%s", WTERMSIG(state), strsignal(WTERMSIG(state)),
                       WTERMSIG(state) == SIGKILL ? ": by somebody, or because memory ran out"
                                                  : "");
        w->stopped_at = WIFSTOPPED(state) ? tess_clock_seconds() : 0;
    }
}

static void check_deadlines(watching *w) {
    const tess_rank_process *process = w->process;
    const double now = tess_clock_seconds();
    const bool was_away = now - w->looked_at > GRACE; /* stopped itself: it knows nothing */
    w->looked_at = now;
    if (was_away && w->stopped_at > 0)
        w->stopped_at = now;
    if (was_away || !process->watched || process->pulse != w->pulse) {
        w->pulse = process->pulse;
        w->moved_at = now;
    }
    if (w->stopped_at > 0 && now - w->stopped_at > process->timeout)
        end_saying(w, "stopped by a signal for over %g s (--rank-timeout)", process->timeout);
    if (now - w->moved_at > process->timeout + GRACE)
        end_saying(w,
                   "stands still for over %g s (--rank-timeout): it waits for another rank, or for "
                   "its device",
                   process->timeout);
}

__attribute__((noreturn)) static void watch(const tess_rank_process_setting *setting,
                                            tess_rank_process *process, pid_t child,
                                            const sigset_t *signals) {
    const struct timespec tick = {.tv_nsec = (long)(1e9 * TICK)};
    watching w = {.setting = setting,
                  .process = process,
                  .child = child,
                  .moved_at = tess_clock_seconds(),
                  .looked_at = tess_clock_seconds()};
    for (;;) {
        const int signal = sigtimedwait(signals, NULL, &tick);
        if (signal > 0 && signal != SIGCHLD) /* the launcher ends all, or Ctrl-C does */
            end(&w, INTERRUPTED);
        take_changes(&w);
        check_deadlines(&w);
    }
}

/* A parent that was stopped would wait for ever to hear of the end. */
static void wake_parent(void) {
    kill(getppid(), SIGCONT);
}

static void choose_signals(sigset_t *out) {
    const int taken[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigemptyset(out);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(out, taken[i]);
}

tess_status tess_rank_process_start(const tess_rank_process_setting *setting,
                                    tess_rank_process **out) {
    sigset_t signals, before;
    const char *family = NULL;
    *out = NULL;
    if (tess_mpi_launched(&family) < 2)
        return TESS_OK;
    tess_rank_process *process =
        mmap(NULL, sizeof *process, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (process == MAP_FAILED)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a rank's process");
    process->rank = tess_mpi_launched_rank();
    process->timeout = setting->timeout;
    gethostname(process->host, sizeof process->host - 1);
    choose_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t parent = getpid(), child = fork();
    if (child < 0)
        FAIL(TESS_ERROR_MEMORY, "no process for rank %d: %s", process->rank, strerror(errno));
    if (child > 0)
        watch(setting, process, child, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(INTERRUPTED);
    atexit(wake_parent);
    *out = process;
    return TESS_OK;
}

_Atomic int64_t *tess_rank_process_pulse(tess_rank_process *process) {
    return process ? &process->pulse : NULL;
}

void tess_rank_process_begin(tess_rank_process *process, int64_t task) {
    if (process)
        process->task = task;
}

/* Notes the files of shared memory that this process writes. */
static void note_segments(tess_rank_process *process) {
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "re");
    process->n_segments = 0;
    while (maps && process->n_segments < MOST_SEGMENTS && fgets(line, sizeof line, maps)) {
        const char *path = strstr(line, "/dev/shm/");
        if (!path || !strstr(line, " rw-s ") || strstr(line, " (deleted)"))
            continue;
        snprintf(process->segments[process->n_segments], PATH_SIZE, "%.*s",
                 (int)strcspn(path, "\n"), path);
        process->n_segments++;
    }
    if (maps)
        fclose(maps);
}

void tess_rank_process_watch(tess_rank_process *process, bool watched) {
    if (!process)
        return;
    note_segments(process);
    process->watched = watched;
}

void tess_rank_process_leave(const tess_crew *crew, tess_status status) {
    char host[HOST_SIZE] = "";
    if (!crew || crew->n_here == crew->n_ranks)
        return;
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "tess: rank %d on %s: %s\n", crew->first, host, tess_message());
    fflush(NULL);
    _exit(tess_status_exit_code(status));
}

tess_status tess_rank_process_launch(const char *launcher, int64_t n, const char *command,
                                     char *const *argv) {
    enum { MOST_WORDS = 64 };
    tess_status status = TESS_OK;
    const char *family = NULL;
    char *copy = NULL, *rest = NULL, *words[MOST_WORDS + 1] = {NULL}, number[24], program[PATH_MAX];
    int n_words = 0;
    if (n < 2 || tess_mpi_launched(&family) > 0)
        return TESS_OK;
    CHECK(tess_text_copy(launcher, &copy));
    for (char *one = strtok_r(copy, " ", &rest); one && n_words < MOST_WORDS / 2;
         one = strtok_r(NULL, " ", &rest))
        words[n_words++] = one;
    snprintf(number, sizeof number, "%lld", (long long)n);
    if (n_words == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE, "--launcher takes a program, say mpiexec"));
    CHECK(tess_own_program(program));
    char *const own[] = {(char[]){"-n"}, number, program, (char *)(uintptr_t)command};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        words[n_words++] = own[i];
    for (int i = 1; argv[i] && n_words < MOST_WORDS; i++)
        words[n_words++] = argv[i];
    if (n_words == MOST_WORDS)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "more than %d words are too many to launch: start %s by "
                        "yourself",
                        MOST_WORDS, words[0]));
    fflush(NULL);
    tess_mpi_avoid_displays();
    execvp(words[0], words);
    CHECK(tess_fail(TESS_ERROR_MISSING,
                    "%s does not start (%s): install an MPI (Debian: apt-get install openmpi-bin, "
                    "or mpich), or name its launcher with --launcher",
                    words[0], strerror(errno)));
done:
    free(copy);
    return status;
}
