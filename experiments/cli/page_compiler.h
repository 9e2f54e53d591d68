/* The page compiler: what this program is when it is started to compile one page
 * (kernels/devices/cuda/nvrtc_process.h), or by the build, with the words --compile-shipped
 * CAPABILITY FILE, those that cut, plan and make tables (kernels/devices/cuda/shipped_code.h). */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

/* Whether the program was started so, and what it does then. */
bool tess_page_compiler_asked(int argc, char **argv);
TESS_MUST_CHECK tess_status tess_page_compiler_run(int argc, char **argv);
