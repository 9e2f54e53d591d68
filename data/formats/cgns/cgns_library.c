/* The CGNS library as reading and writing need it, opened at run time. */
#include "data/formats/cgns/cgns_library.h"

#include "core/base/library.h"
#include <dlfcn.h>

tess_status tess_cgns_load(const char *path, tess_cgns *out) {
    static const char *const names[] = {"libcgns.so.3.4", "libcgns.so.4.3", "libcgns.so.4.4",
                                        "libcgns.so.4.5", "libcgns.so",     NULL};
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    tess_cgns cgns = {.handle = tess_library_open(names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!cgns.handle)
        FAIL(TESS_ERROR_MISSING,
             "%s: the CGNS library (libcgns.so) reads and writes this file and is not on "
             "this machine: apt-get install libcgns3.4",
             path);
#define X(symbol, member, parameters) {#symbol, &cgns.member},
    const tess_library_symbol functions[] = {TESS_CGNS_FUNCTIONS(X){"cg_get_error", &cgns.error}};
#undef X
    TRY(tess_fail_at(
        TESS_LIBRARY_FIND(cgns.handle, functions, "this machine's libcgns.so", "3.4 or later"),
        "%s", path));
    *out = cgns;
    return TESS_OK;
}
