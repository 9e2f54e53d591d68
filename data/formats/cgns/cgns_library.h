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

/* Name in the library, name here, parameters. */
#define TESS_CGNS_FUNCTIONS(X)                                                                     \
    X(cg_open, open, (const char *path, int mode, int *file))                                      \
    X(cg_close, close, (int file))                                                                 \
    X(cg_nbases, n_bases, (int file, int *n))                                                      \
    X(cg_base_read, base, (int file, int base, char *name, int *cell_dimension, int *dimension))   \
    X(cg_nfamilies, n_families, (int file, int base, int *n))                                      \
    X(cg_family_read, family,                                                                      \
      (int file, int base, int family, char *name, int *n_conditions, int *n_shapes))              \
    X(cg_nzones, n_zones, (int file, int base, int *n))                                            \
    X(cg_zone_read, zone, (int file, int base, int zone, char *name, void *sizes))                 \
    X(cg_zone_type, zone_type, (int file, int base, int zone, int *type))                          \
    X(cg_coord_read, coordinate,                                                                   \
      (int file, int base, int zone, const char *name, int type, const void *first,                \
       const void *last, void *values))                                                            \
    X(cg_nsections, n_sections, (int file, int base, int zone, int *n))                            \
    X(cg_section_read, section,                                                                    \
      (int file, int base, int zone, int section, char *name, int *type, void *start, void *end,   \
       int *n_boundary, int *parents))                                                             \
    X(cg_ElementDataSize, data_size, (int file, int base, int zone, int section, void *size))      \
    X(cg_elements_read, elements,                                                                  \
      (int file, int base, int zone, int section, void *elements, void *parents))                  \
    /* its sizes stand in registers, of which a library with 32 bits reads the lower half */       \
    X(cg_elements_partial_read, elements_part,                                                     \
      (int file, int base, int zone, int section, int64_t first, int64_t last, void *elements,     \
       void *parents))                                                                             \
    X(cg_poly_elements_read, poly_elements,                                                        \
      (int file, int base, int zone, int section, void *elements, void *offsets, void *parents))   \
    X(cg_nbocos, n_conditions, (int file, int base, int zone, int *n))                             \
    X(cg_boco_info, condition,                                                                     \
      (int file, int base, int zone, int condition, char *name, int *type, int *points,            \
       void *n_points, int *normal_index, void *n_normals, int *normal_type, int *n_data))         \
    X(cg_boco_read, condition_points,                                                              \
      (int file, int base, int zone, int condition, void *points, void *normals))                  \
    X(cg_boco_gridlocation_read, condition_position,                                               \
      (int file, int base, int zone, int condition, int *position))                                \
    X(cg_n1to1, n_interfaces, (int file, int base, int zone, int *n))                              \
    X(cg_1to1_read, interface,                                                                     \
      (int file, int base, int zone, int interface, char *name, char *donor, void *range,          \
       void *donor_range, int *transform))                                                         \
    /* of lists of points */                                                                       \
    X(cg_nconns, n_links, (int file, int base, int zone, int *n))                                  \
    X(cg_conn_info, link,                                                                          \
      (int file, int base, int zone, int link, char *name, int *position, int *type, int *points,  \
       void *n_points, char *donor, int *donor_type, int *donor_points, int *data_type,            \
       void *n_donor))                                                                             \
    X(cg_conn_read, link_points,                                                                   \
      (int file, int base, int zone, int link, void *points, int data_type, void *donor_points))   \
    /* the tree of nodes that a file has */                                                        \
    X(cg_get_cgio, tree, (int file, int *tree))                                                    \
    X(cg_root_id, root, (int file, double *root))                                                  \
    X(cgio_get_node_id, node, (int tree, double parent, const char *path, double *node))           \
    X(cgio_get_dimensions, lengths, (int tree, double node, int *n_axes, void *lengths))           \
    /* gives "I4" ... */                                                                           \
    X(cgio_get_data_type, data_type, (int tree, double node, char *type))                          \
    /* numbers from `first` to `last` along each axis of the file, as the file has them */         \
    X(cgio_read_data, read,                                                                        \
      (int tree, double node, const void *first, const void *last, const void *stride, int n_axes, \
       const void *lengths, const void *to_first, const void *to_last, const void *to_stride,      \
       void *values))                                                                              \
    /* writing; sizes that stand in registers as above */                                          \
    X(cg_base_write, write_base,                                                                   \
      (int file, const char *name, int cell_dimension, int dimension, int *base))                  \
    X(cg_zone_write, write_zone,                                                                   \
      (int file, int base, const char *name, const void *sizes, int type, int *zone))              \
    X(cg_coord_write, write_coordinate,                                                            \
      (int file, int base, int zone, int type, const char *name, const void *values,               \
       int *coordinate))                                                                           \
    X(cg_section_write, write_section,                                                             \
      (int file, int base, int zone, const char *name, int type, int64_t first, int64_t last,      \
       int n_boundary, const void *elements, int *section))                                        \
    X(cg_poly_section_write, write_mixed_section,                                                  \
      (int file, int base, int zone, const char *name, int type, int64_t first, int64_t last,      \
       int n_boundary, const void *elements, const void *offsets, int *section))                   \
    X(cg_boco_write, write_condition,                                                              \
      (int file, int base, int zone, const char *name, int type, int points, int64_t n_points,     \
       const void *list, int *condition))                                                          \
    X(cg_boco_gridlocation_write, write_condition_position,                                        \
      (int file, int base, int zone, int condition, int position))

typedef struct tess_cgns {
    void *handle;
    const char *(*error)(void);
#define X(symbol, member, parameters) int(*member) parameters;
    TESS_CGNS_FUNCTIONS(X)
#undef X
} tess_cgns;

/* Fails (MISSING) with what to install where there is no libcgns. */
TESS_MUST_CHECK tess_status tess_cgns_load(const char *path, tess_cgns *out);
