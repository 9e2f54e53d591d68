/* Packed blocks: all that a block needs to begin in one row, and each element's thread colour and
 * staged points in as few words as they fit. */
#include "kernels/codegen/slots_there.h"

#include "core/base/array.h"
#include "kernels/codegen/bit_field.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SLOTS = 64, ROW_START = 3, ROW_SET = 3 };

/* A set of which something is staged, and where its places stand in an element's words. */
typedef struct staged_set {
    bool staged;
    int bits;
    int at[MOST_SLOTS]; /* -1: not needed */
    uint16_t *position; /* of all blocks' points: where the block stages them */
    tess_address position_there;
    int32_t *n_incremented; /* [n_blocks] of the block's points, staged first */
} staged_set;

typedef struct packed {
    tess_page *page;
    tess_copies copies;
    int colour_bits, n_words, n_row;
    staged_set *sets; /* [plan->n_sets] */
} packed;

/* Whether a dat is read from copies, or summed in shared memory. */
static bool is_copied(const packed *all, const tess_page_dat *dat) {
    return dat->read && all->copies.reads;
}

static bool is_summed(const packed *all, const tess_page_dat *dat) {
    return dat->summed && all->copies.sums;
}

/* --- staged points ---------------------------------------------------------------------------- */

typedef struct point_order {
    bool only_read;
    int32_t stored;
    int32_t local; /* in the plan */
} point_order;

static int compare_order(const void *a, const void *b) {
    const point_order *i = a, *j = b;
    if (i->only_read != j->only_read)
        return i->only_read - j->only_read;
    return (i->stored > j->stored) - (i->stored < j->stored);
}

/* Puts block b's points in order: those that it increments, then the others, as stored. */
static void order_block(const packed *all, int r, int32_t b, const uint8_t *incremented,
                        point_order *order, int32_t *points) {
    const tess_plan_set *set = &all->page->plan->sets[r];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        order[i] = (point_order){.only_read = !incremented[first + i],
                                 .stored = tess_page_point(all->page, r, set->points[first + i]),
                                 .local = (int32_t)i};
    qsort(order, (size_t)n, sizeof *order, compare_order);
    for (int64_t i = 0; i < n; i++) {
        points[first + i] = order[i].stored;
        all->sets[r].position[first + order[i].local] = (uint16_t)i;
        all->sets[r].n_incremented[b] += !order[i].only_read;
    }
}

static tess_status put_points(packed *all, int r) {
    tess_status status = TESS_OK;
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t n = set->point_offset[plan->n_blocks];
    int32_t *points = NULL;
    point_order *order = NULL;
    uint8_t *incremented = NULL;
    int32_t *n_blocks = NULL;
    CHECK(TESS_ZEROS(plan->n_blocks, &all->sets[r].n_incremented));
    if (all->page->there) {
        CHECK(tess_packed_points_there(all->page, r, &all->sets[r].position_there,
                                       all->sets[r].n_incremented));
        goto done;
    }
    CHECK(tess_table_incremented(all->page, r, &incremented, &n_blocks));
    CHECK(TESS_ALLOC(n, &points));
    CHECK(TESS_ALLOC(n, &order));
    CHECK(TESS_ALLOC(n, &all->sets[r].position));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        order_block(all, r, b, incremented, order + set->point_offset[b], points);
    CHECK(tess_page_array(all->page, "const int *", points, n * 4, "%s_points",
                          all->page->sets[r].name));
done:
    free(incremented);
    free(n_blocks);
    free(order);
    free(points);
    return status;
}

/* --- rows of blocks --------------------------------------------------------------------------- */

/* block_row[n_blocks][n_row], by colour. */
static tess_status put_rows(packed *all) {
    const tess_plan *plan = all->page->plan;
    int32_t *rows = NULL;
    int64_t n = 0;
    TRY(TESS_ALLOC(plan->n_blocks * (int64_t)all->n_row, &rows));
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            if (plan->block_colour && plan->block_colour[b] != colour)
                continue;
            rows[n++] = (int32_t)plan->block_offset[b];
            rows[n++] = (int32_t)(plan->block_offset[b + 1] - plan->block_offset[b]);
            rows[n++] = plan->thread_colours ? plan->thread_colours[b] : 1;
            for (int r = 0; r < plan->n_sets; r++) {
                const int64_t *offset = &plan->sets[r].point_offset[b];
                if (!all->sets[r].staged)
                    continue;
                rows[n++] = (int32_t)offset[0];
                rows[n++] = (int32_t)(offset[1] - offset[0]);
                rows[n++] = all->sets[r].n_incremented[b];
            }
        }
    const tess_status status = tess_page_array(all->page, "const int *", rows, n * 4, "block_row");
    free(rows);
    return status;
}

