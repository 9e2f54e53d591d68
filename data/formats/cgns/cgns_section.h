/* A section of a CGNS zone: elements of one type, or of several, or polygons, or polyhedra. */
#pragma once

#include "data/formats/cgns/cgns_values.h"

typedef struct tess_cgns_section {
    char name[CGNS_NAME_SIZE];
    int number, type; /* in the zone, from 1; CGNS_MIXED, CGNS_NGON ... */
    int64_t first, n; /* its elements have the numbers first ... first + n - 1 of the zone */
    int64_t n_values; /* of all elements: their nodes, or faces */
    int32_t group;    /* of its elements without a boundary condition; the reader's */
    char *values;     /* some of [n_values], sizes of the library; owned */
} tess_cgns_section;

/* Adds the group of its elements; that of cells in one of several zones has the zone's name, too.
 */
TESS_MUST_CHECK tess_status tess_cgns_add_section_group(tess_cgns_file *file,
                                                        tess_cgns_section *section, bool of_cells);

/* CGNS's number of a type of elements with corners alone. */
int tess_cgns_number_of(tess_element_type type);

/* Fills all but the arrays; fails (INPUT) on a range that does not fit the data. */
TESS_MUST_CHECK tess_status tess_cgns_section_open(const tess_cgns_file *file, int number,
                                                   tess_cgns_section *section);
/* Reads elements `first` to `first + n - 1` of the section, from 0, into the first values; each has
 * n_nodes, and all do in the section's data. */
TESS_MUST_CHECK tess_status tess_cgns_section_read_part(const tess_cgns_file *file,
                                                        tess_cgns_section *section, int64_t first,
                                                        int64_t n, int n_nodes);

/* Rows of a section of polygons or polyhedra, some at a time: a polygon's nodes, a polyhedron's
 * faces. */
typedef struct tess_cgns_rows {
    tess_cgns_values starts, values;
    char *all_starts, *all_values; /* of files before version 3.4, sizes of the library; owned */
    int64_t first, n;              /* the rows at hand, from 0 */
    int64_t n_rows, n_values, end; /* of the section; where the rows at hand end in its values */
    int64_t *offset;               /* [n + 1]: where each begins in `item`; owned */
    int64_t *item;                 /* [offset[n]]; owned */
    int64_t offset_capacity, item_capacity;
} tess_cgns_rows;

/* Begins with the rows of a section, none at hand. The caller closes it. */
TESS_MUST_CHECK tess_status tess_cgns_rows_open(const tess_cgns_file *file,
                                                const tess_cgns_section *section,
                                                tess_cgns_rows *out);
/* Has the next rows at hand, n = 0 behind the last. Fails (INPUT) where their ends do not ascend
 * to the end of the section's values. */
TESS_MUST_CHECK tess_status tess_cgns_rows_next(const tess_cgns_file *file,
                                                const tess_cgns_section *section,
                                                tess_cgns_rows *rows);
void tess_cgns_rows_close(tess_cgns_rows *rows);

/* The array of that name in a section. */
tess_cgns_array tess_cgns_section_array(const tess_cgns_section *section, const char *name);
void tess_cgns_section_clear(tess_cgns_section *section);
