/* Slots: where the elements of a block find their points, packed, and in which colour they
 * increment them, one slot after another. */
#include "core/base/array.h"
#include "kernels/codegen/bit_field.h"
#include "kernels/codegen/made.h"
#include "kernels/codegen/slots_there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One slot of a target in the words of an element. */
typedef struct slot_field {
    int target, slot;
    int at, bits;               /* of the place */
    int colour_at, colour_bits; /* of the colour; no bits where one is enough */
    int n_colours;              /* the most of a block; 0 where not incremented */
} slot_field;

typedef struct slots {
    tess_page *page;
    bool there;         /* made on the device: positions and colours are there, too */
    int32_t **position; /* [n_targets]: of the points of all blocks */
    tess_address *position_there, *colour_there; /* [n_targets] */
    slot_field *field;                           /* [n_fields] */
    int n_fields, n_words;
    tess_marks marks;
    bool reads;             /* what is read is staged */
    tess_slot_sums sums;    /* gathered ones need no colours */
    tess_slot_steps *steps; /* [n_targets]: of those in order */
    bool *partly;     /* [n_targets]: blocks increment some only of what they stage of the set */
    uint16_t *colour; /* [n_fields][n_executed] */
    uint32_t *words;  /* [n_words][stride] */
} slots;

/* Colours the increments through one slot: those of one point need one each. */
static tess_status colour_slot(slots *all, slot_field *field, uint16_t *colour) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[field->target];
    uint16_t *seen = NULL;
    int n_colours = 1;
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], &seen));
#pragma omp parallel for schedule(static) reduction(max : n_colours)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + field->slot];
            if (local == TESS_NO_POINT)
                continue;
            colour[k] = seen[set->point_offset[b] + local]++;
            if (colour[k] >= n_colours)
                n_colours = colour[k] + 1;
        }
    field->n_colours = n_colours;
    free(seen);
    return TESS_OK;
}

/* Colours the increments through the slots of a target, whose fields begin at `first`. */
static tess_status colour_target(slots *all, int r, slot_field *first) {
    tess_page *page = all->page;
    const tess_plan_set *set = &page->plan->sets[r];
    uint16_t *colour = all->colour + (first - all->field) * page->plan->n_executed;
    uint32_t n_there[TESS_SLOTS_THERE] = {0};
    if (!set->incremented || all->sums == TESS_SUM_GATHERED)
        return TESS_OK;
    if (all->sums == TESS_SUM_ORDERED)
        TRY(tess_slot_steps_make(page, r, colour, &all->steps[r]));
    if (all->there)
        TRY(tess_slot_colours_there(page, r, &all->colour_there[r], n_there));
    for (int s = 0; s < set->n_slots; s++, colour += page->plan->n_executed) {
        if (!set->slot_incremented[s])
            continue;
        if (all->there)
            first[s].n_colours = n_there[s] > 1 ? (int)n_there[s] : 1;
        else if (all->sums == TESS_SUM_ORDERED)
            first[s].n_colours = tess_slot_steps_of(&all->steps[r], all->steps[r].n, s);
        else
            TRY(colour_slot(all, &first[s], colour));
    }
    return TESS_OK;
}

static tess_status lay_out(slots *all) {
    const tess_page *page = all->page;
    int used = 0, n = 0;
    for (int r = 0; r < page->bound->n_targets; r++)
        all->n_fields += page->bound->targets[r].n_slots;
    TRY(TESS_ZEROS(all->n_fields, &all->field));
    TRY(TESS_ZEROS(all->there ? 0 : all->n_fields * page->plan->n_executed, &all->colour));
    for (int r = 0; r < page->bound->n_targets; r++) {
        const int n_slots = page->bound->targets[r].n_slots;
        for (int s = 0; s < n_slots; s++)
            all->field[n + s] = (slot_field){.target = r, .slot = s};
        TRY(colour_target(all, r, &all->field[n]));
        for (slot_field *field = &all->field[n]; field < &all->field[n + n_slots]; field++) {
            field->bits = tess_bits_for(tess_page_staged(page, r));
            field->at = tess_bits_take(&used, field->bits);
            field->colour_bits = field->n_colours > 1 ? tess_bits_for(field->n_colours - 1) : 0;
            field->colour_at = tess_bits_take(&used, field->colour_bits);
        }
        n += n_slots;
    }
    all->n_words = tess_words_of(used);
    return TESS_OK;
}

