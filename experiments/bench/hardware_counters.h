/* Hardware counters: what NVIDIA's profiler, ncu, counts while a GPU runs a loop. */
#pragma once

#include "core/base/status.h"

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

/* Runs commands, NULL-terminated, under ncu, which is the environment's NCU or found in PATH or
 * /usr/local/cuda/bin: `once` runs the loop once, `warm` runs it several times. Bytes of memory are
 * those of the last time, in a pass of their own: where ncu takes several passes it puts back what
 * a launch changed before each, through the L2, where the launch then finds it. `warm` NULL: the
 * caches are flushed before each launch and pass, so that all is counted of `once`. Fails (MISSING)
 * where there is no ncu or the counters are forbidden, (CHECK) with ncu's words where it or a
 * command fails. */
TESS_MUST_CHECK tess_status tess_hardware_counters_read(char *const *once, char *const *warm,
                                                        tess_hardware_counters *out);
