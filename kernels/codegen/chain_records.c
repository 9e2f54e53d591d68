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

static void add_field(tess_chain_record *record, const char *word, bool local) {
    tess_chain_field *field = &record->fields[record->n_fields++];
    *field = (tess_chain_field){.local = local};
    snprintf(field->name, sizeof field->name, "%.40s_%s", record->set, word);
}

tess_status tess_chain_field_get(tess_chain_writer *w, const tess_map *map, int slot,
                                 const tess_chain_field **out) {
    const tess_chain *chain = w->setting->chain;
    const char *to = w->mesh->sets[map->to].name;
    tess_chain_record *record = tess_chain_record_of(w, w->mesh->sets[map->from].name);
    for (int i = 0; i < record->n_fields; i++) {
        *out = &record->fields[i];
        if ((*out)->map == map && (*out)->slot == slot)
            return TESS_OK;
    }
    if (record->n_fields == FIELDS)
        FAIL(TESS_ERROR_USAGE, "a chain reaches points from %s through at most %d slots",
             record->set, FIELDS);
    tess_chain_field *field = &record->fields[record->n_fields++];
    *field = (tess_chain_field){.map = map,
                                .slot = slot,
                                .padded = map->padded,
                                .local = chain->n_rings > 0 &&
                                         (strcmp(to, chain->owner) == 0 ||
                                          tess_chain_read_of(w->setting->lists, to) != NULL)};
    snprintf(field->name, sizeof field->name, "%.40s_%.40s_%d", record->set, to, slot);
    *out = field;
    return TESS_OK;
}

/* Whether some loop over the set has an arg on elements' own values, or one that it stores there or
 * adds to a global sum. */
static void own_uses(const tess_chain_writer *w, const char *set, bool *has, bool *writes) {
    const tess_chain *chain = w->setting->chain;
    *has = *writes = false;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && strcmp(loop->set, set) == 0; a++) {
            const tess_arg *arg = &loop->args[a];
            *has |= !arg->map[0] && arg->set[0];
            *writes |= !arg->map[0] && arg->access != TESS_READ &&
                       (!arg->set[0] || tess_chain_dat_of(chain, arg)->stored);
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

/* Whether all slices have as many rounds. */
static bool is_even(const tess_chain_writer *w, const tess_chain_entries *entries) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    return entries->first[n_slices] == n_slices * entries->most_rounds * TESS_SLICE;
}

static void open_gathered(const tess_chain_writer *w, tess_chain_record *record) {
    const tess_chain_entries *entries = record->entries;
    bool writes_own;
    own_uses(w, record->set, &record->has_element, &writes_own);
    record->once = tess_chain_elements_of(w->setting->lists, record->set);
    record->rounds = record->once || !is_even(w, entries) ? 0 : entries->most_rounds;
    record->exchanged =
        !record->once && is_exchanged(w, record->set) && entries->n_slots == 2 && !writes_own;
    record->own_slot = !record->once && (record->exchanged || entries->n_slots == 1) ? 0 : -1;
    record->marked = (!record->once && record->own_slot < 0) || writes_own;
    if (record->once) {
        record->entries = NULL;
        record->rounds = 1;
    }
    if (record->marked)
        add_field(record, "mark", true);
    if (record->has_element)
        add_field(record, "element", false);
}

/* The record by which points find the rows of what elements add that are computed once: where all
 * have as many, all of a point's in one. */
static void open_rows(const tess_chain_writer *w, const tess_chain_record *elements,
                      const tess_chain_entries *entries, tess_chain_record *record) {
    const tess_chain_list *once = elements->once;
    const bool together = is_even(w, entries) && entries->most_rounds <= FIELDS / 8;
    *record = (tess_chain_record){.set = record->rows,
                                  .entries = entries,
                                  .once = once,
                                  .ring = elements->ring,
                                  .together = together ? entries->most_rounds : 0,
                                  .rounds = together              ? 1
                                            : is_even(w, entries) ? entries->most_rounds
                                                                  : 0};
    snprintf(record->rows, sizeof record->rows, "%.40s_rows", once->set);
    for (int r = 0; r < (together ? entries->most_rounds : 1); r++) {
        add_field(record, "row", tess_chain_row_size(once) * entries->n_slots < 0xffff);
        tess_chain_field *field = &record->fields[r];
        field->is_row = true;
        field->round = r;
        snprintf(field->name, sizeof field->name, "%.60s_row_%d", record->set, r);
    }
}

tess_status tess_chain_records_open(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
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
    const tess_chain_list *other; /* whose places are given; NULL: the owner's */
    const int32_t *order;         /* where what the field names is stored */
    int32_t *place;               /* [points]: of a block's points in it; where places are given */
    uint32_t *words;
} filling;

/* Rows lie in groups of 32, in a group word after word, two of a row side by side. */
static uint32_t *word_of(const filling *f, int64_t row) {
    const int n = f->record->n_words, word = f->field->word;
    const int64_t lane = row % TESS_SLICE;
    uint32_t *two = f->words + row / TESS_SLICE * TESS_SLICE * n + word / 2 * 2 * TESS_SLICE;
    return word / 2 * 2 + 1 < n ? two + 2 * lane + word % 2 : two + lane;
}

