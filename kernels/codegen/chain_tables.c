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

enum { FIELDS = sizeof((tess_chain_record *)0)->fields / sizeof(tess_chain_field) };

/* Where the set's elements are stored, by element; NULL: in their order. */
static const int32_t *order_of(const tess_chain_writer *w, const char *set) {
    return tess_store_order(w->setting->store, tess_mesh_find_set(w->mesh, set));
}

/* Elements of a list, blocks filled up to whole groups. */
static int64_t size_of_list(const tess_chain_writer *w, const tess_chain_list *list) {
    const int32_t last = w->setting->blocks->n_blocks - 1;
    return last < 0 ? 0 : (int64_t)list->begin[last] + list->n[last];
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Puts where points [n] of a set are stored on the device; -1: none. */
static tess_status put_points(tess_chain_writer *w, const char *set, const int32_t *points,
                              int64_t n, const char *name) {
    const int32_t *order = order_of(w, set);
    int32_t *stored = NULL;
    TRY(TESS_ALLOC(n, &stored));
    for (int64_t i = 0; i < n; i++)
        stored[i] = order && points[i] >= 0 ? order[points[i]] : points[i];
    const tess_status status =
        tess_page_array(w->page, "const int *", stored, n * 4, "%spoints", name);
    free(stored);
    return status;
}

/* What the blocks know, `n_words` each: where their points begin in the list, where their own ones
 * are stored, how many they have with so many rings; where their parts of the lists begin, and how
 * much these have. Gives whether all own points follow each other where they are stored. */
static tess_status put_blocks(tess_chain_writer *w, int n_words, bool *in_order) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const tess_chain_lists *lists = w->setting->lists;
    const int32_t *order = order_of(w, w->chain->owner);
    const int64_t n = (int64_t)blocks->n_blocks * n_words;
    int32_t *words = NULL;
    TRY(TESS_ZEROS(n, &words));
    *in_order = true;
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        int32_t *of = words + (int64_t)b * n_words, *own = of + 1;
        for (int64_t k = place[0]; k < place[1]; k++) {
            const int32_t stored = order ? order[blocks->points[k]] : blocks->points[k];
            *own = k == place[0] ? stored : *own;
            *in_order &= stored == *own + (k - place[0]);
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
    const tess_status status = tess_page_array(w->page, "const int *", words, n * 4, "blocks");
    free(words);
    return status;
}

/* Adds to struct block what put_blocks says, and which records of any number of entries have some.
 */
static void print_block(tess_chain_writer *w, int n_words) {
    const int n_rings = w->setting->blocks->n_rings;
    if (w->page->one_thread) {
        tess_page_member(w->page, NULL, "    char *shared;\n");
        tess_page_open_code(w->page, NULL, "    b.shared = shared_memory();\n");
    }
    tess_page_member(
        w->page, NULL,
        "    /* where its points begin in the list, where its own ones are stored, how "
        "many it has\n     * with so many rings */\n    int begin, own, n[%d];\n",
        n_rings + 1);
    tess_page_open_code(
        w->page, NULL,
        "    const int *of = &p->blocks[index * %d];\n    b.begin = fetch(of);\n"
        "    b.own = fetch(of + 1);\n    EACH(%d)\n    b.n[d] = fetch(of + 2 + d);\n",
        n_words, n_rings + 1);
    for (int i = 0; i < w->setting->lists->n; i++) {
        const tess_page_dat set = {.set = w->setting->lists->of[i].set};
        const int at = n_rings + 3 + 2 * i;
        tess_page_member(w->page, &set, "    int begin_@set, n_@set;\n");
        tess_page_open_code(w->page, &set,
                            "    b.begin_@set = fetch(of + %d);\n    b.n_@set = fetch(of + %d);\n",
                            at, at + 1);
    }
    for (int i = 0; i < w->n_records; i++) {
        if (w->records[i].rounds > 0)
            continue;
        tess_page_member(w->page, &w->records[i].words, "    int any_@set;\n");
        tess_page_open_code(
            w->page, &w->records[i].words,
            "    b.any_@set = fetch(&p->@set_first[(b.begin + b.n[%d] + WARP - 1) / WARP]) >\n"
            "                 fetch(&p->@set_first[b.begin / WARP]);\n",
            w->records[i].ring);
    }
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

static void add_field(tess_chain_record *record, const char *word, int bits) {
    tess_chain_field *field = &record->fields[record->n_fields++];
    *field = (tess_chain_field){.bits = bits};
    snprintf(field->name, sizeof field->name, "%.40s_%.40s", record->set, word);
}

/* Adds the field of points that are read through a slot, where the record has none. */
static tess_status add_read(tess_chain_writer *w, const tess_map *map, int slot) {
    const char *to = w->mesh->sets[map->to].name;
    tess_chain_record *record = tess_chain_record_of(w, w->mesh->sets[map->from].name);
    const bool local = w->chain->n_rings > 0 && (strcmp(to, w->chain->owner) == 0 ||
                                                 tess_chain_read_of(w->setting->lists, to));
    char word[TESS_NAME_SIZE + 16];
    if (tess_chain_field_of(record, map, slot) < record->fields + record->n_fields)
        return TESS_OK;
    if (record->n_fields == FIELDS)
        FAIL(TESS_ERROR_USAGE, "a chain reaches points from %s through at most %d slots",
             record->set, FIELDS);
    snprintf(word, sizeof word, "%.36s_%d", to, slot);
    add_field(record, word, local ? 16 : 32);
    record->fields[record->n_fields - 1].map = map;
    record->fields[record->n_fields - 1].slot = slot;
    return TESS_OK;
}

/* As many as all slices have; 0: some have fewer. */
static int rounds_of(const tess_chain_writer *w, const tess_chain_entries *entries) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    const bool even = entries->first[n_slices] == n_slices * entries->most_rounds * TESS_SLICE;
    return even ? entries->most_rounds : 0;
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
    record->rounds = record->once ? 1 : rounds_of(w, record->entries);
    if (record->marked)
        add_field(record, "mark", 16);
    if (record->has_element)
        add_field(record, "element", 32);
}

/* The record by which points find the rows of what elements add that are computed once; that of
 * these elements has no entries. */
static void open_rows(const tess_chain_writer *w, tess_chain_record *elements,
                      tess_chain_record *record) {
    *record = (tess_chain_record){.set = record->rows,
                                  .entries = elements->entries,
                                  .once = elements->once,
                                  .ring = elements->ring,
                                  .rounds = rounds_of(w, elements->entries)};
    snprintf(record->rows, sizeof record->rows, "%.40s_rows", elements->set);
    add_field(record, "row", 32);
    elements->entries = NULL;
    elements->rows_of = record;
}

/* The field by which a record says that there is an entry; NULL: none does. */
static const tess_chain_field *witness(const tess_chain_record *record) {
    for (int i = 0; i < record->n_fields; i++)
        if (!record->fields[i].map || !record->fields[i].map->padded)
            return &record->fields[i];
    return NULL;
}

/* Fields of 16 bits, then those of 32. */
static void lay_out(tess_chain_record *record) {
    int used = 0;
    for (int bits = 16; bits <= 32; bits += 16)
        for (int i = 0; i < record->n_fields; i++)
            if (record->fields[i].bits == bits)
                record->fields[i].at = tess_bits_take(&used, bits);
    record->n_words = tess_words_of(used);
}

/* The records of all gathered sets and of the owner. */
static tess_status open_records(tess_chain_writer *w) {
    const tess_chain *chain = w->chain;
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int n_sets = blocks->n_sets;
    TRY(TESS_ZEROS(2 * n_sets + 1, &w->records));
    w->n_records = n_sets + 1;
    w->records[n_sets] = (tess_chain_record){.set = chain->owner, .rounds = 1};
    for (int f = 0; f < n_sets; f++)
        w->records[f] =
            (tess_chain_record){.set = blocks->sets[f].set, .entries = &blocks->sets[f]};
    for (int k = 0; k < chain->n_loops; k++) {
        tess_chain_record *record = tess_chain_record_of(w, chain->loops[k].loop->set);
        record->ring = chain->loops[k].ring > record->ring ? chain->loops[k].ring : record->ring;
    }
    for (int f = 0; f < n_sets; f++) {
        open_gathered(w, &w->records[f]);
        if (w->records[f].once)
            open_rows(w, &w->records[f], &w->records[w->n_records++]);
    }
    for (const tess_chain_use *use = w->uses; use->arg; use++)
        for (int s = use->first; use->map && use->arg->access == TESS_READ && s < use->end; s++)
            if (!use->is_owned || !tess_chain_is_own(w, use, s))
                TRY(add_read(w, use->map, s));
    for (int i = 0; i < w->n_records; i++) {
        tess_chain_record *record = &w->records[i];
        record->words.set = record->set;
        if ((record->entries || record->once) && !witness(record))
            add_field(record, "mark", 16);
        lay_out(record);
        record->kept =
            chain->n_rings > 0 && record->rounds > 0 && !record->once && !w->page->one_thread;
    }
    return TESS_OK;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* A field being filled in. */
typedef struct filling {
    const tess_chain_writer *w;
    const tess_chain_record *record;
    const tess_chain_field *field;
    const int32_t *order; /* where what the field names is stored */
    int32_t *place;       /* [points]: of a block's points in it; NULL: no places are given */
    uint32_t *words;      /* all ones at first */
} filling;

/* What the field says of the element of a row. Of a row of the block's memory: the element's place,
 * and as many rows on as the point's slot says; where one row is for both slots, the bit above all
 * places. */
static int32_t value_of(const filling *f, int64_t row, int32_t element, int mark) {
    const tess_chain_field *field = f->field;
    const tess_chain_list *once = f->record->once;
    const tess_map *map = field->map;
    if (once && f->record->entries)
        return once->place[row] +
               (mark & (TESS_ENTRY_OWNS - 1)) *
                   (once->opposite ? TESS_ROW_MINUS : (int32_t)tess_chain_row_size(once));
    if (!map && field->bits == 16)
        return mark;
    if (map)
        element = map->index[(int64_t)element * map->arity +
                             (field->slot ^ (f->record->exchanged ? mark & 1 : 0))];
    return element < 0 || !(f->place || f->order) ? element
                                                  : (f->place ? f->place : f->order)[element];
}

/* Rows lie in groups of 32, in a group word after word, two of a row side by side. */
static void put_value(const filling *f, int64_t row, int32_t element, int mark) {
    const int n = f->record->n_words, word = f->field->at / TESS_WORD_BITS;
    const int shift = f->field->at % TESS_WORD_BITS;
    const uint32_t ones = tess_no_bits(f->field->bits),
                   value = (uint32_t)value_of(f, row, element, mark);
    const int64_t lane = row % TESS_SLICE;
    uint32_t *to = f->words + row / TESS_SLICE * TESS_SLICE * n + word / 2 * 2 * TESS_SLICE;
    to[word / 2 * 2 + 1 < n ? 2 * lane + word % 2 : lane] &=
        (value & ones) << shift | ~(ones << shift);
}

/* The rows of block b: its elements that are computed once, its points, or the entries of these. */
static void fill_block(const filling *f, int32_t b) {
    const tess_chain_blocks *blocks = f->w->setting->blocks;
    const tess_chain_entries *entries = f->record->entries;
    const tess_chain_list *once = f->record->once;
    const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
    if (once && !entries) {
        for (int64_t k = once->begin[b]; k < once->begin[b] + once->n[b]; k++)
            put_value(f, k, once->points[k], once->mark[k]);
        return;
    }
    for (int64_t k = place[0]; k < place[f->record->ring + 1]; k++) {
        if (!entries)
            put_value(f, k, blocks->points[k], 0);
        for (int64_t at = -1; entries && (at = tess_chain_next_entry(entries, k, at)) >= 0;)
            put_value(f, at, entries->element[at], entries->slot[at]);
    }
}

static tess_status fill_field(filling *f) {
    const tess_chain_blocks *blocks = f->w->setting->blocks;
    const tess_map *map = f->field->map;
    const char *set = map ? f->w->mesh->sets[map->to].name : f->record->set;
    const tess_chain_list *other = tess_chain_read_of(f->w->setting->lists, set);
    const int32_t *points = other ? other->points : blocks->points;
    f->order = order_of(f->w, set);
    if (map && f->field->bits == 16)
        TRY(TESS_ZEROS(f->w->mesh->sets[map->to].size, &f->place));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        const int64_t begin = other ? other->begin[b] : place[0],
                      end = other ? begin + other->n[b] : place[blocks->n_rings + 1];
        for (int64_t k = begin; f->place && k < end; k++)
            f->place[points[k]] = (int32_t)(k - begin);
        fill_block(f, b);
    }
    free(f->place);
    f->place = NULL;
    return TESS_OK;
}

static tess_status put_record(tess_chain_writer *w, const tess_chain_record *record) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    const int64_t n_rows = record->entries ? record->entries->first[n_slices]
                           : record->once  ? size_of_list(w, record->once)
                                           : w->setting->blocks->n_places;
    const int64_t n_words = (n_rows + TESS_SLICE - 1) / TESS_SLICE * TESS_SLICE * record->n_words;
    tess_status status = TESS_OK;
    filling f = {.w = w, .record = record};
    CHECK(TESS_ALLOC(n_words, &f.words));
    memset(f.words, 0xff, (size_t)n_words * sizeof *f.words);
    for (int i = 0; i < record->n_fields; i++) {
        f.field = &record->fields[i];
        CHECK(fill_field(&f));
    }
    CHECK(tess_page_array(w->page, "const unsigned *", f.words, n_words * 4, "%s_entries",
                          record->set));
    if (record->rounds == 0)
        CHECK(tess_table_offsets(w->page, record->entries->first, n_slices + 1, record->set,
                                 "_first"));
done:
    free(f.words);
    return status;
}

