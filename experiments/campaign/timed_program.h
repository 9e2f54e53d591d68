/* A timed program: another program's time, for a record beside runs of our own. */
#pragma once

#include "experiments/archive/record.h"

typedef struct tess_timed_program {
    char *const *argv;        /* NULL-terminated; the first is looked for in PATH */
    int64_t warm_up, samples; /* runs before those that count, and those */
    const char *pattern;      /* a regular expression whose first group is the seconds that the
                                 program prints; of several the last counts; NULL: wall clock */
} tess_timed_program;

/* Runs it and adds its samples, the series "time" in seconds. What it prints is kept back. Fails
 * (USAGE) on a pattern without a group, (MISSING) where it does not start or ends with 127, as a
 * shell does that does not find a program, (CHECK) where it ends in
 * an error or prints no such seconds, with the end of what it printed. */
TESS_MUST_CHECK tess_status tess_timed_program_run(const tess_timed_program *asked,
                                                   tess_record *record);

/* Adds the seconds in a file, one a line, as those samples; "-" is standard input. Empty lines and
 * what follows a '#' are left out. Fails (INPUT) on what is no positive number, by its line. */
TESS_MUST_CHECK tess_status tess_timed_seconds_read(const char *path, tess_record *record);