static void put_value(const filling *f, int64_t row, uint32_t value) {
    uint32_t *to = word_of(f, row);
    if (f->field->local)
        *to = (*to & ~(0xffffu << f->field->shift)) | (value & 0xffff) << f->field->shift;
    else
        *to = value;
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
    uint32_t value = (uint32_t)mark;
    if (element < 0)
        return;
    if (field->map || !field->local) {
        const int slot = field->slot ^ (f->record->exchanged ? mark & 1 : 0);
        const int32_t of =
            field->map ? field->map->index[(int64_t)element * field->map->arity + slot] : element;
        value = of < 0     ? UINT32_MAX
                : f->place ? (uint32_t)f->place[of]
                : f->order ? (uint32_t)f->order[of]
                           : (uint32_t)of;
    }
    put_value(f, row, value);
}

/* The rows of the point, or of the element, at a place. */
static void fill_place(const filling *f, int64_t k) {
    const tess_chain_entries *entries = f->record->entries;
    if (is_of_elements(f->record)) {
        fill_row(f, k, f->record->once->points[k], f->record->once->mark[k]);
        return;
    }
    if (!entries) {
        fill_row(f, k, f->w->setting->blocks->points[k], 0);
        return;
    }
    const int64_t slice = k / TESS_SLICE;
    int64_t at = entries->first[slice] + k % TESS_SLICE;
    for (int round = 0; at < entries->first[slice + 1]; at += TESS_SLICE, round++)
        if (!f->field->is_row)
            fill_row(f, at, entries->element[at], entries->slot[at]);
        else if (entries->element[at] >= 0 && (!f->record->together || f->field->round == round))
            put_value(f, f->record->together ? k : at, row_of(f, at, entries->slot[at]));
}

static tess_status fill_field(filling *f) {
    const tess_chain_blocks *blocks = f->w->setting->blocks;
    const tess_mesh *mesh = f->w->mesh;
    const char *set = f->field->map ? mesh->sets[f->field->map->to].name : f->record->set;
    f->order = tess_chain_order(f->w, set);
    f->other = tess_chain_read_of(f->w->setting->lists, set);
    if (f->field->map && f->field->local)
        TRY(TESS_ZEROS(mesh->sets[f->field->map->to].size, &f->place));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        const int64_t begin = f->other ? f->other->begin[b] : place[0],
                      end = f->other ? begin + f->other->n[b] : place[blocks->n_rings + 1];
        for (int64_t k = begin; f->place && k < end; k++)
            f->place[(f->other ? f->other->points : blocks->points)[k]] = (int32_t)(k - begin);
        const tess_chain_list *list = is_of_elements(f->record) ? f->record->once : NULL;
        const int64_t first = list ? list->begin[b] : place[0],
                      last = list ? first + list->n[b] : place[f->record->ring + 1];
        for (int64_t k = first; k < last; k++)
            fill_place(f, k);
    }
    free(f->place);
    f->place = NULL;
    return TESS_OK;
}

/* Places of a list, up to the next multiple of 32. */
static int64_t listed_end(const tess_chain_writer *w, const tess_chain_list *list) {
    const int32_t last = w->setting->blocks->n_blocks - 1;
    const int64_t end = last < 0 ? 0 : (int64_t)list->begin[last] + list->n[last];
    return (end + TESS_SLICE - 1) / TESS_SLICE * TESS_SLICE;
}

static tess_status put_record(tess_chain_writer *w, const tess_chain_record *record) {
    const int64_t n_slices = w->setting->blocks->n_places / TESS_SLICE;
    const int64_t *begins = record->entries && !record->together ? record->entries->first : NULL;
    const int64_t n_rows = begins                   ? begins[n_slices]
                           : is_of_elements(record) ? listed_end(w, record->once)
                                                    : n_slices * TESS_SLICE;
    tess_status status = TESS_OK;
    filling f = {.w = w, .record = record};
    int32_t *first = NULL;
    if (n_rows > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "points of the chain gather %lld %s, over 2^31 - 1",
             (long long)n_rows, record->set);
    CHECK(TESS_ALLOC(n_rows * record->n_words, &f.words));
    memset(f.words, 0xff, (size_t)(n_rows * record->n_words) * sizeof *f.words);
    for (int i = 0; i < record->n_fields; i++) {
        f.field = &record->fields[i];
        CHECK(fill_field(&f));
    }
    CHECK(tess_page_array(w->page, "const unsigned *", f.words,
                          n_rows * record->n_words * (int64_t)sizeof *f.words, "%s_entries",
                          record->set));
    if (record->rounds > 0)
        goto done;
    CHECK(TESS_ALLOC(n_slices + 1, &first));
    for (int64_t i = 0; i <= n_slices; i++)
        first[i] = (int32_t)(begins[i] / TESS_SLICE);
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
    const tess_page_dat set = {.set = record->set};
    const int slice_bytes = record->rounds * record->n_words * 4 * TESS_SLICE;
    record->at = w->kept_end;
    w->kept_end += tess_chain_most_points(w->setting->blocks, record->ring, TESS_SLICE) /
                   TESS_SLICE * slice_bytes;
    tess_page_code(
        w->page, &set,
        "INLINE int @set_kept(const struct block *b) {\n"
        "    return (b->n[%d] + WARP - 1) / WARP * %d;\n}\n\n"
        "INLINE void keep_@set(const struct params *p, const struct block *b, int k) {\n"
        "    async_copy((struct piece *)(b->shared + %lld) + k,\n"
        "               (const struct piece *)&p->@set_entries[b->begin / WARP * %dLL] + "
        "k);\n}\n\n",
        record->ring, slice_bytes / 16, (long long)record->at, slice_bytes / 4);
}

