/* Library symbols: what a library that is opened at run time must have. */
#include "partitioners/worker/library_symbols.h"

#include <dlfcn.h>
#include <string.h>

tess_status tess_library_symbols_find(void *library, const tess_library_symbol *symbols, int n,
                                      const char *called, const char *fitting) {
    for (int i = 0; i < n; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            FAIL(TESS_ERROR_MISSING, "this %s cannot be used: it has no %s; %s can", called,
                 symbols[i].name, fitting);
        memcpy(symbols[i].at, &symbol, sizeof symbol);
    }
    return TESS_OK;
}
