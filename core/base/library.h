/* A library that is opened at run time, and what it must have. */
#pragma once

#include "core/base/status.h"
#include <stddef.h>

typedef struct tess_library_symbol {
    const char *name;
    void *at; /* of the pointer, to a function or a datum, that is filled */
} tess_library_symbol;

/* The first of the names, NULL behind the last, that opens; else NULL, and dlerror says why. */
void *tess_library_open(const char *const *names, int flags);

/* Fills the n pointers from an opened library. Fails (MISSING) with the first name that it lacks,
 * what the library is called, and what would fit. */
TESS_MUST_CHECK tess_status tess_library_find(void *library, const tess_library_symbol *symbols,
                                              size_t n, const char *called, const char *fitting);

#define TESS_LIBRARY_FIND(library, symbols, called, fitting)                                       \
    tess_library_find(library, symbols, sizeof(symbols) / sizeof *(symbols), called, fitting)
