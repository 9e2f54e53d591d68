/* A section of a CGNS zone: elements of one type, or of several, or polygons, or polyhedra. */
#pragma once

#include "data/formats/cgns/cgns_file.h"

typedef struct tess_cgns_section {
    char name[CGNS_NAME_SIZE];
    int number, type; /* in the zone, from 1; CGNS_MIXED, CGNS_NGON ... */
    int64_t first, n; /* its elements have the numbers first ... first + n - 1 of the zone */
    int64_t n_values; /* of all elements: their nodes, or faces */
    int32_t group;    /* of its elements without a boundary condition; the reader's */
    char *values;     /* [n_values], sizes of the library, of mixed ones the type before each
                         element's nodes; owned */
    char *offsets;    /* [n + 1] into values, of mixed ones, polygons and polyhedra; owned */
    char *parents;    /* [4 n] of polygons: the cells on their left, then those on their right,
                         0 for none; NULL where the file does not say; owned */
    bool has_parents;
} tess_cgns_section;

/* Fills all but the arrays; fails (INPUT) on a range that does not fit the data. */
TESS_MUST_CHECK tess_status tess_cgns_section_open(const tess_cgns_file *file, int number,
                                                   tess_cgns_section *section);
/* Reads the arrays; offsets of polygons and polyhedra ascend from 0 to n_values. */
TESS_MUST_CHECK tess_status tess_cgns_section_read(const tess_cgns_file *file,
                                                   tess_cgns_section *section);
/* Reads elements `first` to `first + n - 1` of the section, from 0, into the first values; each has
 * n_nodes, and all do in the section's data. */
TESS_MUST_CHECK tess_status tess_cgns_section_read_part(const tess_cgns_file *file,
                                                        tess_cgns_section *section, int64_t first,
                                                        int64_t n, int n_nodes);
void tess_cgns_section_clear(tess_cgns_section *section);
