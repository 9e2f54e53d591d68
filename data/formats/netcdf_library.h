/* The NetCDF library as reading and writing need it, opened at run time. Its functions give 0 where
 * all is well. */
#pragma once

#include "core/base/status.h"
#include <stddef.h>

/* Of netcdf.h. */
enum {
    NC_CHAR = 2,
    NC_INT = 4,
    NC_FLOAT = 5,
    NC_DOUBLE = 6,
    NC_UINT64 = 11,
    NC_GLOBAL = -1,
    NC_MAX_VAR_DIMS = 1024,
    NC_64BIT_DATA = 0x20,
    NC_64BIT_OFFSET = 0x200
};

/* What is left in memory of a file that was written there; `memory` is the caller's. */
typedef struct tess_netcdf_memory {
    size_t size;
    void *memory;
    int flags;
} tess_netcdf_memory;

/* Name in the library, name here, parameters. */
#define TESS_NETCDF_FUNCTIONS(X)                                                                   \
    X(nc_open, open, (const char *path, int mode, int *id))                                        \
    X(nc_open_mem, open_memory, (const char *path, int mode, size_t size, void *bytes, int *id))   \
    X(nc_close, close, (int id))                                                                   \
    X(nc_inq_dimid, dimension_id, (int id, const char *name, int *dimension))                      \
    X(nc_inq_dimlen, dimension_length, (int id, int dimension, size_t *length))                    \
    X(nc_inq_varid, variable_id, (int id, const char *name, int *variable))                        \
    X(nc_inq_vartype, variable_type, (int id, int variable, int *type))                            \
    X(nc_inq_varndims, variable_rank, (int id, int variable, int *n))                              \
    X(nc_inq_vardimid, variable_dimensions, (int id, int variable, int *dimensions))               \
    X(nc_get_var_int, get_int, (int id, int variable, int *values))                                \
    X(nc_get_vara_int, get_ints,                                                                   \
      (int id, int variable, const size_t *start, const size_t *count, int *values))               \
    X(nc_get_vara_double, get_doubles,                                                             \
      (int id, int variable, const size_t *start, const size_t *count, double *values))            \
    X(nc_get_vara_text, get_text,                                                                  \
      (int id, int variable, const size_t *start, const size_t *count, char *text))                \
    X(nc_inq_att, attribute, (int id, int variable, const char *name, int *type, size_t *length))  \
    X(nc_get_att_text, get_attribute, (int id, int variable, const char *name, char *text))        \
    /* writing */                                                                                  \
    X(nc_create_mem, create_memory, (const char *path, int mode, size_t size, int *id))            \
    X(nc_close_memio, close_memory, (int id, tess_netcdf_memory *memory))                          \
    X(nc_def_dim, define_dimension, (int id, const char *name, size_t length, int *dimension))     \
    X(nc_def_var, define_variable,                                                                 \
      (int id, const char *name, int type, int n, const int *dimensions, int *variable))           \
    X(nc_enddef, end_definitions, (int id))                                                        \
    X(nc_put_att_text, put_text_attribute,                                                         \
      (int id, int variable, const char *name, size_t n, const char *text))                        \
    X(nc_put_att_int, put_int_attribute,                                                           \
      (int id, int variable, const char *name, int type, size_t n, const int *values))             \
    X(nc_put_att_float, put_float_attribute,                                                       \
      (int id, int variable, const char *name, int type, size_t n, const float *values))           \
    X(nc_put_vara_int, put_ints,                                                                   \
      (int id, int variable, const size_t *start, const size_t *count, const int *values))         \
    X(nc_put_vara_double, put_doubles,                                                             \
      (int id, int variable, const size_t *start, const size_t *count, const double *values))      \
    X(nc_put_vara_text, put_text,                                                                  \
      (int id, int variable, const size_t *start, const size_t *count, const char *text))

typedef struct tess_netcdf_library {
    void *handle;
    const char *(*error_string)(int code);
#define X(symbol, member, parameters) int(*member) parameters;
    TESS_NETCDF_FUNCTIONS(X)
#undef X
} tess_netcdf_library;

/* Opens it for a file of that path. Fails (MISSING) with what to install on a machine without it.
 */
TESS_MUST_CHECK tess_status tess_netcdf_library_open(const char *path, tess_netcdf_library *out);
