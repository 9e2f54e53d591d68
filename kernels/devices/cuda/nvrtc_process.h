/* A process that compiles a page: NVRTC compiles one text at a time in each, so that threads which
 * compile at the same moment would wait for each other. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

/* A program that has allowed it is started by the words TESS_COMPILE_PAGE CAPABILITY [OPTION], and
 * has the page of its standard input compiled into the disk cache. */
#define TESS_COMPILE_PAGE "--compile-page"
void tess_nvrtc_allow_processes(void);
bool tess_nvrtc_may_start_processes(void);

/* Has a page compiled into the disk cache by such a process, as tess_nvrtc_compile would; *compiled
 * is false where that failed, for whatever reason. Fails (INTERRUPTED) as tess_process_run. */
TESS_MUST_CHECK tess_status tess_nvrtc_compile_beside(const char *page, int capability,
                                                      const char *option, bool *compiled);
