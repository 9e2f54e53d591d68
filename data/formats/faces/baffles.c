/* Baffles: faces at the boundary of which two have the same nodes, thin walls between cells. */
#include "data/formats/faces/baffles.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/base/splitmix.h"
#include "data/formats/name_counts.h"
#include <inttypes.h>
#include <stdlib.h>

/* Of the nodes of a face, in any order. */
static uint64_t hash_of(const tess_polyhedra *polyhedra, int64_t face) {
    uint64_t sum = 0;
    for (int64_t i = polyhedra->faces.start[face]; i < polyhedra->faces.start[face + 1]; i++) {
        uint64_t state = (uint64_t)(uint32_t)polyhedra->faces.value[i];
        sum += tess_random_next(&state);
    }
    return sum;
}

tess_status tess_baffles_warn(const tess_polyhedra *polyhedra, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t n = polyhedra->faces.n - polyhedra->n_inner;
    uint64_t *key = NULL;
    int32_t *order = NULL;
    int64_t *count = NULL, n_faces = 0;
    tess_name_counts names = {.n = 0};
    CHECK(TESS_ALLOC(n, &key));
    CHECK(TESS_ZEROS(mesh->n_markers, &count));
    for (int64_t f = 0; f < n; f++)
        key[f] = hash_of(polyhedra, polyhedra->n_inner + f);
    CHECK(tess_key_order(key, n, &order));
    for (int64_t i = 0; i < n; i++) {
        const bool is_one = (i > 0 && key[order[i]] == key[order[i - 1]]) ||
                            (i + 1 < n && key[order[i]] == key[order[i + 1]]);
        n_faces += is_one;
        if (is_one && polyhedra->marker[order[i]] >= 0)
            count[polyhedra->marker[order[i]]]++;
    }
    tess_name_counts_add_all(&names, mesh->markers, count, mesh->n_markers);
    if (n_faces)
        CHECK(tess_mesh_warn(mesh,
                             "%" PRId64 " faces at the boundary are both sides of a baffle, which "
                             "parts cells that count as neighbours here: %s",
                             n_faces, names.n ? tess_name_counts_text(&names) : "in no patch"));
done:
    free(key);
    free(order);
    free(count);
    return status;
}
