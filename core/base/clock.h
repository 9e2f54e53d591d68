/* A clock: seconds that never go back, and seconds of processor time. */
#pragma once

#include <time.h>

/* Seconds since some moment, which differences are taken of. */
double tess_clock_seconds(void);

/* Seconds of processor time that this process has taken, on all of its threads. */
double tess_clock_cpu_seconds(void);
/* Those of the thread that calls, which also a process with a limit of time has to the nanosecond.
 */
double tess_clock_thread_seconds(void);

/* Seconds since *start, which moves on to now. */
double tess_clock_lap(double *start);

/* The moment so many seconds from now, as waits with a limit take it. */
struct timespec tess_clock_after(double seconds);

/* "40 s", "3 min", "2 h", "5 d". */
void tess_duration_print(double seconds, char text[static 24]);