/* --- words of elements ------------------------------------------------------------------------ */

static tess_status lay_out(packed *all) {
    const tess_plan *plan = all->page->plan;
    int used = 0;
    int32_t most = 1;
    for (int32_t b = 0; plan->thread_colours && b < plan->n_blocks; b++)
        most = plan->thread_colours[b] > most ? plan->thread_colours[b] : most;
    all->colour_bits = tess_bits_for(most);
    tess_bits_take(&used, all->colour_bits);
    all->n_row = ROW_START;
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_plan_set *set = &plan->sets[r];
        staged_set *staged = &all->sets[r];
        if (!staged->staged)
            continue;
        if (set->n_slots > MOST_SLOTS)
            FAIL(TESS_ERROR_INPUT, "a loop that stages reaches %s through %d slots, over %d",
                 set->set, set->n_slots, (int)MOST_SLOTS);
        if (set->point_offset[plan->n_blocks] > INT32_MAX)
            FAIL(TESS_ERROR_INPUT, "the blocks' %s of this plan pass 2^31", set->set);
        staged->bits = tess_bits_for(tess_page_staged(all->page, r));
        for (int s = 0; s < set->n_slots; s++)
            staged->at[s] = all->copies.reads || set->slot_incremented[s]
                                ? tess_bits_take(&used, staged->bits)
                                : -1;
        all->n_row += ROW_SET;
    }
    all->n_words = (used + TESS_WORD_BITS - 1) / TESS_WORD_BITS;
    return TESS_OK;
}

/* Makes them there: colours, then slot by slot. */
static tess_status put_words_there(packed *all) {
    tess_page *page = all->page;
    const tess_plan *plan = page->plan;
    const int64_t n = tess_store_stride(plan->n_executed) * all->n_words;
    tess_address words = 0;
    tess_field_there field = {.target = 0};
    TRY(tess_cut_take(&page->there->room, "words of elements", n, sizeof(uint32_t), &words));
    if (plan->thread_colour) {
        TRY(tess_cut_send(&page->there->room, "colours", plan->thread_colour, plan->n_executed,
                          sizeof *plan->thread_colour, &field.colours));
        TRY(tess_field_there_put(page, &field, words));
    }
    for (int r = 0; r < plan->n_sets; r++)
        for (int s = 0; all->sets[r].staged && s < plan->sets[r].n_slots; s++) {
            const staged_set *staged = &all->sets[r];
            field = (tess_field_there){.target = r,
                                       .slot = s,
                                       .at = staged->at[s],
                                       .bits = staged->bits,
                                       .staged_at = staged->position_there};
            if (field.at >= 0)
                TRY(tess_field_there_put(page, &field, words));
        }
    return tess_there_array(page, "const unsigned *", words, n * 4, "packed");
}

static tess_status put_words(packed *all) {
    const tess_plan *plan = all->page->plan;
    const int64_t stride = tess_store_stride(plan->n_executed);
    uint32_t *words = NULL;
    if (all->page->there)
        return put_words_there(all);
    TRY(TESS_ZEROS(stride * all->n_words, &words));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            if (plan->thread_colour)
                tess_bits_put(words + k, stride, 0, plan->thread_colour[k]);
            for (int r = 0; r < plan->n_sets; r++) {
                const tess_plan_set *set = &plan->sets[r];
                const staged_set *staged = &all->sets[r];
                for (int s = 0; staged->staged && s < set->n_slots; s++) {
                    const uint16_t local = set->local_index[k * set->n_slots + s];
                    if (staged->at[s] >= 0)
                        tess_bits_put(words + k, stride, staged->at[s],
                                      local == TESS_NO_POINT
                                          ? (UINT32_C(1) << staged->bits) - 1
                                          : staged->position[set->point_offset[b] + local]);
                }
            }
        }
    const tess_status status =
        tess_page_array(all->page, "const unsigned *", words, stride * all->n_words * 4, "packed");
    free(words);
    return status;
}

