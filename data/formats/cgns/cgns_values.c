/* The values of an array of a CGNS zone, read some at a time. */
#include "data/formats/cgns/cgns_values.h"

#include "core/base/array.h"
#include "data/formats/scan.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_cgns_values_open(const tess_cgns_file *file, const tess_cgns_array *array,
                                  tess_cgns_values *out) {
    const tess_cgns *library = &file->library;
    char type[CGNS_NAME_SIZE] = "";
    int64_t lengths[CGNS_MOST_AXES];
    bool found = false;
    *out = (tess_cgns_values){.file = file, .array = *array, .n = -1};
    TRY(tess_cgns_array_find(file, array, &out->tree, &out->node, &found));
    if (!found)
        return TESS_OK;
    if (library->data_type(out->tree, out->node, type) != 0 ||
        library->lengths(out->tree, out->node, &out->n_axes, lengths) != 0)
        return tess_cgns_library_fail(file, array->what, array->name);
    out->value_bytes = strcmp(type, "I4") == 0 ? 4 : strcmp(type, "I8") == 0 ? 8 : 0;
    if (!out->value_bytes || out->n_axes < 1 || out->n_axes > 2)
        return tess_cgns_fail(file, array->what, array->name, "%s is not of whole numbers",
                              array->array);
    out->n = tess_cgns_size_at(file, lengths, 0);
    out->n_columns = out->n_axes == 2 ? tess_cgns_size_at(file, lengths, 1) : 1;
    if (out->n < 0 || out->n_columns < 0 || out->n / CGNS_MOST_GROWTH > file->text->size)
        return tess_cgns_fail(file, array->what, array->name,
                              "it announces more than the file holds");
    return TESS_OK;
}

tess_status tess_cgns_values_read(tess_cgns_values *values, int64_t column, int64_t first,
                                  int64_t n, int64_t *to) {
    const tess_cgns_file *file = values->file;
    const tess_cgns_sizes one = tess_cgns_sizes_of(file, (int64_t[3]){1, 1, 1});
    const tess_cgns_sizes from = tess_cgns_sizes_of(file, (int64_t[3]){first + 1, column + 1, 1});
    const tess_cgns_sizes last = tess_cgns_sizes_of(file, (int64_t[3]){first + n, column + 1, 1});
    const tess_cgns_sizes length = tess_cgns_sizes_of(file, (int64_t[3]){n, 1, 1});
    if (n == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(n * values->value_bytes, &values->capacity, &values->raw));
    if (file->library.read(values->tree, values->node, &from, &last, &one, 1, &length, &one,
                           &length, &one, values->raw) != 0)
        return tess_cgns_fail(file, values->array.what, values->array.name,
                              "%s cannot be read: damaged", values->array.array);
    for (int64_t i = 0; i < n; i++)
        to[i] = values->value_bytes == 8 ? tess_raw_int64(values->raw + 8 * i, false)
                                         : tess_raw_int32(values->raw + 4 * i, false);
    return TESS_OK;
}

void tess_cgns_values_close(tess_cgns_values *values) {
    free(values->raw);
    *values = (tess_cgns_values){.n = -1};
}
