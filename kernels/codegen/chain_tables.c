/* Tables of a chain: what the device gets of its blocks, and the records of what an entry or a
 * point leads to, side by side, so that a thread reads it at once and a block brings its own to its
 * memory. */
#include "kernels/codegen/bit_field.h"
#include "kernels/codegen/chain_writer.h"
#include "kernels/codegen/tables.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of points, beside the mark and the element. */
enum { READS = sizeof((tess_chain_record *)0)->fields / sizeof(tess_chain_field) - 2 };

/* Where the set's elements are stored, by element; NULL: in their order. */
static const int32_t *order_of(const tess_chain_writer *w, const char *set) {
    return tess_store_order(w->setting->store, tess_mesh_find_set(w->mesh, set));
}

/* Where what block b has of a list begins and ends; NULL: of the points with all rings. */
static int64_t begin_of(const tess_chain_writer *w, const tess_chain_list *list, int32_t b) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    return list ? list->begin[b] : blocks->place[(int64_t)b * (blocks->n_rings + 2)];
}

static int64_t end_of(const tess_chain_writer *w, const tess_chain_list *list, int32_t b) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int64_t n = list ? list->n[b] : tess_chain_points(blocks, b, blocks->n_rings);
    return begin_of(w, list, b) + n;
}

static int64_t size_of(const tess_chain_writer *w, const tess_chain_list *list) {
    const int32_t n_blocks = w->setting->blocks->n_blocks;
    return n_blocks > 0 ? end_of(w, list, n_blocks - 1) : 0;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* keep_SET brings a point that blocks read to their memory: of another set with all its dats, of
 * the owner with those that neighbours read. */
static void print_keep_points(tess_chain_writer *w, const tess_chain_list *list) {
    const tess_page_dat words = {.set = list ? list->set : w->chain->owner};
    PUT(w, &words,
        "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = %s;\n",
        list ? "fetch(&p->@set_points[b->begin_@set + k])" : "point_at(p, b, k)");
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        if (strcmp(dat->set, words.set) != 0 || !(list || dat->kept_loaded))
            continue;
        if (!list)
            PUT(w, NULL, "    if (k < b->n[%d])\n    ", dat->load_ring);
        tess_print_keep(w, d);
    }
    PUT(w, NULL, "    (void)i;\n}\n\n");
    if (list)
        tess_page_print(w->page, " run(%s, b.n_%s)", words.set, words.set);
    else
        tess_page_print(w->page, " run(%s, b.n[%d])", words.set, w->chain->load_rings);
}

/* SET_points: where the points of a list are stored on the device; and keep_SET. */
static tess_status put_points(tess_chain_writer *w, const tess_chain_list *list) {
    const char *set = list ? list->set : w->chain->owner;
    const int32_t *order = order_of(w, set);
    const int32_t *points = list ? list->points : w->setting->blocks->points;
    const int64_t n = size_of(w, list);
    int32_t *stored = NULL;
    TRY(TESS_ALLOC(n, &stored));
    for (int64_t i = 0; i < n; i++)
        stored[i] = order && points[i] >= 0 ? order[points[i]] : points[i];
    const tess_status status =
        tess_page_array(w->page, "const int *", stored, n * 4, "%s_points", set);
    free(stored);
    print_keep_points(w, list);
    return status;
}

/* A word that a block knows. */
static void print_word(tess_chain_writer *w, const char *set, const char *name) {
    const tess_page_dat words = {.set = set};
    tess_page_member(w->page, &words, "    int %s;\n", name);
    tess_page_open_code(w->page, &words, "    b.%s = fetch(of++);\n", name);
    w->n_block_words++;
}

/* What a block knows: where its points begin in the list, where its own ones are stored, how many
 * it has with so many rings; where its parts of lists begin, and how much these have; which records
 * of any number of entries have some. */
