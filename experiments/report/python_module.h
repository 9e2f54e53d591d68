/* A module of the Python package `tesselab`, run as a program. */
#pragma once

#include "core/base/status.h"
#include <jansson.h>

/* Runs a module with `arguments` (NULL-terminated) in the Python that TESS_PYTHON names, or
 * /usr/bin/python3, with the JSON text of `input` as its standard input, and waits. Fails (MISSING)
 * with the line that installs it where Python or a library is missing, else with what the module
 * printed last. `task` is what people read meanwhile (core/base/progress.h); NULL: nothing. */
TESS_MUST_CHECK tess_status tess_python_module_run(const char *module, const char *const *arguments,
                                                   const json_t *input, const char *task);
