/* Tables of a chain: its blocks, points and entries on the device, as its text names them. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PLACE = 0xffff };

static int words_of_block(const tess_chain_blocks *blocks) {
    return blocks->n_rings + 3;
}

static const int32_t *order_of(const tess_chain_writer *w, const char *set) {
    return tess_store_order(w->setting->store, tess_mesh_find_set(w->mesh, set));
}

/* Where an element is stored. */
static int32_t stored_at(const int32_t *order, int32_t element) {
    return order && element >= 0 ? order[element] : element;
}

/* Own points of a block begin where they are stored and where they stand in the list; each block
 * has its points and rings counted behind that. */
static tess_status put_blocks(tess_chain_writer *w, bool *in_order) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int32_t *order = order_of(w, w->setting->chain->owner);
    const int n_words = words_of_block(blocks);
    tess_status status = TESS_OK;
    int32_t *words = NULL, *points = NULL;
    CHECK(TESS_ZEROS((int64_t)blocks->n_blocks * n_words, &words));
    CHECK(TESS_ALLOC(blocks->n_places, &points));
    for (int64_t k = 0; k < blocks->n_places; k++)
        points[k] = stored_at(order, blocks->points[k]);
    *in_order = true;
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        int32_t *of = words + (int64_t)b * n_words;
        of[0] = (int32_t)place[0];
        of[1] = place[1] > place[0] ? points[place[0]] : 0;
        for (int r = 0; r <= blocks->n_rings; r++)
            of[2 + r] = (int32_t)tess_chain_points(blocks, b, r);
        for (int64_t k = place[0]; k < place[1]; k++)
            *in_order &= points[k] == of[1] + (k - place[0]);
    }
    CHECK(tess_page_array(w->page, "const int *", words, (int64_t)blocks->n_blocks * n_words * 4,
                          "blocks"));
    if (!*in_order || blocks->n_rings > 0)
        CHECK(tess_page_array(w->page, "const int *", points, blocks->n_places * 4, "points"));
done:
    free(words);
    free(points);
    return status;
}

static void print_block(tess_chain_writer *w, bool in_order) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int n_words = words_of_block(blocks);
    tess_page_code(w->page, NULL,
                   "/* What the threads of a block know of it: where its points begin in the list, "
                   "where its own ones\n * are stored, how many it has with so many rings. */\n"
                   "struct block {\n    char *shared;\n    int begin, own, n[%d];\n",
                   blocks->n_rings + 1);
    for (int i = 0; i < w->n_others; i++)
        tess_page_code(w->page, NULL, "    int begin_%s, n_%s;\n", w->others[i].set,
                       w->others[i].set);
    tess_page_code(w->page, NULL,
                   "};\n\n"
                   "INLINE struct block open_block(const struct params *p, int index) {\n"
                   "    struct block b;\n    b.shared = shared_memory();\n"
                   "    b.begin = fetch(&p->blocks[index * %d]);\n"
                   "    b.own = fetch(&p->blocks[index * %d + 1]);\n",
                   n_words, n_words);
    for (int r = 0; r <= blocks->n_rings; r++)
        tess_page_code(w->page, NULL, "    b.n[%d] = fetch(&p->blocks[index * %d + %d]);\n", r,
                       n_words, 2 + r);
    for (int i = 0; i < w->n_others; i++) {
        const tess_page_dat words = {.set = w->others[i].set};
        tess_page_code(w->page, &words,
                       "    b.begin_@set = fetch(&p->@set_begin[index]);\n"
                       "    b.n_@set = fetch(&p->@set_begin[index + 1]) - b.begin_@set;\n");
    }
    tess_page_code(w->page, NULL,
                   "    return b;\n}\n\n"
                   "/* Where the point at place k of the block is stored. */\n"
                   "INLINE int point_at(const struct params *p, const struct block *b, int k) {\n");
    if (in_order && blocks->n_rings == 0)
        tess_page_code(w->page, NULL, "    (void)p;\n    return b->own + k;\n}\n\n");
    else if (in_order)
        tess_page_code(w->page, NULL,
                       "    return k < b->n[0] ? b->own + k : fetch(&p->points[b->begin + k]);\n"
                       "}\n\n");
    else
        tess_page_code(w->page, NULL, "    return fetch(&p->points[b->begin + k]);\n}\n\n");
}

