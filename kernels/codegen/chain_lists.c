/* The lists of a chain: what its blocks have of sets that are not the owner. Of those that are only
 * read, as nodes, in a chain with rings what a block brings to its memory, each point once; of
 * gathered ones the elements that a block computes once. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of a set under construction. */
typedef struct listing {
    const tess_chain_writer *w;
    tess_chain_list *list;
    const tess_chain_record *of; /* whose elements it has; NULL: points that are read */
    const int32_t *order;
    int32_t *element; /* [points]: which is stored there */
    int32_t *seen_by; /* [points]: the block that saw a point last */
    int64_t n, capacity;
} listing;

static tess_status put(listing *l, int32_t point) {
    TRY(TESS_RESERVE(l->n + 1, &l->capacity, &l->list->points));
    l->list->points[l->n++] = point;
    return TESS_OK;
}

static tess_status see(listing *l, int32_t block, int32_t point) {
    if (point < 0 || l->seen_by[point] == block)
        return TESS_OK;
    l->seen_by[point] = block;
    return put(l, point);
}

/* What an element reads of the set by an arg. */
static tess_status see_element(listing *l, int32_t block, const tess_arg *arg, int64_t element) {
    const tess_map *map = tess_mesh_find_map(l->w->mesh, arg->map);
    const int end = arg->slot < 0 ? map->arity : arg->slot + 1;
    for (int s = arg->slot < 0 ? 0 : arg->slot; s < end; s++)
        TRY(see(l, block, map->index[element * map->arity + s]));
    return TESS_OK;
}

/* The next entry of the point at place k, from `at` on; -1: the point has no more. */
static int64_t entry_from(const tess_chain_entries *entries, int64_t k, int64_t at) {
    while (at < entries->first[k / TESS_SLICE + 1] && entries->element[at] < 0)
        at += TESS_SLICE;
    return at < entries->first[k / TESS_SLICE + 1] ? at : -1;
}

static int64_t first_entry(const tess_chain_entries *entries, int64_t k) {
    return entry_from(entries, k, entries->first[k / TESS_SLICE] + k % TESS_SLICE);
}

static int64_t next_entry(const tess_chain_entries *entries, int64_t k, int64_t at) {
    return entry_from(entries, k, at + TESS_SLICE);
}

static const tess_chain_entries *entries_of(const tess_chain_writer *w, const char *set) {
    const tess_chain_entries *entries = w->setting->blocks->sets;
    while (strcmp(entries->set, set) != 0)
        entries++;
    return entries;
}

static tess_status see_place(listing *l, int32_t block, const tess_chain_loop *of,
                             const tess_arg *arg, int64_t k) {
    if (!of->gathered)
        return see_element(l, block, arg, l->w->setting->blocks->points[k]);
    const tess_chain_entries *entries = entries_of(l->w, of->loop->set);
    for (int64_t at = first_entry(entries, k); at >= 0; at = next_entry(entries, k, at))
        TRY(see_element(l, block, arg, entries->element[at]));
    return TESS_OK;
}

static bool is_first(const tess_chain *chain, int k) {
    for (int i = 0; i < k; i++)
        if (chain->loops[i].loop == chain->loops[k].loop)
            return false;
    return true;
}

/* Puts a block's points in the order in which they are stored. */
static void sort_points(listing *l, int64_t begin) {
    int32_t *points = l->list->points;
    for (int64_t i = begin; i < l->n && l->order; i++)
        points[i] = l->order[points[i]];
    tess_sort(points + begin, l->n - begin);
    for (int64_t i = begin; i < l->n && l->order; i++)
        points[i] = l->element[points[i]];
}

/* All points that a block's loops read of the set. */
static tess_status see_read(listing *l, int32_t block, const int64_t *place) {
    const tess_chain *chain = l->w->setting->chain;
    for (int i = 0; i < chain->n_loops; i++) {
        const tess_chain_loop *of = &chain->loops[i];
        for (int a = 0; a < of->loop->n_args && is_first(chain, i); a++) {
            const tess_arg *arg = &of->loop->args[a];
            for (int64_t k = place[0]; arg->map[0] && strcmp(arg->set, l->list->set) == 0 &&
                                       k < place[chain->n_rings + 1];
                 k++)
                TRY(see_place(l, block, of, arg, k));
        }
    }
    return TESS_OK;
}

