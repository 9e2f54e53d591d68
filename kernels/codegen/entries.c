/* Entries: what increments the points that a block owns, packed so that one thread sums a point. */
#include "kernels/codegen/entries.h"

#include "core/base/array.h"
#include "kernels/codegen/bit_field.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_ENTRY = UINT32_MAX;

static const char *set_name(const tess_page *page, int target) {
    return page->sets[target].name;
}

/* Whether something is read at points of the set through shared memory. */
static bool is_staged(const tess_page *page, int target) {
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].target == target && page->dats[i].read)
            return true;
    return false;
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Chooses where everything stands in an entry. The own point's place is its thread's, so the own
 * set has one field fewer than slots. */
static tess_status lay_out(tess_entries *all) {
    const tess_page *page = all->page;
    const tess_loop *loop = page->bound->loop;
    bool element = !all->chosen.reads || all->chosen.elements;
    for (int a = 0; a < loop->n_args; a++)
        element |= loop->args[a].set[0] && !loop->args[a].map[0];
    const int n_slots = page->bound->targets[all->target].n_slots;
    /* an element is never all ones, so a slot then may be */
    all->slot_bits = tess_bits_for(element ? n_slots - 1 : n_slots);
    all->element_bits = element ? TESS_WORD_BITS - all->slot_bits : 0;
    if (element && all->chosen.staged.n_positions > 0)
        all->element_bits = tess_bits_for(all->chosen.staged.n_positions);
    else if (element && tess_bits_for(page->bound->n_elements) > all->element_bits)
        FAIL(TESS_ERROR_INPUT, "loop %s has %lld elements, too many for entries of 32 bits",
             loop->name, (long long)page->bound->n_elements);
    int used = all->slot_bits + all->element_bits;
    for (int r = 0; r < page->bound->n_targets; r++) {
        tess_positions *at = &all->positions[r];
        if (!all->is_staged[r])
            continue;
        at->n = page->bound->targets[r].n_slots - (r == all->target);
        if (at->n > TESS_MOST_SLOTS)
            FAIL(TESS_ERROR_INPUT, "loop %s reaches %s through %d slots, over %d", loop->name,
                 set_name(page, r), at->n, TESS_MOST_SLOTS);
        at->bits = tess_bits_for(tess_page_staged(page, r));
        for (int i = 0; i < at->n; i++)
            at->at[i] = tess_bits_take(&used, at->bits);
    }
    all->n_bits = used;
    all->n_words = tess_words_of(used);
    return TESS_OK;
}

int tess_entries_exchanged_slot(const tess_loop_target *target, int s) {
    for (int t = 0; t < target->n_slots && target->slot_stride[s] == 2; t++)
        if (t != s && target->slot_stride[t] == 2 &&
            (target->slot_index[t] == target->slot_index[s] + 1 ||
             target->slot_index[t] == target->slot_index[s] - 1))
            return t;
    return s;
}

/* Packs the element at position k of block b as an increment through `slot`. */
static void pack(const tess_entries *all, int32_t b, int64_t k, int slot, uint32_t *words,
                 int64_t stride) {
    const tess_plan *plan = all->page->plan;
    for (int w = 0; w < all->n_words; w++)
        words[w * stride] = 0;
    tess_bits_put(words, stride, 0, (uint32_t)slot);
    if (all->element_bits > 0)
        tess_bits_put(words, stride, all->slot_bits,
                      (uint32_t)(all->chosen.staged.n_positions > 0
                                     ? all->chosen.staged.position[k]
                                     : tess_page_element(all->page, plan->executed[k])));
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_positions *at = &all->positions[r];
        const tess_plan_set *set = &plan->sets[r];
        for (int i = 0; i < at->n; i++) {
            int s = r == all->target && i >= slot ? i + 1 : i;
            if (all->chosen.exchanged && r != all->target && slot != 0)
                s = tess_entries_exchanged_slot(&all->page->bound->targets[r], s);
            const uint16_t local = set->local_index[k * set->n_slots + s];
            tess_bits_put(words, stride, at->at[i],
                          local == TESS_NO_POINT
                              ? tess_no_bits(at->bits)
                              : (uint32_t)all->staged_at[r][set->point_offset[b] + local]);
        }
    }
}

/* From one word of a block's points to the next. */
static int64_t own_stride(const tess_entries *all, int32_t b) {
    return (all->own_offset[b + 1] - all->own_offset[b] + 7) / 8 * 8;
}

/* Runs over the increments of the points that block b owns, each point's by slot; `fill` false
 * counts rounds only. */