/* --- entries ---------------------------------------------------------------------------------- */

const tess_chain_gather *tess_chain_gather_of(const tess_chain_writer *w, const char *set) {
    const tess_chain_gather *gather = w->gathers;
    while (strcmp(gather->entries->set, set) != 0)
        gather++;
    return gather;
}

static int64_t n_entries(const tess_chain_writer *w, const tess_chain_entries *entries) {
    return entries->first[w->setting->blocks->n_places / TESS_SLICE];
}

/* Whether some loop over the set has an arg on elements' own values, or one that it writes there or
 * to a global sum. */
static void own_uses(const tess_chain_writer *w, const char *set, bool *has, bool *writes) {
    const tess_chain *chain = w->setting->chain;
    *has = *writes = false;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && strcmp(loop->set, set) == 0; a++) {
            const tess_arg *arg = &loop->args[a];
            *has |= !arg->map[0] && arg->set[0];
            *writes |= !arg->map[0] && arg->access != TESS_READ;
        }
    }
}

/* Whether all loops over the set declare that an element may be turned around, and all that they
 * reach is through maps with two slots. */
static bool is_exchanged(const tess_chain_writer *w, const char *set) {
    const tess_chain *chain = w->setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, set) != 0)
            continue;
        if (!tess_antisymmetry_exchanges(w->setting->kernels[k]->antisymmetry))
            return false;
        for (int a = 0; a < loop->n_args; a++)
            if (loop->args[a].map[0] && tess_mesh_find_map(w->mesh, loop->args[a].map)->arity != 2)
                return false;
    }
    return true;
}

/* The points that elements of the set reach through a map without padding, by which an entry says
 * that there is one; NULL: no loop reads any but the gathering point itself. */
static tess_status find_witness(tess_chain_writer *w, tess_chain_gather *gather) {
    const tess_chain *chain = w->setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && strcmp(loop->set, gather->entries->set) == 0; a++) {
            const tess_arg *arg = &loop->args[a];
            const tess_map *map = arg->map[0] ? tess_mesh_find_map(w->mesh, arg->map) : NULL;
            const bool is_own = strcmp(arg->set, chain->owner) == 0;
            if (map && !map->padded && !is_own && arg->access == TESS_READ)
                return tess_chain_column_get(w, map, arg->slot < 0 ? 0 : arg->slot,
                                             &gather->witness);
        }
    }
    return TESS_OK;
}

/* Arrays of marks and elements, of those that the text uses. */
static tess_status put_marks(tess_chain_writer *w, tess_chain_gather *gather) {
    const tess_chain_entries *entries = gather->entries;
    const int32_t *order = order_of(w, entries->set);
    const int64_t n = n_entries(w, entries);
    bool has_own, writes_own;
    tess_status status = TESS_OK;
    uint8_t *marks = NULL;
    int32_t *elements = NULL;
    own_uses(w, entries->set, &has_own, &writes_own);
    gather->exchanged = is_exchanged(w, entries->set) && entries->n_slots == 2 && !writes_own;
    gather->own_slot = gather->exchanged || entries->n_slots == 1 ? 0 : -1;
    if (gather->own_slot == 0 && !writes_own)
        CHECK(find_witness(w, gather));
    gather->marked = !gather->witness;
    if (gather->marked) {
        CHECK(TESS_ALLOC(n, &marks));
        for (int64_t i = 0; i < n; i++)
            marks[i] = entries->element[i] < 0 ? 0xff : entries->slot[i];
        CHECK(tess_page_array(w->page, "const unsigned char *", marks, n, "%s_mark", entries->set));
    }
    if (has_own) {
        CHECK(TESS_ALLOC(n, &elements));
        for (int64_t i = 0; i < n; i++)
            elements[i] = entries->element[i] < 0 ? 0 : stored_at(order, entries->element[i]);
        CHECK(tess_page_array(w->page, "const int *", elements, n * 4, "%s_element", entries->set));
    }
done:
    free(marks);
    free(elements);
    return status;
}

