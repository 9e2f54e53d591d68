/* A measurement of exchanges between the processes that run: messages of growing size in a ring. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

typedef struct tess_ranks_measure_setting {
    const char *engine, *device;
    bool json;
} tess_ranks_measure_setting;

/* Measures and prints what exchanges of several sizes take, and the latency and bandwidth that
 * follow. Fails (USAGE) where there is one process only. */
TESS_MUST_CHECK tess_status tess_ranks_measure(const tess_ranks_measure_setting *setting);