static void list_block(tess_entries *all, int32_t b, bool fill) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[all->target];
    const int64_t first = all->own_offset[b];
    const int64_t stride = own_stride(all, b);
    memset(all->seen + first, 0, (size_t)(all->own_offset[b + 1] - first) * sizeof *all->seen);
    for (int s = 0; s < set->n_slots; s++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + s];
            if (!set->slot_incremented[s] || local == TESS_NO_POINT)
                continue;
            const int32_t point = set->points[set->point_offset[b] + local];
            if (plan->owner[point] != b)
                continue;
            const int32_t round = all->seen[all->rank[point]]++;
            if (fill)
                pack(all, b, k, s,
                     all->words + all->start[b] + (int64_t)round * all->n_words * stride +
                         all->rank[point] - first,
                     stride);
            else if (round >= all->n_rounds[b])
                all->n_rounds[b] = round + 1;
        }
}

/* Counts the rounds of warps that have an entry, and the slots that their lanes have in them. */
static void count_slots(const tess_entries *all, int32_t b, int64_t *n_warp_rounds,
                        int64_t *n_slots) {
    const int64_t n = all->own_offset[b + 1] - all->own_offset[b], stride = own_stride(all, b);
    for (int32_t round = 0; round < all->n_rounds[b]; round++)
        for (int64_t first = 0; first < n; first += TESS_WARP) {
            uint64_t slots = 0;
            for (int64_t i = first; i < n && i < first + TESS_WARP; i++) {
                const uint32_t word =
                    all->words[all->start[b] + (int64_t)round * all->n_words * stride + i];
                if (word != NO_ENTRY)
                    slots |= UINT64_C(1) << (word & ((UINT32_C(1) << all->slot_bits) - 1));
            }
            *n_warp_rounds += slots != 0;
            *n_slots += __builtin_popcountll(slots);
        }
}

tess_status tess_entries_begin_words(tess_entries *all) {
    const int32_t n_blocks = all->page->plan->n_blocks;
    TRY(TESS_ZEROS(n_blocks + 1, &all->start));
    for (int32_t b = 0; b < n_blocks; b++)
        all->start[b + 1] = all->start[b] + own_stride(all, b) * all->n_rounds[b] * all->n_words;
    return TESS_OK;
}

/* Lists, round by round, the entries of all blocks' own points. */
static tess_status list_entries(tess_entries *all) {
    const int32_t n_blocks = all->page->plan->n_blocks;
    int64_t n_warp_rounds = 0, n_slots = 0;
    TRY(TESS_ZEROS(n_blocks, &all->n_rounds));
    TRY(TESS_ALLOC(all->own_offset[n_blocks] + 1, &all->seen));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < n_blocks; b++)
        list_block(all, b, false);
    TRY(tess_entries_begin_words(all));
    TRY(TESS_ALLOC(all->start[n_blocks], &all->words));
#pragma omp parallel for schedule(static) reduction(+ : n_warp_rounds, n_slots)
    for (int32_t b = 0; b < n_blocks; b++) {
        memset(all->words + all->start[b], 0xff,
               (size_t)(all->start[b + 1] - all->start[b]) * sizeof *all->words);
        list_block(all, b, true);
        count_slots(all, b, &n_warp_rounds, &n_slots);
    }
    all->n_warp_rounds = n_warp_rounds;
    all->n_slots = n_slots;
    if (tess_entries_are_spread(all))
        tess_entries_spread(all);
    return TESS_OK;
}

static tess_status join_here(tess_entries *all, int32_t n_rounds, int n_words) {
    const int32_t n_blocks = all->page->plan->n_blocks;
    uint32_t *joined = NULL;
    TRY(TESS_ZEROS(all->start[n_blocks] / n_rounds * n_words, &joined));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < n_blocks; b++) {
        const int64_t n = all->own_offset[b + 1] - all->own_offset[b], stride = own_stride(all, b);
        const uint32_t *words = all->words + all->start[b];
        uint32_t *to = joined + all->start[b] / n_rounds * n_words;
        for (int32_t round = 0; round < n_rounds; round++)
            for (int64_t i = 0; i < n; i++) {
                const uint64_t value =
                    (uint64_t)(words[round * stride + i] & tess_no_bits(all->n_bits))
                    << round * all->n_bits % TESS_WORD_BITS;
                uint32_t *at = to + round * all->n_bits / TESS_WORD_BITS * stride + i;
                at[0] |= (uint32_t)value;
                if (value >> TESS_WORD_BITS)
                    at[stride] |= (uint32_t)(value >> TESS_WORD_BITS);
            }
    }
    free(all->words);
    all->words = joined;
    return TESS_OK;
}

