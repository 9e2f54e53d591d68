/* A process: another program that this one has started. */
#pragma once

#include "core/base/status.h"
#include <stdio.h>
#include <sys/types.h>

/* Waits until a child has ended, and gives its status as waitpid does. Fails (INTERRUPTED) after an
 * interrupt, for which the child is killed. It is gone afterwards. */
TESS_MUST_CHECK tess_status tess_process_wait(pid_t child, int *wait_status);

/* What the exit code of a program whose codes are ours says: USAGE, INPUT or MISSING; else IO. */
tess_status tess_process_status(int exit_code);

/* The last lines of what a program printed into a file, at most `size` bytes, without the line end.
 */
void tess_process_tail(FILE *printed, char *text, size_t size);
