/* Lost marks: the marked sides of a file that do not mark the mesh, by marker, as a warning. */
#include "data/formats/lost_marks.h"

#include "core/base/array.h"
#include "data/formats/name_counts.h"
#include <inttypes.h>
#include <stdlib.h>

tess_status tess_lost_marks_begin(const tess_mesh *mesh, tess_lost_marks *lost) {
    *lost = (tess_lost_marks){.n_markers = mesh->n_markers};
    for (int mark = 0; mark < TESS_N_MARKS; mark++)
        TRY(TESS_ZEROS(mesh->n_markers, &lost->n[mark]));
    return TESS_OK;
}

void tess_lost_marks_add(tess_lost_marks *lost, tess_mark became, int32_t marker) {
    if (marker >= 0)
        lost->n[became][marker]++;
}

tess_status tess_lost_marks_warn(const tess_lost_marks *lost, const char *sides, tess_mesh *mesh) {
    static const char *const words[TESS_N_MARKS] = {
        [TESS_MARK_STRAY] = "are sides of no cell and were left out",
        [TESS_MARK_TWICE] = "have their marker twice and became one",
        [TESS_MARK_AGAIN] = "have another marker before it, which alone counts"};
    for (int mark = 0; mark < TESS_N_MARKS; mark++) {
        tess_name_counts names = {.n = 0};
        int64_t n = 0;
        for (int m = 0; m < lost->n_markers; m++)
            n += lost->n[mark][m];
        tess_name_counts_add_all(&names, mesh->markers, lost->n[mark], lost->n_markers);
        if (n && words[mark])
            TRY(tess_mesh_warn(mesh, "%" PRId64 " marked %s %s: %s", n, sides, words[mark],
                               tess_name_counts_text(&names)));
    }
    return TESS_OK;
}

void tess_lost_marks_release(tess_lost_marks *lost) {
    for (int mark = 0; mark < TESS_N_MARKS; mark++)
        free(lost->n[mark]);
    *lost = (tess_lost_marks){.n_markers = 0};
}
