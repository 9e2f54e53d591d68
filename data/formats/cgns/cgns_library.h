/* The CGNS library as reading and writing need it, opened at run time; numbers as libcgns's headers
 * have them. Sizes are 32 or 64 bits wide, as the library was built. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

enum {
    CGNS_NAME_SIZE = 33,
    CGNS_MOST_AXES = 12,
    CGNS_WRITE = 1,
    CGNS_USER_DEFINED = 1, /* a boundary condition of a kind that is not told */
    CGNS_REAL_DOUBLE = 4,
    CGNS_STRUCTURED = 2,
    CGNS_UNSTRUCTURED = 3,
    CGNS_MIXED = 20,
    CGNS_NGON = 22,
    CGNS_NFACE = 23,
    CGNS_POINT_LIST = 2,
    CGNS_POINT_RANGE = 4,
    CGNS_ELEMENT_RANGE = 6,
    CGNS_ELEMENT_LIST = 7,
    CGNS_OVERSET = 2,
    CGNS_VERTEX = 2,
    CGNS_FACE_CENTRE = 4,
    CGNS_I_FACE_CENTRE = 5,
    CGNS_K_FACE_CENTRE = 7,
    CGNS_EDGE_CENTRE = 8
};

typedef struct tess_cgns {
    void *handle;
    int (*open)(const char *path, int mode, int *file);
    int (*close)(int file);
    const char *(*error)(void);
    int (*n_bases)(int file, int *n);
    int (*base)(int file, int base, char *name, int *cell_dimension, int *dimension);
    int (*n_families)(int file, int base, int *n);
    int (*family)(int file, int base, int family, char *name, int *n_conditions, int *n_shapes);
    int (*n_zones)(int file, int base, int *n);
    int (*zone)(int file, int base, int zone, char *name, void *sizes);
    int (*zone_type)(int file, int base, int zone, int *type);
    int (*coordinate)(int file, int base, int zone, const char *name, int type, const void *first,
                      const void *last, void *values);
    int (*n_sections)(int file, int base, int zone, int *n);
    int (*section)(int file, int base, int zone, int section, char *name, int *type, void *start,
                   void *end, int *n_boundary, int *parents);
    int (*data_size)(int file, int base, int zone, int section, void *size);
    int (*elements)(int file, int base, int zone, int section, void *elements, void *parents);
    /* its sizes stand in registers, of which a library with 32 bits reads the lower half */
    int (*elements_part)(int file, int base, int zone, int section, int64_t first, int64_t last,
                         void *elements, void *parents);
    int (*poly_elements)(int file, int base, int zone, int section, void *elements, void *offsets,
                         void *parents);
    int (*n_conditions)(int file, int base, int zone, int *n);
    int (*condition)(int file, int base, int zone, int condition, char *name, int *type,
                     int *points, void *n_points, int *normal_index, void *n_normals,
                     int *normal_type, int *n_data);
    int (*condition_points)(int file, int base, int zone, int condition, void *points,
                            void *normals);
    int (*condition_position)(int file, int base, int zone, int condition, int *position);
    int (*n_interfaces)(int file, int base, int zone, int *n);
    int (*interface)(int file, int base, int zone, int interface, char *name, char *donor,
                     void *range, void *donor_range, int *transform);
    /* of lists of points */
    int (*n_links)(int file, int base, int zone, int *n);
    int (*link)(int file, int base, int zone, int link, char *name, int *position, int *type,
                int *points, void *n_points, char *donor, int *donor_type, int *donor_points,
                int *data_type, void *n_donor);
    int (*link_points)(int file, int base, int zone, int link, void *points, int data_type,
                       void *donor_points);
    int (*tree)(int file, int *tree); /* of nodes, which a file has */
    int (*root)(int file, double *root);
    int (*node)(int tree, double parent, const char *path, double *node);
    int (*lengths)(int tree, double node, int *n_axes, void *lengths);
    int (*data_type)(int tree, double node, char *type); /* "I4" ... */
    /* numbers from `first` to `last` along each axis of the file, as the file has them */
    int (*read)(int tree, double node, const void *first, const void *last, const void *stride,
                int n_axes, const void *lengths, const void *to_first, const void *to_last,
                const void *to_stride, void *values);
    /* writing; sizes that stand in registers as above */
    int (*write_base)(int file, const char *name, int cell_dimension, int dimension, int *base);
    int (*write_zone)(int file, int base, const char *name, const void *sizes, int type, int *zone);
    int (*write_coordinate)(int file, int base, int zone, int type, const char *name,
                            const void *values, int *coordinate);
    int (*write_section)(int file, int base, int zone, const char *name, int type, int64_t first,
                         int64_t last, int n_boundary, const void *elements, int *section);
    int (*write_mixed_section)(int file, int base, int zone, const char *name, int type,
                               int64_t first, int64_t last, int n_boundary, const void *elements,
                               const void *offsets, int *section);
    int (*write_condition)(int file, int base, int zone, const char *name, int type, int points,
                           int64_t n_points, const void *list, int *condition);
    int (*write_condition_position)(int file, int base, int zone, int condition, int position);
} tess_cgns;

/* Fails (MISSING) with what to install where there is no libcgns. */
TESS_MUST_CHECK tess_status tess_cgns_load(const char *path, tess_cgns *out);
