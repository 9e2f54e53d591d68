/* Tables of a chain: its blocks and points on the device, as its text names them. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int words_of_block(const tess_chain_blocks *blocks) {
    return blocks->n_rings + 3;
}

const int32_t *tess_chain_order(const tess_chain_writer *w, const char *set) {
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
    const int32_t *order = tess_chain_order(w, w->setting->chain->owner);
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

/* --- lists ------------------------------------------------------------------------------------ */

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

/* Where a block's points of a set that is only read are stored. */
static tess_status put_points(tess_chain_writer *w, const tess_chain_list *list) {
    const int32_t *order = tess_chain_order(w, list->set);
    const int32_t last = w->setting->blocks->n_blocks - 1;
    const int64_t n = last < 0 ? 0 : (int64_t)list->begin[last] + list->n[last];
    tess_status status = TESS_OK;
    int32_t *stored = NULL;
    CHECK(TESS_ALLOC(n, &stored));
    for (int64_t i = 0; i < n; i++)
        stored[i] = stored_at(order, list->points[i]);
    CHECK(tess_page_array(w->page, "const int *", stored, n * 4, "%s_points", list->set));
done:
    free(stored);
    return status;
}

static tess_status put_lists(tess_chain_writer *w) {
    for (int i = 0; i < w->setting->lists->n; i++) {
        const tess_chain_list *list = &w->setting->lists->of[i];
        if (!list->mark)
            TRY(put_points(w, list));
        TRY(put_extents(w, list));
    }
    return TESS_OK;
}

void tess_chain_others_print(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    for (int i = 0; i < w->setting->lists->n; i++) {
        const tess_page_dat words = {.set = w->setting->lists->of[i].set};
        if (w->setting->lists->of[i].mark)
            continue;
        tess_page_code(
            w->page, &words,
            "INLINE int @set_kept(const struct block *b) {\n    return b->n_@set;\n}\n\n"
            "INLINE void keep_@set(const struct params *p, const struct block *b, int k) "
            "{\n    const int i = fetch(&p->@set_points[b->begin_@set + k]);\n");
        for (int d = 0; d < chain->n_dats; d++)
            if (strcmp(chain->dats[d].set, words.set) == 0)
                tess_chain_print_keep(w, d);
        tess_page_code(w->page, NULL, "}\n\n");
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void print_block(tess_chain_writer *w, bool in_order) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int n_words = words_of_block(blocks);
    const tess_chain_lists *lists = w->setting->lists;
    tess_page_code(w->page, NULL,
                   "/* What the threads of a block know of it: where its points begin in the list, "
                   "where its own ones\n * are stored, how many it has with so many rings. */\n"
                   "struct block {\n    char *shared;\n    int begin, own, n[%d];\n",
                   blocks->n_rings + 1);
    for (int i = 0; i < lists->n; i++)
        tess_page_code(w->page, NULL, "    int begin_%s, n_%s;\n", lists->of[i].set,
                       lists->of[i].set);
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].rounds == 0)
            tess_page_code(w->page, NULL, "    int any_%s;\n", w->records[i].set);
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
    for (int i = 0; i < lists->n; i++) {
        const tess_page_dat words = {.set = lists->of[i].set};
        tess_page_code(w->page, &words,
                       "    b.begin_@set = fetch(&p->@set_extents[2 * index]);\n"
                       "    b.n_@set = fetch(&p->@set_extents[2 * index + 1]);\n");
    }
    for (int i = 0; i < w->n_records; i++) {
        const tess_page_dat words = {.set = w->records[i].set};
        if (w->records[i].rounds == 0)
            tess_page_code(w->page, &words,
                           "    b.any_@set = fetch(&p->@set_first[(b.begin + b.n[%d] + WARP - 1) / "
                           "WARP]) >\n"
                           "                 fetch(&p->@set_first[b.begin / WARP]);\n",
                           w->records[i].ring);
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

tess_status tess_chain_tables(tess_chain_writer *w) {
    bool in_order = false;
    TRY(put_blocks(w, &in_order));
    TRY(put_lists(w));
    print_block(w, in_order);
    return TESS_OK;
}
