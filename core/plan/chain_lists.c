/* The lists of a chain's blocks: what each has of sets that are not the owner. */
#include "core/plan/chain_lists.h"

#include "core/base/array.h"
#include "core/plan/point_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of a set under construction. */
typedef struct listing {
    const tess_chain_blocks *blocks;
    const tess_chain_entries *computed; /* whose elements it has; NULL: points that are read */
    tess_chain_slots *reads;            /* [n_sets + 1]: through which the owner reads, then each */
    int ring;                           /* of points that are looked at */
    tess_point_list points;
    tess_chain_list *list;
} listing;

const tess_chain_entries *tess_chain_entries_of(const tess_chain_blocks *blocks, const char *set) {
    for (int f = 0; f < blocks->n_sets; f++)
        if (strcmp(blocks->sets[f].set, set) == 0)
            return &blocks->sets[f];
    return NULL;
}

static tess_status see_slots(listing *l, int32_t block, const tess_chain_slots *slots,
                             int64_t element) {
    for (int s = 0; s < slots->n; s++)
        TRY(tess_point_list_see(&l->points, block, tess_chain_slot_point(slots, s, element)));
    return TESS_OK;
}

/* What the point at place k and its entries read of the set. */
static tess_status see_read(listing *l, int32_t block, int64_t k) {
    TRY(see_slots(l, block, &l->reads[0], l->blocks->points[k]));
    for (int f = 0; f < l->blocks->n_sets; f++) {
        const tess_chain_entries *entries = &l->blocks->sets[f];
        for (int64_t at = -1;
             l->reads[f + 1].n > 0 && (at = tess_chain_next_entry(entries, k, at)) >= 0;)
            TRY(see_slots(l, block, &l->reads[f + 1], entries->element[at]));
    }
    return TESS_OK;
}

/* The elements that add to the point at place k. */
static tess_status see_computed(listing *l, int32_t block, int64_t k) {
    for (int64_t at = -1; (at = tess_chain_next_entry(l->computed, k, at)) >= 0;)
        TRY(tess_point_list_see(&l->points, block, l->computed->element[at]));
    return TESS_OK;
}

static tess_status list_block(listing *l, int32_t block) {
    const int64_t *place = l->blocks->place + (int64_t)block * (l->blocks->n_rings + 2);
    const int64_t begin = l->points.n;
    for (int64_t k = place[0]; k < place[l->ring + 1]; k++)
        TRY(l->computed ? see_computed(l, block, k) : see_read(l, block, k));
    const int64_t n = l->points.n - begin;
    if (n > UINT16_MAX && !l->computed)
        FAIL(TESS_ERROR_INPUT, "block %d of the chain reads %lld %s, over %d: take smaller blocks",
             block, (long long)n, l->list->set, UINT16_MAX);
    tess_point_list_sort(&l->points, begin);
    l->list->most = n > l->list->most ? (n + 3) / 4 * 4 : l->list->most;
    l->list->begin[block] = (int32_t)begin;
    l->list->n[block] = (int32_t)n;
    if (l->computed)
        TRY(tess_point_list_pad(&l->points));
    if (l->points.n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "blocks of the chain have %lld %s, over 2^31 - 1",
             (long long)l->points.n, l->list->set);
    return TESS_OK;
}

/* Where entries of points find their elements, and which ones a block owns. */
static tess_status find_places(const listing *l, int64_t n_elements) {
    const tess_chain_blocks *blocks = l->blocks;
    const tess_chain_entries *entries = l->computed;
    tess_chain_list *list = l->list;
    tess_status status = TESS_OK;
    int32_t *at_of = NULL; /* of an element in the list */
    CHECK(TESS_ZEROS(l->points.n, &list->mark));
    CHECK(TESS_ZEROS(entries->first[blocks->n_places / TESS_SLICE], &list->place));
    CHECK(TESS_ALLOC(n_elements, &at_of));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        for (int32_t i = 0; i < list->n[b]; i++)
            at_of[list->points[list->begin[b] + i]] = list->begin[b] + i;
        for (int64_t k = place[0]; k < place[l->ring + 1]; k++)
            for (int64_t at = -1; (at = tess_chain_next_entry(entries, k, at)) >= 0;) {
                const int32_t listed = at_of[entries->element[at]];
                list->place[at] = listed - list->begin[b];
                if (k < place[1])
                    list->mark[listed] |= entries->slot[at] & TESS_ENTRY_OWNS;
            }
    }
done:
    free(at_of);
    return status;
}

/* What is looked at: elements of the set in the rings of its loops, or all that leads to it. */
static tess_status open_listing(const tess_chain *chain, const tess_mesh *mesh, listing *l) {
    const tess_chain_blocks *blocks = l->blocks;
    l->computed = tess_chain_entries_of(blocks, l->list->set);
    for (int k = 0; k < chain->n_loops; k++)
        if (!l->computed || strcmp(chain->loops[k].loop->set, l->list->set) == 0)
            l->ring = chain->loops[k].ring > l->ring ? chain->loops[k].ring : l->ring;
    l->list->ring = l->computed ? l->ring : 0;
    TRY(TESS_ZEROS(blocks->n_sets + 1, &l->reads));
    for (int f = -1; f < blocks->n_sets && !l->computed; f++)
        TRY(tess_chain_slots_find(chain, mesh, f < 0 ? chain->owner : blocks->sets[f].set,
                                  l->list->set, TESS_READ, &l->reads[f + 1]));
    TRY(TESS_ZEROS(blocks->n_blocks, &l->list->begin));
    return TESS_ZEROS(blocks->n_blocks, &l->list->n);
}

tess_status tess_chain_list_build(const tess_chain *chain, const tess_mesh *mesh,
                                  const tess_chain_blocks *blocks, const char *set,
                                  const int32_t *position, tess_chain_list *out) {
    const int64_t n = mesh->sets[tess_mesh_find_set(mesh, set)].size;
    tess_status status = TESS_OK;
    listing l = {.blocks = blocks, .list = out};
    *out = (tess_chain_list){.most = 0};
    snprintf(out->set, sizeof out->set, "%s", set);
    CHECK(open_listing(chain, mesh, &l));
    CHECK(tess_point_list_open(&l.points, n, position));
    for (int32_t block = 0; block < blocks->n_blocks; block++)
        CHECK(list_block(&l, block));
    out->points = TESS_TAKE(l.points.points);
    if (l.computed)
        CHECK(find_places(&l, n));
done:
    tess_point_list_close(&l.points);
    free(l.reads);
    return status;
}

void tess_chain_list_clear(tess_chain_list *list) {
    free(list->begin);
    free(list->n);
    free(list->points);
    free(list->mark);
    free(list->place);
    *list = (tess_chain_list){.most = 0};
}

void tess_chain_lists_clear(tess_chain_lists *lists) {
    for (int i = 0; i < lists->n; i++)
        tess_chain_list_clear(&lists->of[i]);
    free(lists->of);
    *lists = (tess_chain_lists){.n = 0};
}

static tess_chain_list *find(const tess_chain_lists *lists, const char *set, bool computed) {
    for (int i = 0; i < lists->n; i++)
        if (strcmp(lists->of[i].set, set) == 0 && (lists->of[i].mark != NULL) == computed)
            return &lists->of[i];
    return NULL;
}

tess_chain_list *tess_chain_elements_of(const tess_chain_lists *lists, const char *set) {
    return find(lists, set, true);
}

tess_chain_list *tess_chain_read_of(const tess_chain_lists *lists, const char *set) {
    return find(lists, set, false);
}
