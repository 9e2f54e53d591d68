/* An inspection: what is odd about a mesh that was read, said in its warnings, and what its file
 * says twice put right. */
#include "data/mesh_inspect.h"

#include "data/mesh_faults.h"
#include "data/restated_cells.h"
#include <inttypes.h>

tess_status tess_mesh_inspect(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_mesh_faults faults = {.n = 0};
    tess_marked_sides *sides = NULL;
    int64_t n_gone = 0;
    CHECK(tess_marked_sides_build(mesh, &sides));
    CHECK(tess_mesh_faults_of_cells(mesh, sides, &faults));
    CHECK(tess_restated_cells_unite(mesh, &faults, &n_gone));
    if (n_gone) {
        tess_mesh_faults_release(&faults);
        CHECK(tess_mesh_faults_of_cells(mesh, NULL, &faults));
    }
    CHECK(tess_marked_sides_drop(sides, mesh));
    for (int64_t i = 0; i < faults.n; i++) {
        const tess_mesh_fault *fault = &faults.items[i];
        CHECK(tess_mesh_warn(mesh, "%" PRId64 " of the %s %s; the first is number %d", fault->count,
                             fault->set, fault->words, fault->shown[0]));
    }
done:
    tess_marked_sides_free(sides);
    tess_mesh_faults_release(&faults);
    return status;
}