/* Puts the entries of a point one behind the other, where each has a word and all need fewer;
 * *n_words: of a point, or 0 where they stay as they are. */
static tess_status join_entries(tess_entries *all, int32_t n_rounds, int *n_words) {
    *n_words = tess_words_of(n_rounds * all->n_bits);
    if (all->n_words != 1 || *n_words >= n_rounds) {
        *n_words = 0;
        return TESS_OK;
    }
    TRY(all->page->there ? tess_entries_join_there(all, *n_words)
                         : join_here(all, n_rounds, *n_words));
    for (int32_t b = 0; b <= all->page->plan->n_blocks; b++)
        all->start[b] = all->start[b] / n_rounds * *n_words;
    return TESS_OK;
}

/* --- functions: entries ----------------------------------------------------------------------- */

/* struct entry, struct entries and how they are fetched; `n_words`: of all entries of a point where
 * these lie one behind the other, else 0. */
static void print_entries(const tess_entries *all, int n_words) {
    tess_page *page = all->page;
    const int n_fetched = n_words > 0 ? n_words : all->n_words;
    tess_page_print(page, "#define NO_ENTRY 0x%xu\n",
                    n_words > 0 ? tess_no_bits(all->n_bits) : UINT32_MAX);
    tess_page_code(page, NULL,
                   "/* An element that increments a point, packed. */\n"
                   "struct entry {\n    unsigned word[%d];\n};\n\n"
                   "/* %s */\n"
                   "struct entries {\n    unsigned word[%d];\n};\n\n"
                   "INLINE struct entries fetch_entries(const struct params *p, const struct block "
                   "*b, int round, int own) {\n"
                   "    struct entries entries;\n"
                   "    UNROLL for (int w = 0; w < %d; w++)\n"
                   "        entries.word[w] = fetch(&p->entry[b->start + (round * %d + w) * "
                   "b->stride + own]);\n"
                   "    return entries;\n}\n\n"
                   "INLINE struct entry entry_of(const struct entries *entries, int round) {\n"
                   "    struct entry entry;\n",
                   all->n_words,
                   n_words > 0 ? "All entries of a point." : "The next one of a point.", n_fetched,
                   n_fetched, n_fetched);
    if (n_words > 0)
        tess_page_code(page, NULL,
                       "    const int at = round * %d, used = at %% 32;\n"
                       "    entry.word[0] = entries->word[at / 32] >> used;\n"
                       "    if (used + %d > 32)\n"
                       "        entry.word[0] |= entries->word[at / 32 + 1] << (32 - used);\n"
                       "    entry.word[0] &= NO_ENTRY;\n",
                       all->n_bits, all->n_bits);
    else
        tess_page_code(page, NULL,
                       "    UNROLL for (int w = 0; w < %d; w++)\n"
                       "        entry.word[w] = entries->word[w];\n    (void)round;\n",
                       all->n_words);
    tess_page_code(page, NULL,
                   "    return entry;\n}\n\n"
                   "/* The own point's slot, and where the element is. */\n"
                   "INLINE int entry_slot(const struct entry *entry) {\n    return ");
    tess_table_bits(page, "entry", 0, all->slot_bits);
    tess_page_code(page, NULL,
                   ";\n}\n\nINLINE int entry_element(const struct entry *entry) {\n"
                   "    (void)entry;\n    return ");
    if (all->element_bits > 0)
        tess_table_bits(page, "entry", all->slot_bits, all->element_bits);
    else
        tess_page_code(page, NULL, "0"); /* it has nothing of its own */
    tess_page_code(page, NULL, ";\n}\n\n");
}

/* What a block knows of its points and entries. */
static void print_block(tess_page *page, const char *rounds) {
    tess_page_member(
        page, NULL,
        "    int first, n_own;            /* its own points: own_at */\n"
        "    int own_place;               /* of the first of them among the staged */\n"
        "    int start, stride, n_rounds; /* of their entries */\n");
    tess_page_open_code(page, NULL,
                        "    b.first = own_begin(p, index);\n"
                        "    b.n_own = own_end(p, index) - b.first;\n"
                        "    b.own_place = OWN_IN_ORDER ? b.first %% 4 : 0;\n"
                        "    b.start = entry_start(p, index);\n"
                        "    b.stride = (b.n_own + 7) / 8 * 8;\n"
                        "    b.n_rounds = %s;\n",
                        rounds);
}

