/* VTK faces: the faces of the polyhedra of a piece, in either of the forms that VTK's files have,
 * some at a time. Format: VTK's file formats; the second form since VTK 9.4 and VTKHDF 2.5. */
#pragma once

#include "data/formats/faces/ring_list.h"
#include "data/formats/scan.h"

/* The arrays of faces. In the first form there are two: of each cell where its numbers end, -1 for
 * those that are no polyhedra, and the numbers: of each polyhedron how many faces it has, and of
 * each of them how many nodes, and these. In the second there are four: of each cell where its
 * faces end, the numbers of these, of each face where its nodes end, the nodes. */
typedef enum tess_vtk_faces_array {
    TESS_VTK_CELL_ENDS,
    TESS_VTK_CELL_FACES,
    TESS_VTK_FACE_ENDS,
    TESS_VTK_FACE_NODES,
    TESS_VTK_FACES_ARRAYS
} tess_vtk_faces_array;

/* Some values of an array, one behind the other. */
typedef struct tess_vtk_window {
    int64_t first, n, capacity;
    int64_t *value; /* [n]; owned */
} tess_vtk_window;

typedef struct tess_vtk_faces {
    bool is_stream;                   /* the first form */
    bool in_cells;                    /* its numbers are the cells' nodes: legacy files */
    const char *const *names;         /* of the arrays, for messages */
    int64_t n[TESS_VTK_FACES_ARRAYS]; /* of the values of each, at most */
    /* Gives values first ... first + n - 1 of an array, or those of them that it has. */
    tess_status (*read)(void *context, tess_vtk_faces_array array, int64_t first, int64_t n,
                        int64_t *to, int64_t *n_read);
    void *context;
    tess_vtk_window windows[TESS_VTK_FACES_ARRAYS]; /* what was read, or the last of it */
    int64_t at;     /* first form: where the next polyhedron begins */
    int64_t *start; /* of the last polyhedron that was asked for; owned */
    int32_t *ring;  /* the same */
    int64_t start_capacity, ring_capacity;
} tess_vtk_faces;

/* Points of a piece: their number, and what is added to the number of each. */
typedef struct tess_vtk_points {
    int64_t n, first;
} tess_vtk_points;

/* Gives a polyhedron, a cell of the piece, as long as none is asked for after it; those of the
 * first form one after the other. What is read of the arrays is little where faces stand in the
 * order of their cells. Fails (INPUT) on fewer than four faces, faces of fewer than three
 * nodes, and on faces and nodes that there are not. */
TESS_MUST_CHECK tess_status tess_vtk_faces_cell(tess_vtk_faces *faces, const tess_scan *scan,
                                                int64_t cell, const tess_vtk_points *points,
                                                tess_polygon_list *out);
void tess_vtk_faces_clear(tess_vtk_faces *faces);
