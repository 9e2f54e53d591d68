/* Records of a chain: what an entry or a point leads to, side by side, so that a thread reads it
 * at once and a block brings its own to its memory. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = sizeof((tess_chain_record *)0)->fields / sizeof(tess_chain_field) };

/* --- fields ----------------------------------------------------------------------------------- */

tess_chain_record *tess_chain_record_of(const tess_chain_writer *w, const char *set) {
    tess_chain_record *record = w->records;
    while (strcmp(record->set, set) != 0)
        record++;
    return record;
}

const tess_chain_record *tess_chain_rows_of(const tess_chain_writer *w,
                                            const tess_chain_list *once) {
    const tess_chain_record *record = w->records;
    while (!record->entries || record->once != once)
        record++;
    return record;
}

/* Of elements that blocks compute once, not of points. */
static bool is_of_elements(const tess_chain_record *record) {
    return record->once && !record->entries;
}

static void add_field(tess_chain_record *record, tess_chain_field field, const char *word) {
    snprintf(field.name, sizeof field.name, "%.40s_%.40s", record->set, word);
    record->fields[record->n_fields++] = field;
}

tess_status tess_chain_field_get(tess_chain_writer *w, const tess_map *map, int slot,
                                 const tess_chain_field **out) {
    const char *to = w->mesh->sets[map->to].name;
    tess_chain_record *record = tess_chain_record_of(w, w->mesh->sets[map->from].name);
    char word[TESS_NAME_SIZE + 16];
    for (int i = 0; i < record->n_fields; i++) {
        *out = &record->fields[i];
        if ((*out)->map == map && (*out)->slot == slot)
            return TESS_OK;
    }
    if (record->n_fields == FIELDS)
        FAIL(TESS_ERROR_USAGE, "a chain reaches points from %s through at most %d slots",
             record->set, FIELDS);
    snprintf(word, sizeof word, "%.36s_%d", to, slot);
    add_field(record,
              (tess_chain_field){.map = map,
                                 .slot = slot,
                                 .padded = map->padded,
                                 .local = w->chain->n_rings > 0 &&
                                          (strcmp(to, w->chain->owner) == 0 ||
                                           tess_chain_read_of(w->setting->lists, to))},
              word);
    *out = &record->fields[record->n_fields - 1];
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
    const tess_chain_entries *entries = record->entries;
    bool writes_own = false, exchanged = entries->n_slots == 2;
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
    record->own_slot = !record->once && (record->exchanged || entries->n_slots == 1) ? 0 : -1;
    record->marked = (!record->once && record->own_slot < 0) || writes_own;
    record->rounds = record->once ? 1 : rounds_of(w, entries);
    if (record->once)
        record->entries = NULL;
    if (record->marked)
        add_field(record, (tess_chain_field){.local = true}, "mark");
    if (record->has_element)
        add_field(record, (tess_chain_field){.local = false}, "element");
}

/* The record by which points find the rows of what elements add that are computed once. */
static void open_rows(const tess_chain_writer *w, const tess_chain_record *elements,
                      const tess_chain_entries *entries, tess_chain_record *record) {
    const tess_chain_list *once = elements->once;
    const bool local = tess_chain_row_size(once) * entries->n_slots < 0xffff;
    *record = (tess_chain_record){.set = record->rows,
                                  .entries = entries,
                                  .once = once,
                                  .ring = elements->ring,
                                  .rounds = rounds_of(w, entries)};
    snprintf(record->rows, sizeof record->rows, "%.40s_rows", once->set);
    add_field(record, (tess_chain_field){.local = local}, "row");
}

tess_status tess_chain_records_open(tess_chain_writer *w) {
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
            open_rows(w, &w->records[f], &blocks->sets[f], &w->records[w->n_records++]);
    }
    for (int i = 0; i < w->n_records; i++)
        w->records[i].words.set = w->records[i].set;
    return TESS_OK;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* The field by which a record says that there is an entry; NULL: none does. */
static const tess_chain_field *witness(const tess_chain_record *record) {
    for (int i = 0; i < record->n_fields; i++)
        if (!record->fields[i].padded)
            return &record->fields[i];
    return NULL;
}

/* Fields of 16 bits, then those of 32. */
static void lay_out(tess_chain_record *record) {
    int bits = 0;
    for (int narrow = 1; narrow >= 0; narrow--) {
        for (int i = 0; i < record->n_fields; i++) {
            tess_chain_field *field = &record->fields[i];
            if (field->local != narrow)
                continue;
            field->word = bits / 32;
            field->shift = bits % 32;
            bits += narrow ? 16 : 32;
        }
        bits = (bits + 31) / 32 * 32;
    }
    record->n_words = bits / 32;
}

