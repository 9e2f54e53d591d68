/* Hardware counters: what NVIDIA's profiler, ncu, counts while a GPU runs a loop once. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

enum { TESS_MOST_COUNTERS = 32 };

/* Values under the names of docs/concepts.md, "Metrics", with their units; those that ncu
 * does not know or could not count are left out. Of a loop of several launches counts are sums,
 * shares means weighted by the time of each launch, and resources those of the largest. */
typedef struct tess_hardware_counters {
    int n_launches;
    int n;
    struct {
        const char *name, *unit;
        double value;
    } values[TESS_MOST_COUNTERS];
} tess_hardware_counters;

/* The value of a name, NaN where there is none. */
double tess_hardware_counter(const tess_hardware_counters *counters, const char *name);

/* Runs a command, NULL-terminated, that runs the loop once, under ncu, which is the environment's
 * NCU or found in PATH or /usr/local/cuda/bin. `cold`: the caches are flushed before each launch.
 * Fails (MISSING) where there is no ncu or the counters are forbidden, (CHECK) with ncu's words
 * where it or the command fails. */
TESS_MUST_CHECK tess_status tess_hardware_counters_read(char *const *command, bool cold,
                                                        tess_hardware_counters *out);
