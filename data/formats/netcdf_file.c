/* A NetCDF file, read by the NetCDF library, which is opened when it is needed. */
#include "data/formats/netcdf_file.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include "data/formats/hdf_content.h"
#include "data/formats/netcdf_header.h"
#include "data/formats/netcdf_library.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tess_netcdf {
    const tess_file_text *text;
    tess_netcdf_library library;
    int id;
    bool is_open;
};

bool tess_netcdf_recognise(const tess_file_text *text) {
    return text->size >= 8 && (memcmp(text->content, "CDF", 3) == 0 || tess_hdf_is_content(text));
}

/* Opens the file, which the library reads part by part, else its content. Its path is not to look
 * like an address. */
static int open_content(tess_netcdf *file) {
    const tess_file_text *text = file->text;
    char *path = NULL;
    int code = -1;
    if (!text->packed &&
        tess_text_print(&path, "%s%s", text->path[0] == '/' ? "" : "./", text->path) == TESS_OK)
        code = file->library.open(path, 0, &file->id);
    free(path);
    return code == 0 ? 0
                     : file->library.open_memory(text->path, 0, (size_t)text->size, text->content,
                                                 &file->id);
}

tess_status tess_netcdf_open(const tess_file_text *text, tess_netcdf **out) {
    tess_status status = TESS_OK;
    tess_netcdf *file = NULL;
    CHECK(TESS_ZEROS(1, &file));
    file->text = text;
    CHECK(tess_netcdf_library_open(text->path, &file->library));
    CHECK(tess_netcdf_header_check(text));
    CHECK(tess_hdf_content_check(text));
    const int code = open_content(file);
    if (code != 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: offset 0: NetCDF cannot open it: %s: cut or damaged",
                        text->path, file->library.error_string(code)));
    file->is_open = true;
    *out = TESS_TAKE(file);
done:
    tess_netcdf_close(file);
    return status;
}

void tess_netcdf_close(tess_netcdf *file) {
    if (!file)
        return;
    if (file->is_open)
        file->library.close(file->id);
    free(file);
}

const char *tess_netcdf_path(const tess_netcdf *file) {
    return file->text->path;
}

tess_status tess_netcdf_fail(const tess_netcdf *file, const char *variable, const char *format,
                             ...) {
    char message[512];
    TESS_PRINT_ARGS(message, format);
    FAIL(TESS_ERROR_INPUT, "%s: variable %s: %s", file->text->path, variable, message);
}

int64_t tess_netcdf_dimension(const tess_netcdf *file, const char *name) {
    int dimension = 0;
    size_t length = 0;
    if (file->library.dimension_id(file->id, name, &dimension) != 0 ||
        file->library.dimension_length(file->id, dimension, &length) != 0 || length > INT64_MAX)
        return -1;
    return (int64_t)length;
}

bool tess_netcdf_has(const tess_netcdf *file, const char *variable) {
    int id = 0;
    return file->library.variable_id(file->id, variable, &id) == 0;
}

/* The dimensions of a variable: false without any, or with more than 8. */
static bool variable_shape(const tess_netcdf *file, int variable, int *rank, size_t lengths[8]) {
    int dimensions[NC_MAX_VAR_DIMS];
    if (file->library.variable_rank(file->id, variable, rank) != 0 || *rank < 0 || *rank > 8 ||
        file->library.variable_dimensions(file->id, variable, dimensions) != 0)
        return false;
    for (int i = 0; i < *rank; i++)
        if (file->library.dimension_length(file->id, dimensions[i], &lengths[i]) != 0)
            return false;
    return true;
}

/* Finds a variable of n numbers. */
static tess_status find_numbers(const tess_netcdf *file, const char *name, int64_t n,
                                int *variable) {
    enum { MOST_GROWTH = 1032 }; /* of what zlib has compressed */
    int type = 0, rank = 0;
    size_t lengths[8];
    if (file->library.variable_id(file->id, name, variable) != 0)
        return tess_netcdf_fail(file, name, "there is none");
    if (file->library.variable_type(file->id, *variable, &type) != 0 || type == NC_CHAR ||
        type > NC_UINT64)
        return tess_netcdf_fail(file, name, "it is not of numbers");
    if (!variable_shape(file, *variable, &rank, lengths))
        return tess_netcdf_fail(file, name, "its dimensions are damaged");
    int64_t size = 1;
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(size, (int64_t)lengths[i], &size) || lengths[i] > INT64_MAX)
            size = INT64_MAX;
    if (size != n)
        return tess_netcdf_fail(file, name, "it has %" PRId64 " values, not %" PRId64, size, n);
    if (n / MOST_GROWTH > file->text->size)
        return tess_netcdf_fail(file, name,
                                "it announces %" PRId64 " values, but the file has only "
                                "%" PRId64 " bytes",
                                n, file->text->size);
    return TESS_OK;
}

