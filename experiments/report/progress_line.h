/* A progress line: what a command is at, on the last line of a terminal.
 *
 * It appears once the command has taken two seconds, is rewritten twice a second, and is wiped
 * before results are printed:
 *
 *   [2/9] mosaic, block size 128: annealing, 12 s, 34 %, about 23 s left */
#pragma once

#include "core/base/progress.h"
#include <stdbool.h>
#include <stdio.h>

/* Shows the tasks of the calling thread (core/base/progress.h) on `stream` from now on. Where that
 * is no terminal whose lines can be rewritten, a line of its own tells of each task that has taken
 * two seconds, and again every ten; with TESS_PROGRESS=no in the environment none does. */
void tess_progress_line_open(FILE *stream);
/* Rewrites the line now, however early it is. */
void tess_progress_line_draw(void);
/* Wipes the line, until it is drawn again. */
void tess_progress_line_wipe(void);
/* Wipes the line; nothing more is shown. */
void tess_progress_line_close(void);

/* Prints on stderr, where the line stood, which goes on below. */
void tess_progress_line_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints so only where progress is shown and the command has taken two seconds, else nothing: a
 * part of what is printed in the end, as soon as it is known. */
void tess_progress_line_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What has been told where lines are not rewritten. */
typedef struct tess_progress_told {
    char words[2 * TESS_LONGEST_TASK]; /* those of the tasks at hand */
    bool is_known;                     /* they have been told */
    double since;                      /* when they were first seen */
    double told;                       /* when a line was told last; 0: nothing was seen yet */
} tess_progress_told;

/* Whether the n tasks at hand are to be told of at the time `now`, and notes that they are. */
bool tess_progress_line_is_due(const tess_task *tasks, int n, double now, tess_progress_told *told);

/* The line for n tasks, the outermost first, at the time `now`, in `room` characters at most: the
 * words of the outermost and the innermost, and the pace of the outermost one of which is known how
 * much is done. */
void tess_progress_line_print(const tess_task *tasks, int n, double now, int room, char *line,
                              size_t size);