/* Whether all slices have as many rounds. */
static bool is_even(const tess_chain_writer *w, const tess_chain_entries *entries) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    return entries->first[n_slices] == n_slices * entries->most_rounds * TESS_SLICE;
}

/* SET_rounds(p, b, k): the most entries of a point in the slice of the one at place k; SET_at:
 * where one lies. */
static tess_status put_slices(tess_chain_writer *w, const tess_chain_entries *entries) {
    const tess_page_dat words = {.set = entries->set, .dim = entries->most_rounds};
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    tess_status status = TESS_OK;
    int32_t *first = NULL;
    if (is_even(w, entries)) {
        tess_page_code(
            w->page, &words,
            "INLINE int @set_rounds(const struct params *p, const struct block *b, int k) "
            "{\n    (void)p, (void)b, (void)k;\n    return @dim;\n}\n\n"
            "INLINE int @set_at(const struct params *p, const struct block *b, int k, int "
            "round) {\n    (void)p;\n"
            "    return (b->begin + k) / WARP * (WARP * @dim) + round * WARP + k %% WARP;\n"
            "}\n\n");
        return TESS_OK;
    }
    CHECK(TESS_ALLOC(n_slices + 1, &first));
    for (int64_t i = 0; i <= n_slices; i++)
        first[i] = (int32_t)entries->first[i];
    CHECK(tess_page_array(w->page, "const int *", first, (n_slices + 1) * 4, "%s_first",
                          entries->set));
    tess_page_code(
        w->page, &words,
        "INLINE int @set_rounds(const struct params *p, const struct block *b, int k) {\n"
        "    const int *first = &p->@set_first[(b->begin + k) / WARP];\n"
        "    return (fetch(&first[1]) - fetch(&first[0])) / WARP;\n}\n\n"
        "INLINE int @set_at(const struct params *p, const struct block *b, int k, int "
        "round) {\n"
        "    return fetch(&p->@set_first[(b->begin + k) / WARP]) + round * WARP + k %% "
        "WARP;\n}\n\n");
done:
    free(first);
    return status;
}

tess_status tess_chain_tables(tess_chain_writer *w) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    bool in_order = false;
    TRY(TESS_ZEROS(blocks->n_sets, &w->gathers));
    for (int f = 0; f < blocks->n_sets; f++)
        w->gathers[f].entries = &blocks->sets[f];
    TRY(put_blocks(w, &in_order));
    TRY(tess_chain_others_list(w));
    print_block(w, in_order);
    for (; w->n_gathers < blocks->n_sets; w->n_gathers++) {
        tess_chain_gather *gather = &w->gathers[w->n_gathers];
        if (n_entries(w, gather->entries) > INT32_MAX)
            FAIL(TESS_ERROR_INPUT, "points of the chain gather %lld %s, over 2^31 - 1",
                 (long long)n_entries(w, gather->entries), gather->entries->set);
        TRY(put_marks(w, gather));
        TRY(put_slices(w, gather->entries));
        gather->rounds = is_even(w, gather->entries) ? gather->entries->most_rounds : 0;
    }
    return TESS_OK;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* A column under construction: the point that each row reaches. */
typedef struct filling {
    const tess_map *map;
    int slot;
    const tess_chain_gather *gather; /* NULL: of the owner */
    const int32_t *order;            /* of the to-set */
    const tess_chain_other *other;   /* whose places are given; NULL: the owner's */
    int32_t *place;  /* [points]: of a block's points in it; where places are given */
    int32_t *stored; /* one of these two */
    uint16_t *local;
} filling;

static void fill_row(const filling *f, int64_t row, int32_t element, int slot) {
    const int32_t point = element < 0 ? -1 : f->map->index[(int64_t)element * f->map->arity + slot];
    if (f->local)
        f->local[row] = point < 0 ? NO_PLACE : (uint16_t)f->place[point];
    else
        f->stored[row] = stored_at(f->order, point);
}

