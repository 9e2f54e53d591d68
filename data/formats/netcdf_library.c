/* The NetCDF library as reading and writing need it, opened at run time. */
#include "data/formats/netcdf_library.h"

#include "core/base/library.h"
#include <dlfcn.h>

tess_status tess_netcdf_library_open(const char *path, tess_netcdf_library *out) {
    static const char *const names[] = {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so.18",
                                        "libnetcdf.so", NULL};
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    tess_netcdf_library library = {
        .handle = tess_library_open(names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!library.handle)
        FAIL(TESS_ERROR_MISSING,
             "%s: NetCDF (libnetcdf.so) reads and writes this file and is not on this machine: "
             "apt-get install libnetcdf19",
             path);
#define X(symbol, member, parameters) {#symbol, &library.member},
    const tess_library_symbol functions[] = {
        TESS_NETCDF_FUNCTIONS(X){"nc_strerror", &library.error_string}};
#undef X
    TRY(tess_fail_at(TESS_LIBRARY_FIND(library.handle, functions, "this machine's libnetcdf.so",
                                       "4.6.2 or later"),
                     "%s", path));
    *out = library;
    return TESS_OK;
}