/* A field being filled in. */
typedef struct filling {
    const tess_chain_writer *w;
    const tess_chain_record *record;
    const tess_chain_field *field;
    const int32_t *order; /* where what the field names is stored */
    int32_t *place;       /* [points]: of a block's points in it; where places are given */
    uint32_t *words;
} filling;

/* Rows lie in groups of 32, in a group word after word, two of a row side by side. */
static void put_value(const filling *f, int64_t row, uint32_t value) {
    const int n = f->record->n_words, word = f->field->word;
    const int64_t lane = row % TESS_SLICE;
    uint32_t *to = f->words + row / TESS_SLICE * TESS_SLICE * n + word / 2 * 2 * TESS_SLICE;
    to += word / 2 * 2 + 1 < n ? 2 * lane + word % 2 : lane;
    if (f->field->local)
        *to = (*to & ~(0xffffu << f->field->shift)) | (value & 0xffff) << f->field->shift;
    else
        *to = value;
}

uint32_t tess_chain_minus(const tess_chain_field *row) {
    return row->local ? 1u << 15 : 1u << 30;
}

/* Where the block keeps what an entry's element adds to its point: the element's place, and as many
 * rows on as the slot says; where one row is for both slots, the bit above all places. */
static uint32_t row_of(const filling *f, int64_t at, int mark) {
    const tess_chain_list *once = f->record->once;
    const uint32_t place = (uint32_t)once->place[at], slot = mark & (TESS_ENTRY_OWNS - 1);
    return once->opposite ? place | slot * tess_chain_minus(f->field)
                          : place + slot * (uint32_t)tess_chain_row_size(once);
}

static void fill_row(const filling *f, int64_t row, int32_t element, int mark) {
    const tess_chain_field *field = f->field;
    const tess_map *map = field->map;
    int32_t of = element;
    if (element < 0)
        return;
    if (map)
        of = map->index[(int64_t)element * map->arity +
                        (field->slot ^ (f->record->exchanged ? mark & 1 : 0))];
    if (!map && field->local)
        put_value(f, row, (uint32_t)mark);
    else
        put_value(f, row,
                  (uint32_t)(of < 0     ? -1
                             : f->place ? f->place[of]
                             : f->order ? f->order[of]
                                        : of));
}

/* The rows of the point, or of the element, at a place. */
static void fill_place(const filling *f, int64_t k) {
    const tess_chain_record *record = f->record;
    const tess_chain_entries *entries = record->entries;
    if (!entries) {
        const tess_chain_list *once = record->once;
        fill_row(f, k, once ? once->points[k] : f->w->setting->blocks->points[k],
                 once ? once->mark[k] : 0);
        return;
    }
    const int64_t slice = k / TESS_SLICE;
    for (int64_t at = entries->first[slice] + k % TESS_SLICE; at < entries->first[slice + 1];
         at += TESS_SLICE)
        if (!record->once)
            fill_row(f, at, entries->element[at], entries->slot[at]);
        else if (entries->element[at] >= 0)
            put_value(f, at, row_of(f, at, entries->slot[at]));
}

static tess_status fill_field(filling *f) {
    const tess_chain_blocks *blocks = f->w->setting->blocks;
    const tess_map *map = f->field->map;
    const char *set = map ? f->w->mesh->sets[map->to].name : f->record->set;
    const tess_chain_list *other = tess_chain_read_of(f->w->setting->lists, set),
                          *list = is_of_elements(f->record) ? f->record->once : NULL;
    f->order = tess_chain_order(f->w, set);
    if (map && f->field->local)
        TRY(TESS_ZEROS(f->w->mesh->sets[map->to].size, &f->place));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        const int64_t begin = other ? other->begin[b] : place[0],
                      end = other ? begin + other->n[b] : place[blocks->n_rings + 1],
                      first = list ? list->begin[b] : place[0],
                      last = list ? first + list->n[b] : place[f->record->ring + 1];
        for (int64_t k = begin; f->place && k < end; k++)
            f->place[(other ? other->points : blocks->points)[k]] = (int32_t)(k - begin);
        for (int64_t k = first; k < last; k++)
            fill_place(f, k);
    }
    free(f->place);
    f->place = NULL;
    return TESS_OK;
}

/* Rows of a record, whole groups. */
static int64_t rows_of(const tess_chain_writer *w, const tess_chain_record *record) {
    const tess_chain_blocks *blocks = w->setting->blocks;
    const int32_t last = blocks->n_blocks - 1;
    int64_t n = blocks->n_places;
    if (record->entries)
        n = record->entries->first[blocks->n_places / TESS_SLICE];
    else if (is_of_elements(record))
        n = last < 0 ? 0 : (int64_t)record->once->begin[last] + record->once->n[last];
    return (n + TESS_SLICE - 1) / TESS_SLICE * TESS_SLICE;
}

