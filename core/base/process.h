/* A process: another program that this one has started. */
#pragma once

#include "core/base/status.h"
#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>

/* How a program is started. */
typedef struct tess_process_call {
    const char *program; /* looked for in PATH unless it has a slash */
    char *const *argv;
    FILE *input, *output, *errors; /* NULL: this program's own */
} tess_process_call;

/* Runs a program until it has ended, and gives its status as waitpid does. It finds a file open
 * whose descriptor TESS_PROGRESS_FD names: what it writes to the beginning of it, "DONE OF\n" in
 * digits, becomes the share done of the task at hand (core/base/progress.h). Fails (MISSING) where
 * it does not start, (INTERRUPTED) as tess_process_wait. */
TESS_MUST_CHECK tess_status tess_process_run(const tess_process_call *call, int *wait_status);

/* Starts a program, looked for in PATH unless it has a slash, in a process group of its own, with
 * signals as in a new program and files as the actions say. Gives 0, else an errno. */
int tess_process_start_apart(const char *program, char *const *argv,
                             const posix_spawn_file_actions_t *actions, pid_t *child);

/* Waits until a child has ended, and gives its status as waitpid does. Fails (INTERRUPTED) after an
 * interrupt, for which the child is killed. It is gone afterwards. */
TESS_MUST_CHECK tess_status tess_process_wait(pid_t child, int *wait_status);

/* What the exit code of a program whose codes are ours says: USAGE, INPUT or MISSING; else IO. */
tess_status tess_process_status(int exit_code);

/* The last lines of what a program printed into a file, at most `size` bytes, without the line end.
 */
void tess_process_tail(FILE *printed, char *text, size_t size);
