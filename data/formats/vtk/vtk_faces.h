/* VTK faces: the faces of the polyhedra of a piece, in either of the forms that VTK's files have.
 * Format: VTK's file formats; the second form since VTK 9.4 and VTKHDF 2.5. */
#pragma once

#include "data/formats/ring_list.h"
#include "data/formats/scan.h"

typedef struct tess_vtk_faces {
    bool is_stream;     /* the first form */
    int64_t n_values;   /* of `values` */
    int64_t *ends;      /* [cells of the piece]: where the faces of each end in `values`; in the
                           first form -1 for cells that are no polyhedra; owned */
    int64_t *values;    /* the numbers of the faces; in the first form of each polyhedron how many
                           faces it has, and of each of them how many nodes, and these; owned */
    int64_t n_faces;    /* second form */
    int64_t *face_ends; /* [n_faces]: where the nodes of each end; owned */
    int64_t n_nodes;    /* of `nodes` */
    int64_t *nodes;     /* owned */
    int64_t at;         /* first form: where the next polyhedron begins */
    int64_t *start;     /* of the last polyhedron that was asked for; owned */
    int32_t *ring;      /* the same */
    int64_t start_capacity, ring_capacity;
} tess_vtk_faces;

/* Points of a piece: their number, and what is added to the number of each. */
typedef struct tess_vtk_points {
    int64_t n, first;
} tess_vtk_points;

/* Gives a polyhedron, a cell of the piece, as long as none is asked for after it; those of the
 * first form one after the other. Fails (INPUT) on fewer than four faces, faces of fewer than three
 * nodes, and on faces and nodes that there are not. */
TESS_MUST_CHECK tess_status tess_vtk_faces_cell(tess_vtk_faces *faces, const tess_scan *scan,
                                                int64_t cell, const tess_vtk_points *points,
                                                tess_ringed *out);
void tess_vtk_faces_clear(tess_vtk_faces *faces);