static void print_block(tess_chain_writer *w) {
    const int n_rings = w->setting->blocks->n_rings;
    w->n_block_words = n_rings + 1;
    tess_page_open_code(w->page, NULL, "    const int *of = &p->blocks[index * BLOCK_WORDS];\n");
    print_word(w, NULL, "begin");
    print_word(w, NULL, "own");
    tess_page_member(w->page, NULL, "    int n[%d];\n", n_rings + 1);
    tess_page_open_code(w->page, NULL, "    EACH(%d)\n    b.n[d] = fetch(of++);\n", n_rings + 1);
    for (int i = 0; i < w->setting->lists->n; i++) {
        print_word(w, w->setting->lists->of[i].set, "begin_@set");
        print_word(w, w->setting->lists->of[i].set, "n_@set");
    }
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].rounds == 0)
            print_word(w, w->records[i].set, "any_@set");
    tess_page_print(w->page, "#define BLOCK_WORDS %d\n", w->n_block_words);
}

/* Prints point_at, where the point at place k of the block is stored: of own ones behind the first
 * where all blocks' are in order. */
static tess_status put_blocks(tess_chain_writer *w) {
    const tess_page_dat owner = {.set = w->chain->owner};
    const tess_chain_blocks *blocks = w->setting->blocks;
    const tess_chain_lists *lists = w->setting->lists;
    const int32_t *order = order_of(w, w->chain->owner);
    const int64_t n = (int64_t)blocks->n_blocks * w->n_block_words;
    int32_t *words = NULL;
    bool in_order = true;
    TRY(TESS_ZEROS(n, &words));
    for (int32_t b = 0, *of = words; b < blocks->n_blocks; b++) {
        const int64_t begin = begin_of(w, NULL, b);
        *of++ = (int32_t)begin;
        int32_t *own = of++;
        for (int64_t k = 0; k < tess_chain_points(blocks, b, 0); k++) {
            const int32_t point = blocks->points[begin + k], stored = order ? order[point] : point;
            *own = k == 0 ? stored : *own;
            in_order &= stored == *own + k;
        }
        for (int r = 0; r <= blocks->n_rings; r++)
            *of++ = (int32_t)tess_chain_points(blocks, b, r);
        for (int i = 0; i < lists->n; i++) {
            *of++ = lists->of[i].begin[b];
            *of++ = lists->of[i].n[b];
        }
        for (int i = 0; i < w->n_records; i++) {
            const tess_chain_record *record = &w->records[i];
            const int64_t end = begin + tess_chain_points(blocks, b, record->ring);
            if (record->rounds == 0)
                *of++ = record->entries->first[(end + TESS_SLICE - 1) / TESS_SLICE] >
                        record->entries->first[begin / TESS_SLICE];
        }
    }
    const tess_status status = tess_page_array(w->page, "const int *", words, n * 4, "blocks");
    free(words);
    PUT(w, &owner,
        "INLINE int point_at(const struct params *p, const struct block *b, int k) {\n"
        "    return %d && k < b->n[0] ? b->own + k : fetch(&p->@set_points[b->begin + k]);\n}\n\n",
        in_order);
    return status;
}

/* --- fields ----------------------------------------------------------------------------------- */

tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set) {
    tess_chain_record *record = w->records;
    while (strcmp(record->set, set) != 0)
        record++;
    return record;
}

const tess_chain_field *tess_chain_field_of(const tess_chain_record *record, const tess_map *map,
                                            int slot) {
    const tess_chain_field *field = record->fields, *end = field + record->n_fields;
    while (field < end && (field->map != map || field->slot != slot))
        field++;
    return field;
}

static tess_chain_field *add_field(tess_chain_record *record, int bits) {
    tess_chain_field *field = &record->fields[record->n_fields++];
    *field = (tess_chain_field){.bits = bits, .at = tess_bits_take(&record->n_bits, bits)};
    snprintf(field->value, sizeof field->value, "(int)(e.word[%d] >> %d%s)",
             field->at / TESS_WORD_BITS, field->at % TESS_WORD_BITS, bits == 16 ? " & 0xffff" : "");
    return field;
}

