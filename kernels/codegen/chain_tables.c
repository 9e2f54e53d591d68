/* Tables of a chain: its blocks and points on the device, as its text names them. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

const int32_t *tess_chain_order(const tess_chain_writer *w, const char *set) {
    return tess_store_order(w->setting->store, tess_mesh_find_set(w->mesh, set));
}

/* Puts where points [n] of a set are stored on the device; -1: none. */
static tess_status put_points(tess_chain_writer *w, const char *set, const int32_t *points,
                              int64_t n, const char *name) {
    const int32_t *order = tess_chain_order(w, set);
    tess_status status = TESS_OK;
    int32_t *stored = NULL;
    CHECK(TESS_ALLOC(n, &stored));
    for (int64_t i = 0; i < n; i++)
        stored[i] = order && points[i] >= 0 ? order[points[i]] : points[i];
    CHECK(tess_page_array(w->page, "const int *", stored, n * 4, "%spoints", name));
done:
    free(stored);
    return status;
}

static int words_of_block(const tess_chain_setting *setting) {
    return setting->blocks->n_rings + 3 + 2 * setting->lists->n;
}

/* What the blocks know: where their points begin in the list, where their own ones are stored, how
 * many they have with so many rings; where their parts of the lists begin and end. Gives whether
 * all own points follow each other where they are stored. */
static tess_status put_blocks(tess_chain_writer *w, bool *in_order) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const tess_chain_lists *lists = w->setting->lists;
    const int32_t *order = tess_chain_order(w, w->chain->owner);
    const int n_words = words_of_block(w->setting);
    tess_status status = TESS_OK;
    int32_t *words = NULL;
    CHECK(TESS_ZEROS((int64_t)blocks->n_blocks * n_words, &words));
    *in_order = true;
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        int32_t *of = words + (int64_t)b * n_words;
        for (int64_t k = place[0]; k < place[1]; k++) {
            const int32_t stored = order ? order[blocks->points[k]] : blocks->points[k];
            if (k == place[0])
                of[1] = stored;
            *in_order &= stored == of[1] + (k - place[0]);
        }
        *of = (int32_t)place[0];
        of += 2;
        for (int r = 0; r <= blocks->n_rings; r++)
            *of++ = (int32_t)tess_chain_points(blocks, b, r);
        for (int i = 0; i < lists->n; i++) {
            *of++ = lists->of[i].begin[b];
            *of++ = lists->of[i].n[b];
        }
    }
    CHECK(tess_page_array(w->page, "const int *", words, (int64_t)blocks->n_blocks * n_words * 4,
                          "blocks"));
done:
    free(words);
    return status;
}

void tess_chain_others_print(tess_chain_writer *w) {
    for (int i = 0; i < w->setting->lists->n; i++) {
        const tess_page_dat words = {.set = w->setting->lists->of[i].set};
        if (w->setting->lists->of[i].mark)
            continue;
        PUT(w, &words,
            "INLINE int @set_kept(const struct block *b) {\n    return b->n_@set;\n}\n\n"
            "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
            "    const int i = fetch(&p->@set_points[b->begin_@set + k]);\n");
        for (int d = 0; d < w->chain->n_dats; d++)
            if (strcmp(w->chain->dats[d].set, words.set) == 0)
                tess_print_keep(w, d);
        PUT(w, NULL, "}\n\n");
    }
}

static void print_block(tess_chain_writer *w) {
    const int n_rings = w->setting->blocks->n_rings;
    const tess_chain_lists *lists = w->setting->lists;
    PUT(w, NULL,
        "/* What the threads of a block know of it: where its points begin in the list, where its "
        "own ones\n * are stored, how many it has with so many rings. */\n"
        "struct block {\n    char *shared;\n    int begin, own, n[%d];\n",
        n_rings + 1);
    for (int i = 0; i < lists->n; i++)
        PUT(w, NULL, "    int begin_%s, n_%s;\n", lists->of[i].set, lists->of[i].set);
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].rounds == 0)
            PUT(w, NULL, "    int any_%s;\n", w->records[i].set);
    PUT(w, NULL,
        "};\n\nINLINE struct block open_block(const struct params *p, int index) {\n"
        "    const int *of = &p->blocks[index * %d];\n    struct block b;\n"
        "    b.shared = shared_memory();\n    b.begin = fetch(of);\n    b.own = fetch(of + 1);\n",
        words_of_block(w->setting));
    for (int r = 0; r <= n_rings; r++)
        PUT(w, NULL, "    b.n[%d] = fetch(of + %d);\n", r, 2 + r);
    for (int i = 0; i < lists->n; i++)
        PUT(w, NULL, "    b.begin_%s = fetch(of + %d);\n    b.n_%s = fetch(of + %d);\n",
            lists->of[i].set, n_rings + 3 + 2 * i, lists->of[i].set, n_rings + 4 + 2 * i);
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].rounds == 0)
            PUT(w, &w->records[i].words,
                "    b.any_@set = fetch(&p->@set_first[(b.begin + b.n[%d] + WARP - 1) / WARP]) >\n"
                "                 fetch(&p->@set_first[b.begin / WARP]);\n",
                w->records[i].ring);
    PUT(w, NULL, "    return b;\n}\n\n");
}

tess_status tess_chain_tables(tess_chain_writer *w) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    bool in_order = false;
    TRY(put_blocks(w, &in_order));
    TRY(put_points(w, w->chain->owner, blocks->points, blocks->n_places, ""));
    for (int i = 0; i < w->setting->lists->n; i++) {
        const tess_chain_list *list = &w->setting->lists->of[i];
        const int32_t last = blocks->n_blocks - 1;
        char name[TESS_NAME_SIZE + 1];
        snprintf(name, sizeof name, "%s_", list->set);
        if (!list->mark)
            TRY(put_points(w, list->set, list->points,
                           last < 0 ? 0 : (int64_t)list->begin[last] + list->n[last], name));
    }
    print_block(w);
    PUT(w, NULL,
        "/* Where the point at place k of the block is stored. */\n"
        "INLINE int point_at(const struct params *p, const struct block *b, int k) {\n"
        "    return %sfetch(&p->points[b->begin + k]);\n}\n\n",
        !in_order              ? ""
        : blocks->n_rings == 0 ? "1 ? b->own + k : "
                               : "k < b->n[0] ? b->own + k : ");
    return TESS_OK;
}
