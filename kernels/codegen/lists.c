/* Parts of a plan that go from points back to what increments them: lists, rounds, owners. */
#include "kernels/codegen/slots_there.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include <stdio.h>
#include <stdlib.h>

/* An increment of staged point `i` (among all blocks'), by position k of block b and a slot. */
typedef void visit_increment(void *context, int64_t i, int32_t b, int64_t k, int slot);

static void visit_block_increments(const tess_page *page, int r, visit_increment *visit,
                                   void *context) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                if (set->slot_incremented[s] && local != TESS_NO_POINT)
                    visit(context, set->point_offset[b] + local, b, k, s);
            }
}

/* --- rounds ----------------------------------------------------------------------------------- */

typedef struct rounds {
    int32_t *seen;   /* increments of each staged point so far */
    uint16_t *round; /* [slot][stride] */
    int64_t stride;
    int32_t *n_rounds; /* by block */
} rounds;

static void give_round(void *context, int64_t i, int32_t b, int64_t k, int slot) {
    rounds *all = context;
    const int32_t round = all->seen[i]++;
    all->round[slot * all->stride + k] = (uint16_t)round;
    if (round >= all->n_rounds[b])
        all->n_rounds[b] = round + 1;
}

/* struct rounds: in which round each increment of an element is added. */
static void print_rounds(tess_page *page, int64_t stride) {
    tess_page_member(page, NULL, "    int n_rounds;\n");
    tess_page_open_code(page, NULL, "    b.n_rounds = fetch(&p->n_rounds[index]);\n");
    tess_page_code(page, NULL, "struct rounds {\n    int none;\n");
    for (int r = 0; r < page->plan->n_sets; r++)
        if (page->plan->sets[r].incremented)
            tess_page_code(page, NULL, "    int %s[%d];\n", page->sets[r].name,
                           page->plan->sets[r].n_slots);
    tess_page_code(page, NULL,
                   "};\n\nINLINE void find_rounds(const struct params *p, struct rounds *of, "
                   "int k) {\n");
    for (int r = 0; r < page->plan->n_sets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        for (int s = 0; page->plan->sets[r].incremented && s < page->plan->sets[r].n_slots; s++)
            tess_page_code(page, &set, "    of->@set[%d] = fetch(&p->@set_round[%lld + k]);\n", s,
                           (long long)(s * stride));
    }
    tess_page_code(page, NULL,
                   "    (void)p, (void)of, (void)k;\n}\n\nINLINE void add_in_round(const struct "
                   "block *b, const struct element *e, const struct rounds *of, int round) {\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC)
            continue;
        tess_page_code(page, to->dat, "    if (of->@set[%d] == round)\n", to->slot);
        tess_page_code(page, to->dat, "        UNROLL for (int d = 0; d < @dim; d++)\n");
        if (page->sets[to->dat->target].padded)
            tess_page_code(page, to->dat, "            if (e->@set_local[%d] >= 0)\n    ",
                           to->slot);
        tess_page_code(page, to->dat,
                       "            plain_add(@dat_sum(b, e->@set_local[%d], d), e->arg%d[%d + "
                       "d]);\n",
                       to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "    (void)b, (void)e, (void)of, (void)round;\n}\n\n");
}

tess_status tess_table_rounds(tess_page *page) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    rounds all = {.stride = tess_store_stride(plan->n_executed)};
    CHECK(TESS_ZEROS(plan->n_blocks, &all.n_rounds));
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_plan_set *set = &plan->sets[r];
        if (!set->incremented)
            continue;
        free(all.seen);
        free(all.round);
        all.round = NULL;
        CHECK(TESS_ZEROS(set->point_offset[plan->n_blocks], &all.seen));
        CHECK(TESS_ZEROS(all.stride * set->n_slots, &all.round));
        visit_block_increments(page, r, give_round, &all);
        CHECK(tess_page_array(page, "const unsigned short *", all.round,
                              all.stride * set->n_slots * 2, "%s_round", page->sets[r].name));
    }
    print_rounds(page, all.stride);
    CHECK(tess_page_array(page, "const int *", all.n_rounds, plan->n_blocks * INT64_C(4),
                          "n_rounds"));
done:
    free(all.n_rounds);
    free(all.round);
    free(all.seen);
    return status;
}

/* --- owners ----------------------------------------------------------------------------------- */

tess_status tess_table_home(tess_page *page, bool owned) {
    tess_page_code(page, NULL,
                   "INLINE int is_home(const struct params *p, int k) {\n"
                   "    (void)p, (void)k;\n    return %s;\n}\n\n",
                   owned ? "fetch(&p->home[k])" : "1");
    if (!owned)
        return TESS_OK;
    const tess_plan *plan = page->plan;
    int first_slot = 0;
    const int r = tess_page_owned_target(page, &first_slot);
    const tess_loop_target *target = &page->bound->targets[r];
    uint8_t *home = NULL;
    if (page->there)
        return tess_homes_there(page, r);
    TRY(TESS_ZEROS(plan->n_executed, &home));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const int64_t e = plan->executed[k];
            for (int s = first_slot; s < target->n_slots; s++) {
                const int32_t point = tess_target_point(target, e, s);
                if (point < 0 || !target->slot_incremented[s])
                    continue;
                home[k] = plan->owner[point] == b;
                break;
            }
        }
    const tess_status status =
        tess_page_array(page, "const unsigned char *", home, plan->n_executed, "home");
    free(home);
    return status;
}

