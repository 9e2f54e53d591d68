/* The header of a classic NetCDF file, looked through before the NetCDF library trusts it.
 *
 * Format: NetCDF Users Guide, "The Classic Format", CDF-1, CDF-2 (offsets of 64 bits) and CDF-5
 * (counts of 64 bits). All numbers are big-endian. */
#include "data/formats/netcdf_header.h"

#include "core/base/array.h"
#include "data/formats/scan.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12, N_TYPES = 12 };

/* A header that is read. */
typedef struct netcdf_header {
    tess_scan scan;
    int count_bytes;  /* 4 or 8 */
    int offset_bytes; /* 4 or 8 */
    int64_t n_dimensions;
    int64_t *lengths; /* [n_dimensions]; 0: that of the records */
} netcdf_header;

/* What is said of a variable: its name, where its values begin, and how many bytes they are. */
typedef struct netcdf_variable {
    const char *name;
    int64_t name_length, begin, size;
    bool of_records;
} netcdf_variable;

static const signed char size_of_type[N_TYPES] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

/* A word of 4 or 8 bytes. */
static tess_status read_word(netcdf_header *header, const char *what, int bytes, int64_t *out) {
    const char *raw = NULL;
    TRY(tess_scan_raw(&header->scan, what, 1, bytes, &raw));
    *out = bytes == 8 ? tess_raw_int64(raw, header->scan.swap)
                      : (int64_t)(uint32_t)tess_raw_int32(raw, header->scan.swap);
    return TESS_OK;
}

/* The count of items that take `least` bytes each, which must fit the rest of the file. */
static tess_status read_count(netcdf_header *header, const char *what, int64_t least,
                              int64_t *out) {
    const tess_scan before = header->scan;
    TRY(read_word(header, what, header->count_bytes, out));
    const int64_t left = header->scan.end - header->scan.at;
    if (*out < 0 || *out > left / least)
        return tess_scan_fail(&before,
                              "NetCDF cannot open it: %" PRId64 " %s are announced, but only "
                              "%" PRId64 " bytes follow",
                              *out, what, left);
    return TESS_OK;
}

/* Passes over n items of `size` bytes and over what fills them up to four. */
static tess_status pass(netcdf_header *header, const char *what, int64_t n, int64_t size) {
    const char *raw = NULL;
    const int64_t filling = (4 - n * size % 4) % 4;
    TRY(tess_scan_raw(&header->scan, what, n, size, &raw));
    return tess_scan_raw(&header->scan, what, filling, 1, &raw);
}

/* The name is not one of the caller's: it stays in the file. */
static tess_status read_name(netcdf_header *header, const char **name, int64_t *length) {
    TRY(read_count(header, "letters of a name", 1, length));
    *name = header->scan.at;
    return pass(header, "letters of a name", *length, 1);
}

static tess_status pass_name(netcdf_header *header) {
    const char *name = NULL;
    int64_t length = 0;
    return read_name(header, &name, &length);
}

static tess_status read_type(netcdf_header *header, int64_t *type) {
    const tess_scan before = header->scan;
    TRY(read_word(header, "types", 4, type));
    if (*type < 1 || *type >= N_TYPES)
        return tess_scan_fail(&before, "NetCDF cannot open it: type %" PRId64 " is unknown", *type);
    return TESS_OK;
}

/* The number of items of a list, which begins with its tag, or 0. */
static tess_status read_list(netcdf_header *header, const char *what, int tag, int64_t *n) {
    enum { LEAST = 8 }; /* bytes of an item: two words at least */
    const tess_scan before = header->scan;
    int64_t found = 0;
    TRY(read_word(header, what, 4, &found));
    TRY(read_count(header, what, LEAST, n));
    if (found != tag && (found != 0 || *n != 0))
        return tess_scan_fail(&before,
                              "NetCDF cannot open it: %" PRId64 " stands where %d begins the %s",
                              found, tag, what);
    return TESS_OK;
}

static tess_status read_dimensions(netcdf_header *header) {
    TRY(read_list(header, "dimensions", DIMENSIONS, &header->n_dimensions));
    TRY(TESS_ZEROS(header->n_dimensions, &header->lengths));
    for (int64_t i = 0; i < header->n_dimensions; i++) {
        TRY(pass_name(header));
        TRY(read_word(header, "lengths", header->count_bytes, &header->lengths[i]));
    }
    return TESS_OK;
}