static tess_status pack_there(slots *all) {
    tess_page *page = all->page;
    const int64_t n_executed = page->plan->n_executed;
    const int64_t n = all->n_words * tess_store_stride(n_executed);
    tess_address words = 0;
    TRY(tess_cut_take(&page->there->room, "words of elements", n, sizeof(uint32_t), &words));
    for (const slot_field *f = all->field; f < all->field + all->n_fields; f++) {
        const tess_address colours = all->colour_there[f->target];
        const uint64_t before = (uint64_t)(f->slot * n_executed) * sizeof(uint16_t);
        TRY(tess_field_there_put(
            page,
            &(tess_field_there){.target = f->target,
                                .slot = f->slot,
                                .at = f->at,
                                .bits = f->bits,
                                .colour_at = f->colour_at,
                                .staged_at = all->position_there[f->target],
                                .colours = f->colour_bits > 0 ? colours + before : 0},
            words));
    }
    return tess_there_array(page, "const unsigned *", words, n * 4, "local_word");
}

static tess_status pack(slots *all) {
    if (all->there)
        return pack_there(all);
    const tess_plan *plan = all->page->plan;
    const int64_t stride = tess_store_stride(plan->n_executed);
    TRY(TESS_ZEROS(all->n_words * stride, &all->words));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int f = 0; f < all->n_fields; f++) {
                const slot_field *field = &all->field[f];
                const tess_plan_set *set = &plan->sets[field->target];
                const uint16_t local = set->local_index[k * set->n_slots + field->slot];
                const int64_t i = set->point_offset[b] + local;
                tess_bits_put(all->words + k, stride, field->at,
                              local == TESS_NO_POINT ? tess_no_bits(field->bits)
                                                     : (uint32_t)all->position[field->target][i]);
                if (field->colour_bits > 0)
                    tess_bits_put(all->words + k, stride, field->colour_at,
                                  all->colour[f * plan->n_executed + k]);
            }
    return tess_page_array(all->page, "const unsigned *", all->words, all->n_words * stride * 4,
                           "local_word");
}

static int most_slots(const slots *all) {
    int most = 0;
    for (int f = 0; f < all->n_fields; f++)
        if (all->field[f].slot >= most)
            most = all->field[f].slot + 1;
    return most;
}

static const slot_field *field_of(const slots *all, int target, int slot) {
    const slot_field *field = all->field;
    while (field->target != target || field->slot != slot)
        field++;
    return field;
}

/* --- functions: an element's words ------------------------------------------------------------ */

void tess_table_bits(tess_page *page, const char *words, int at, int bits) {
    tess_page_code(page, NULL, "(int)(%s->word[%d] >> %d & 0x%xu)", words, at / TESS_WORD_BITS,
                   at % TESS_WORD_BITS, tess_no_bits(bits));
}

void tess_table_local(tess_page *page, int target, int slot, int at, int bits) {
    const tess_page_dat set = tess_page_set_words(page, target);
    tess_page_code(page, &set, "    e->@set_local[%d] = ", slot);
    tess_table_bits(page, "words", at, bits);
    tess_page_code(page, NULL, ";\n");
    if (page->sets[target].padded)
        tess_page_code(page, &set,
                       "    if (e->@set_local[%d] == 0x%x)\n        e->@set_local[%d] = -1;\n",
                       slot, tess_no_bits(bits), slot);
}

static void print_words(const slots *all) {
    tess_page *page = all->page;
    tess_page_print(page, "#define LOCAL_WORDS %d\n", all->n_words);
    tess_page_code(
        page, NULL,
        "/* Where an element finds its points among the block's, and in which colours it "
        "increments them. */\n"
        "struct words {\n    unsigned word[%d];\n};\n\n"
        "INLINE const unsigned *local_words(const struct params *p, int w) {\n"
        "    return p->local_word + w * %lld;\n}\n\n"
        "INLINE void fetch_words(const struct params *p, struct words *words, int k) {\n"
        "    UNROLL for (int w = 0; w < LOCAL_WORDS; w++)\n"
        "        words->word[w] = fetch(&local_words(p, w)[k]);\n}\n\n"
        "INLINE void find_local(struct element *e, const struct words *words) {\n",
        all->n_words > 0 ? all->n_words : 1, (long long)tess_store_stride(page->plan->n_executed));
    for (const slot_field *f = all->field; f < all->field + all->n_fields; f++)
        tess_table_local(page, f->target, f->slot, f->at, f->bits);
    tess_page_code(page, NULL, "    (void)e, (void)words;\n}\n\n");
}

