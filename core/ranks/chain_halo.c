/* A chain's halo: what the ranks of a mesh need of each other for a chain of loops. */
#include "core/ranks/chain_halo.h"

#include "core/plan/chain_blocks.h"
#include <stdlib.h>
#include <string.h>

typedef struct finding {
    const tess_chain_halo *of;
    const tess_chain *chain;
    tess_chain_blocks *blocks; /* a rank's are one */
    int owner;                 /* the chain's */
    int n_leads;
    tess_chain_lead *leads;
} finding;

static int32_t rank_of(const finding *f, int set, int64_t element) {
    return f->of->owners->rank_of[set][element];
}

/* What a rank has of an element of another: the values of its set's dats that arrive. */
static tess_status need_values(finding *f, int32_t rank, int set, int32_t element, int ring) {
    const char *name = f->of->mesh->sets[set].name;
    const bool is_owner = strcmp(name, f->chain->owner) == 0;
    for (int d = 0; d < f->chain->n_dats; d++) {
        const tess_chain_dat *dat = &f->chain->dats[d];
        if (f->of->ranked->arrives[d] && strcmp(dat->set, name) == 0 &&
            (!is_owner || ring <= dat->load_ring))
            TRY(tess_row_pairs_add(&f->of->lists[d], rank, element));
    }
    return TESS_OK;
}

/* A rank reaches the points of an element that it computes: those of the owner's set come as rings.
 */
static tess_status reach(finding *f, int32_t rank, int set, int64_t element) {
    for (int l = 0; l < f->n_leads; l++) {
        const tess_chain_lead *lead = &f->leads[l];
        for (int s = 0; lead->from == set && s < lead->slots.n; s++) {
            const int32_t point = tess_chain_slot_point(&lead->slots, s, element);
            if (point < 0 || rank_of(f, lead->to, point) == rank)
                continue;
            TRY(tess_row_pairs_add(&f->of->reached[lead->to], rank, point));
            if (lead->to != f->owner)
                TRY(need_values(f, rank, lead->to, point, 0));
        }
    }
    return TESS_OK;
}

/* A point that a rank computes, and the elements that add to it. */
static tess_status compute_point(finding *f, int32_t rank, int64_t place) {
    TRY(reach(f, rank, f->owner, f->blocks->points[place]));
    for (int i = 0; i < f->blocks->n_sets; i++) {
        const tess_chain_entries *entries = &f->blocks->sets[i];
        const int set = entries->index;
        for (int64_t at = -1; (at = tess_chain_next_entry(entries, place, at)) >= 0;) {
            const int32_t element = entries->element[at];
            TRY(reach(f, rank, set, element));
            if (rank_of(f, set, element) == rank)
                continue;
            TRY(tess_row_pairs_add(&f->of->executes[set], rank, element));
            TRY(need_values(f, rank, set, element, 0));
        }
    }
    return TESS_OK;
}

static tess_status find_rank(finding *f, int32_t rank) {
    const int64_t *place = f->blocks->place + (int64_t)rank * (f->blocks->n_rings + 2);
    int ring = 0;
    for (int64_t k = place[0]; k < place[f->blocks->n_rings + 1]; k++) {
        const int32_t point = f->blocks->points[k];
        while (k >= place[ring + 1])
            ring++;
        const bool is_computed = ring <= f->chain->n_rings;
        if (is_computed)
            TRY(compute_point(f, rank, k));
        if (ring == 0)
            continue;
        TRY(need_values(f, rank, f->owner, point, ring));
        TRY(tess_row_pairs_add(is_computed ? f->of->executed : &f->of->reached[f->owner], rank,
                               point));
    }
    return TESS_OK;
}

tess_status tess_chain_halo_find(const tess_chain_halo *of) {
    tess_status status = TESS_OK;
    finding f = {.of = of,
                 .chain = of->ranked->chain,
                 .owner = tess_mesh_find_set(of->mesh, of->ranked->chain->owner)};
    CHECK(tess_chain_leads_find(f.chain, of->mesh, &f.leads, &f.n_leads));
    CHECK(tess_chain_rings_build(f.chain, of->mesh, of->owners->rank_of[f.owner],
                                 of->owners->n_ranks, &f.blocks));
    for (int32_t r = 0; r < of->owners->n_ranks; r++)
        CHECK(find_rank(&f, r));
done:
    free(f.leads);
    tess_chain_blocks_free(f.blocks);
    return status;
}
