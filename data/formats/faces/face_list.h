/* A face list: the faces of polyhedra as these are read; two sides with the same nodes are one. */
#pragma once

#include "data/formats/faces/faces.h"
#include "data/formats/faces/ring_list.h"
#include "data/formats/lost_marks.h"

typedef struct tess_face_list {
    int64_t n_polyhedra;
    int64_t n_marked, marker_capacity, ordinal_capacity; /* polyhedra whose marker is not 0 */
    int32_t *marker, *ordinal; /* [n_marked]: of each, and its place among all cells; owned */
    tess_jagged_array rings;   /* of the faces, as their first cell has them; owned */
    int64_t ring_capacity[2], owner_capacity, other_capacity;
    int32_t *owner;     /* [rings.n]: the first cell; -1: the face has become another one; owned */
    int32_t *other;     /* [rings.n]: the second cell; of an open face the next of the open faces
                           with the same hash, ~next - 1, or -1; owned */
    int32_t *head;      /* [n_heads]: the first open face of each hash, -1: none; owned */
    int64_t n_heads;    /* a power of two, or 0 */
    int64_t n_open;     /* faces that have one cell */
    int32_t *sorted[2]; /* nodes of the two rings that are compared; owned */
    int64_t sorted_capacity[2];
} tess_face_list;

/* Adds a side of a cell, n nodes as they are seen from outside of it: where another cell has an
 * open face with these nodes it becomes this cell's, too, else there is one more. */
TESS_MUST_CHECK tess_status tess_face_list_add(tess_face_list *list, int32_t cell, int64_t n,
                                               const int32_t *nodes);
TESS_MUST_CHECK tess_status tess_face_list_add_polyhedron(tess_face_list *list, int32_t cell,
                                                          const tess_polygon_list *added);
/* Gives node i the number joined[i], and makes open faces one that have the same nodes now. */
TESS_MUST_CHECK tess_status tess_face_list_renumber(tess_face_list *list, const int32_t *joined);

/* Makes the faces those of `faced`, in their order, without markers; the list is empty then. */
TESS_MUST_CHECK tess_status tess_face_list_take(tess_face_list *list, tess_polyhedra *polyhedra);

/* Puts markers on the faces from `first` to `end` of `polyhedra`, which came of the list: begin,
 * one call for each marked element, end. All faces with its nodes that have no marker yet get it in
 * marker_of[end - first]. */
TESS_MUST_CHECK tess_status tess_face_list_mark_begin(tess_face_list *list,
                                                      const tess_polyhedra *polyhedra,
                                                      int64_t first, int64_t end);
TESS_MUST_CHECK tess_status tess_face_list_mark(tess_face_list *list, int32_t *marker_of, int64_t n,
                                                const int32_t *nodes, int32_t marker,
                                                tess_mark *became);
void tess_face_list_mark_end(tess_face_list *list);
void tess_face_list_clear(tess_face_list *list);
