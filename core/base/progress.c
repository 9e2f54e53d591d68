/* Progress: what a long computation is at, and how much of it is done. */
#include "core/base/progress.h"

#include "core/base/clock.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tess_task stack[TESS_MOST_TASKS];
static int n_begun; /* may be more than the stack holds */
static bool followed;
static pthread_t follower;
static void (*when_ended)(void);
static void (*when_over)(const tess_task *task, int depth);

static bool is_noted(void) {
    return followed && pthread_equal(pthread_self(), follower);
}

void tess_progress_begin(const char *format, ...) {
    if (!is_noted())
        return;
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&lock);
    if (n_begun < TESS_MOST_TASKS) {
        tess_task *task = &stack[n_begun];
        *task = (tess_task){.began = tess_clock_seconds()};
        vsnprintf(task->words, sizeof task->words, format, values);
    }
    n_begun++;
    pthread_mutex_unlock(&lock);
    va_end(values);
}

void tess_progress_end(void) {
    if (!is_noted())
        return;
    pthread_mutex_lock(&lock);
    const int n_left = --n_begun;
    pthread_mutex_unlock(&lock);
    if (n_left < TESS_MOST_TASKS && when_over)
        when_over(&stack[n_left], n_left);
    if (n_left == 0 && when_ended)
        when_ended();
}

void tess_progress_set(int64_t n_done, int64_t n, const char *format, ...) {
    if (!is_noted())
        return;
    va_list values;
    va_start(values, format);
    if (format && n_done == 0 && n_begun > 0 && n_begun <= TESS_MOST_TASKS && when_over)
        when_over(&stack[n_begun - 1], n_begun - 1);
    pthread_mutex_lock(&lock);
    if (n_begun > 0 && n_begun <= TESS_MOST_TASKS) {
        tess_task *task = &stack[n_begun - 1];
        task->began = n_done == 0 ? tess_clock_seconds() : task->began;
        task->n_done = n_done;
        task->n = n;
        if (format)
            vsnprintf(task->words, sizeof task->words, format, values);
    }
    pthread_mutex_unlock(&lock);
    va_end(values);
}

void tess_progress_add(int64_t more) {
    if (!is_noted())
        return;
    pthread_mutex_lock(&lock);
    if (n_begun > 0 && n_begun <= TESS_MOST_TASKS)
        stack[n_begun - 1].n_done += more;
    pthread_mutex_unlock(&lock);
}

void tess_progress_follow(void (*ended)(void), void (*over)(const tess_task *task, int depth)) {
    follower = pthread_self();
    when_ended = ended;
    when_over = over;
    followed = true;
}

int tess_progress_tasks(tess_task tasks[TESS_MOST_TASKS]) {
    pthread_mutex_lock(&lock);
    const int n = n_begun < TESS_MOST_TASKS ? n_begun : TESS_MOST_TASKS;
    memcpy(tasks, stack, (size_t)n * sizeof *tasks);
    pthread_mutex_unlock(&lock);
    return n;
}