static tess_status pass_attributes(netcdf_header *header) {
    int64_t n = 0, type = 0, n_values = 0;
    TRY(read_list(header, "attributes", ATTRIBUTES, &n));
    for (int64_t i = 0; i < n; i++) {
        TRY(pass_name(header));
        TRY(read_type(header, &type));
        TRY(read_count(header, "values of an attribute", size_of_type[type], &n_values));
        TRY(pass(header, "values of an attribute", n_values, size_of_type[type]));
    }
    return TESS_OK;
}

/* Fills of_records and, where these are none, the number of values in `size`, INT64_MAX at most. */
static tess_status read_shape(netcdf_header *header, netcdf_variable *variable) {
    int64_t rank = 0, dimension = 0;
    TRY(read_count(header, "dimensions of a variable", header->count_bytes, &rank));
    variable->size = 1;
    for (int64_t i = 0; i < rank; i++) {
        const tess_scan before = header->scan;
        TRY(read_word(header, "dimensions of a variable", header->count_bytes, &dimension));
        if (dimension < 0 || dimension >= header->n_dimensions)
            return tess_scan_fail(&before,
                                  "NetCDF cannot open it: dimension %" PRId64 " of a variable is "
                                  "not one of %" PRId64,
                                  dimension, header->n_dimensions);
        const int64_t length = header->lengths[dimension];
        variable->of_records |= i == 0 && length == 0;
        if (__builtin_mul_overflow(variable->size, length, &variable->size))
            variable->size = INT64_MAX;
    }
    return TESS_OK;
}

/* The library gives zeros for what lies behind the end of a file. */
static tess_status check_place(const tess_file_text *text, const netcdf_variable *variable) {
    if (variable->of_records || variable->size == 0 ||
        (variable->begin >= 0 && variable->begin <= text->size &&
         variable->size <= text->size - variable->begin))
        return TESS_OK;
    FAIL(TESS_ERROR_INPUT,
         "%s: variable %.*s: NetCDF cannot read it: %" PRId64 " bytes from byte %" PRId64
         " on, where the file has %" PRId64 ": it is cut or damaged",
         text->path, (int)(variable->name_length < 64 ? variable->name_length : 64), variable->name,
         variable->size, variable->begin, text->size);
}

static tess_status check_variables(netcdf_header *header, const tess_file_text *text) {
    int64_t n = 0, type = 0, word = 0;
    TRY(read_list(header, "variables", VARIABLES, &n));
    for (int64_t i = 0; i < n; i++) {
        netcdf_variable variable = {.name = NULL};
        TRY(read_name(header, &variable.name, &variable.name_length));
        TRY(read_shape(header, &variable));
        TRY(pass_attributes(header));
        TRY(read_type(header, &type));
        TRY(read_word(header, "sizes", header->count_bytes, &word));
        TRY(read_word(header, "places", header->offset_bytes, &variable.begin));
        if (__builtin_mul_overflow(variable.size, size_of_type[type], &variable.size))
            variable.size = INT64_MAX;
        TRY(check_place(text, &variable));
    }
    return TESS_OK;
}

tess_status tess_netcdf_header_check(const tess_file_text *text) {
    tess_status status = TESS_OK;
    netcdf_header header = {.scan = tess_scan_open(text, 0)};
    const char *raw = NULL;
    int64_t n_records = 0;
    if (text->size < 4 || memcmp(text->content, "CDF", 3) != 0)
        return TESS_OK;
    const char version = text->content[3];
    header.scan.binary = true;
    header.scan.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    header.count_bytes = version == 5 ? 8 : 4;
    header.offset_bytes = version == 1 ? 4 : 8;
    TRY(tess_scan_raw(&header.scan, "magic", 1, 4, &raw));
    if (version != 1 && version != 2 && version != 5)
        return tess_scan_fail(&header.scan, "NetCDF cannot open it: version %d is not 1, 2 or 5",
                              version);
    TRY(read_word(&header, "records", header.count_bytes, &n_records));
    CHECK(read_dimensions(&header));
    CHECK(pass_attributes(&header));
    CHECK(check_variables(&header, text));
done:
    free(header.lengths);
    return status;
}
