/* Entries: what increments the points that a block owns, packed so that one thread sums a point. */
#include "kernels/tables/entries.h"

#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include "kernels/text/bit_field.h"
#include <stdlib.h>
#include <string.h>

enum { WARP = 32 };

static const uint32_t NO_ENTRY = UINT32_MAX;

static const char *set_name(const tess_page *page, int reach) {
    return page->bound->mesh->sets[page->bound->targets[reach].set].name;
}

/* True where something is read at points of the set through shared memory. */
static bool is_staged(const tess_page *page, int reach) {
    for (int a = 0; a < page->bound->loop->n_args; a++) {
        const tess_arg *arg = &page->bound->loop->args[a];
        if (tess_arg_travels(page, arg, false) && strcmp(arg->set, set_name(page, reach)) == 0)
            return true;
    }
    return false;
}

/* --- packing ---------------------------------------------------------------------------------- */

static int64_t most_place(const tess_page *page, const int32_t *place) {
    int64_t most = 0;
    for (int64_t k = 0; k < page->plan->n_executed; k++)
        most = place[k] > most ? place[k] : most;
    return most;
}

/* Chooses where everything stands in an entry. The own point's place is its thread's, so the own
 * set has one field fewer than slots. */
static tess_status lay_out(tess_entries *all) {
    const tess_page *page = all->page;
    const tess_loop *loop = page->bound->loop;
    bool element = !all->staged;
    for (int a = 0; a < loop->n_args; a++)
        element |= loop->args[a].set[0] && !loop->args[a].map[0];
    const int n_slots = page->bound->targets[all->reach].n_slots;
    /* an element is never all ones, so a slot then may be */
    all->slot_bits = tess_bits_for(element ? n_slots - 1 : n_slots);
    all->element_bits = element ? TESS_WORD_BITS - all->slot_bits : 0;
    if (element && all->element_place)
        all->element_bits = tess_bits_for(most_place(page, all->element_place) + 1);
    else if (element && tess_bits_for(page->bound->n_elements) > all->element_bits)
        FAIL(TESS_ERROR_INPUT, "loop %s has %lld elements, too many for entries of 32 bits",
             loop->name, (long long)page->bound->n_elements);
    int used = all->slot_bits + all->element_bits;
    for (int r = 0; r < page->bound->n_targets; r++) {
        tess_places *at = &all->places[r];
        if (!all->staged_at[r])
            continue;
        at->n = page->bound->targets[r].n_slots - (r == all->reach);
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

static void print_places(const tess_entries *all) {
    tess_page *page = all->page;
    const int n_slots = all->page->bound->targets[all->reach].n_slots;
    const tess_places *own = &all->places[all->reach];
    tess_page_print(page, "#define EACH_OWN_LOCAL(X)");
    for (int s = 0; all->staged_at[all->reach] && s < n_slots; s++)
        tess_page_print(page, " X(%s, %d, %d, %d, %d)", set_name(all->page, all->reach), s,
                        s < own->n ? own->at[s] : 0, s > 0 ? own->at[s - 1] : 0, own->bits);
    tess_page_print(page, "\n#define EACH_OTHER_LOCAL(X)");
    for (int r = 0; r < all->page->bound->n_targets; r++)
        for (int s = 0; r != all->reach && s < all->places[r].n; s++)
            tess_page_print(page, " X(%s, %d, %d, %d)", set_name(all->page, r), s,
                            all->places[r].at[s], all->places[r].bits);
    tess_page_print(page, "\n");
}

/* EACH_STAGED_SET(X): X(set, EACH_set_READ), which runs over the dats that are read of it. */
static void print_staged_sets(const tess_entries *all) {
    tess_page *page = all->page;
    tess_page_print(page, "#define EACH_STAGED_SET(X)");
    for (int r = 0; r < all->page->bound->n_targets; r++)
        if (all->staged_at[r])
            tess_page_print(page, " X(%s, EACH_%s_READ)", set_name(all->page, r),
                            set_name(all->page, r));
    tess_page_print(page, "\n");
}

static void print_layout(const tess_entries *all) {
    tess_page *page = all->page;
    const tess_loop_target *reach = &all->page->bound->targets[all->reach];
    tess_page_print(page, "#define OWN_SLOTS %d\n#define ENTRY_WORDS %d\n#define EACH_OWN_SLOT(X)",
                    reach->n_slots, all->n_words);
    for (int s = 0; s < reach->n_slots; s++)
        if (reach->slot_incremented[s])
            tess_page_print(page, " X(%d)", s);
    tess_page_print(page, "\n#define ENTRY_SLOT(word) BITS_AT(word, 0, %d)\n", all->slot_bits);
    if (all->element_bits > 0)
        tess_page_print(page, "#define ENTRY_ELEMENT(word) BITS_AT(word, %d, %d)\n", all->slot_bits,
                        all->element_bits);
    else
        tess_page_print(page, "#define ENTRY_ELEMENT(word) 0 /* has nothing of its own */\n");
    for (int r = 0; r < all->page->bound->n_targets; r++)
        tess_page_print(page, "#define %s_OWNED %d\n", set_name(all->page, r), r == all->reach);
    print_places(all);
    print_staged_sets(all);
}

/* The other slot of the map that slot s of a target is of, where that map has two; else s. */
static int exchanged_slot(const tess_loop_target *reach, int s) {
    for (int t = 0; t < reach->n_slots && reach->slot_stride[s] == 2; t++)
        if (t != s && reach->slot_stride[t] == 2 &&
            (reach->slot_index[t] == reach->slot_index[s] + 1 ||
             reach->slot_index[t] == reach->slot_index[s] - 1))
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
                      (uint32_t)(all->element_place
                                     ? all->element_place[k]
                                     : tess_page_element(all->page, plan->executed[k])));
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_places *at = &all->places[r];
        const tess_plan_set *set = &plan->sets[r];
        for (int i = 0; i < at->n; i++) {
            int s = r == all->reach && i >= slot ? i + 1 : i;
            if (all->exchanged && r != all->reach && slot != 0)
                s = exchanged_slot(&all->page->bound->targets[r], s);
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
    const tess_plan_set *set = &plan->sets[all->reach];
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

/* Counts the slots that the lanes of each warp have in each round. */
static void count_slots(tess_entries *all, int32_t b) {
    const int64_t n = all->own_offset[b + 1] - all->own_offset[b], stride = own_stride(all, b);
    for (int32_t round = 0; round < all->n_rounds[b]; round++)
        for (int64_t first = 0; first < n; first += WARP) {
            uint64_t slots = 0;
            for (int64_t i = first; i < n && i < first + WARP; i++) {
                const uint32_t word =
                    all->words[all->start[b] + (int64_t)round * all->n_words * stride + i];
                if (word != NO_ENTRY)
                    slots |= UINT64_C(1) << (word & ((UINT32_C(1) << all->slot_bits) - 1));
            }
            all->n_warp_rounds += slots != 0;
            all->n_slots += __builtin_popcountll(slots);
        }
}

/* Lists, round by round, the entries of all blocks' own points. */
static tess_status list_entries(tess_entries *all) {
    const int32_t n_blocks = all->page->plan->n_blocks;
    TRY(TESS_ZEROS(n_blocks + 1, &all->start));
    TRY(TESS_ZEROS(n_blocks, &all->n_rounds));
    TRY(TESS_ALLOC(all->own_offset[n_blocks] + 1, &all->seen));
    for (int32_t b = 0; b < n_blocks; b++) {
        list_block(all, b, false);
        all->start[b + 1] = all->start[b] + own_stride(all, b) * all->n_rounds[b] * all->n_words;
    }
    TRY(TESS_ALLOC(all->start[n_blocks], &all->words));
    memset(all->words, 0xff, (size_t)all->start[n_blocks] * sizeof *all->words);
    for (int32_t b = 0; b < n_blocks; b++) {
        list_block(all, b, true);
        count_slots(all, b);
    }
    if (all->staged)
        tess_entries_spread(all);
    return TESS_OK;
}

/* Puts the entries of a point one behind the other, where each has a word and all need fewer;
 * *n_words: of a point, or 0 where they stay as they are. */
static tess_status join_entries(tess_entries *all, int32_t n_rounds, int *n_words) {
    const int32_t n_blocks = all->page->plan->n_blocks;
    *n_words = tess_words_of(n_rounds * all->n_bits);
    if (all->n_words != 1 || *n_words >= n_rounds) {
        *n_words = 0;
        return TESS_OK;
    }
    uint32_t *joined = NULL;
    TRY(TESS_ZEROS(all->start[n_blocks] / n_rounds * *n_words, &joined));
    for (int32_t b = 0; b < n_blocks; b++) {
        const int64_t n = all->own_offset[b + 1] - all->own_offset[b], stride = own_stride(all, b);
        const uint32_t *words = all->words + all->start[b];
        uint32_t *to = joined + all->start[b] / n_rounds * *n_words;
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
    for (int32_t b = 0; b <= n_blocks; b++)
        all->start[b] = all->start[b] / n_rounds * *n_words;
    return TESS_OK;
}

static tess_status put_entries(tess_entries *all) {
    tess_page *page = all->page;
    const int32_t n_blocks = page->plan->n_blocks;
    int n_words = 0;
    TRY(list_entries(all));
    const int32_t n_rounds = n_blocks > 0 ? all->n_rounds[0] : 0;
    bool alike = true;
    for (int32_t b = 1; b < n_blocks; b++)
        alike &= all->n_rounds[b] == n_rounds;
    if (alike)
        TRY(join_entries(all, n_rounds, &n_words));
    TRY(tess_table_ranges(page, "ENTRY_START", "ENTRY_END", all->start, "", "entry_start"));
    tess_page_print(page, "#define POINT_WORDS %d\n#define ENTRY_BITS %d\n", n_words, all->n_bits);
    if (alike)
        tess_page_print(page, "#define N_ROUNDS(p, b) %d\n", n_rounds);
    else
        tess_page_print(page, "#define N_ROUNDS(p, b) fetch(&(p)->n_rounds[b])\n");
    if (!alike)
        TRY(tess_page_array(page, "const int *", all->n_rounds, n_blocks * INT64_C(4), "n_rounds"));
    return tess_page_array(page, "const unsigned *", all->words, all->start[n_blocks] * 4, "entry");
}

tess_status tess_table_entries(tess_page *page, bool staged, bool exchanged,
                               const int32_t *element_place, bool *mixed) {
    tess_status status = TESS_OK;
    int first_slot = 0;
    tess_entries all = {.page = page,
                        .staged = staged,
                        .exchanged = exchanged,
                        .element_place = element_place,
                        .reach = tess_owned_reach(page, &first_slot)};
    const int n_targets = page->bound->n_targets;
    page->has_entries = true;
    tess_page_print(page, "#define FIRST_SLOT %d\n", first_slot);
    CHECK(TESS_ZEROS(n_targets, &all.places));
    CHECK(TESS_ZEROS(n_targets, &all.staged_at));
    CHECK(tess_entries_put_own(&all));
    for (int r = 0; staged && r < n_targets; r++)
        if (is_staged(page, r))
            CHECK(tess_entries_put_staged(&all, r, &all.staged_at[r]));
    CHECK(lay_out(&all));
    print_layout(&all);
    CHECK(put_entries(&all));
    *mixed = all.n_slots * 4 > all.n_warp_rounds * 5;
done:
    for (int r = 0; all.staged_at && r < n_targets; r++)
        free(all.staged_at[r]);
    free(all.staged_at);
    free(all.places);
    free(all.own_offset);
    free(all.rank);
    free(all.start);
    free(all.n_rounds);
    free(all.words);
    free(all.seen);
    return status;
}