/* Adds the field of points that are read through a slot, where the record has none. */
static tess_status add_read(const tess_chain_writer *w, tess_chain_record *record,
                            const tess_map *map, int slot) {
    const char *to = w->mesh->sets[map->to].name;
    const bool local = w->chain->n_rings > 0 && (strcmp(to, w->chain->owner) == 0 ||
                                                 tess_chain_read_of(w->setting->lists, to));
    if (tess_chain_field_of(record, map, slot) < record->fields + record->n_fields)
        return TESS_OK;
    if (record->n_fields == READS)
        FAIL(TESS_ERROR_USAGE, "a chain reaches points from %s through at most %d slots",
             record->set, READS);
    if (record->entries && record->n_fields == 0 && map->padded)
        add_field(record, 16); /* a mark, for the first one says that there is an entry */
    tess_chain_field *field = add_field(record, local ? 16 : 32);
    field->map = map;
    field->slot = slot;
    return TESS_OK;
}

/* Elements may be turned around where all loops over the set declare it, and reach nothing but
 * through maps with two slots. */
static void open_gathered(const tess_chain_writer *w, tess_chain_record *record) {
    bool writes_own = false, exchanged = record->entries->n_slots == 2;
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        if (strcmp(w->chain->loops[use->k].loop->set, record->set) != 0)
            continue;
        record->has_element |= !use->map && use->arg->set[0];
        writes_own |= !use->map && use->arg->access != TESS_READ &&
                      (!use->arg->set[0] || w->chain->dats[use->d].stored);
        exchanged &= tess_antisymmetry_exchanges(w->setting->kernels[use->k]->antisymmetry) &&
                     (!use->map || use->map->arity == 2);
    }
    record->once = tess_chain_elements_of(w->setting->lists, record->set);
    record->exchanged = exchanged && !writes_own && !record->once;
    record->own_first = !record->once && (record->exchanged || record->entries->n_slots == 1);
    record->marked = writes_own || !(record->once || record->own_first);
    record->rounds = record->once ? 1 : record->entries->rounds;
    if (record->marked)
        add_field(record, 16);
}

/* The record by which points find the rows of what elements add that are computed once; that of
 * these elements has no entries. */
static void open_rows(tess_chain_record *elements, tess_chain_record *record) {
    *record = *elements;
    record->set = record->rows;
    record->rounds = record->entries->rounds;
    record->has_element = false;
    record->n_fields = record->n_bits = 0;
    snprintf(record->rows, sizeof record->rows, "%.40s_rows", elements->set);
    add_field(record, 32);
    elements->entries = NULL;
    elements->element = elements->once->points;
    elements->mark = elements->once->mark;
    elements->rows_of = record;
}

/* The records of all gathered sets and of the owner. */
static tess_status open_records(tess_chain_writer *w) {
    const tess_chain *chain = w->chain;
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int n_sets = blocks->n_sets;
    TRY(TESS_ZEROS(2 * n_sets + 1, &w->records));
    w->n_records = n_sets + 1;
    w->records[n_sets] =
        (tess_chain_record){.set = chain->owner, .element = blocks->points, .rounds = 1};
    for (int f = 0; f < n_sets; f++) {
        w->records[f] = (tess_chain_record){.set = blocks->sets[f].set,
                                            .entries = &blocks->sets[f],
                                            .element = blocks->sets[f].element,
                                            .mark = blocks->sets[f].slot};
        open_gathered(w, &w->records[f]);
    }
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        const tess_chain_loop *loop = &chain->loops[use->k];
        tess_chain_record *record = tess_chain_record_of(w, loop->loop->set);
        record->ring = loop->ring > record->ring ? loop->ring : record->ring;
        for (int s = use->first; use->map && use->arg->access == TESS_READ && s < use->end; s++)
            if (!use->is_owned || !tess_chain_is_own(w, use, s))
                TRY(add_read(w, record, use->map, s));
    }
    for (int i = 0; i < w->n_records; i++) {
        tess_chain_record *record = &w->records[i];
        record->words.set = record->set;
        if (record->has_element)
            add_field(record, 32);
        if (record->entries && record->n_fields == 0)
            add_field(record, 16);
        if (record->once && i < n_sets)
            open_rows(record, &w->records[w->n_records++]);
        record->kept =
            chain->n_rings > 0 && record->rounds > 0 && !record->once && !w->page->one_thread;
        record->n_words = tess_words_of(record->n_bits);
    }
    return TESS_OK;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* A field of a record being filled in. */