/* --- functions: elements ---------------------------------------------------------------------- */

static void print_words(const packed *all) {
    tess_page *page = all->page;
    tess_page_code(page, NULL,
                   "/* An element's colour and the places of its points among the block's. */\n"
                   "struct words {\n    unsigned word[%d];\n};\n\n"
                   "INLINE void fetch_words(const struct params *p, struct words *words, int k) {\n"
                   "    UNROLL for (int w = 0; w < %d; w++)\n"
                   "        words->word[w] = fetch(&p->packed[w * %lldll + k]);\n}\n\n"
                   "INLINE int colour_of(const struct words *words) {\n    return ",
                   all->n_words, all->n_words,
                   (long long)tess_store_stride(page->plan->n_executed));
    tess_table_bits(page, "words", 0, all->colour_bits);
    tess_page_code(page, NULL,
                   ";\n}\n\n"
                   "INLINE void find_local(struct element *e, const struct words *words) {\n");
    for (int r = 0; r < page->plan->n_sets; r++) {
        const staged_set *staged = &all->sets[r];
        for (int s = 0; staged->staged && s < page->plan->sets[r].n_slots; s++) {
            if (staged->at[s] >= 0)
                tess_table_local(page, r, s, staged->at[s], staged->bits);
        }
    }
    tess_page_code(page, NULL, "    (void)e, (void)words;\n}\n\n");
}

/* --- functions: points ------------------------------------------------------------------------ */

static bool has_sums(const packed *all, int r) {
    for (int i = 0; i < all->page->n_dats; i++)
        if (all->page->dats[i].target == r && is_summed(all, &all->page->dats[i]))
            return true;
    return false;
}

static void print_members(const packed *all) {
    tess_page *page = all->page;
    int word = ROW_START;
    tess_page_member(
        page, NULL,
        "    int begin, n, n_colours; /* its elements, by position; thread colours */\n");
    tess_page_open_code(page, NULL,
                        "    const int *row = &p->block_row[(p->first + index) * %d];\n"
                        "    b.begin = fetch(&row[0]);\n"
                        "    b.n = fetch(&row[1]);\n"
                        "    b.n_colours = fetch(&row[2]);\n",
                        all->n_row);
    for (int r = 0; r < page->plan->n_sets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        if (!all->sets[r].staged)
            continue;
        tess_page_member(
            page, &set,
            "    int @set_begin, @set_n; /* its @set in their list */\n%s"
            "    int @set_first;         /* the thread's first: where it is stored */\n",
            has_sums(all, r) ? "    int @set_n_sums; /* the first of them, which it increments */\n"
                             : "");
        tess_page_open_code(page, &set, "    b.@set_begin = fetch(&row[%d]);\n", word);
        tess_page_open_code(page, &set, "    b.@set_n = fetch(&row[%d]);\n", word + 1);
        if (has_sums(all, r))
            tess_page_open_code(page, &set, "    b.@set_n_sums = fetch(&row[%d]);\n", word + 2);
        tess_page_open_code(
            page, &set,
            "    b.@set_first = thread_index() < b.@set_n\n"
            "                       ? fetch(&p->@set_points[b.@set_begin + thread_index()])\n"
            "                       : 0;\n");
        word += ROW_SET;
    }
}

/* Values of a row of AoS that travel at once: their bytes are a power of two that divides the
 * row's. */
static int width_of(const packed *all, const tess_page_dat *dat) {
    const int row = dat->dim * dat->size;
    if (!all->copies.vectors || dat->row != dat->dim)
        return 1;
    return row % 16 == 0 ? 16 / dat->size : row % 8 == 0 ? 8 / dat->size : 1;
}

static void print_pieces(const packed *all) {
    for (int i = 0; i < all->page->n_dats; i++) {
        const tess_page_dat *dat = &all->page->dats[i];
        const int width = width_of(all, dat);
        if ((dat->read || dat->summed) && width > 1)
            tess_page_code(
                all->page, dat,
                "struct __attribute__((aligned(%d))) @dat_piece {\n    @type value[%d];\n};\n\n",
                width * dat->size, width);
    }
}

