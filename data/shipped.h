/* A shipped mesh: one of those that come with the program. */
#pragma once

#include "core/base/status.h"

/* Finds a shipped mesh by its file's name: in $TESS_DATA, else where they were installed, else in
 * the source. Fails (MISSING) with what to do. */
TESS_MUST_CHECK tess_status tess_shipped_mesh(const char *name, char path[static 4096]);