typedef struct filling {
    const tess_chain_record *record;
    const tess_chain_field *field;
    const int32_t *number; /* what stands for what the field names; NULL: its index */
    uint32_t *words;       /* all ones at first */
} filling;

/* What the field says of the element of a row. Of a row of the block's memory: the element's place,
 * and as many rows on as the point's slot says; where one row is for both slots, the bit above all
 * places. */
static int32_t value_of(const filling *f, int64_t row) {
    const tess_chain_list *once = f->record->once;
    const tess_map *map = f->field->map;
    const int mark = f->record->mark ? f->record->mark[row] : 0,
              slot = mark & (TESS_ENTRY_OWNS - 1);
    int32_t to = f->record->element[row];
    if (once && f->record->entries)
        return once->place[row] + slot * (once->opposite ? TESS_ROW_MINUS : (int)once->most);
    if (!map && f->field->bits == 16)
        return mark;
    if (map)
        to = map->index[(int64_t)to * map->arity +
                        (f->field->slot ^ (f->record->exchanged ? slot : 0))];
    return to >= 0 && f->number ? f->number[to] : to;
}

/* Rows lie in groups of 32, in a group word after word, two of a row side by side. */
static void put_value(const filling *f, int64_t row) {
    const int n = f->record->n_words, word = f->field->at / TESS_WORD_BITS;
    const int shift = f->field->at % TESS_WORD_BITS;
    const uint32_t ones = tess_no_bits(f->field->bits), value = (uint32_t)value_of(f, row);
    const int64_t lane = row % TESS_SLICE;
    uint32_t *to = f->words + row / TESS_SLICE * TESS_SLICE * n + word / 2 * 2 * TESS_SLICE;
    to[word / 2 * 2 + 1 < n ? 2 * lane + word % 2 : lane] &=
        (value & ones) << shift | ~(ones << shift);
}

/* The first row of what begins at place k: of a list, or of entries of points. */
static int64_t row_at(const tess_chain_record *record, int64_t k) {
    return record->entries ? record->entries->first[(k + TESS_SLICE - 1) / TESS_SLICE] : k;
}

/* Puts a field, block after block: points are told by their places in each. */
static tess_status fill_field(const tess_chain_writer *w, filling *f) {
    const tess_map *map = f->field->map;
    const char *set = map ? w->mesh->sets[map->to].name : f->record->set;
    const tess_chain_list *read = tess_chain_read_of(w->setting->lists, set);
    const tess_chain_list *rows = f->record->entries ? NULL : f->record->once;
    const int32_t *points = read ? read->points : w->setting->blocks->points;
    int32_t *place = NULL;
    if (map && f->field->bits == 16)
        TRY(TESS_ZEROS(w->mesh->sets[map->to].size, &place));
    f->number = place ? place : order_of(w, set);
    for (int32_t b = 0; b < w->setting->blocks->n_blocks; b++) {
        const int64_t begin = begin_of(w, read, b), end = end_of(w, read, b);
        for (int64_t k = begin; place && k < end; k++)
            place[points[k]] = (int32_t)(k - begin);
        const int64_t last = row_at(f->record, end_of(w, rows, b));
        for (int64_t row = row_at(f->record, begin_of(w, rows, b)); row < last; row++)
            if (f->record->element[row] >= 0)
                put_value(f, row);
    }
    free(place);
    return TESS_OK;
}

static tess_status put_record(tess_chain_writer *w, const tess_chain_record *record) {
    const int64_t n_rows = row_at(record, size_of(w, record->entries ? NULL : record->once));
    const int64_t n_slices = (n_rows + TESS_SLICE - 1) / TESS_SLICE;
    const int64_t n_words = n_slices * TESS_SLICE * record->n_words;
    tess_status status = TESS_OK;
    filling f = {.record = record};
    CHECK(TESS_ALLOC(n_words, &f.words));
    memset(f.words, 0xff, (size_t)n_words * sizeof *f.words);
    for (int i = 0; i < record->n_fields; i++) {
        f.field = &record->fields[i];
        CHECK(fill_field(w, &f));
    }
    CHECK(tess_page_array(w->page, "const unsigned *", f.words, n_words * 4, "%s_entries",
                          record->set));
    if (record->rounds == 0)
        CHECK(tess_table_offsets(w->page, record->entries->first,
                                 w->setting->blocks->n_places / TESS_SLICE + 1, record->set,
                                 "_first"));
done:
    free(f.words);
    return status;
}