/* Begins a loop over n of the block's points, a thread each. */
static void print_columns_loop(tess_page *page, const tess_page_dat *set, const char *n) {
    tess_page_code(page, set,
                   "    for (int i = thread_index(); i < b->@set_%s; i += THREADS) {\n"
                   "        const int point = i == thread_index()\n"
                   "                              ? b->@set_first\n"
                   "                              : fetch(&p->@set_points[b->@set_begin + i]);\n",
                   n);
}

/* Begins a loop over the pieces of n points' rows, in the order of memory: `i` is the point's
 * place, `d` the piece's first component. */
static void print_rows_loop(const packed *all, const tess_page_dat *dat, const char *n) {
    const int width = width_of(all, dat);
    char pieces[64], first[32];
    snprintf(pieces, sizeof pieces, width > 1 ? " * %d / %d" : " * %d", dat->dim, width);
    snprintf(first, sizeof first, width > 1 ? "v * %d" : "v", width);
    tess_page_code(all->page, dat,
                   "    for (int v = thread_index(); v < b->@set_%s%s; v += THREADS) {\n"
                   "        const int i = %s / @dim, d = %s %% @dim;\n"
                   "        const int point = fetch(&p->@set_points[b->@set_begin + i]);\n",
                   n, pieces, first, first);
}

/* Copies a value from global to shared memory. */
static void print_copy(const packed *all, const tess_page_dat *dat, bool summed) {
    const char *to = summed ? "@dat_sum(b, i, d)" : "@dat_copy(b, i, d)";
    const char *get = summed ? "load" : "fetch";
    if (all->copies.async)
        tess_page_code(all->page, dat, "async_copy(");
    else
        tess_page_code(all->page, dat, "store(");
    tess_page_code(all->page, dat, "%s", to);
    if (all->copies.async)
        tess_page_code(all->page, dat, ", &p->@dat[@dat_at(point, d)]);\n");
    else
        tess_page_code(all->page, dat, ", %s(&p->@dat[@dat_at(point, d)]));\n", get);
}

/* Copies a piece of a row. */
static void print_copy_piece(const packed *all, const tess_page_dat *dat, bool summed) {
    const int width = width_of(all, dat);
    if (width == 1) {
        tess_page_code(all->page, NULL, "        ");
        print_copy(all, dat, summed);
        return;
    }
    tess_page_code(all->page, dat,
                   "        const struct @dat_piece piece =\n"
                   "            load((const struct @dat_piece *)&p->@dat[@dat_at(point, d)]);\n"
                   "        UNROLL for (int w = 0; w < %d; w++)\n"
                   "            store(@dat_%s(b, i, d + w), piece.value[w]);\n",
                   width, summed ? "sum" : "copy");
}

/* stage_SET: copies what elements read of the block's points, and what they add to. */
static void print_stage_set(const packed *all, int r) {
    tess_page *page = all->page;
    const tess_page_dat set = tess_page_set_words(page, r);
    tess_page_code(page, &set,
                   "INLINE void stage_@set(const struct params *p, const struct block *b) {\n");
    print_columns_loop(page, &set, "n");
    for (int summed = 0; summed < (all->copies.preload ? 2 : 1); summed++)
        for (int i = 0; i < page->n_dats; i++) {
            const tess_page_dat *dat = &page->dats[i];
            if (dat->target != r || dat->aos ||
                !(summed ? is_summed(all, dat) : is_copied(all, dat)))
                continue;
            if (summed)
                tess_page_code(page, dat, "        if (i < b->@set_n_sums)\n");
            tess_page_code(page, dat,
                           "        UNROLL for (int d = 0; d < @dim; d++)\n            ");
            print_copy(all, dat, summed);
        }
    tess_page_code(page, NULL, "        (void)point;\n    }\n");
    for (int summed = 0; summed < (all->copies.preload ? 2 : 1); summed++)
        for (int i = 0; i < page->n_dats; i++) {
            const tess_page_dat *dat = &page->dats[i];
            if (dat->target != r || !dat->aos ||
                !(summed ? is_summed(all, dat) : is_copied(all, dat)))
                continue;
            print_rows_loop(all, dat, summed ? "n_sums" : "n");
            print_copy_piece(all, dat, summed);
            tess_page_code(page, NULL, "    }\n");
        }
    tess_page_code(page, NULL, "}\n\n");
}