tess_status tess_netcdf_integers(const tess_netcdf *file, const char *variable, int64_t n,
                                 int32_t **out) {
    int id = 0;
    int32_t *values = NULL;
    TRY(find_numbers(file, variable, n, &id));
    TRY(TESS_ALLOC(n, &values));
    const int code = n ? file->library.get_int(file->id, id, values) : 0;
    if (code != 0) {
        free(values);
        return tess_netcdf_fail(file, variable, "NetCDF cannot read it: %s",
                                file->library.error_string(code));
    }
    *out = values;
    return TESS_OK;
}

tess_status tess_netcdf_expect(const tess_netcdf *file, const char *variable, int64_t n) {
    int id = 0;
    return find_numbers(file, variable, n, &id);
}

/* Where a part begins and what it has, by the dimensions of a variable. */
typedef struct part_position {
    int variable;
    size_t start[2], count[2];
} part_position;

static tess_status find_part(const tess_netcdf *file, const char *name,
                             const tess_netcdf_part *part, part_position *position) {
    int rank = 0;
    size_t lengths[8];
    *position = (part_position){.start = {(size_t)part->row, (size_t)part->column},
                                .count = {(size_t)part->n_rows, (size_t)part->n_columns}};
    if (file->library.variable_id(file->id, name, &position->variable) != 0 ||
        !variable_shape(file, position->variable, &rank, lengths) || rank < 1 || rank > 2)
        return tess_netcdf_fail(file, name, "it is no table");
    return TESS_OK;
}

static tess_status check_read(const tess_netcdf *file, const char *variable, int code) {
    return code == 0 ? TESS_OK
                     : tess_netcdf_fail(file, variable, "NetCDF cannot read it: %s",
                                        file->library.error_string(code));
}

tess_status tess_netcdf_integers_part(const tess_netcdf *file, const char *variable,
                                      const tess_netcdf_part *part, int32_t *to) {
    part_position position;
    TRY(find_part(file, variable, part, &position));
    return check_read(
        file, variable,
        file->library.get_ints(file->id, position.variable, position.start, position.count, to));
}

tess_status tess_netcdf_reals_part(const tess_netcdf *file, const char *variable,
                                   const tess_netcdf_part *part, double *to) {
    part_position position;
    TRY(find_part(file, variable, part, &position));
    TRY(check_read(file, variable,
                   file->library.get_doubles(file->id, position.variable, position.start,
                                             position.count, to)));
    for (int64_t i = 0; i < part->n_rows * part->n_columns; i++)
        if (!isfinite(to[i]))
            return tess_netcdf_fail(file, variable, "value %" PRId64 " is %g",
                                    part->row + part->column + i, to[i]);
    return TESS_OK;
}

/* Cuts blanks off the end. */
static void trim(char *text) {
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\n'))
        text[--length] = '\0';
}

void tess_netcdf_letters(const tess_netcdf *file, const char *variable, int64_t row, char *text,
                         size_t size) {
    int id = 0, type = 0, rank = 0;
    size_t lengths[8];
    memset(text, 0, size);
    if (file->library.variable_id(file->id, variable, &id) != 0 ||
        file->library.variable_type(file->id, id, &type) != 0 || type != NC_CHAR ||
        !variable_shape(file, id, &rank, lengths) || rank != 2 || (size_t)row >= lengths[0])
        return;
    const size_t start[2] = {(size_t)row, 0};
    const size_t count[2] = {1, lengths[1] < size - 1 ? lengths[1] : size - 1};
    if (file->library.get_text(file->id, id, start, count, text) != 0)
        text[0] = '\0';
    trim(text);
}

void tess_netcdf_attribute(const tess_netcdf *file, const char *variable, const char *name,
                           char *text, size_t size) {
    int id = NC_GLOBAL, type = 0;
    size_t length = 0;
    memset(text, 0, size);
    if ((variable && file->library.variable_id(file->id, variable, &id) != 0) ||
        file->library.attribute(file->id, id, name, &type, &length) != 0 || type != NC_CHAR ||
        length >= size || file->library.get_attribute(file->id, id, name, text) != 0)
        text[0] = '\0';
    trim(text);
}
