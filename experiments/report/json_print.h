/* A report as JSON: what a command prints with --json. */
#pragma once

#include "core/base/status.h"
#include <jansson.h>

/* Prints the object on stdout, indented, and takes its reference (also on failure). NULL fails as
 * out of memory. */
TESS_MUST_CHECK tess_status tess_json_print(json_t *object);
