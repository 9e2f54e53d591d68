/* Face pieces: the pieces of a mesh of faces that several processes have, which becomes one. */
#pragma once

#include "core/base/status.h"
#include "data/formats/faces/faces.h"

/* Faces that a piece has in common with another one, which has as many in the same order; their
 * points run the other way round there, from the same one on. */
typedef struct tess_piece_joint {
    int64_t piece, other;
    int64_t first, n; /* faces of the piece, at its boundary */
} tess_piece_joint;

typedef struct tess_face_pieces {
    int64_t n, capacity, n_joints, joint_capacity;
    tess_polyhedra *pieces;   /* [n], each with markers; owned */
    tess_piece_joint *joints; /* [n_joints]; owned */
    int64_t n_open;           /* faces in common with pieces that are not there */
} tess_face_pieces;

TESS_MUST_CHECK tess_status tess_face_pieces_add_joint(tess_face_pieces *pieces,
                                                       const tess_piece_joint *joint);

/* Makes one mesh of the pieces: their cells one behind the other, common faces between two cells,
 * points of these one. Counts in n_open what stays at the boundary. Fails (INPUT, with the path)
 * where two pieces have not the same faces in common. */
TESS_MUST_CHECK tess_status tess_face_pieces_join(const char *path, tess_face_pieces *pieces,
                                                  tess_polyhedra *out);
void tess_face_pieces_release(tess_face_pieces *pieces);