/* --- text ------------------------------------------------------------------------------------- */

/* keep_SET brings one of a set to the block's memory: a point that is read, with all its dats; or
 * 16 bytes of records. */
static void print_keep_points(tess_chain_writer *w, const tess_chain_list *list) {
    const tess_page_dat words = {.set = list->set};
    PUT(w, &words,
        "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = fetch(&p->@set_points[b->begin_@set + k]);\n");
    for (int d = 0; d < w->chain->n_dats; d++)
        if (strcmp(w->chain->dats[d].set, list->set) == 0)
            tess_print_keep(w, d);
    PUT(w, NULL, "}\n\n");
    tess_page_print(w->page, " run(%s, b.n_%s)", list->set, list->set);
}

static void print_keep_records(tess_chain_writer *w, tess_chain_record *record) {
    const int slice_bytes = record->rounds * record->n_words * 4 * TESS_SLICE;
    record->at = w->kept_end;
    w->kept_end += tess_chain_most_points(w->setting->blocks, record->ring, TESS_SLICE) /
                   TESS_SLICE * slice_bytes;
    PUT(w, &record->words,
        "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
        "    async_copy((struct piece *)(b->shared + %lld) + k,\n"
        "               (const struct piece *)&p->@set_entries[b->begin / WARP * %dLL] + k);\n"
        "}\n\n",
        (long long)record->at, slice_bytes / 4);
    tess_page_print(w->page, " run(%s, (b.n[%d] + WARP - 1) / WARP * %d)", record->set,
                    record->ring, slice_bytes / 16);
}