/* Where the group of 32 rows lies that an entry's record is in. */
static void print_group_at(tess_chain_writer *w, const tess_chain_record *record) {
    const tess_page_dat set = {.set = record->set};
    const int n = record->n_words * TESS_SLICE;
    if (record->kept)
        tess_page_code(w->page, &set,
                       "    const unsigned *of = (const unsigned *)(b->shared + %lld) +\n"
                       "                         (k / WARP * %d + round) * %d;\n    (void)p;\n",
                       (long long)record->at, record->rounds, n);
    else if (record->rounds > 0)
        tess_page_code(
            w->page, &set,
            "    const unsigned *of = &p->@set_entries[((b->begin%s%s + k) / WARP * %d + "
            "round) * %dLL];\n",
            record->once && !record->entries ? "_" : "",
            record->once && !record->entries ? record->set : "", record->rounds, n);
    else
        tess_page_code(
            w->page, &set,
            "    const unsigned *of = &p->@set_entries[(fetch(&p->@set_first[(b->begin + "
            "k) / WARP]) + round) * %dLL];\n",
            n);
}

/* SET_entry_at. */
static void print_entry_at(tess_chain_writer *w, const tess_chain_record *record) {
    const tess_page_dat set = {.set = record->set};
    const char *word = record->kept ? "load" : "fetch";
    tess_page_code(
        w->page, &set,
        "/* What an entry of @set leads to. */\n"
        "struct @set_entry {\n    unsigned word[%d];\n};\n\n"
        "INLINE struct @set_entry @set_entry_at(const struct params *p, const struct block "
        "*b, int k,\n                                       int round) {\n"
        "    struct @set_entry e;\n",
        record->n_words);
    print_group_at(w, record);
    for (int i = 0; i + 1 < record->n_words; i += 2)
        tess_page_code(w->page, NULL,
                       "    const unsigned long long two_%d =\n"
                       "        %s((const unsigned long long *)(of + %d) + k %% WARP);\n"
                       "    e.word[%d] = (unsigned)two_%d;\n"
                       "    e.word[%d] = (unsigned)(two_%d >> 32);\n",
                       i, word, i * TESS_SLICE, i, i, i + 1, i);
    if (record->n_words % 2)
        tess_page_code(w->page, NULL, "    e.word[%d] = %s(of + %d + k %% WARP);\n",
                       record->n_words - 1, word, (record->n_words - 1) * TESS_SLICE);
    tess_page_code(w->page, NULL, "    return e;\n}\n\n");
}

static void print_fields(tess_chain_writer *w, const tess_chain_record *record) {
    const tess_page_dat set = {.set = record->set};
    for (int i = 0; i < record->n_fields; i++) {
        const tess_chain_field *field = &record->fields[i];
        tess_page_code(w->page, &set, "INLINE int %s(struct @set_entry e) {\n    return (int)",
                       field->name);
        if (field->local)
            tess_page_code(w->page, NULL, "(e.word[%d] >> %d & 0xffff);\n}\n\n", field->word,
                           field->shift);
        else
            tess_page_code(w->page, NULL, "e.word[%d];\n}\n\n", field->word);
    }
    if (record->entries)
        tess_page_code(
            w->page, &set,
            "INLINE int @set_none(struct @set_entry e) {\n    return %s(e) == %s;\n}\n\n",
            witness(record)->name, witness(record)->local ? "0xffff" : "-1");
    if (record->entries && record->rounds > 0)
        tess_page_code(
            w->page, &set,
            "INLINE int @set_rounds(const struct params *p, const struct block *b, int k) {\n"
            "    (void)p, (void)b, (void)k;\n    return %d;\n}\n\n",
            record->rounds);
    else if (record->entries)
        tess_page_code(
            w->page, &set,
            "INLINE int @set_rounds(const struct params *p, const struct block *b, int k) {\n"
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
            add_field(record, "mark", true);
        lay_out(record);
        if (record->n_words == 0)
            continue;
        TRY(put_record(w, record));
        record->kept = w->setting->chain->n_rings > 0 && record->rounds > 0 && !record->once &&
                       !w->page->one_thread;
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
