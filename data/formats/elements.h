/* Elements: what a mesh file lists as cells and boundary elements, sorted by type as they are read.
 */
#pragma once

#include "core/mesh/mesh.h"
#include "data/formats/faces/face_list.h"
#include "data/formats/scan.h"

typedef enum tess_element_type {
    TESS_ELEMENT_POINT,
    TESS_ELEMENT_LINE,
    TESS_ELEMENT_TRI, /* this and the following in the order of tess_cell_types */
    TESS_ELEMENT_QUAD,
    TESS_ELEMENT_TET,
    TESS_ELEMENT_PYRAMID,
    TESS_ELEMENT_PRISM,
    TESS_ELEMENT_HEX,
    TESS_N_ELEMENT_TYPES
} tess_element_type;

enum { TESS_ELEMENT_MAX_NODES = 8 };

typedef struct tess_element_kind {
    const char *name;       /* "triangle" */
    const char *set;        /* "tris", the set of such cells */
    const char *marked_set; /* "marked_tris", or NULL */
    int dimension;
    int arity;
} tess_element_kind;

extern const tess_element_kind tess_element_kinds[TESS_N_ELEMENT_TYPES];

/* One element as a reader hands it over. */
typedef struct tess_element {
    tess_element_type type;
    bool cut;       /* of higher order: its nodes beside the corners are left out */
    int32_t marker; /* of a boundary element: index into mesh->markers */
    int32_t nodes[TESS_ELEMENT_MAX_NODES]; /* `arity` of them, in VTK's order */
} tess_element;

/* All elements of one type, in the order of the file. */
typedef struct tess_element_list {
    int64_t size, nodes_capacity, marker_capacity, ordinal_capacity;
    int32_t *nodes;   /* [size][arity] */
    int32_t *marker;  /* [size] */
    int32_t *ordinal; /* [size]: place among all elements of this dimension; NULL while these are
                         all of this type */
} tess_element_list;

typedef struct tess_elements {
    tess_element_list lists[TESS_N_ELEMENT_TYPES];
    tess_ring_list polygons; /* of more than four nodes */
    tess_face_list faces;    /* of polyhedra */
    int64_t n_of_dimension[4];
    int64_t n_cut;
    int64_t n_ghosts; /* copies of other parts' elements, which were left out */
} tess_elements;

TESS_MUST_CHECK tess_status tess_elements_append(tess_elements *elements, const tess_element *added,
                                                 int64_t n);
/* Appends a polygon or a polyhedron; polygons of three and four nodes are triangles and
 * quadrilaterals. */
TESS_MUST_CHECK tess_status tess_elements_append_polygons(tess_elements *elements,
                                                          const tess_polygon_list *added);
/* As a table's rows are taken (data/formats/scan.h): `elements` is the tess_elements. */
TESS_MUST_CHECK tess_status tess_elements_take(const void *rows, int64_t first_row, int64_t n,
                                               void *elements);
/* The largest dimension of any element, or 0. */
int tess_elements_dimension(const tess_elements *elements);
/* States the elements of the largest dimension as the cells of `mesh`, those of one dimension less
 * as its marked boundary elements (core/mesh/mesh.h), and lets go of all; cut ones are a warning.
 * The mesh has its nodes and markers; polygons and polyhedra: data/formats/faces/polygon_cells.h.
 * Fails (INPUT) when there are no cells. */
TESS_MUST_CHECK tess_status tess_elements_state(tess_elements *elements, tess_mesh *mesh);
TESS_MUST_CHECK tess_status tess_elements_warn_of_cut(const tess_elements *elements,
                                                      tess_mesh *mesh);
/* Says how many elements are points, by the marker that each has. */
TESS_MUST_CHECK tess_status tess_elements_warn_of_points(const tess_elements *elements,
                                                         tess_mesh *mesh);
void tess_elements_clear(tess_elements *elements);

/* Packs coordinates [n_nodes][3] in a plane of constant z as [n_nodes][2], and gives the dimension
 * that they have then; what is not so stays as it is. The second: where the cells have two. */
int tess_coordinates_flatten(int64_t n_nodes, double *coordinates);
int tess_elements_flatten(const tess_elements *elements, int64_t n_nodes, double *coordinates);

/* A table of elements in a binary file. */
typedef struct tess_raw_elements {
    tess_element_type type;
    int64_t n;
    int id_bytes;                        /* 4 or 8 */
    bool from_zero;                      /* nodes count from 0, not from 1 */
    const char *ids;                     /* of the first element's nodes */
    int64_t record;                      /* bytes from one element to the next */
    int slot_of[TESS_ELEMENT_MAX_NODES]; /* VTK's place of each node; all 0: the same order */
    const char *groups;                  /* of the first element's group, or NULL */
    int64_t group_record;                /* bytes from one group to the next */
} tess_raw_elements;

/* Appends the elements, each with its group as `marker`; fails (INPUT) on a node that is not one of
 * n_nodes. `scan` knows the byte order and where the table is. */
TESS_MUST_CHECK tess_status tess_raw_elements_append(const tess_scan *scan,
                                                     const tess_raw_elements *raw, int64_t n_nodes,
                                                     tess_elements *elements);