/* --- text ------------------------------------------------------------------------------------- */

/* keep_SET_entries brings 16 bytes of records. */
static void print_keep_records(tess_chain_writer *w, tess_chain_record *record) {
    const int slice_bytes = record->rounds * record->n_words * 4 * TESS_SLICE;
    record->at = w->kept_end;
    w->kept_end += tess_chain_most_points(w->setting->blocks, record->ring, TESS_SLICE) /
                   TESS_SLICE * slice_bytes;
    PUT(w, &record->words,
        "INLINE void keep_@set_entries(const struct params *p, const struct block *b, int k) {\n"
        "    async_copy((struct piece *)(b->shared + %lld) + k,\n"
        "               (const struct piece *)&p->@set_entries[b->begin / WARP * %dLL] + k);\n"
        "}\n\n",
        (long long)record->at, slice_bytes / 4);
    tess_page_print(w->page, " run(%s_entries, (b.n[%d] + WARP - 1) / WARP * %d)", record->set,
                    record->ring, slice_bytes / 16);
}

/* SET_entry_at: of the group of 32 rows that an entry's record is in, two words at once; and
 * SET_none, whether the point has no such entry. */
static void print_entry_at(tess_chain_writer *w, const tess_chain_record *record) {
    const char *word = record->kept ? "load" : "fetch";
    const int n = record->n_words;
    PUT(w, &record->words,
        "/* What an entry of @set leads to. */\nstruct @set_entry {\n    unsigned word[%d];\n};\n\n"
        "INLINE struct @set_entry @set_entry_at(const struct params *p, const struct block *b, "
        "int k,\n                                       int round) {\n"
        "    enum { ROUNDS = %d, KEPT = %lld };\n    struct @set_entry e;\n    (void)p;\n",
        n, record->rounds, (long long)record->at);
    PUT(w, &record->words, "    const unsigned *of = %s + round) * %dLL;\n",
        record->kept      ? "(const unsigned *)(b->shared + KEPT) + (k / WARP * ROUNDS"
        : record->rows_of ? "p->@set_entries + ((b->begin_@set + k) / WARP * ROUNDS"
        : record->rounds > 0
            ? "p->@set_entries + ((b->begin + k) / WARP * ROUNDS"
            : "p->@set_entries + (fetch(&p->@set_first[(b->begin + k) / WARP]) / WARP",
        n * TESS_SLICE);
    PUT(w, NULL,
        "    UNROLL for (int i = 0; i + 1 < %d; i += 2) {\n"
        "        const unsigned long long two =\n"
        "            %s((const unsigned long long *)(of + i * WARP) + k %% WARP);\n"
        "        e.word[i] = (unsigned)two;\n        e.word[i + 1] = (unsigned)(two >> 32);\n    "
        "}\n",
        n, word);
    if (n % 2)
        PUT(w, NULL, "    e.word[%d] = %s(of + %d + k %% WARP);\n", n - 1, word,
            (n - 1) * TESS_SLICE);
    PUT(w, NULL, "    return e;\n}\n\n");
    if (record->entries)
        PUT(w, &record->words,
            "INLINE int @set_none(struct @set_entry e) {\n    return %s == %s;\n}\n\n",
            record->fields[0].value, record->fields[0].bits == 16 ? "0xffff" : "-1");
}

tess_status tess_chain_tables(tess_chain_writer *w) {
    TRY(open_records(w));
    print_block(w);
    TRY(put_blocks(w));
    tess_page_print(w->page, "#define EACH_KEPT(run)");
    TRY(put_points(w, NULL));
    for (int i = 0; i < w->setting->lists->n; i++)
        if (!w->setting->lists->of[i].mark)
            TRY(put_points(w, &w->setting->lists->of[i]));
    for (int i = 0; i < w->n_records; i++) {
        tess_chain_record *record = &w->records[i];
        if (record->n_words == 0)
            continue;
        TRY(put_record(w, record));
        if (record->kept)
            print_keep_records(w, record);
        print_entry_at(w, record);
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
