/* The proof of a renumbering: permutations are permutations, of sets that the mesh has. */
#include "core/base/array.h"
#include "core/plan/order/renumber.h"
#include <stdlib.h>

static tess_status permutation_check(const tess_mesh *mesh, const tess_permutation *permutation) {
    tess_status status = TESS_OK;
    bool *seen = NULL;
    const int64_t n = permutation->size;
    const char *name = mesh->sets[permutation->set].name;
    if (n != mesh->sets[permutation->set].size)
        FAIL(TESS_ERROR_CHECK, "the renumbering of %s has %lld numbers for %lld elements", name,
             (long long)n, (long long)mesh->sets[permutation->set].size);
    CHECK(TESS_ZEROS(n, &seen));
    for (int64_t i = 0; i < n; i++) {
        const int32_t old = permutation->new_to_old[i];
        if (old < 0 || old >= n || seen[old])
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "the renumbering of %s is no permutation: place "
                            "%lld has %d, which %s",
                            name, (long long)i, old,
                            old < 0 || old >= n ? "does not exist" : "another place has, too"));
        seen[old] = true;
        if (permutation->old_to_new[old] != i)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "the renumbering of %s puts %d at place %lld, its "
                            "inverse at %d",
                            name, old, (long long)i, permutation->old_to_new[old]));
    }
done:
    free(seen);
    return status;
}

tess_status tess_renumbering_check(const tess_mesh *mesh, const tess_renumbering *renumbering) {
    for (int i = 0; i < renumbering->n_sets; i++) {
        const tess_permutation *permutation = &renumbering->sets[i];
        if (permutation->set < 0 || permutation->set >= mesh->n_sets)
            FAIL(TESS_ERROR_CHECK, "set %d is renumbered, but the mesh has %d", permutation->set,
                 mesh->n_sets);
        if (tess_renumbering_of(renumbering, permutation->set) != permutation)
            FAIL(TESS_ERROR_CHECK, "%s are renumbered twice", mesh->sets[permutation->set].name);
        TRY(permutation_check(mesh, permutation));
    }
    return TESS_OK;
}
