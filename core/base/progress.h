/* Progress: what a long computation is at, and how much of it is done.
 *
 * Whoever computes for long notes tasks, one within another, and how far each is; a program may
 * show them. Only the thread that called tess_progress_follow notes: what other threads do beside
 * it is silent, and so is everything where nobody follows. */
#pragma once

#include <stdint.h>

enum { TESS_MOST_TASKS = 6, TESS_LONGEST_TASK = 160 };

typedef struct tess_task {
    char words[TESS_LONGEST_TASK]; /* "reading sea.msh" */
    double began;                  /* by tess_clock_seconds */
    int64_t n_done, n;             /* parts of it; n = 0: not known */
} tess_task;

/* Begins a task within the one at hand, by the words of a printf. Each is ended. */
void tess_progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tess_progress_end(void);

/* What the task at hand is now, in other words (`format` NULL: the same), and that n_done of its n
 * parts are done (n = 0: nobody knows). Its time begins anew where n_done is 0. */
void tess_progress_set(int64_t n_done, int64_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* That `more` parts of the task at hand are done. */
void tess_progress_add(int64_t more);

/* The calling thread's tasks are noted from now on. Without a lock `ended`, if any, is called when
 * the outermost of them ends, and `over`, if any, when one ends or becomes another, with the number
 * of tasks around it. */
void tess_progress_follow(void (*ended)(void), void (*over)(const tess_task *task, int depth));

/* Copies the tasks at hand, the outermost first, and gives how many. From any thread. */
int tess_progress_tasks(tess_task tasks[TESS_MOST_TASKS]);