static tess_status put_record(tess_chain_writer *w, const tess_chain_record *record) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE, n_rows = rows_of(w, record),
                  n_words = n_rows * record->n_words;
    tess_status status = TESS_OK;
    filling f = {.w = w, .record = record};
    int32_t *first = NULL;
    if (n_rows > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "points of the chain gather %lld %s, over 2^31 - 1",
             (long long)n_rows, record->set);
    CHECK(TESS_ALLOC(n_words, &f.words));
    memset(f.words, 0xff, (size_t)n_words * sizeof *f.words);
    for (int i = 0; i < record->n_fields; i++) {
        f.field = &record->fields[i];
        CHECK(fill_field(&f));
    }
    CHECK(tess_page_array(w->page, "const unsigned *", f.words, n_words * 4, "%s_entries",
                          record->set));
    if (record->rounds > 0)
        goto done;
    CHECK(TESS_ALLOC(n_slices + 1, &first));
    for (int64_t i = 0; i <= n_slices; i++)
        first[i] = (int32_t)(record->entries->first[i] / TESS_SLICE);
    CHECK(tess_page_array(w->page, "const int *", first, (n_slices + 1) * 4, "%s_first",
                          record->set));
done:
    free(first);
    free(f.words);
    return status;
}

/* --- text ------------------------------------------------------------------------------------- */

/* SET_kept: pieces of 16 bytes of a block's records; keep_SET: brings one to its memory. */
static void print_keep(tess_chain_writer *w, tess_chain_record *record) {
    const int slice_bytes = record->rounds * record->n_words * 4 * TESS_SLICE;
    record->at = w->kept_end;
    w->kept_end += tess_chain_most_points(w->setting->blocks, record->ring, TESS_SLICE) /
                   TESS_SLICE * slice_bytes;
    PUT(w, &record->words,
        "INLINE int @set_kept(const struct block *b) {\n"
        "    return (b->n[%d] + WARP - 1) / WARP * %d;\n}\n\n"
        "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
        "    async_copy((struct piece *)(b->shared + %lld) + k,\n"
        "               (const struct piece *)&p->@set_entries[b->begin / WARP * %dLL] + k);\n"
        "}\n\n",
        record->ring, slice_bytes / 16, (long long)record->at, slice_bytes / 4);
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
        PUT(w, &record->words, "p->@set_entries + ((b->begin%s%s + k) / WARP * %d",
            is_of_elements(record) ? "_" : "", is_of_elements(record) ? record->set : "",
            record->rounds);
    else
        PUT(w, &record->words, "p->@set_entries + (fetch(&p->@set_first[(b->begin + k) / WARP])");
    PUT(w, NULL, " + round) * %d%s;\n    (void)p;\n", n * TESS_SLICE, record->kept ? "" : "LL");
    for (int i = 0; i + 1 < n; i += 2)
        PUT(w, NULL,
            "    const unsigned long long two_%d =\n"
            "        %s((const unsigned long long *)(of + %d) + k %% WARP);\n"
            "    e.word[%d] = (unsigned)two_%d;\n    e.word[%d] = (unsigned)(two_%d >> 32);\n",
            i, word, i * TESS_SLICE, i, i, i + 1, i);
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
            field->name, field->word, field->shift, field->local ? " & 0xffff" : "");
    }
    if (!record->entries)
        return;
    PUT(w, &record->words,
        "INLINE int @set_none(struct @set_entry e) {\n    return %s(e) == %s;\n}\n\n"
        "INLINE int @set_rounds(const struct params *p, const struct block *b, int k) {\n",
        witness(record)->name, witness(record)->local ? "0xffff" : "-1");
    if (record->rounds > 0)
        PUT(w, NULL, "    (void)p, (void)b, (void)k;\n    return %d;\n}\n\n", record->rounds);
    else
        PUT(w, &record->words,
            "    const int *first = &p->@set_first[(b->begin + k) / WARP];\n"
            "    return b->any_@set ? fetch(&first[1]) - fetch(&first[0]) : 0;\n}\n\n");
}

tess_status tess_chain_records_finish(tess_chain_writer *w) {
    tess_page_print(w->page, "#define EACH_KEPT(run)");
    for (int i = 0; i < w->setting->lists->n; i++)
        if (!w->setting->lists->of[i].mark)
            tess_page_print(w->page, " run(%s)", w->setting->lists->of[i].set);
    for (int i = 0; i < w->n_records; i++) {
        tess_chain_record *record = &w->records[i];
        if ((record->entries || record->once) && !witness(record))
            add_field(record, (tess_chain_field){.local = true}, "mark");
        lay_out(record);
        if (record->n_words == 0)
            continue;
        TRY(put_record(w, record));
        record->kept =
            w->chain->n_rings > 0 && record->rounds > 0 && !record->once && !w->page->one_thread;
        if (record->kept) {
            print_keep(w, record);
            tess_page_print(w->page, " run(%s)", record->set);
        }
        print_entry_at(w, record);
        print_fields(w, record);
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
