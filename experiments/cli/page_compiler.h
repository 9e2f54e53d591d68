/* The page compiler: what this program is when it is started to compile one page
 * (kernels/devices/cuda/nvrtc_process.h). */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

/* Whether the program was started so, and what it does then. */
bool tess_page_compiler_asked(int argc, char **argv);
TESS_MUST_CHECK tess_status tess_page_compiler_run(int argc, char **argv);
