/* Lost marks: the marked sides of a file that do not mark the mesh, by marker, as a warning. */
#pragma once

#include "core/mesh/mesh.h"

/* What becomes of a marked side. */
typedef enum tess_mark {
    TESS_MARK_STRAY, /* it is a side of no cell */
    TESS_MARK_TAKEN,
    TESS_MARK_TWICE, /* its side had that marker before */
    TESS_MARK_AGAIN, /* its side has another marker, which stays */
    TESS_N_MARKS
} tess_mark;

typedef struct tess_lost_marks {
    int n_markers;
    int64_t *n[TESS_N_MARKS]; /* [n_markers]; owned */
} tess_lost_marks;

/* Begins with none, of the markers that the mesh has. */
TESS_MUST_CHECK tess_status tess_lost_marks_begin(const tess_mesh *mesh, tess_lost_marks *lost);
/* Counts a side; one whose marker is negative has none to lose. */
void tess_lost_marks_add(tess_lost_marks *lost, tess_mark became, int32_t marker);
/* Says what was lost; `sides` is what they are: "edges". */
TESS_MUST_CHECK tess_status tess_lost_marks_warn(const tess_lost_marks *lost, const char *sides,
                                                 tess_mesh *mesh);
void tess_lost_marks_release(tess_lost_marks *lost);
