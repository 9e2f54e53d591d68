/* The proof of a renumbering: each permutation is one, of a set that has no other, and pairs follow
 * their rows. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/mesh/pairs.h"
#include "core/plan/order/renumber.h"
#include <stdlib.h>
#include <string.h>

/* Whether each position has an element that says so: then no two have the same. */
static bool is_permutation(const tess_permutation *permutation) {
    const int64_t n = permutation->size;
    bool right = true;
#pragma omp parallel for reduction(&& : right)
    for (int64_t i = 0; i < n; i++) {
        const int32_t old = permutation->new_to_old[i];
        right = right && old >= 0 && old < n && permutation->old_to_new[old] == i;
    }
    return right;
}

static tess_status permutation_check(const tess_mesh *mesh, const tess_permutation *permutation) {
    tess_status status = TESS_OK;
    bool *seen = NULL;
    const int64_t n = permutation->size;
    const char *name = mesh->sets[permutation->set].name;
    if (n != mesh->sets[permutation->set].size)
        FAIL(TESS_ERROR_CHECK, "the renumbering of %s has %lld numbers for %lld elements", name,
             (long long)n, (long long)mesh->sets[permutation->set].size);
    if (is_permutation(permutation))
        return TESS_OK;
    CHECK(TESS_ZEROS(n, &seen)); /* what is wrong */
    for (int64_t i = 0; i < n; i++) {
        const int32_t old = permutation->new_to_old[i];
        if (old < 0 || old >= n || seen[old])
            CHECK(
                tess_fail(TESS_ERROR_CHECK,
                          "the renumbering of %s is no permutation: position %lld has %d, which %s",
                          name, (long long)i, old,
                          old < 0 || old >= n ? "does not exist" : "another position has, too"));
        seen[old] = true;
        if (permutation->old_to_new[old] != i)
            CHECK(tess_fail(TESS_ERROR_CHECK,
                            "the renumbering of %s puts %d at position %lld, its inverse at %d",
                            name, old, (long long)i, permutation->old_to_new[old]));
    }
done:
    free(seen);
    return status;
}

/* Pairs are stored by the positions of their rows, then of their columns, each before the next. */
static tess_status pairs_follow(const tess_mesh *mesh, const tess_renumbering *renumbering,
                                const tess_permutation *own) {
    const char *name = mesh->sets[own->set].name;
    const tess_map *pairs = tess_pairs_of_set(mesh, own->set);
    int64_t before[2] = {-1, -1};
    if (!pairs)
        FAIL(TESS_ERROR_CHECK, "%s are to follow their rows, but are no pairs", name);
    const tess_permutation *rows = tess_renumbering_of(renumbering, pairs->to);
    for (int64_t i = 0; i < own->size; i++) {
        int64_t at[2];
        for (int c = 0; c < 2; c++) {
            const int32_t point = pairs->index[2 * (int64_t)own->new_to_old[i] + c];
            at[c] = rows ? rows->old_to_new[point] : point;
        }
        if (at[0] < before[0] || (at[0] == before[0] && at[1] <= before[1]))
            FAIL(TESS_ERROR_CHECK,
                 "%s do not follow their rows: position %lld has the pair (%lld, %lld) as stored, "
                 "the one before (%lld, %lld)",
                 name, (long long)i, (long long)at[0], (long long)at[1], (long long)before[0],
                 (long long)before[1]);
        memcpy(before, at, sizeof before);
    }
    return TESS_OK;
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
        TRY(tess_interrupt_check());
    }
    for (int i = 0; i < renumbering->n_sets; i++)
        if (renumbering->sets[i].by_rows)
            TRY(pairs_follow(mesh, renumbering, &renumbering->sets[i]));
    return TESS_OK;
}
