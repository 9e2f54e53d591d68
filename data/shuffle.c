/* Shuffling: all elements of a mesh in random order. */
#include "data/shuffle.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "data/permute_mesh.h"
#include <stdlib.h>

/* A random order of n elements: the new number of each. */
static tess_status permutation_build(const tess_set *set, uint64_t seed, int32_t **out) {
    int32_t *new_of = NULL;
    uint64_t state = seed;
    for (const char *c = set->name; *c; c++)
        state = (state ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    TRY(TESS_ALLOC(set->size, &new_of));
    for (int64_t i = 0; i < set->size; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        new_of[i] = new_of[j];
        new_of[j] = (int32_t)i;
    }
    *out = new_of;
    return TESS_OK;
}

tess_status tess_mesh_shuffle(tess_mesh *mesh, uint64_t seed) {
    tess_status status = TESS_OK;
    int32_t **new_of = NULL;
    CHECK(TESS_ZEROS(mesh->n_sets, &new_of));
    for (int s = 0; s < mesh->n_sets; s++)
        CHECK(permutation_build(&mesh->sets[s], seed, &new_of[s]));
    CHECK(tess_mesh_permute(mesh, new_of));
done:
    for (int s = 0; new_of && s < mesh->n_sets; s++)
        free(new_of[s]);
    free(new_of);
    return status;
}
