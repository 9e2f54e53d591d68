/* The other sets of a chain with rings, as nodes: what a block reads of them it brings to its
 * memory, each point once. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 65535 };

/* The list of a set under construction. */
typedef struct listing {
    const tess_chain_writer *w;
    tess_chain_other *other;
    const int32_t *order;
    int32_t *element; /* [points]: which is stored there */
    int32_t *seen_by; /* [points]: the block that saw a point last */
    int64_t n, capacity;
} listing;

static tess_status see(listing *l, int32_t block, int32_t point) {
    if (point < 0 || l->seen_by[point] == block)
        return TESS_OK;
    l->seen_by[point] = block;
    TRY(TESS_RESERVE(l->n + 1, &l->capacity, &l->other->points));
    l->other->points[l->n++] = point;
    return TESS_OK;
}

/* What an element reads of the set by an arg. */
static tess_status see_element(listing *l, int32_t block, const tess_arg *arg, int64_t element) {
    const tess_map *map = tess_mesh_find_map(l->w->mesh, arg->map);
    const int end = arg->slot < 0 ? map->arity : arg->slot + 1;
    for (int s = arg->slot < 0 ? 0 : arg->slot; s < end; s++)
        TRY(see(l, block, map->index[element * map->arity + s]));
    return TESS_OK;
}

static tess_status see_place(listing *l, int32_t block, const tess_chain_loop *of,
                             const tess_arg *arg, int64_t k) {
    if (!of->gathered)
        return see_element(l, block, arg, l->w->setting->blocks->points[k]);
    const tess_chain_entries *entries = tess_chain_record_of(l->w, of->loop->set)->entries;
    for (int64_t at = entries->first[k / TESS_SLICE] + k % TESS_SLICE;
         at < entries->first[k / TESS_SLICE + 1]; at += TESS_SLICE)
        if (entries->element[at] >= 0)
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
    int32_t *points = l->other->points;
    for (int64_t i = begin; i < l->n && l->order; i++)
        points[i] = l->order[points[i]];
    tess_sort(points + begin, l->n - begin);
    for (int64_t i = begin; i < l->n && l->order; i++)
        points[i] = l->element[points[i]];
}

static tess_status list_block(listing *l, int32_t block) {
    const tess_chain *chain = l->w->setting->chain;
    const tess_chain_blocks *blocks = l->w->setting->blocks;
    const int64_t *place = blocks->place + (int64_t)block * (blocks->n_rings + 2);
    const int64_t begin = l->n;
    for (int i = 0; i < chain->n_loops; i++) {
        const tess_chain_loop *of = &chain->loops[i];
        for (int a = 0; a < of->loop->n_args && is_first(chain, i); a++) {
            const tess_arg *arg = &of->loop->args[a];
            for (int64_t k = place[0]; arg->map[0] && strcmp(arg->set, l->other->set) == 0 &&
                                       k < place[chain->n_rings + 1];
                 k++)
                TRY(see_place(l, block, of, arg, k));
        }
    }
    if (l->n - begin > MOST_PLACES)
        FAIL(TESS_ERROR_INPUT, "block %d of the chain reads %lld %s, over %d: take smaller blocks",
             block, (long long)(l->n - begin), l->other->set, MOST_PLACES);
    sort_points(l, begin);
    l->other->most = l->n - begin > l->other->most ? l->n - begin : l->other->most;
    l->other->begin[block + 1] = (int32_t)l->n;
    return TESS_OK;
}

/* Makes the list of a set, and its arrays. */
static tess_status list_set(tess_chain_writer *w, tess_chain_other *other) {
    const int set = tess_mesh_find_set(w->mesh, other->set);
    const int64_t n_points = w->mesh->sets[set].size;
    const int32_t n_blocks = w->setting->blocks->n_blocks;
    tess_status status = TESS_OK;
    int32_t *stored = NULL;
    listing l = {.w = w, .other = other, .order = tess_store_order(w->setting->store, set)};
    CHECK(TESS_ALLOC(n_points, &l.seen_by));
    CHECK(TESS_ZEROS(n_blocks + 1, &other->begin));
    CHECK(TESS_ALLOC(n_points, &l.element));
    for (int64_t p = 0; p < n_points; p++) {
        l.seen_by[p] = -1;
        l.element[l.order ? l.order[p] : p] = (int32_t)p;
    }
    for (int32_t block = 0; block < n_blocks; block++)
        CHECK(list_block(&l, block));
    CHECK(TESS_ALLOC(l.n, &stored));
    for (int64_t i = 0; i < l.n; i++)
        stored[i] = l.order ? l.order[other->points[i]] : other->points[i];
    CHECK(tess_page_array(w->page, "const int *", other->begin, (int64_t)(n_blocks + 1) * 4,
                          "%s_begin", other->set));
    CHECK(tess_page_array(w->page, "const int *", stored, l.n * 4, "%s_points", other->set));
done:
    free(stored);
    free(l.seen_by);
    free(l.element);
    return status;
}

const tess_chain_other *tess_chain_other_of(const tess_chain_writer *w, const char *set) {
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

tess_status tess_chain_others_list(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    const int most = (int)(sizeof w->others / sizeof w->others[0]);
    for (int d = 0; d < chain->n_dats && chain->n_rings > 0; d++) {
        const char *set = chain->dats[d].set;
        if (!is_other(chain, set) || tess_chain_other_of(w, set) || w->n_others == most)
            continue;
        tess_chain_other *other = &w->others[w->n_others++];
        snprintf(other->set, sizeof other->set, "%s", set);
        TRY(list_set(w, other));
    }
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

void tess_chain_others_free(tess_chain_writer *w) {
    for (int i = 0; i < w->n_others; i++) {
        free(w->others[i].begin);
        free(w->others[i].points);
    }
}
