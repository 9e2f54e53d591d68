/* Library symbols: what a library that is opened at run time must have. */
#pragma once

#include "core/base/status.h"

typedef struct tess_library_symbol {
    const char *name;
    void *at; /* of the pointer, to a function or a datum, that is filled */
} tess_library_symbol;

/* Fills the n pointers from an opened library. Fails (MISSING) with the first name that it lacks,
 * what the library is called, and what one that would do is. */
TESS_MUST_CHECK tess_status tess_library_symbols_find(void *library,
                                                      const tess_library_symbol *symbols, int n,
                                                      const char *called, const char *fitting);
