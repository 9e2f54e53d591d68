/* A chained border: the blocks of a chain on a rank that reach something of other ranks. */
#include "kernels/run/chained_border.h"

#include "core/base/array.h"
#include <stdlib.h>

typedef struct reaching {
    const tess_rank_mesh *rank;
    const tess_chain_blocks *blocks;
    int owner; /* the chain's */
    int n_leads;
    tess_chain_lead *leads;
} reaching;

/* Whether an element is of another rank, or leads to something that is. */
static bool leaves(const reaching *r, int set, int64_t element) {
    if (element >= r->rank->sets[set].n_owned)
        return true;
    for (int l = 0; l < r->n_leads; l++) {
        const tess_chain_lead *lead = &r->leads[l];
        for (int s = 0; lead->from == set && s < lead->slots.n; s++)
            if (tess_chain_slot_point(&lead->slots, s, element) >= r->rank->sets[lead->to].n_owned)
                return true;
    }
    return false;
}

static bool place_leaves(const reaching *r, int64_t place) {
    if (leaves(r, r->owner, r->blocks->points[place]))
        return true;
    for (int f = 0; f < r->blocks->n_sets; f++) {
        const tess_chain_entries *entries = &r->blocks->sets[f];
        for (int64_t at = -1; (at = tess_chain_next_entry(entries, place, at)) >= 0;)
            if (leaves(r, entries->index, entries->element[at]))
                return true;
    }
    return false;
}

enum { CORE, REST, EMPTY };

static int kind_of(const reaching *r, int32_t block) {
    const int64_t *place = r->blocks->place + (int64_t)block * (r->blocks->n_rings + 2);
    if (place[0] == place[1])
        return EMPTY;
    for (int64_t k = place[0]; k < place[r->blocks->n_rings + 1]; k++)
        if (place_leaves(r, k))
            return REST;
    return CORE;
}

tess_status tess_chained_border_order(const tess_chain *chain, const tess_rank_mesh *rank,
                                      const tess_chain_blocks *blocks, int32_t *block_of,
                                      int64_t *n_core, int64_t *n_own) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = rank->mesh;
    reaching r = {.rank = rank, .blocks = blocks, .owner = tess_mesh_find_set(mesh, chain->owner)};
    int32_t *number = NULL, n = 0;
    int *kind = NULL;
    CHECK(tess_chain_leads_find(chain, mesh, &r.leads, &r.n_leads));
    CHECK(TESS_ALLOC(blocks->n_blocks, &number));
    CHECK(TESS_ALLOC(blocks->n_blocks, &kind));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < blocks->n_blocks; b++)
        kind[b] = kind_of(&r, b);
    for (int k = CORE; k < EMPTY; k++) {
        for (int32_t b = 0; b < blocks->n_blocks; b++)
            if (kind[b] == k)
                number[b] = n++;
        *(k == CORE ? n_core : n_own) = n;
    }
    for (int64_t p = 0; p < mesh->sets[r.owner].size; p++)
        if (block_of[p] >= 0)
            block_of[p] = number[block_of[p]];
done:
    free(r.leads);
    free(number);
    free(kind);
    return status;
}
