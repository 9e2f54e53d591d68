/* The ending of a noun behind its number. */
#pragma once

#include <stdint.h>

static inline const char *tess_plural(int64_t n) {
    return n == 1 ? "" : "s";
}
