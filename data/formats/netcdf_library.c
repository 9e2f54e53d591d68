/* The NetCDF library as reading and writing need it, opened at run time. */
#include "data/formats/netcdf_library.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
    const char *name;
    size_t position; /* of the pointer in tess_netcdf_library */
} functions[] = {
    {"nc_strerror", offsetof(tess_netcdf_library, error_string)},
    {"nc_open", offsetof(tess_netcdf_library, open)},
    {"nc_open_mem", offsetof(tess_netcdf_library, open_memory)},
    {"nc_close", offsetof(tess_netcdf_library, close)},
    {"nc_inq_dimid", offsetof(tess_netcdf_library, dimension_id)},
    {"nc_inq_dimlen", offsetof(tess_netcdf_library, dimension_length)},
    {"nc_inq_varid", offsetof(tess_netcdf_library, variable_id)},
    {"nc_inq_vartype", offsetof(tess_netcdf_library, variable_type)},
    {"nc_inq_varndims", offsetof(tess_netcdf_library, variable_rank)},
    {"nc_inq_vardimid", offsetof(tess_netcdf_library, variable_dimensions)},
    {"nc_get_var_int", offsetof(tess_netcdf_library, get_int)},
    {"nc_get_vara_int", offsetof(tess_netcdf_library, get_ints)},
    {"nc_get_vara_double", offsetof(tess_netcdf_library, get_doubles)},
    {"nc_get_vara_text", offsetof(tess_netcdf_library, get_text)},
    {"nc_inq_att", offsetof(tess_netcdf_library, attribute)},
    {"nc_get_att_text", offsetof(tess_netcdf_library, get_attribute)},
    {"nc_create_mem", offsetof(tess_netcdf_library, create_memory)},
    {"nc_close_memio", offsetof(tess_netcdf_library, close_memory)},
    {"nc_def_dim", offsetof(tess_netcdf_library, define_dimension)},
    {"nc_def_var", offsetof(tess_netcdf_library, define_variable)},
    {"nc_enddef", offsetof(tess_netcdf_library, end_definitions)},
    {"nc_put_att_text", offsetof(tess_netcdf_library, put_text_attribute)},
    {"nc_put_att_int", offsetof(tess_netcdf_library, put_int_attribute)},
    {"nc_put_att_float", offsetof(tess_netcdf_library, put_float_attribute)},
    {"nc_put_vara_int", offsetof(tess_netcdf_library, put_ints)},
    {"nc_put_vara_double", offsetof(tess_netcdf_library, put_doubles)},
    {"nc_put_vara_text", offsetof(tess_netcdf_library, put_text)},
};

tess_status tess_netcdf_library_open(const char *path, tess_netcdf_library *out) {
    static const char *const names[] = {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so.18",
                                        "libnetcdf.so"};
    tess_netcdf_library library = {.handle = NULL};
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library.handle; i++)
        library.handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library.handle)
        FAIL(TESS_ERROR_MISSING,
             "%s: NetCDF (libnetcdf.so) reads and writes this file and is not on this machine: "
             "apt-get install libnetcdf19",
             path);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library.handle, functions[i].name);
        if (!function)
            FAIL(TESS_ERROR_MISSING,
                 "%s: this machine's libnetcdf.so lacks %s: 4.6.2 or later is needed", path,
                 functions[i].name);
        memcpy((char *)&library + functions[i].position, &function, sizeof function);
    }
    *out = library;
    return TESS_OK;
}
