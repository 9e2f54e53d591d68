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
    const tess_library_symbol functions[] = {
        {"nc_strerror", &library.error_string},
        {"nc_open", &library.open},
        {"nc_open_mem", &library.open_memory},
        {"nc_close", &library.close},
        {"nc_inq_dimid", &library.dimension_id},
        {"nc_inq_dimlen", &library.dimension_length},
        {"nc_inq_varid", &library.variable_id},
        {"nc_inq_vartype", &library.variable_type},
        {"nc_inq_varndims", &library.variable_rank},
        {"nc_inq_vardimid", &library.variable_dimensions},
        {"nc_get_var_int", &library.get_int},
        {"nc_get_vara_int", &library.get_ints},
        {"nc_get_vara_double", &library.get_doubles},
        {"nc_get_vara_text", &library.get_text},
        {"nc_inq_att", &library.attribute},
        {"nc_get_att_text", &library.get_attribute},
        {"nc_create_mem", &library.create_memory},
        {"nc_close_memio", &library.close_memory},
        {"nc_def_dim", &library.define_dimension},
        {"nc_def_var", &library.define_variable},
        {"nc_enddef", &library.end_definitions},
        {"nc_put_att_text", &library.put_text_attribute},
        {"nc_put_att_int", &library.put_int_attribute},
        {"nc_put_att_float", &library.put_float_attribute},
        {"nc_put_vara_int", &library.put_ints},
        {"nc_put_vara_double", &library.put_doubles},
        {"nc_put_vara_text", &library.put_text},
    };
    TRY(tess_fail_at(TESS_LIBRARY_FIND(library.handle, functions, "this machine's libnetcdf.so",
                                       "4.6.2 or later"),
                     "%s", path));
    *out = library;
    return TESS_OK;
}
