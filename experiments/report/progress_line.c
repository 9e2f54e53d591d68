/* A progress line: what a command is at, on the last line of a terminal. */
#include "experiments/report/progress_line.h"

#include "core/base/clock.h"
#include "experiments/report/wrapped.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double usual_patience = 2; /* seconds before the line is first shown */
static const double told_again = 10; /* seconds between lines of one task that are not rewritten */

enum { LONGEST_LINE = 1024 };

/* The one line of a program. */
static struct {
    pthread_t drawer;
    pthread_mutex_t lock;
    pthread_cond_t closed;
    FILE *stream; /* NULL: nothing is shown */
    bool plain;   /* lines are not rewritten */
    double began;
    char shown[LONGEST_LINE]; /* "": nothing */
    tess_progress_told told;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .closed = PTHREAD_COND_INITIALIZER};

/* How long a task has taken, how much of it is done, what is left at that pace. */
static void print_pace(const tess_task *task, double now, char *text, size_t size) {
    char taken[24], left[24] = "";
    const double seconds = now - task->began;
    const double share = task->n > 0 ? (double)task->n_done / (double)task->n : 0;
    tess_duration_print(seconds, taken);
    if (share <= 0 || share > 1) {
        snprintf(text, size, ", %s", taken);
        return;
    }
    tess_duration_print(seconds * (1 - share) / share, left);
    const bool foreseen = seconds >= 1;
    snprintf(text, size, ", %s, %.0f %%%s%s%s", taken, 100 * share, foreseen ? ", about " : "",
             foreseen ? left : "", foreseen ? " left" : "");
}

/* The first `room` characters of a text. */
static void cut_off(char *text, int room) {
    char *at = text;
    for (int n = 0; *at && n < room; n++) {
        const int length = mblen(at, MB_CUR_MAX);
        at += length > 0 ? length : 1;
    }
    *at = '\0';
}

void tess_progress_line_print(const tess_task *tasks, int n, double now, int room, char *words,
                              size_t size) {
    char pace[96] = "";
    int paced = 0; /* the outermost task of which is known how much is done, else the outermost */
    size_t used = 0;
    *words = '\0';
    if (n == 0)
        return;
    for (int i = n - 1; i >= 0; i--)
        paced = tasks[i].n > 0 ? i : paced;
    print_pace(&tasks[paced], now, pace, sizeof pace);
    used = (size_t)snprintf(words, size, "%s", tasks[0].words);
    if (n > 1 && used < size)
        snprintf(words + used, size - used, ": %s", tasks[n - 1].words);
    const int left = room - tess_text_width(pace);
    cut_off(words, left > 0 ? left : 0);
    used = strlen(words);
    snprintf(words + used, size - used, "%s", pace);
    cut_off(words, room);
}

bool tess_progress_line_is_due(const tess_task *tasks, int n, double now,
                               tess_progress_told *told) {
    char words[sizeof told->words] = "";
    if (n == 0)
        return false;
    strcpy(words, tasks[0].words);
    strcat(words, tasks[n - 1].words);
    if (told->told == 0)
        told->told = now - told_again + usual_patience;
    if (strcmp(words, told->words) != 0) {
        memcpy(told->words, words, sizeof words);
        told->since = now;
        told->is_known = false;
    }
    if (now - told->told < told_again && (told->is_known || now - told->since < usual_patience))
        return false;
    told->told = now;
    told->is_known = true;
    return true;
}

/* Tells of the tasks at hand in a line of its own. */
static void tell(void) {
    char words[LONGEST_LINE];
    tess_task tasks[TESS_MOST_TASKS];
    const double now = tess_clock_seconds();
    const int n = tess_progress_tasks(tasks);
    if (!tess_progress_line_is_due(tasks, n, now, &line.told))
        return;
    tess_progress_line_print(tasks, n, now, LONGEST_LINE / 2, words, sizeof words);
    fprintf(line.stream, "tess: %s\n", words);
    fflush(line.stream);
}

static void wipe(void) {
    if (!line.shown[0])
        return;
    fputs("\r\033[K", line.stream);
    fflush(line.stream);
    line.shown[0] = '\0';
}

static void draw(double patience) {
    char words[LONGEST_LINE];
    tess_task tasks[TESS_MOST_TASKS];
    const double now = tess_clock_seconds();
    const int n = tess_progress_tasks(tasks);
    const int width = tess_terminal_width(line.stream);
    if (n == 0 || now - line.began < patience || width < 2)
        return;
    tess_progress_line_print(tasks, n, now, width - 1, words, sizeof words);
    if (strcmp(words, line.shown) == 0)
        return;
    fprintf(line.stream, "\r\033[K%s", words);
    fflush(line.stream);
    memcpy(line.shown, words, sizeof line.shown);
}

static void *keep_drawing(void *nothing) {
    (void)nothing;
    pthread_mutex_lock(&line.lock);
    while (line.stream) {
        const struct timespec until = tess_clock_after(0.5);
        pthread_cond_timedwait(&line.closed, &line.lock, &until);
        if (line.stream && line.plain)
            tell();
        else if (line.stream)
            draw(usual_patience);
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

void tess_progress_line_wipe(void) {
    pthread_mutex_lock(&line.lock);
    if (line.stream)
        wipe();
    pthread_mutex_unlock(&line.lock);
}

void tess_progress_line_draw(void) {
    pthread_mutex_lock(&line.lock);
    if (line.stream && !line.plain)
        draw(0);
    pthread_mutex_unlock(&line.lock);
}

/* Prints when a task was over, and how long it took. */
static void print_times(const tess_task *task, int depth) {
    const double now = tess_clock_seconds();
    fprintf(stderr, "tess: at %8.3f s %*s%s, %.3f s\n", now - line.began, 2 * depth, "",
            task->words, now - task->began);
}

void tess_progress_line_open(FILE *stream) {
    const char *kind = getenv("TERM"), *wish = getenv("TESS_PROGRESS");
    if (wish && strcmp(wish, "times") == 0) {
        line.began = tess_clock_seconds();
        tess_progress_follow(NULL, print_times);
        return;
    }
    line.plain = tess_terminal_width(stream) == 0 || !kind || strcmp(kind, "dumb") == 0;
    if (line.stream || (line.plain && wish && strcmp(wish, "no") == 0))
        return;
    sigset_t all, before;
    line.stream = stream;
    line.began = tess_clock_seconds();
    tess_progress_follow(tess_progress_line_wipe, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the other threads' */
    if (pthread_create(&line.drawer, NULL, keep_drawing, NULL) != 0)
        line.stream = NULL;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tess_progress_line_close(void) {
    pthread_mutex_lock(&line.lock);
    const bool open = line.stream;
    if (open)
        wipe();
    line.stream = NULL;
    pthread_cond_signal(&line.closed);
    pthread_mutex_unlock(&line.lock);
    if (open)
        pthread_join(line.drawer, NULL);
}

/* Prints above the line; `only_late`: where it is shown by now. */
static void print_above(bool only_late, const char *format, va_list values) {
    pthread_mutex_lock(&line.lock);
    if (line.stream)
        wipe();
    if (!only_late || (line.stream && tess_clock_seconds() - line.began >= usual_patience))
        vfprintf(stderr, format, values);
    pthread_mutex_unlock(&line.lock);
}

void tess_progress_line_tell(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_above(false, format, values);
    va_end(values);
}

void tess_progress_line_report(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_above(true, format, values);
    va_end(values);
}