/* SET_entry_at: of the group of 32 rows that an entry's record is in. */
static void print_entry_at(tess_chain_writer *w, const tess_chain_record *record) {
    const char *word = record->kept ? "load" : "fetch";
    const int n = record->n_words;
    PUT(w, &record->words,
        "/* What an entry of @set leads to. */\nstruct @set_entry {\n    unsigned word[%d];\n};\n\n"
        "INLINE struct @set_entry @set_entry_at(const struct params *p, const struct block *b, "
        "int k,\n                                       int round) {\n"
        "    struct @set_entry e;\n    const unsigned *of = ",
        n);
    if (record->kept)
        PUT(w, NULL, "(const unsigned *)(b->shared + %lld) + (k / WARP * %d", (long long)record->at,
            record->rounds);
    else if (record->rounds > 0)
        PUT(w, &record->words, "p->@set_entries + ((b->begin%s + k) / WARP * %d",
            record->rows_of ? "_@set" : "", record->rounds);
    else
        PUT(w, &record->words,
            "p->@set_entries + (fetch(&p->@set_first[(b->begin + k) / WARP]) / WARP");
    PUT(w, NULL,
        " + round) * %dLL;\n    (void)p;\n"
        "    UNROLL for (int i = 0; i + 1 < %d; i += 2) {\n"
        "        const unsigned long long two =\n"
        "            %s((const unsigned long long *)(of + i * WARP) + k %% WARP);\n"
        "        e.word[i] = (unsigned)two;\n        e.word[i + 1] = (unsigned)(two >> 32);\n    "
        "}\n",
        n * TESS_SLICE, n, word);
    if (n % 2)
        PUT(w, NULL, "    e.word[%d] = %s(of + %d + k %% WARP);\n", n - 1, word,
            (n - 1) * TESS_SLICE);
    PUT(w, NULL, "    return e;\n}\n\n");
}