/* All elements that add to points of a block and its rings. */
static tess_status see_computed(listing *l, int32_t block, const int64_t *place) {
    const tess_chain_entries *entries = entries_of(l->w, l->of->set);
    for (int64_t k = place[0]; k < place[l->of->ring + 1]; k++)
        for (int64_t at = first_entry(entries, k); at >= 0; at = next_entry(entries, k, at))
            TRY(see(l, block, entries->element[at]));
    return TESS_OK;
}

static tess_status list_block(listing *l, int32_t block) {
    const tess_chain_blocks *blocks = l->w->setting->blocks;
    const int64_t *place = blocks->place + (int64_t)block * (blocks->n_rings + 2);
    const int64_t begin = l->n;
    TRY(l->of ? see_computed(l, block, place) : see_read(l, block, place));
    const int64_t n = l->n - begin;
    if (n > UINT16_MAX && !l->of)
        FAIL(TESS_ERROR_INPUT, "block %d of the chain reads %lld %s, over %d: take smaller blocks",
             block, (long long)n, l->list->set, UINT16_MAX);
    sort_points(l, begin);
    l->list->most = n > l->list->most ? n : l->list->most;
    l->list->begin[block] = (int32_t)begin;
    l->list->n[block] = (int32_t)n;
    while (l->of && l->n % TESS_SLICE)
        TRY(put(l, -1));
    if (l->n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "blocks of the chain have %lld %s, over 2^31 - 1", (long long)l->n,
             l->list->set);
    return TESS_OK;
}

/* Lists a set, whose name the list has. */
static tess_status list_set(listing *l) {
    const int set = tess_mesh_find_set(l->w->mesh, l->list->set);
    const int64_t n_points = l->w->mesh->sets[set].size;
    const int32_t n_blocks = l->w->setting->blocks->n_blocks;
    tess_status status = TESS_OK;
    l->order = tess_store_order(l->w->setting->store, set);
    CHECK(TESS_ALLOC(n_points, &l->seen_by));
    CHECK(TESS_ZEROS(n_blocks, &l->list->begin));
    CHECK(TESS_ZEROS(n_blocks, &l->list->n));
    CHECK(TESS_ALLOC(n_points, &l->element));
    for (int64_t p = 0; p < n_points; p++) {
        l->seen_by[p] = -1;
        l->element[l->order ? l->order[p] : p] = (int32_t)p;
    }
    for (int32_t block = 0; block < n_blocks; block++)
        CHECK(list_block(l, block));
done:
    free(l->seen_by);
    free(l->element);
    return status;
}

/* Where each block's list begins, and what it has. */
static tess_status put_extents(tess_chain_writer *w, const tess_chain_list *list) {
    const int32_t n_blocks = w->setting->blocks->n_blocks;
    tess_status status = TESS_OK;
    int32_t *extents = NULL;
    CHECK(TESS_ALLOC(2 * (int64_t)n_blocks, &extents));
    for (int32_t b = 0; b < n_blocks; b++) {
        extents[2 * b] = list->begin[b];
        extents[2 * b + 1] = list->n[b];
    }
    CHECK(tess_page_array(w->page, "const int *", extents, (int64_t)n_blocks * 8, "%s_extents",
                          list->set));
done:
    free(extents);
    return status;
}

static void free_list(tess_chain_list *list) {
    free(list->begin);
    free(list->n);
    free(list->points);
}

/* --- elements that are computed once ---------------------------------------------------------- */

/* Where entries of points find their elements, and which ones a block owns. */
static tess_status find_places(const tess_chain_writer *w, const tess_chain_record *record,
                               tess_chain_once *once) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const tess_chain_entries *entries = entries_of(w, record->set);
    const int32_t last = blocks->n_blocks - 1;
    const int64_t n_listed = last < 0 ? 0 : once->list.begin[last] + once->list.n[last];
    tess_status status = TESS_OK;
    int32_t *at_of = NULL; /* of an element in the list */
    CHECK(TESS_ZEROS(n_listed, &once->mark));
    CHECK(TESS_ALLOC(entries->first[blocks->n_places / TESS_SLICE], &once->place));
    CHECK(TESS_ALLOC(w->mesh->sets[tess_mesh_find_set(w->mesh, record->set)].size, &at_of));
    for (int32_t b = 0; b <= last; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        for (int32_t i = 0; i < once->list.n[b]; i++)
            at_of[once->list.points[once->list.begin[b] + i]] = once->list.begin[b] + i;
        for (int64_t k = place[0]; k < place[record->ring + 1]; k++)
            for (int64_t at = first_entry(entries, k); at >= 0; at = next_entry(entries, k, at)) {
                const int32_t listed = at_of[entries->element[at]];
                once->place[at] = listed - once->list.begin[b];
                if (k < place[1])
                    once->mark[listed] |= entries->slot[at] & TESS_ENTRY_OWNS;
            }
    }
