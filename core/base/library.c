/* A library that is opened at run time, and what it must have. */
#include "core/base/library.h"

#include <dlfcn.h>
#include <string.h>

void *tess_library_open(const char *const *names, int flags) {
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, flags);
    return library;
}

tess_status tess_library_find(void *library, const tess_library_symbol *symbols, size_t n,
                              const char *called, const char *fitting) {
    for (size_t i = 0; i < n; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            FAIL(TESS_ERROR_MISSING, "%s lacks %s: %s is needed", called, symbols[i].name, fitting);
        memcpy(symbols[i].at, &symbol, sizeof symbol);
    }
    return TESS_OK;
}