/* --- two-step --------------------------------------------------------------------------------- */

/* Counts, or puts, the increments of each point as stored. */
static void list_point_increments(const tess_page *page, int r, bool count, tess_rows *list) {
    const tess_plan *plan = page->plan;
    const tess_loop_target *target = &page->bound->targets[r];
    for (int64_t k = 0; k < plan->n_executed; k++)
        for (int s = 0; s < target->n_slots; s++) {
            const int32_t point = tess_target_point(target, plan->executed[k], s);
            if (point < 0 || !target->slot_incremented[s])
                continue;
            const int32_t stored = tess_page_point(page, r, point);
            if (count)
                tess_rows_count(list, stored);
            else
                tess_rows_put(list, stored, (int32_t)(s * plan->n_executed + k));
        }
}

static tess_status point_list(tess_page *page, int r) {
    tess_status status = TESS_OK;
    const int64_t n = page->bound->mesh->sets[page->bound->targets[r].set].size;
    tess_rows *list = NULL;
    if (page->plan->n_executed > INT32_MAX / page->bound->targets[r].n_slots)
        FAIL(TESS_ERROR_INPUT, "loop %s has too many elements for 32-bit entries",
             page->bound->loop->name);
    if (page->there)
        return tess_point_list_there(page, r);
    CHECK(tess_rows_new(n, &list));
    list_point_increments(page, r, true, list);
    CHECK(tess_rows_open(list));
    list_point_increments(page, r, false, list);
    CHECK(tess_table_offsets(page, list->offset, n + 1, page->sets[r].name, "_list_offset"));
    CHECK(tess_page_array(page, "const int *", list->item, list->offset[n] * 4, "%s_list",
                          page->sets[r].name));
done:
    tess_rows_free(list);
    return status;
}

/* keep_increments: to the temporary arrays, at @dat_kept. */
static void print_keep(tess_page *page) {
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (!dat->summed)
            continue;
        tess_page_code(page, dat,
                       "INLINE @type *@dat_kept(const struct params *p, int slot, int d, int k) "
                       "{\n");
        if (dat->aos)
            tess_page_code(page, dat,
                           "    return &p->@dat_temporary[((long long)k * %d + slot) * @dim + d];"
                           "\n}\n\n",
                           page->bound->targets[dat->target].n_slots);
        else
            tess_page_code(page, dat,
                           "    return &p->@dat_temporary[((long long)slot * @dim + d) * %lld + "
                           "k];\n}\n\n",
                           (long long)page->plan->n_executed);
    }
    tess_page_code(page, NULL,
                   "INLINE void keep_increments(const struct params *p, const struct element *e, "
                   "int k) {\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access == TESS_INC)
            tess_page_code(page, to->dat,
                           "    UNROLL for (int d = 0; d < @dim; d++)\n"
                           "        store(@dat_kept(p, %d, d, k), e->arg%d[%d + d]);\n",
                           to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* gather: adds to a point all that was kept for it. */
static void print_gather(tess_page *page) {
    tess_page_code(page, NULL, "INLINE void gather(const struct params *p, int point) {\n");
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        uint64_t slots = 0;
        for (int k = 0; k < page->n_accesses; k++)
            if (page->accesses[k].dat == dat && page->accesses[k].access == TESS_INC)
                slots |= UINT64_C(1) << page->accesses[k].slot;
        if (!dat->summed)
            continue;
        tess_page_code(
            page, dat,
            "    if (point < %lld) {\n"
            "        @type total[@dim], sum[@dim];\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            total[d] = 0;\n"
            "        const int last = fetch(&p->@set_list_offset[point + 1]);\n"
            "        for (int i = fetch(&p->@set_list_offset[point]); i < last; i++) {\n"
            "            const int entry = fetch(&p->@set_list[i]);\n"
            "            const int slot = entry / N_POSITIONS, k = entry %% N_POSITIONS;\n"
            "            if (0x%llxull >> slot & 1)\n"
            "                UNROLL for (int d = 0; d < @dim; d++)\n"
            "                    total[d] += fetch(@dat_kept(p, slot, d, k));\n"
            "        }\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            sum[d] = load(&p->@dat[@dat_at(point, d)]) + total[d];\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            store(&p->@dat[@dat_at(point, d)], sum[d]);\n"
            "    }\n",
            (long long)page->bound->mesh->sets[page->bound->targets[dat->target].set].size,
            (unsigned long long)slots);
    }
    tess_page_code(page, NULL, "    (void)p, (void)point;\n}\n\n");
}

tess_status tess_table_point_lists(tess_page *page) {
    for (int r = 0; r < page->bound->n_targets; r++)
        if (page->bound->targets[r].incremented)
            TRY(point_list(page, r));
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        char type[32];
        snprintf(type, sizeof type, "%s *", dat->type);
        if (dat->summed)
            TRY(tess_page_array(page, type, NULL,
                                page->plan->n_executed * page->bound->targets[dat->target].n_slots *
                                    dat->dim * dat->size,
                                "%s_temporary", dat->symbol));
    }
    print_keep(page);
    print_gather(page);
    return TESS_OK;
}