/* Ends a condition by the field's colour, and opens its block with the `place` of its point, taken
 * out of the word again: that costs less than a register. The next statement needs a point. */
static void print_place_in_colour(tess_page *page, const slot_field *field) {
    if (field->colour_bits > 0)
        tess_table_bits(page, "words", field->colour_at, field->colour_bits);
    else
        tess_page_code(page, NULL, "0");
    tess_page_code(page, NULL, " == colour) {\n                const int place = ");
    tess_table_bits(page, "words", field->at, field->bits);
    tess_page_code(page, NULL, ";\n");
    const tess_page_dat set = tess_page_set_words(page, field->target);
    if (page->sets[field->target].n_own > 0)
        tess_page_code(page, &set,
                       "                if ((unsigned)(place - b->@set_own) < "
                       "(unsigned)b->@set_n_own)\n    ");
    else if (page->sets[field->target].padded)
        tess_page_code(page, NULL, "                if (place != 0x%x)\n    ",
                       tess_no_bits(field->bits));
}

/* The increments of one slot, of a target or (-1) of all, in rounds of one colour each. */
static void print_add_slot(const slots *all, int target, int slot, int first, int end) {
    tess_page *page = all->page;
    tess_page_code(page, NULL,
                   "    for (int colour = %d; colour < %d; colour++) {\n        if (active) {\n",
                   first, end);
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC || to->slot != slot ||
            (target >= 0 && to->dat->target != target))
            continue;
        const slot_field *field = field_of(all, to->dat->target, slot);
        tess_page_if_phase(page, to->phases);
        tess_page_code(page, NULL, "            if (");
        print_place_in_colour(page, field);
        tess_page_code(page, to->dat,
                       "                UNROLL for (int d = 0; d < @dim; d++)\n"
                       "                    plain_add(@dat_sum(b, place, d), e->arg%d[%d + d]);\n"
                       "            }\n",
                       to->arg, to->offset);
    }
    tess_page_code(page, NULL, "        }\n        barrier();\n    }\n");
}

/* The increments of one slot that were made just now: as print_add_slot. */
static void print_add_made(tess_page *page, void *context, const tess_page_access *to,
                           const char *values) {
    const slots *all = context;
    const slot_field *field = field_of(all, to->dat->target, to->slot);
    tess_page_code(page, NULL,
                   "        for (int colour = 0; colour < %d; colour++) {\n"
                   "            if (active && ",
                   field->n_colours);
    print_place_in_colour(page, field);
    tess_page_code(page, to->dat,
                   "                UNROLL for (int d = 0; d < @dim; d++)\n"
                   "                    plain_add(@dat_sum(b, place, d), (@type)%s[d]);\n"
                   "            }\n            barrier();\n        }\n",
                   values);
}

/* Compilers are to forget how increments came about, or they take a product and its addition to a
 * sum as one operation, which rounds once, in some blocks' text and not in others'. */
static void print_add_in_steps(const slots *all) {
    tess_page *page = all->page;
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access == TESS_INC && strcmp(to->dat->type, "int") != 0)
            tess_page_code(page, to->dat,
                           "    UNROLL for (int d = 0; d < @dim; d++)\n"
                           "        forget(e->arg%d[%d + d]);\n",
                           to->arg, to->offset);
    }
    for (int r = 0; r < page->bound->n_targets; r++)
        for (int t = 0; t < all->steps[r].n; t++) {
            const int slot = all->steps[r].slot[t];
            const int before = tess_slot_steps_of(&all->steps[r], t, slot);
            print_add_slot(all, r, slot, before, before + 1);
        }
}

static void print_add_by_slot(slots *all) {
    tess_page *page = all->page;
    const bool made = all->sums == TESS_SUM_MADE, ordered = all->sums == TESS_SUM_ORDERED;
    tess_page_code(
        page, NULL,
        "/* Adds to the block's sums, one slot after another: the increments of one slot "
        "and colour are of\n * different points. */\n"
        "INLINE void add_by_slot(const struct block *b, %sstruct element *e,\n"
        "                        const struct words *words, int active%s) {\n",
        made || ordered ? "" : "const ", tess_page_phase(page));
    if (made)
        tess_made_print(page, &(tess_made_sink){.add = print_add_made, .context = all});
    if (ordered)
        print_add_in_steps(all);
    for (int s = 0; !made && !ordered && s < most_slots(all); s++) {
        int n_colours = 0;
        for (int f = 0; f < all->n_fields; f++)
            if (all->field[f].slot == s && all->field[f].n_colours > n_colours)
                n_colours = all->field[f].n_colours;
        if (n_colours > 0)
            print_add_slot(all, -1, s, 0, n_colours);
    }
    tess_page_code(page, NULL, "    (void)b, (void)e, (void)words, (void)active;\n}\n\n");
}

