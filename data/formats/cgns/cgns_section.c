/* A section of a CGNS zone: elements of one type, or of several, or polygons, or polyhedra. */
#include "data/formats/cgns/cgns_section.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

tess_status tess_cgns_section_open(const tess_cgns_file *file, int number,
                                   tess_cgns_section *section) {
    const tess_cgns *library = &file->library;
    tess_cgns_size first = {.wide = 0}, last = {.wide = 0}, n_values = {.wide = 0};
    int n_boundary = 0, parents = 0;
    *section = (tess_cgns_section){.number = number};
    if (library->section(file->id, file->base, file->zone, number, section->name, &section->type,
                         &first, &last, &n_boundary, &parents) != 0 ||
        library->data_size(file->id, file->base, file->zone, number, &n_values) != 0)
        return tess_cgns_library_fail(file, "section", section->name);
    section->first = tess_cgns_size_at(file, &first, 0);
    section->n = tess_cgns_size_at(file, &last, 0) - section->first + 1;
    section->n_values = tess_cgns_size_at(file, &n_values, 0);
    if (section->n_values / CGNS_MOST_GROWTH > file->text->size)
        return tess_cgns_fail(file, "section", section->name,
                              "it announces more than the file holds");
    if (section->n < 1 || section->n > section->n_values)
        return tess_cgns_fail(file, "section", section->name,
                              "its range of elements does not fit its data");
    return TESS_OK;
}

tess_status tess_cgns_add_section_group(tess_cgns_file *file, tess_cgns_section *section,
                                        bool of_cells) {
    char name[2 * CGNS_NAME_SIZE];
    if (file->n_zones == 1 || !of_cells)
        return tess_cgns_add_group(file, section->name, &section->group);
    snprintf(name, sizeof name, "%s/%s", file->zone_name, section->name);
    return tess_cgns_add_group(file, name, &section->group);
}

tess_cgns_array tess_cgns_section_array(const tess_cgns_section *section, const char *name) {
    return (tess_cgns_array){.what = "section", .name = section->name, .group = "", .array = name};
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Reads all rows: files before version 3.4 have a count before each, which the library takes out.
 */
static tess_status read_all(const tess_cgns_file *file, const tess_cgns_section *section,
                            tess_cgns_rows *rows) {
    const char *name = section->name;
    TRY(tess_cgns_sizes_alloc(file, "section", name, section->n_values, &rows->all_values));
    TRY(tess_cgns_sizes_alloc(file, "section", name, section->n + 1, &rows->all_starts));
    if (file->library.poly_elements(file->id, file->base, file->zone, section->number,
                                    rows->all_values, rows->all_starts, NULL) != 0)
        return tess_cgns_library_fail(file, "section", name);
    return TESS_OK;
}

tess_status tess_cgns_rows_open(const tess_cgns_file *file, const tess_cgns_section *section,
                                tess_cgns_rows *out) {
    const tess_cgns_array starts = tess_cgns_section_array(section, "ElementStartOffset");
    const tess_cgns_array values = tess_cgns_section_array(section, "ElementConnectivity");
    *out = (tess_cgns_rows){.n_rows = section->n, .n_values = section->n_values};
    TRY(tess_cgns_array_check(file, &starts, section->n + 1));
    TRY(tess_cgns_values_open(file, &starts, &out->starts));
    if (out->starts.n < 0)
        return read_all(file, section, out);
    TRY(tess_cgns_values_open(file, &values, &out->values));
    if (out->starts.n != section->n + 1 || out->values.n != section->n_values)
        return tess_cgns_fail(file, "section", section->name,
                              "ElementStartOffset has %" PRId64 " values for %" PRId64 " elements",
                              out->starts.n, section->n);
    return TESS_OK;
}

/* Values `first` to `first + n - 1` of an array that is read by parts, or of all of it. */
static tess_status read_some(const tess_cgns_file *file, tess_cgns_values *values, const char *all,
                             const int64_t range[2], int64_t *to) {
    if (!all)
        return tess_cgns_values_read(values, 0, range[0], range[1], to);
    for (int64_t i = 0; i < range[1]; i++)
        to[i] = tess_cgns_size_at(file, all, range[0] + i);
    return TESS_OK;
}

/* Checks the starts of the rows at hand, which begin where those before them end, and makes them
 * count from the first of them. */
static tess_status check_offsets(const tess_cgns_file *file, const tess_cgns_section *section,
                                 tess_cgns_rows *rows) {
    const int64_t begin = rows->end;
    for (int64_t i = 0; i <= rows->n; i++) {
        const int64_t at = rows->offset[i];
        const bool is_last = rows->first + i == section->n;
        if (at < rows->end || (i == 0 && at != begin) || at > section->n_values ||
            (is_last && at != section->n_values))
            return tess_cgns_fail(
                file, "section", section->name,
                is_last ? "its elements, up to %" PRId64 ", end at %" PRId64
                          ", its data at %" PRId64
                        : "element %" PRId64 " begins at %" PRId64 " of %" PRId64 " values",
                section->first + rows->first + i - is_last, at, section->n_values);
        rows->end = at;
        rows->offset[i] = at - begin;
    }
    return TESS_OK;
}

tess_status tess_cgns_rows_next(const tess_cgns_file *file, const tess_cgns_section *section,
                                tess_cgns_rows *rows) {
    enum { AT_ONCE = 1 << 14 };
    const int64_t begin = rows->end;
    rows->first += rows->n;
    rows->n = section->n - rows->first < AT_ONCE ? section->n - rows->first : AT_ONCE;
    if (rows->n == 0)
        return TESS_OK;
    tess_progress_set(rows->first, section->n, NULL);
    TRY(TESS_RESERVE(rows->n + 1, &rows->offset_capacity, &rows->offset));
    TRY(read_some(file, &rows->starts, rows->all_starts, (int64_t[2]){rows->first, rows->n + 1},
                  rows->offset));
    TRY(check_offsets(file, section, rows));
    TRY(TESS_RESERVE(rows->offset[rows->n], &rows->item_capacity, &rows->item));
    return read_some(file, &rows->values, rows->all_values,
                     (int64_t[2]){begin, rows->offset[rows->n]}, rows->item);
}

void tess_cgns_rows_close(tess_cgns_rows *rows) {
    tess_cgns_values_close(&rows->starts);
    tess_cgns_values_close(&rows->values);
    free(rows->all_starts);
    free(rows->all_values);
    free(rows->offset);
    free(rows->item);
    *rows = (tess_cgns_rows){.n = 0};
}

/* --- elements of one type --------------------------------------------------------------------- */

tess_status tess_cgns_section_read_part(const tess_cgns_file *file, tess_cgns_section *section,
                                        int64_t first, int64_t n, int n_nodes) {
    const int64_t from = section->first + first, to = from + n - 1;
    if (first == 0) /* no part is longer */
        TRY(tess_cgns_sizes_alloc(file, "section", section->name, n * n_nodes, &section->values));
    if (file->library.elements_part(file->id, file->base, file->zone, section->number, from, to,
                                    section->values, NULL) != 0)
        return tess_cgns_library_fail(file, "section", section->name);
    return TESS_OK;
}

void tess_cgns_section_clear(tess_cgns_section *section) {
    free(section->values);
    *section = (tess_cgns_section){.n = 0};
}
