/* An inspection: what is odd about a mesh that was read, said in its warnings. */
#include "data/mesh_inspect.h"

#include "data/mesh_faults.h"
#include <inttypes.h>

tess_status tess_mesh_inspect(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_mesh_faults faults = {.n = 0};
    CHECK(tess_mesh_faults_of_cells(mesh, &faults));
    for (int64_t i = 0; i < faults.n; i++) {
        const tess_mesh_fault *fault = &faults.items[i];
        CHECK(tess_mesh_warn(mesh, "%" PRId64 " of the %s %s; the first is number %d", fault->count,
                             fault->set, fault->words, fault->shown[0]));
    }
done:
    tess_mesh_faults_release(&faults);
    return status;
}
