/* Periodic sides of an SU2 file: its transformations (NPERIODIC), and the markers that one of them
 * moves onto others. */
#pragma once

#include "data/formats/periodic.h"
#include "data/formats/scan.h"

/* First turned by the angles about the axes x, y and z through the centre, then shifted. */
typedef struct tess_su2_move {
    double centre[3], angles[3], shift[3];
} tess_su2_move;

typedef struct tess_su2_moves {
    int64_t n, capacity;
    tess_su2_move *moves; /* [n]; owned */
} tess_su2_moves;

/* Reads the three lines of a transformation. */
TESS_MUST_CHECK tess_status tess_su2_move_read(tess_scan *scan, tess_su2_moves *moves);

/* Adds the pairs of nodes of markers of which the one is the other, moved: of all its nodes.
 * `elements` have their markers; fails (INPUT) where a transformation moves no marker onto another.
 */
TESS_MUST_CHECK tess_status tess_su2_moves_pair(const tess_scan *scan, const tess_su2_moves *moves,
                                                const tess_grouped *grouped,
                                                tess_periodic *periodic);
