/* PT-SCOTCH's program: where the processes lie that the partitioner starts. */
#pragma once

#include "core/base/status.h"
#include <limits.h>

/* Finds tess-ptscotch beside the program of this process; fails with MISSING without it. */
TESS_MUST_CHECK tess_status tess_ptscotch_path(char path[PATH_MAX]);