static void print_fields(tess_chain_writer *w, const tess_chain_record *record) {
    for (int i = 0; i < record->n_fields; i++) {
        const tess_chain_field *field = &record->fields[i];
        PUT(w, &record->words,
            "INLINE int %s(struct @set_entry e) {\n    return (int)(e.word[%d] >> %d%s);\n}\n\n",
            field->name, field->at / 32, field->at % 32, field->bits == 16 ? " & 0xffff" : "");
    }
    if (!record->entries)
        return;
    PUT(w, &record->words,
        "INLINE int @set_none(struct @set_entry e) {\n    return %s(e) == %s;\n}\n\n",
        witness(record)->name, witness(record)->bits == 16 ? "0xffff" : "-1");
}

tess_status tess_chain_tables(tess_chain_writer *w) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const tess_chain_lists *lists = w->setting->lists;
    const int n_words = blocks->n_rings + 3 + 2 * lists->n;
    bool in_order = false;
    TRY(open_records(w));
    TRY(put_blocks(w, n_words, &in_order));
    print_block(w, n_words);
    TRY(put_points(w, w->chain->owner, blocks->points, blocks->n_places, ""));
    PUT(w, NULL,
        "/* Where the point at place k of the block is stored. */\n"
        "INLINE int point_at(const struct params *p, const struct block *b, int k) {\n"
        "    return %sfetch(&p->points[b->begin + k]);\n}\n\n",
        !in_order              ? ""
        : blocks->n_rings == 0 ? "1 ? b->own + k : "
                               : "k < b->n[0] ? b->own + k : ");
    tess_page_print(w->page, "#define EACH_KEPT(run)");
    for (int i = 0; i < lists->n; i++) {
        const tess_chain_list *list = &lists->of[i];
        char name[TESS_NAME_SIZE + 1];
        snprintf(name, sizeof name, "%s_", list->set);
        if (list->mark)
            continue;
        TRY(put_points(w, list->set, list->points, size_of_list(w, list), name));
        print_keep_points(w, list);
    }
    for (int i = 0; i < w->n_records; i++) {
        tess_chain_record *record = &w->records[i];
        if (record->n_words == 0)
            continue;
        TRY(put_record(w, record));
        if (record->kept)
            print_keep_records(w, record);
        print_entry_at(w, record);
        print_fields(w, record);
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