/* MOST_ROUNDS, ROUNDS_ALIKE, and entry_place(b, own, round), the position of an entry among those
 * of all blocks; `n_words` are of n_rounds entries. */
static void print_rounds(tess_entries *all, bool alike, int n_words, int n_rounds) {
    tess_page *page = all->page;
    const int32_t n_blocks = page->plan->n_blocks;
    int32_t most = 1;
    for (int32_t b = 0; b < n_blocks; b++)
        most = all->n_rounds[b] > most ? all->n_rounds[b] : most;
    all->n_positions = n_words > 0 ? all->start[n_blocks] / n_words * n_rounds : 0;
    if (page->n_phases == 0)
        return;
    tess_page_print(page, "#define MOST_ROUNDS %d\n#define ROUNDS_ALIKE %d\n", most, alike);
    tess_page_code(page, NULL,
                   "INLINE int entry_place(const struct block *b, int own, int round) {\n"
                   "    return b->start / %d * %d + round * b->stride + own;\n}\n\n",
                   n_words > 0 ? n_words : 1, n_rounds);
}

static tess_status put_entries(tess_entries *all) {
    tess_page *page = all->page;
    const int32_t n_blocks = page->plan->n_blocks;
    int n_words = 0;
    TRY(page->there ? tess_entries_list_there(all) : list_entries(all));
    const int32_t n_rounds = n_blocks > 0 ? all->n_rounds[0] : 0;
    bool alike = true;
    for (int32_t b = 1; b < n_blocks; b++)
        alike &= all->n_rounds[b] == n_rounds;
    if (alike)
        TRY(join_entries(all, n_rounds, &n_words));
    TRY(tess_table_ranges(page, "entry_start", "entry_end", all->start, "", "entry_start"));
    print_rounds(all, alike, n_words > 0 ? n_words : all->n_words, n_words > 0 ? n_rounds : 1);
    tess_page_print(page, "#define POINT_WORDS %d\n", n_words);
    print_entries(all, n_words);
    char rounds[32];
    snprintf(rounds, sizeof rounds, alike ? "%d" : "fetch(&p->n_rounds[index])", n_rounds);
    print_block(page, rounds);
    if (!alike)
        TRY(tess_page_array(page, "const int *", all->n_rounds, n_blocks * INT64_C(4), "n_rounds"));
    const int64_t bytes = all->start[n_blocks] * INT64_C(4);
    return page->there
               ? tess_there_array(page, "const unsigned *", all->there.words, bytes, "entry")
               : tess_page_array(page, "const unsigned *", all->words, bytes, "entry");
}

/* find_local: where the points of an entry's element are among the staged. The own point's place is
 * its thread's, so slots below and above it stand in the same fields. */
static void print_find_local(const tess_entries *all) {
    tess_page *page = all->page;
    tess_page_code(page, NULL,
                   "INLINE void find_local(const struct block *b, struct element *e, const struct "
                   "entry *entry, int own, int own_slot) {\n");
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        const tess_positions *at = &all->positions[r];
        const bool own = r == all->target;
        for (int s = 0; all->is_staged[r] && s < page->bound->targets[r].n_slots; s++) {
            tess_page_code(page, &set, "    e->@set_local[%d] = ", s);
            if (own) {
                tess_page_code(page, NULL, "own_slot == %d ? b->own_place + own : own_slot > %d ? ",
                               s, s);
                tess_table_bits(page, "entry", s < at->n ? at->at[s] : 0, at->bits);
                tess_page_code(page, NULL, " : ");
            }
            tess_table_bits(page, "entry", own ? (s > 0 ? at->at[s - 1] : 0) : at->at[s], at->bits);
            tess_page_code(page, NULL, ";\n");
            if (!page->sets[r].padded)
                continue;
            if (own)
                tess_page_code(page, NULL, "    if (own_slot != %d)\n    ", s);
            tess_page_code(page, &set,
                           "    if (e->@set_local[%d] == 0x%x)\n        e->@set_local[%d] = -1;\n",
                           s, tess_no_bits(at->bits), s);
        }
    }
    tess_page_code(page, NULL,
                   "    (void)b, (void)e, (void)entry, (void)own, (void)own_slot;\n}\n\n");
}

/* read_staged_own, what an element reads of the own point, which is the same for all elements in
 * which it has one slot, and read_staged_others, all else. */
