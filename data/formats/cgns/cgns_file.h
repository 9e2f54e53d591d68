/* A CGNS file that is being read: what its zones have gathered, and the elements that the boundary
 * conditions of the present zone list. */
#pragma once

#include "data/formats/cgns/cgns_library.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"
#include "data/formats/vertex_sides.h"

/* A boundary condition of a zone. */
typedef struct tess_cgns_condition {
    int32_t group;
    int64_t n;       /* elements that it lists; 0: it lists nodes, or what has no elements here */
    int64_t n_found; /* of these, or sides in all */
    int64_t n_again; /* of these, sides that have another condition, which alone counts */
} tess_cgns_condition;

/* Elements first ... last of a zone have a boundary condition. */
typedef struct tess_cgns_marked {
    int64_t first, last, reach; /* reach: the largest `last` up to here */
    int32_t condition;          /* of the file's */
} tess_cgns_marked;

typedef struct tess_cgns_group {
    char name[2 * CGNS_NAME_SIZE];
} tess_cgns_group;

typedef struct tess_cgns_file {
    const tess_file_text *text;
    tess_cgns library;
    int id, base, zone; /* of the library: the file, negative for none; the others from 1 */
    int n_bases, n_zones;
    char base_name[CGNS_NAME_SIZE], zone_name[CGNS_NAME_SIZE];
    int cell_dimension; /* of the base */
    bool wide;          /* the library's sizes have 64 bits */
    int64_t n_zone_nodes, coordinates_capacity;
    int64_t n_groups, groups_capacity;
    tess_cgns_group *groups; /* of sections and conditions, by the elements' `marker`, 0 for none;
                                owned */
    int64_t n_conditions, conditions_capacity;
    tess_cgns_condition *conditions; /* of all zones; owned */
    int64_t n_marked, marked_capacity;
    tess_cgns_marked *marked;    /* of the zone, by `first`; owned */
    tess_vertex_groups vertices; /* of conditions that list nodes */
    int64_t n_links;             /* between zones by lists of points */
    tess_name_counts bases;      /* that are left out */
    tess_name_counts families;   /* of boundary conditions: left out */
    tess_grouped grouped;        /* n_nodes: those of the zones before */
} tess_cgns_file;

enum { CGNS_MOST_GROWTH = 1032 /* of what HDF5 has compressed */ };

/* One size as the library gives it. */
typedef union tess_cgns_size {
    int64_t wide;
    int32_t narrow;
} tess_cgns_size;

/* A size along each of three axes. */
typedef union tess_cgns_sizes {
    int64_t wide[3];
    int32_t narrow[3];
} tess_cgns_sizes;

tess_cgns_sizes tess_cgns_sizes_of(const tess_cgns_file *file, const int64_t values[3]);
/* Number i of an array of the library's sizes. */
int64_t tess_cgns_size_at(const tess_cgns_file *file, const void *sizes, int64_t i);

/* Gives room for n of the library's sizes, zeros, the caller's; fails (INPUT) where the file cannot
 * hold so many. `what` and `name`, as below. */
TESS_MUST_CHECK tess_status tess_cgns_sizes_alloc(const tess_cgns_file *file, const char *what,
                                                  const char *name, int64_t n, char **sizes);

/* An array of the zone that the library is to read. */
typedef struct tess_cgns_array {
    const char *what, *name; /* as below: whose array it is */
    const char *group;       /* the node in which these lie, with its slash; "" for the zone */
    const char *array;       /* its own name */
} tess_cgns_array;

/* Finds the node of an array in the file's tree; found: whether there is one. */
TESS_MUST_CHECK tess_status tess_cgns_array_find(const tess_cgns_file *file,
                                                 const tess_cgns_array *array, int *tree,
                                                 double *node, bool *found);

/* Fails (INPUT) where an array is longer than n in the file: the library reads all of it, whatever
 * it has announced. An array that the file does not have is no failure. */
TESS_MUST_CHECK tess_status tess_cgns_array_check(const tess_cgns_file *file,
                                                  const tess_cgns_array *array, int64_t n);

/* Checks the points that a boundary condition lists in an array of that kind likewise
 * (CGNS_POINT_LIST ...). */
TESS_MUST_CHECK tess_status tess_cgns_points_check(const tess_cgns_file *file,
                                                   const char *condition, int kind, int64_t n);

/* Fail (INPUT) with file, zone, what of it ("section") and its name before the words; those of the
 * library in the second. */
TESS_MUST_CHECK tess_status tess_cgns_fail(const tess_cgns_file *file, const char *what,
                                           const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
TESS_MUST_CHECK tess_status tess_cgns_library_fail(const tess_cgns_file *file, const char *what,
                                                   const char *name);

/* Adds a group, which will be a marker of that name, and gives its number. */
TESS_MUST_CHECK tess_status tess_cgns_add_group(tess_cgns_file *file, const char *name,
                                                int32_t *group);

/* Adds a boundary condition with a group of its own, and gives its number. */
TESS_MUST_CHECK tess_status tess_cgns_add_condition(tess_cgns_file *file, const char *name,
                                                    int32_t *condition);
/* Reads the boundary conditions of the unstructured zone, which list elements or nodes. */
TESS_MUST_CHECK tess_status tess_cgns_conditions_read(tess_cgns_file *file);

/* The groups of element `number` of the zone: those of its boundary conditions one after the other,
 * from *at = -1 on, else `otherwise` once; -1 behind the last. */
int32_t tess_cgns_next_group(tess_cgns_file *file, int64_t number, int32_t otherwise, int64_t *at);
/* The first of them. */
int32_t tess_cgns_group_of(tess_cgns_file *file, int64_t number, int32_t otherwise);

/* Adds the sides all of whose nodes are in a condition; `polygons` lie beside the elements. */
TESS_MUST_CHECK tess_status tess_cgns_vertices_mark(tess_cgns_file *file,
                                                    const tess_vertex_polygons *polygons);
/* Says what was left out: bases, and what conditions list that is no side. */
TESS_MUST_CHECK tess_status tess_cgns_warn_of_lost(const tess_cgns_file *file, tess_mesh *mesh);

/* Closes the file and lets go of all but its text. */
void tess_cgns_file_clear(tess_cgns_file *file);
