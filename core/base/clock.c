/* A clock: seconds that never go back, and seconds of processor time. */
#include "core/base/clock.h"

#include <math.h>
#include <stdio.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tess_clock_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double tess_clock_cpu_seconds(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double tess_clock_thread_seconds(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double tess_clock_lap(double *start) {
    const double now = tess_clock_seconds();
    const double seconds = now - *start;
    *start = now;
    return seconds;
}

struct timespec tess_clock_after(double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    const double at = (double)end.tv_nsec * 1e-9 + seconds;
    end.tv_sec += (time_t)at;
    end.tv_nsec = (long)(1e9 * (at - floor(at)));
    return end;
}

void tess_duration_print(double seconds, char text[static 24]) {
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int i = 0;
    while (i < 3 && seconds < 2 * units[i].seconds)
        i++;
    snprintf(text, 24, "%.0f %s", seconds / units[i].seconds, units[i].unit);
}