static void print_read_staged(const tess_entries *all) {
    tess_page *page = all->page;
    for (int others = 0; others < 2; others++) {
        tess_page_code(page, NULL,
                       "INLINE void %s(const struct block *b, struct element *e, int %s) {\n",
                       others ? "read_staged_others" : "read_staged_own",
                       others ? "own_slot" : "own, int own_slot");
        for (int s = 0; !others && all->is_staged[all->target] &&
                        s < page->bound->targets[all->target].n_slots;
             s++)
            tess_page_code(page, NULL, "    e->%s_local[%d] = b->own_place + own;\n",
                           set_name(page, all->target), s);
        for (int i = 0; i < page->n_accesses; i++) {
            const tess_page_access *from = &page->accesses[i];
            const bool own = from->dat->target == all->target;
            if (!all->chosen.reads || from->access != TESS_READ || !from->dat->read ||
                (!own && !others))
                continue;
            if (own)
                tess_page_code(page, NULL, "    if (own_slot %s %d)\n",
                               others ? "!=" : "==", from->slot);
            tess_page_read_staged(page, from);
        }
        tess_page_code(page, NULL, "    (void)b, (void)e, (void)own_slot%s;\n}\n\n",
                       others ? "" : ", (void)own");
    }
}

/* read_own_ends: what is read of one point of the set that blocks own, for all slots. */
static void print_read_own_ends(const tess_entries *all) {
    tess_page *page = all->page;
    tess_page_code(page, NULL,
                   "INLINE void read_own_ends(const struct params *p, struct element *e, "
                   "int point) {\n");
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        bool first = true;
        for (int k = 0; k < page->n_accesses; k++) {
            const tess_page_access *to = &page->accesses[k];
            if (to->dat != dat || dat->target != all->target || to->access != TESS_READ)
                continue;
            if (first)
                tess_page_code(page, dat,
                               "    UNROLL for (int d = 0; d < @dim; d++) {\n"
                               "        const @type value = fetch(&p->@dat[@dat_at(point, d)]);\n");
            first = false;
            tess_page_code(page, dat, "        e->arg%d[%d + d] = value;\n", to->arg, to->offset);
        }
        if (!first)
            tess_page_code(page, NULL, "    }\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)point;\n}\n\n");
}

/* --- functions: copies ------------------------------------------------------------------------ */

/* The dats of a set that are staged, for the functions of runs; gives how many. */
static int dats_of(const tess_page *page, int target, tess_page_dat *dats) {
    int n = 0;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].target == target && page->dats[i].read)
            dats[n++] = page->dats[i];
    return n;
}

/* stage: what elements read of the block's points and of themselves, and sums in AoS. The bounds of
 * all sets come first: their loads are under way together, and the first others wait once. */
static void print_stage(const tess_entries *all, bool in_order, tess_page_dat *dats) {
    tess_page *page = all->page;
    const int n_targets = page->bound->n_targets;
    for (int r = 0; r < n_targets; r++)
        if (all->is_staged[r])
            tess_table_run_members(page, set_name(page, r));
    tess_page_code(page, NULL, "INLINE void %s(const struct params *p, struct block *b) {\n",
                   page->n_phases > 0 ? "find_staged" : "stage");
    for (int r = 0; r < n_targets; r++)
        if (all->is_staged[r])
            tess_page_code(page, NULL, "    find_%s_run(p, b);\n", set_name(page, r));
    for (int r = 0; r < n_targets; r++)
        if (all->is_staged[r])
            tess_page_code(page, NULL, "    find_%s_other(p, b);\n", set_name(page, r));
    if (page->n_phases > 0)
        tess_page_code(page, NULL,
                       "    (void)p, (void)b;\n}\n\n"
                       "INLINE void stage(const struct params *p, const struct block *b, int "
                       "phase) {\n");
    for (int r = 0; r < n_targets; r++)
        for (int i = 0, n = all->is_staged[r] ? dats_of(page, r, dats) : 0; i < n; i++) {
            tess_page_if_phase(page, tess_phases_begin(page, dats[i].phases));
            if (r == all->target && !in_order)
                tess_entries_copy_rows(
                    page, &dats[i],
                    "        async_copy(@dat_copy(b, i, d), &p->@dat[@dat_at(point, "
                    "d)]);\n");
            else
                tess_table_copy_run(page, &dats[i], "copy");
        }
    if (all->chosen.staged.n_positions > 0) {
        const int n = tess_table_own_dats(page, dats);
        tess_page_code(page, NULL, "    find_own_run(p, b);\n    find_own_other(p, b);\n");
        for (int i = 0; i < n; i++)
            tess_table_copy_run(page, &dats[i], "own");
        tess_table_copy_others(page, dats, n, "own");
    }
    for (int r = 0; r < n_targets; r++)
        if (all->is_staged[r])
            tess_table_copy_others(page, dats, dats_of(page, r, dats), "copy");
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed && page->dats[i].aos) {
            tess_page_if_phase(page, tess_phases_begin(page, page->dats[i].phases));
            tess_entries_copy_rows(
                page, &page->dats[i],
                "        async_copy(@dat_sum(b, i, d), &p->@dat[@dat_at(point, d)]);\n");
        }
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