done:
    free(at_of);
    return status;
}

tess_status tess_chain_once_list(const tess_chain_writer *w, const tess_chain_record *record,
                                 tess_chain_once *once) {
    listing l = {.w = w, .list = &once->list, .of = record};
    snprintf(once->list.set, sizeof once->list.set, "%s", record->set);
    TRY(list_set(&l));
    return find_places(w, record, once);
}

void tess_chain_once_clear(tess_chain_once *once) {
    free_list(&once->list);
    free(once->mark);
    free(once->place);
    *once = (tess_chain_once){.mark = NULL};
}

/* --- sets that are only read ------------------------------------------------------------------ */

const tess_chain_list *tess_chain_other_of(const tess_chain_writer *w, const char *set) {
    for (int i = 0; i < w->n_others; i++)
        if (strcmp(w->others[i].set, set) == 0)
            return &w->others[i];
    return NULL;
}

/* Whether a set is neither the owner nor gathered. */
static bool is_other(const tess_chain *chain, const char *set) {
    bool other = set[0] && strcmp(set, chain->owner) != 0;
    for (int k = 0; k < chain->n_loops; k++)
        other &= strcmp(chain->loops[k].loop->set, set) != 0;
    return other;
}

/* Where a block's points are stored. */
static tess_status put_points(tess_chain_writer *w, const listing *l) {
    tess_status status = TESS_OK;
    int32_t *stored = NULL;
    CHECK(TESS_ALLOC(l->n, &stored));
    for (int64_t i = 0; i < l->n; i++)
        stored[i] = l->order ? l->order[l->list->points[i]] : l->list->points[i];
    CHECK(tess_page_array(w->page, "const int *", stored, l->n * 4, "%s_points", l->list->set));
done:
    free(stored);
    return status;
}

tess_status tess_chain_lists_put(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    const int most = (int)(sizeof w->others / sizeof w->others[0]);
    for (int d = 0; d < chain->n_dats && chain->n_rings > 0; d++) {
        const char *set = chain->dats[d].set;
        if (!is_other(chain, set) || tess_chain_other_of(w, set) || w->n_others == most)
            continue;
        listing l = {.w = w, .list = &w->others[w->n_others++]};
        snprintf(l.list->set, sizeof l.list->set, "%s", set);
        TRY(list_set(&l));
        TRY(put_points(w, &l));
        TRY(put_extents(w, l.list));
    }
    for (int i = 0; i < w->n_once; i++)
        TRY(put_extents(w, &w->once[i].list));
    return TESS_OK;
}

void tess_chain_others_print(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    for (int i = 0; i < w->n_others; i++) {
        const tess_page_dat words = {.set = w->others[i].set};
        tess_page_code(
            w->page, &words,
            "INLINE int @set_kept(const struct block *b) {\n    return b->n_@set;\n}\n\n"
            "INLINE void keep_@set(const struct params *p, const struct block *b, int k) "
            "{\n    const int i = fetch(&p->@set_points[b->begin_@set + k]);\n");
        for (int d = 0; d < chain->n_dats; d++)
            if (strcmp(chain->dats[d].set, w->others[i].set) == 0)
                tess_chain_print_keep(w, d);
        tess_page_code(w->page, NULL, "}\n\n");
    }
}

void tess_chain_lists_free(tess_chain_writer *w) {
    for (int i = 0; i < w->n_others; i++)
        free_list(&w->others[i]);
    for (int i = 0; i < w->n_once; i++)
        tess_chain_once_clear(&w->once[i]);
    free(w->once);
}