/* --- functions: the block's points ------------------------------------------------------------ */

/* Where the block's points begin in their list, how many, and the thread's first, known before any
 * copy is under way. */
static void print_members(tess_page *page) {
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        tess_page_member(
            page, &set,
            "    int @set_first, @set_count; /* its @set in their list */\n"
            "    int @set_mark; /* the thread's first: where it is stored; complemented "
            "where other blocks have it, too */\n");
        tess_page_open_code(
            page, &set,
            "    b.@set_first = fetch(&p->@set_point_offset[index]);\n"
            "    b.@set_count = fetch(&p->@set_point_offset[index + 1]) - b.@set_first;\n"
            "    b.@set_mark = thread_index() < b.@set_count\n"
            "                      ? fetch(&p->@set_points[b.@set_first + thread_index()])\n"
            "                      : 0;\n");
    }
}

/* Begins NAME_SET(p, b), which of a split loop does nothing but in some phases. */
static void print_head_of_set(tess_page *page, int r, const char *name, unsigned phases) {
    const tess_page_dat set = tess_page_set_words(page, r);
    tess_page_code(page, &set,
                   "INLINE void %s_@set(const struct params *p, const struct block *b%s) {\n", name,
                   tess_page_phase(page));
    if (page->n_phases > 0)
        tess_page_code(page, NULL, "    if (!(0x%xu >> phase & 1))\n        return;\n", phases);
}

/* Begins a loop over the block's points, a thread each. */
static void print_columns_loop(tess_page *page, const tess_page_dat *set, const char *loop) {
    tess_page_code(page, set,
                   "    %s {\n"
                   "        const int mark = i == thread_index()\n"
                   "                             ? b->@set_mark\n"
                   "                             : fetch(&p->@set_points[b->@set_first + i]);\n"
                   "        (void)mark;\n",
                   loop);
}

/* Begins a loop over the values of a dat in AoS at the block's points, in the order of memory. */
static void print_rows_loop(tess_page *page, const tess_page_dat *dat) {
    tess_page_code(page, dat,
                   "    TURNS(v, thread_index(), b->@set_count * @dim, THREADS) {\n"
                   "        const int i = v / @dim, d = v %% @dim;\n"
                   "        const int mark = fetch(&p->@set_points[b->@set_first + i]);\n");
}

/* What follows is only for points that the block increments. */
static void print_if_incremented(const slots *all, const tess_page_dat *dat) {
    if (all->partly[dat->target])
        tess_page_code(all->page, dat,
                       "        if (fetch(&p->@set_incremented[b->@set_first + i]))\n");
}

static void print_read(const slots *all, const tess_page_dat *dat) {
    tess_page_code(all->page, dat,
                   "%s        async_copy(@dat_copy(b, i, d), &p->@dat[@dat_at(mark < 0 ? ~mark : "
                   "mark, d)]);\n",
                   dat->aos ? "" : "        UNROLL for (int d = 0; d < @dim; d++)\n    ");
}

/* A sum starts from what its point has, or from nothing. */
static void print_start_sum(const slots *all, const tess_page_dat *dat) {
    const char *each =
        dat->aos ? "" : "                UNROLL for (int d = 0; d < @dim; d++)\n    ";
    print_if_incremented(all, dat);
    tess_page_code(all->page, dat, "        {\n            if (mark >= 0)\n");
    tess_page_code(all->page, dat, "%s", each);
    tess_page_code(all->page, dat,
                   "                async_copy(@dat_sum(b, i, d), &p->@dat[@dat_at(mark, d)]);\n"
                   "            else%s\n",
                   all->page->sets[dat->target].n_own > 0
                       ? " if ((unsigned)(i - b->@set_own) < (unsigned)b->@set_n_own)"
                       : "");
    tess_page_code(all->page, dat, "%s", each);
    tess_page_code(all->page, dat, "                store(@dat_sum(b, i, d), 0);\n        }\n");
}