/* bring: what block `ahead` will read, to the L2. */
static void print_prefetch(const tess_entries *all, bool in_order, tess_page_dat *dats) {
    tess_page *page = all->page;
    if (all->chosen.ahead > 0)
        tess_table_prefetch_words(page);
    tess_page_code(page, NULL, "INLINE void prefetch(const struct params *p, int ahead) {\n");
    if (all->chosen.ahead > 0) {
        tess_page_code(page, NULL,
                       "    const int first = own_begin(p, ahead), last = own_end(p, ahead);\n"
                       "    bring_words(p->entry, entry_start(p, ahead), entry_end(p, ahead));\n");
        for (int r = 0; r < page->bound->n_targets; r++)
            if (all->is_staged[r] && (r != all->target || in_order))
                tess_table_prefetch_run(page, dats, dats_of(page, r, dats));
        if (all->chosen.staged.n_positions > 0)
            tess_table_prefetch_run(page, dats, tess_table_own_dats(page, dats));
        for (int i = 0; i < page->n_dats; i++)
            if (in_order && page->dats[i].summed)
                tess_table_prefetch(page, &page->dats[i], "first", "last");
        tess_page_code(page, NULL, "    (void)first, (void)last;\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)ahead;\n}\n\n");
}

static tess_status print_functions(const tess_entries *all) {
    tess_page *page = all->page;
    const tess_loop_target *target = &page->bound->targets[all->target];
    tess_page_dat *dats = NULL;
    uint64_t incremented = 0;
    TRY(TESS_ZEROS(page->n_dats, &dats));
    for (int s = 0; s < target->n_slots; s++)
        incremented |= (uint64_t)target->slot_incremented[s] << s;
    tess_page_print(page, "#define OWN_SLOTS %d\n#define OWN_INCREMENTED 0x%llxull\n",
                    target->n_slots, (unsigned long long)incremented);
    tess_entries_print_totals(page);
    print_find_local(all);
    if (page->n_phases == 0) {
        print_read_staged(all);
        print_read_own_ends(all);
    }
    print_stage(all, all->own_in_order, dats);
    print_prefetch(all, all->own_in_order, dats);
    free(dats);
    return TESS_OK;
}

tess_status tess_table_entries(tess_page *page, const tess_entry_choices *chosen,
                               tess_entry_facts *out) {
    tess_status status = TESS_OK;
    int first_slot = 0;
    tess_entries all = {
        .page = page, .chosen = *chosen, .target = tess_page_owned_target(page, &first_slot)};
    const int n_targets = page->bound->n_targets;
    tess_page_print(page, "#define FIRST_SLOT %d\n", first_slot);
    CHECK(TESS_ZEROS(n_targets, &all.positions));
    CHECK(TESS_ZEROS(n_targets, &all.is_staged));
    CHECK(TESS_ZEROS(n_targets, &all.staged_at));
    CHECK(TESS_ZEROS(n_targets, &all.there.staged_at));
    CHECK(tess_entries_put_own(&all));
    for (int r = 0; chosen->reads && r < n_targets; r++)
        if ((all.is_staged[r] = is_staged(page, r)))
            CHECK(tess_entries_put_staged(&all, r));
    CHECK(lay_out(&all));
    CHECK(put_entries(&all));
    CHECK(print_functions(&all));
    out->mixed = all.n_slots * 4 > all.n_warp_rounds * 5;
    out->n_positions = all.n_positions;
done:
    for (int r = 0; all.staged_at && r < n_targets; r++)
        free(all.staged_at[r]);
    free(all.staged_at);
    free(all.there.staged_at);
    free(all.is_staged);
    free(all.positions);
    free(all.own_offset);
    free(all.rank);
    free(all.start);
    free(all.n_rounds);
    free(all.words);
    free(all.seen);
    return status;
}
