/* A section of a CGNS zone: elements of one type, or of several, or polygons, or polyhedra. */
#include "data/formats/cgns/cgns_section.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdlib.h>

tess_status tess_cgns_section_open(const tess_cgns_file *file, int number,
                                   tess_cgns_section *section) {
    const tess_cgns *library = &file->library;
    tess_cgns_size first = {.wide = 0}, last = {.wide = 0}, n_values = {.wide = 0};
    int n_boundary = 0, parents = 0;
    *section = (tess_cgns_section){.number = number};
    if (library->section(file->id, CGNS_BASE, file->zone, number, section->name, &section->type,
                         &first, &last, &n_boundary, &parents) != 0 ||
        library->data_size(file->id, CGNS_BASE, file->zone, number, &n_values) != 0)
        return tess_cgns_library_fail(file, "section", section->name);
    section->has_parents = parents != 0;
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

static tess_status check_offsets(const tess_cgns_file *file, const tess_cgns_section *section) {
    int64_t end = 0;
    for (int64_t i = 0; i <= section->n; i++) {
        const int64_t at = tess_cgns_size_at(file, section->offsets, i);
        if (at < end || (i == 0 && at != 0) || at > section->n_values)
            return tess_cgns_fail(file, "section", section->name,
                                  "element %" PRId64 " begins at %" PRId64 " of %" PRId64 " values",
                                  section->first + i, at, section->n_values);
        end = at;
    }
    if (end != section->n_values)
        return tess_cgns_fail(file, "section", section->name,
                              "its elements end at %" PRId64 ", its data at %" PRId64, end,
                              section->n_values);
    return TESS_OK;
}

tess_status tess_cgns_section_read(const tess_cgns_file *file, tess_cgns_section *section) {
    const tess_cgns *library = &file->library;
    const char *name = section->name;
    const bool many = section->type == CGNS_NGON || section->type == CGNS_NFACE;
    const bool parents = section->type == CGNS_NGON && section->has_parents;
    TRY(tess_cgns_sizes_alloc(file, "section", name, section->n_values, &section->values));
    if (many || section->type == CGNS_MIXED) {
        const tess_cgns_array starts = {"section", name, "", "ElementStartOffset"};
        TRY(tess_cgns_array_check(file, &starts, section->n + 1));
        TRY(tess_cgns_sizes_alloc(file, "section", name, section->n + 1, &section->offsets));
    }
    if (parents)
        TRY(tess_cgns_sizes_alloc(file, "section", name, 4 * section->n, &section->parents));
    const int failed = section->offsets ? library->poly_elements(file->id, CGNS_BASE, file->zone,
                                                                 section->number, section->values,
                                                                 section->offsets, section->parents)
                                        : library->elements(file->id, CGNS_BASE, file->zone,
                                                            section->number, section->values, NULL);
    if (failed)
        return tess_cgns_library_fail(file, "section", name);
    return many ? check_offsets(file, section) : TESS_OK;
}

tess_status tess_cgns_section_read_part(const tess_cgns_file *file, tess_cgns_section *section,
                                        int64_t first, int64_t n, int n_nodes) {
    const int64_t from = section->first + first, to = from + n - 1;
    if (first == 0) /* no part is longer */
        TRY(tess_cgns_sizes_alloc(file, "section", section->name, n * n_nodes, &section->values));
    if (file->library.elements_part(file->id, CGNS_BASE, file->zone, section->number, from, to,
                                    section->values, NULL) != 0)
        return tess_cgns_library_fail(file, "section", section->name);
    return TESS_OK;
}

void tess_cgns_section_clear(tess_cgns_section *section) {
    free(section->values);
    free(section->offsets);
    free(section->parents);
    *section = (tess_cgns_section){.n = 0};
}
