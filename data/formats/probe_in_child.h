/* A look at a file in a process of its own: libraries of others read and write outside of their
 * memory, or end the process, where some files are damaged. */
#pragma once

#include "core/base/status.h"

/* Runs `look` in a process of its own, before the same is done in this one. Fails as it failed, and
 * (INPUT) with the file's path and the name of the library where it broke, or computed for 10 s;
 * what it printed is lost. */
TESS_MUST_CHECK tess_status tess_probe_in_child(const char *path, const char *library,
                                                tess_status (*look)(const void *context),
                                                const void *context);
