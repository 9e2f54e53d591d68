/* An argument: the value of an option, read as what the option takes, or refused by name. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* The index of `text`, or of what it is called today, among `names` (NULL-terminated). Fails
 * (USAGE) with all of them, and the nearest one where `text` looks mistyped. */
TESS_MUST_CHECK tess_status tess_argument_choice(const char *option, const char *text,
                                                 const char *const *names, int *choice);

/* A whole number within [minimum, maximum]. */
TESS_MUST_CHECK tess_status tess_argument_integer(const char *option, const char *text,
                                                  int64_t minimum, int64_t maximum, int64_t *value);

/* A time, "60", "60s" or "5m", in seconds; above 0. */
TESS_MUST_CHECK tess_status tess_argument_seconds(const char *option, const char *text,
                                                  double *seconds);

/* A percentage with or without its sign, as a share: 0.02 of "2%". */
TESS_MUST_CHECK tess_status tess_argument_percent(const char *option, const char *text,
                                                  double *share);

/* A finite number of at least `minimum`. */
TESS_MUST_CHECK tess_status tess_argument_real(const char *option, const char *text, double minimum,
                                               double *value);
