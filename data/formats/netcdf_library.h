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

typedef struct tess_netcdf_library {
    void *handle;
    const char *(*error_string)(int code);
    int (*open)(const char *path, int mode, int *id);
    int (*open_memory)(const char *path, int mode, size_t size, void *bytes, int *id);
    int (*close)(int id);
    int (*dimension_id)(int id, const char *name, int *dimension);
    int (*dimension_length)(int id, int dimension, size_t *length);
    int (*variable_id)(int id, const char *name, int *variable);
    int (*variable_type)(int id, int variable, int *type);
    int (*variable_rank)(int id, int variable, int *n);
    int (*variable_dimensions)(int id, int variable, int *dimensions);
    int (*get_int)(int id, int variable, int *values);
    int (*get_ints)(int id, int variable, const size_t *start, const size_t *count, int *values);
    int (*get_doubles)(int id, int variable, const size_t *start, const size_t *count,
                       double *values);
    int (*get_text)(int id, int variable, const size_t *start, const size_t *count, char *text);
    int (*attribute)(int id, int variable, const char *name, int *type, size_t *length);
    int (*get_attribute)(int id, int variable, const char *name, char *text);
    /* writing */
    int (*create_memory)(const char *path, int mode, size_t size, int *id);
    int (*close_memory)(int id, tess_netcdf_memory *memory);
    int (*define_dimension)(int id, const char *name, size_t length, int *dimension);
    int (*define_variable)(int id, const char *name, int type, int n, const int *dimensions,
                           int *variable);
    int (*end_definitions)(int id);
    int (*put_text_attribute)(int id, int variable, const char *name, size_t n, const char *text);
    int (*put_int_attribute)(int id, int variable, const char *name, int type, size_t n,
                             const int *values);
    int (*put_float_attribute)(int id, int variable, const char *name, int type, size_t n,
                               const float *values);
    int (*put_ints)(int id, int variable, const size_t *start, const size_t *count,
                    const int *values);
    int (*put_doubles)(int id, int variable, const size_t *start, const size_t *count,
                       const double *values);
    int (*put_text)(int id, int variable, const size_t *start, const size_t *count,
                    const char *text);
} tess_netcdf_library;

/* Opens it for a file of that path. Fails (MISSING) with what to install on a machine without it.
 */
TESS_MUST_CHECK tess_status tess_netcdf_library_open(const char *path, tess_netcdf_library *out);