/* Runs over all sets, so that a strategy's text need not name them. */
static void print_of_sets(tess_page *page, const char *name, const char *of_set) {
    tess_page_code(page, NULL,
                   "INLINE void %s(const struct params *p, const struct block *b%s) {\n", name,
                   tess_page_phase(page));
    for (int r = 0; r < page->bound->n_targets; r++)
        tess_page_code(page, NULL, "    %s_%s(p, b%s);\n", of_set, page->sets[r].name,
                       page->n_phases > 0 ? ", phase" : "");
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

/* --- functions: giving sums ------------------------------------------------------------------- */

/* What a block does with a value of a point, at `d` or further. */
static void print_give_value(const slots *all, const tess_page_dat *dat, const char *d,
                             const char *value) {
    tess_page_code(all->page, dat,
                   "            if (mark >= 0)\n"
                   "                store(&p->@dat[@dat_at(mark, %s)], %s);\n",
                   d, value);
    if (all->marks == TESS_MARK_BORDER)
        tess_page_code(all->page, dat,
                       "            else\n"
                       "                atomic_add(&p->@dat[@dat_at(~mark, %s)], %s);\n",
                       d, value);
    if (all->marks == TESS_MARK_KEPT)
        tess_page_code(all->page, dat,
                       "            else\n"
                       "                store(@dat_kept(p, b->@set_first + i, %s), %s);\n",
                       d, value);
}

static void print_give_sum(const slots *all, const tess_page_dat *dat) {
    print_if_incremented(all, dat);
    if (!dat->aos)
        tess_page_code(all->page, dat, "        UNROLL for (int d = 0; d < @dim; d++)\n");
    tess_page_code(all->page, dat, "        {\n");
    const bool twice = all->marks == TESS_MARK_BORDER || all->marks == TESS_MARK_KEPT;
    if (twice)
        tess_page_code(all->page, dat, "            const @type sum = load(@dat_sum(b, i, d));\n");
    print_give_value(all, dat, "d", twice ? "sum" : "load(@dat_sum(b, i, d))");
    tess_page_code(all->page, NULL, "        }\n");
}

/* --- functions: what is done at each point of a set ------------------------------------------- */

/* A step at a point: the dats that it takes, in which of the phases that these lie in shared
 * memory, and what it prints for each. */
typedef struct point_step {
    bool (*takes)(const slots *all, const tess_page_dat *dat);
    void (*print)(const slots *all, const tess_page_dat *dat);
    unsigned (*when)(const tess_page *page, unsigned phases);
} point_step;

static bool is_staged_read(const slots *all, const tess_page_dat *dat) {
    return dat->read && all->reads;
}

static bool is_staged_sum(const slots *all, const tess_page_dat *dat) {
    return dat->summed && all->sums != TESS_SUM_GATHERED;
}

static const point_step staging[] = {{is_staged_read, print_read, tess_phases_begin},
                                     {is_staged_sum, print_start_sum, tess_phases_begin}},
                        giving[] = {{is_staged_sum, print_give_sum, tess_phases_end}};

/* The phases in which something is done at the points of a set. */
static unsigned phases_of_set(const slots *all, int r, const point_step *steps, int n_steps) {
    unsigned phases = 0;
    for (int i = 0; i < all->page->n_dats; i++)
        for (int k = 0; k < n_steps; k++)
            if (all->page->dats[i].target == r && steps[k].takes(all, &all->page->dats[i]))
                phases |= steps[k].when(all->page, all->page->dats[i].phases);
    return phases;
}

/* Prints the function NAME_SET: all dats in columns in one loop over the points, then those in AoS,
 * each in a loop of its own. */
static void print_set_function(const slots *all, int r, const char *name, const point_step *steps,
                               int n_steps) {
    tess_page *page = all->page;
    const tess_page_dat set = tess_page_set_words(page, r);
    print_head_of_set(page, r, name, phases_of_set(all, r, steps, n_steps));
    print_columns_loop(page, &set, "TURNS(i, thread_index(), b->@set_count, THREADS)");
    for (int aos = 0; aos < 2; aos++) {
        for (int k = 0; k < n_steps * page->n_dats; k++) {
            const point_step *step = &steps[k / page->n_dats];
            const tess_page_dat *dat = &page->dats[k % page->n_dats];
            if (dat->target != r || dat->aos != aos || !step->takes(all, dat))
                continue;
            tess_page_if_phase(page, step->when(page, dat->phases));
            if (aos)
                print_rows_loop(page, dat);
            step->print(all, dat);
            if (aos)
                tess_page_code(page, NULL, "    }\n");
        }
        if (!aos)
            tess_page_code(page, NULL, "    }\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

/* Sums what a point gathers, of `n` components from `first` on, and gives it. */
static void print_gather_values(const slots *all, const tess_page_dat *dat, const char *first,
                                int n) {
    tess_page *page = all->page;
    print_if_incremented(all, dat);
    tess_page_code(
        page, dat,
        "        {\n"
        "            @type sum[%d];\n"
        "            UNROLL for (int c = 0; c < %d; c++)\n"
        "                sum[c] = mark >= 0 ? load(&p->@dat[@dat_at(mark, %s + c)]) : 0;\n"
        "            for (int round = 0; round < @set_ROUNDS; round++) {\n"
        "                const int entry = fetch(&p->@set_gather[@set_gather_at(b->index, "
        "round, i)]);\n"
        "                if (entry == 0xffff)\n"
        "                    continue;\n"
        "                const int slot = entry / MOST_EXECUTED;\n"
        "                const int element = entry %% MOST_EXECUTED;\n"
        "                UNROLL for (int c = 0; c < %d; c++) {\n"
        "                    const @type value = load(@dat_increment(b, slot, %s + c, element));\n"
        "                    sum[c] += %s;\n"
        "                }\n"
        "            }\n"
        "            UNROLL for (int c = 0; c < %d; c++) {\n",
        n, n, first, n, first,
        tess_table_is_opposite(page, dat) ? "slot == 1 ? -value : value" : "value", n);
    char d[16];
    snprintf(d, sizeof d, "%s + c", first);
    print_give_value(all, dat, d, "sum[c]");
    tess_page_code(page, NULL, "            }\n        }\n");
}

static void print_give_gathered(const slots *all, int r) {
    tess_page *page = all->page;
    print_head_of_set(page, r, "give", 0);
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (dat->target != r || !dat->summed)
            continue;
        if (dat->aos)
            print_rows_loop(page, dat);
        else
            print_columns_loop(page, dat,
                               "for (int i = thread_index(); i < b->@set_count; i += THREADS)");
        print_gather_values(all, dat, dat->aos ? "d" : "0", dat->aos ? 1 : dat->dim);
        tess_page_code(page, NULL, "    }\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)b;\n}\n\n");
}

tess_status tess_table_slots(tess_page *page, tess_marks marks, bool reads, tess_slot_sums sums) {
    tess_status status = TESS_OK;
    const int n_targets = page->bound->n_targets;
    const bool gathered = sums == TESS_SUM_GATHERED;
    slots all = {.page = page, .marks = marks, .reads = reads, .sums = sums};
    all.there = page->there && (sums == TESS_SUM_COMPUTED || sums == TESS_SUM_MADE);
    CHECK(TESS_ZEROS(n_targets, &all.position));
    CHECK(TESS_ZEROS(n_targets, &all.position_there));
    CHECK(TESS_ZEROS(n_targets, &all.colour_there));
    CHECK(TESS_ZEROS(n_targets, &all.partly));
    CHECK(TESS_ZEROS(n_targets, &all.steps));
    for (int r = 0; r < n_targets; r++)
        CHECK(
            all.there
                ? tess_staged_points_there(page, r, marks, &all.position_there[r], &all.partly[r])
                : tess_table_staged_points(page, r, marks, true, &all.position[r], &all.partly[r]));
    CHECK(lay_out(&all));
    print_words(&all);
    print_members(page);
    for (int r = 0; r < n_targets; r++)
        print_set_function(&all, r, "stage", staging, 2);
    print_of_sets(page, "stage", "stage");
    CHECK(pack(&all));
    for (int r = 0; gathered && r < n_targets; r++)
        if (page->plan->sets[r].incremented)
            CHECK(tess_table_gather(page, r, all.position[r]));
    if (!gathered)
        print_add_by_slot(&all);
    for (int r = 0; r < n_targets; r++)
        gathered ? print_give_gathered(&all, r) : print_set_function(&all, r, "give", giving, 1);
    print_of_sets(page, "give_sums", "give");
done:
    for (int r = 0; all.position && r < n_targets; r++)
        free(all.position[r]);
    for (int r = 0; all.steps && r < n_targets; r++)
        free(all.steps[r].slot);
    free(all.steps);
    free(all.position);
    free(all.position_there);
    free(all.colour_there);
    free(all.partly);
    free(all.field);
    free(all.colour);
    free(all.words);
    return status;
}
