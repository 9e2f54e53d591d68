/* A clock: seconds that never go back, and seconds of processor time. */
#include "core/base/clock.h"

#include <time.h>

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

double tess_clock_lap(double *start) {
    const double now = tess_clock_seconds();
    const double seconds = now - *start;
    *start = now;
    return seconds;
}