/* The rows of the point at a place. */
static void fill_place(const tess_chain_writer *w, const filling *f, int64_t k) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    if (!f->gather) {
        fill_row(f, k, blocks->points[k], f->slot);
        return;
    }
    const tess_chain_entries *entries = f->gather->entries;
    const int64_t slice = k / TESS_SLICE;
    for (int64_t at = entries->first[slice] + k % TESS_SLICE; at < entries->first[slice + 1];
         at += TESS_SLICE) {
        const int turned = f->gather->exchanged ? entries->slot[at] & 1 : 0;
        fill_row(f, at, entries->element[at], f->slot ^ turned);
    }
}

/* Fills the rows of all points that are computed; others have none. */
static void fill_blocks(const tess_chain_writer *w, const filling *f) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int n_computed = w->setting->chain->n_rings;
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        const int64_t begin = f->other ? f->other->begin[b] : place[0],
                      last = f->other ? f->other->begin[b + 1] : place[blocks->n_rings + 1];
        for (int64_t k = begin; f->place && k < last; k++)
            f->place[(f->other ? f->other->points : blocks->points)[k]] = (int32_t)(k - begin);
        for (int64_t k = place[0]; k < place[n_computed + 1]; k++)
            fill_place(w, f, k);
        const int64_t end = (place[n_computed + 1] + TESS_SLICE - 1) / TESS_SLICE * TESS_SLICE;
        for (int64_t k = place[n_computed + 1]; f->gather && k < end; k++)
            fill_place(w, f, k);
    }
}

static tess_status put_column(tess_chain_writer *w, const tess_chain_column *column, filling *f) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int64_t n = f->gather ? n_entries(w, f->gather->entries) : blocks->n_places;
    const int64_t n_points = w->mesh->sets[f->map->to].size;
    tess_status status = TESS_OK;
    if (column->local) {
        CHECK(TESS_ALLOC(n_points, &f->place));
        CHECK(TESS_ZEROS(n, &f->local));
    } else
        CHECK(TESS_ZEROS(n, &f->stored));
    fill_blocks(w, f);
    if (column->local)
        CHECK(tess_page_array(w->page, "const unsigned short *", f->local, n * 2, "%s",
                              column->name));
    else
        CHECK(tess_page_array(w->page, "const int *", f->stored, n * 4, "%s", column->name));
done:
    free(f->place);
    free(f->local);
    free(f->stored);
    return status;
}

tess_status tess_chain_column_get(tess_chain_writer *w, const tess_map *map, int slot,
                                  const tess_chain_column **out) {
    const tess_chain *chain = w->setting->chain;
    const char *from = w->mesh->sets[map->from].name, *to = w->mesh->sets[map->to].name;
    const bool is_owned = strcmp(from, chain->owner) == 0;
    const tess_chain_other *other = tess_chain_other_of(w, to);
    const bool is_kept = chain->n_rings > 0 && strcmp(to, chain->owner) == 0;
    tess_chain_column column = {.local = is_kept || other, .padded = map->padded};
    snprintf(column.name, sizeof column.name, "%.40s_%.40s_%d", from, to, slot);
    for (int i = 0; i < w->n_columns; i++) {
        *out = &w->columns[i];
        if (strcmp((*out)->name, column.name) == 0)
            return TESS_OK;
    }
    if (w->n_columns == (int)(sizeof w->columns / sizeof w->columns[0]))
        FAIL(TESS_ERROR_USAGE, "a chain reaches points through at most %d slots", w->n_columns);
    filling f = {.map = map,
                 .slot = slot,
                 .gather = is_owned ? NULL : tess_chain_gather_of(w, from),
                 .order = order_of(w, to),
                 .other = other};
    TRY(put_column(w, &column, &f));
    w->columns[w->n_columns] = column;
    *out = &w->columns[w->n_columns++];
    return TESS_OK;
}
