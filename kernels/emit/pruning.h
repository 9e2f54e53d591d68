/* Pruning: a page without what its kernels do not need, so that a person reads less of it. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

/* Gives the text with the branches of #if alone that are compiled, and without functions, types and
 * macros that no kernel leads to; the caller frees it. What depends on a name
 * that the page does not define, but the words of a language or a compiler may, stays. */
TESS_MUST_CHECK tess_status tess_prune(const char *page, bool is_cuda, char **out);