static void print_give_piece(const packed *all, const tess_page_dat *dat) {
    const int width = width_of(all, dat);
    const char *give = all->copies.preload ? "store" : "plain_add";
    if (width == 1)
        tess_page_code(all->page, dat,
                       "        %s(&p->@dat[@dat_at(point, d)], load(@dat_sum(b, i, d)));\n", give);
    else
        tess_page_code(all->page, dat,
                       "        struct @dat_piece *there = (struct @dat_piece "
                       "*)&p->@dat[@dat_at(point, d)];\n"
                       "        struct @dat_piece piece = %s;\n"
                       "        UNROLL for (int w = 0; w < %d; w++)\n"
                       "            piece.value[w] += load(@dat_sum(b, i, d + w));\n"
                       "        store(there, piece);\n",
                       all->copies.preload ? "{{0}}" : "load(there)", width);
}

/* give_SET: the sums back to where the points are stored. */
static void print_give_set(const packed *all, int r) {
    tess_page *page = all->page;
    const tess_page_dat set = tess_page_set_words(page, r);
    tess_page_code(page, &set,
                   "INLINE void give_@set(const struct params *p, const struct block *b) {\n");
    if (has_sums(all, r)) {
        print_columns_loop(page, &set, "n_sums");
        for (int i = 0; i < page->n_dats; i++) {
            const tess_page_dat *dat = &page->dats[i];
            if (dat->target == r && is_summed(all, dat) && !dat->aos)
                tess_page_code(page, dat,
                               "        UNROLL for (int d = 0; d < @dim; d++)\n"
                               "            %s(&p->@dat[@dat_at(point, d)], load(@dat_sum(b, i, "
                               "d)));\n",
                               all->copies.preload ? "store" : "plain_add");
        }
        tess_page_code(page, NULL, "        (void)point;\n    }\n");
    }
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (dat->target != r || !is_summed(all, dat) || !dat->aos)
            continue;
        print_rows_loop(all, dat, "n_sums");
        print_give_piece(all, dat);
        tess_page_code(page, NULL, "    }\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

static void print_functions(const packed *all) {
    tess_page *page = all->page;
    const int n_sets = page->plan->n_sets;
    print_words(all);
    print_members(all);
    print_pieces(all);
    for (int r = 0; r < n_sets; r++)
        if (all->sets[r].staged) {
            print_stage_set(all, r);
            print_give_set(all, r);
        }
    for (int giving = 0; giving < 2; giving++) {
        tess_page_code(page, NULL,
                       "INLINE void %s(const struct params *p, const struct block *b) {\n",
                       giving ? "give_sums" : "stage");
        for (int r = 0; r < n_sets; r++)
            if (all->sets[r].staged)
                tess_page_code(page, NULL, "    %s_%s(p, b);\n", giving ? "give" : "stage",
                               page->sets[r].name);
        tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
    }
}

tess_status tess_table_packed(tess_page *page, const tess_copies *copies) {
    tess_status status = TESS_OK;
    packed all = {.page = page, .copies = *copies};
    const int n_sets = page->plan->n_sets;
    CHECK(TESS_ZEROS(n_sets, &all.sets));
    for (int i = 0; i < page->n_dats; i++)
        if (is_copied(&all, &page->dats[i]) || is_summed(&all, &page->dats[i]))
            all.sets[page->dats[i].target].staged = true;
    for (int r = 0; r < n_sets; r++)
        if (all.sets[r].staged)
            CHECK(put_points(&all, r));
    CHECK(lay_out(&all));
    print_functions(&all);
    CHECK(put_rows(&all));
    CHECK(put_words(&all));
done:
    for (int r = 0; all.sets && r < n_sets; r++) {
        free(all.sets[r].position);
        free(all.sets[r].n_incremented);
    }
    free(all.sets);
    return status;
}
