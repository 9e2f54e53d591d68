/* The strategy point-parallel: one thread a point recomputes its elements and sums in registers. */
#include "kernels/devices/embed.h"
#include "kernels/strategies/block_sum_strategy.h"
#include "kernels/strategies/strategy.h"

#include <stdio.h>
#include <stdlib.h>

TESS_EMBED(tess_point_parallel_text, "kernels/strategies/point_parallel.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("stage", "all", "all|none",
                       "whether what is read goes through shared memory"),
    TESS_CHOICE_OPTION("direct", "auto", "auto|elements|staged",
                       "what is elements' own: read where it is, or staged in shared memory, too"),
    TESS_CHOICE_OPTION("slots", "auto", "auto|each|all",
                       "code for each slot of an element, or for all slots at once"),
    TESS_CHOICE_OPTION("sum", "spread", "spread|mesh-order",
                       "a point's elements in an order with few bank conflicts, or in the mesh's"),
    TESS_CHOICE_OPTION("antisymmetry", "use", "use|ignore",
                       "what a loop declares of its elements' ends: used, or not"),
    TESS_PARTS_OPTIONS,
    TESS_PREFETCH_OPTION,
    TESS_LAUNCH_OPTIONS("-1"),
};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    (void)spec;
    return tess_block_sum_fits(bound, "point-parallel");
}

static bool sums_in_order(const tess_spec *spec) {
    return tess_spec_is(spec, options, "sum", "mesh-order");
}

/* Whether increments lie in AoS: they go through shared memory, to be written in rows. */
static bool sums_in_rows(const tess_page *page) {
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed && page->dats[i].aos)
            return true;
    return false;
}

/* Whether both ends of an element need nearly the same values and arithmetic. */
static bool ends_are_alike(const tess_page *page) {
    int first_slot = 0;
    return page->bound->targets[tess_page_owned_target(page, &first_slot)].n_slots <= 2;
}

/* Two points one after the other, so that more blocks fit at a time; but one where elements have
 * more than two ends, since bookleaf's loop takes 0.205 ms so and 0.241 with two. */
static int places_a_thread(const tess_page *page) {
    return ends_are_alike(page) ? 2 : 1;
}

/* Whether both ends may compute an element as slot 0, since nothing else depends on its slots.
 */
static bool may_exchange(const tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    int first_slot = 0;
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && loop->args[a].access != TESS_READ)
            return false;
    return tess_antisymmetry_exchanges(page->kernel->antisymmetry) &&
           page->bound->targets[tess_page_owned_target(page, &first_slot)].n_slots == 2;
}

/* Of the set that blocks own only the own point's values matter: they are read from memory. */
static void keep_owned_reads(tess_page *page) {
    int first_slot = 0;
    const int owned = tess_page_owned_target(page, &first_slot);
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].target == owned)
            page->dats[i].read = false;
}

/* Prints the adding to a dat of pairs of an element's points: those in the own point's row. */
static tess_status print_add_to_rows(tess_page *page, const tess_page_dat *dat) {
    int first_slot = 0;
    tess_pair_slots slots;
    const int owned = tess_page_owned_target(page, &first_slot);
    if (!tess_pair_slots_find(page, dat->target, &slots) || slots.rows != owned)
        FAIL(TESS_ERROR_USAGE,
             "loop %s adds to %s otherwise than to the pairs of an element's %s: point-parallel "
             "cannot tell in whose row they are; take owner-block",
             page->bound->loop->name, page->sets[dat->target].name, page->sets[owned].name);
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->dat == dat && to->access == TESS_INC)
            tess_page_code(page, dat,
                           "    if (own_slot == %d)\n"
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            plain_add(&p->@dat[@dat_at(e->@set_point[%d], d)], "
                           "e->arg%d[%d + d]);\n",
                           tess_pair_row(&slots, to->slot), to->slot, to->arg, to->offset);
    }
    return TESS_OK;
}

/* Pairs of a matrix belong to the owner of their row: nobody but the thread of that point adds to
 * them, in memory. Prints add_to_rows(p, &e, own_slot); *any: there are such. */
static tess_status open_rows(tess_page *page, bool *any) {
    int first_slot = 0;
    const int owned = tess_page_owned_target(page, &first_slot);
    tess_page_code(page, NULL,
                   "INLINE void add_to_rows(const struct params *p, const struct element *e, int "
                   "own_slot) {\n");
    for (int i = 0; i < page->n_dats; i++) {
        tess_page_dat *dat = &page->dats[i];
        if (!dat->summed || dat->target == owned)
            continue;
        TRY(print_add_to_rows(page, dat));
        dat->summed = false; /* by no block */
        *any = true;
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)own_slot;\n}\n\n");
    return TESS_OK;
}

/* Points that a thread may have. */
static int64_t turns_most(const tess_page *page) {
    return ((int64_t)page->plan->block_size + page->threads - 1) / page->threads;
}

/* A launch for each phase, with a kernel of its own, or one. */
static tess_status launch_phases(tess_page *page, int64_t end) {
    if (page->phase_order != TESS_PHASES_LAUNCHED)
        return tess_table_launch_blocks(page, "point_parallel", end);
    for (int p = 0; p < page->n_phases; p++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "point_parallel_%d", p);
        TRY(tess_table_launch_blocks(page, name, tess_page_phase_bytes(page, p)));
    }
    return TESS_OK;
}

/* The page of a split loop. */
static tess_status prepare_phases(tess_page *page, const tess_spec *spec) {
    tess_status status = TESS_OK;
    const bool declared = tess_spec_is(spec, options, "antisymmetry", "use");
    const tess_entry_choices chosen = {.reads = true, .exchanged = declared && may_exchange(page)};
    tess_entry_facts facts;
    tess_phases phases;
    bool pairs = false;
    TRY(open_rows(page, &pairs));
    if (pairs)
        FAIL(TESS_ERROR_USAGE,
             "loop %s adds to a matrix, whose rows a thread of point-parallel adds to in memory: "
             "parts=staged and separate are of owner-block there",
             page->bound->loop->name);
    const bool rows = sums_in_rows(page);
    page->staged_more = 2 * TESS_RUN_ALIGNED;
    page->by_points = true;
    TRY(tess_parts_split(page, spec, options, &phases));
    int64_t end = tess_page_stage_reads(page);
    if (rows)
        end = tess_page_stage_sums(page, end);
    CHECK(tess_table_entries(page, &chosen, &facts));
    if (page->phase_order == TESS_PHASES_LAUNCHED)
        CHECK(tess_page_pass_on(page, &phases, facts.n_positions));
    else
        tess_page_keep(page, &phases);
    tess_page_print(page, "#define SUM_ROWS %d\n#define EXCHANGED %d\n#define TURNS_MOST %lld\n",
                    rows, chosen.exchanged, (long long)turns_most(page));
    CHECK(launch_phases(page, end));
done:
    tess_phases_clear(&phases);
    return status;
}

static tess_status prepare_together(tess_page *page, const tess_spec *spec) {
    tess_status status = TESS_OK;
    bool pairs = false;
    TRY(open_rows(page, &pairs));
    const bool reads = tess_spec_is(spec, options, "stage", "all"), rows = sums_in_rows(page);
    const bool declared = reads && !pairs && tess_spec_is(spec, options, "antisymmetry", "use");
    const bool independent = declared && page->kernel->independent_ends;
    const bool own = tess_table_own_reads(page) > 0 && reads &&
                     (tess_spec_is(spec, options, "direct", "staged") ||
                      (tess_spec_is(spec, options, "direct", "auto") && ends_are_alike(page)));
    tess_entry_choices chosen = {.reads = reads,
                                 .in_order = sums_in_order(spec),
                                 .exchanged = declared && may_exchange(page),
                                 .elements = pairs,
                                 .ahead = tess_table_blocks_to_prefetch(page)};
    tess_entry_facts facts;
    page->staged_more = reads ? 2 * TESS_RUN_ALIGNED : 0;
    if (independent)
        keep_owned_reads(page);
    int64_t end = reads ? tess_page_stage_reads(page) : 0;
    CHECK(reads && !pairs ? TESS_OK : tess_table_index(page, NULL));
    if (own)
        CHECK(tess_table_elements(page, &end, &chosen.staged));
    if (rows)
        end = tess_page_stage_sums(page, end);
    CHECK(tess_table_entries(page, &chosen, &facts));
    /* Bits for any blocks come by one text for all of them. */
    const bool together = tess_spec_is(spec, options, "slots", "auto")
                              ? (facts.mixed && !chosen.in_order) || pairs || ends_are_alike(page)
                              : tess_spec_is(spec, options, "slots", "all");
    tess_page_print(
        page,
        "#define STAGE_READS %d\n#define STAGE_OWN %d\n#define SUM_ROWS %d\n"
        "#define EACH_SLOT %d\n#define EXCHANGED %d\n#define INDEPENDENT_ENDS %d\n"
        "#define ADDS_TO_ROWS %d\n#define PREFETCH_DISTANCE %lld\n#define TURNS_MOST %lld\n",
        reads, own, rows, !together, chosen.exchanged, independent, pairs, (long long)chosen.ahead,
        (long long)turns_most(page));
    CHECK(tess_table_launch_blocks(page, "point_parallel", end));
done:
    free(chosen.staged.position);
    return status;
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    tess_parts_variant variant;
    TRY(tess_parts_way_of(spec, options, &variant));
    return variant == TESS_PARTS_TOGETHER ? prepare_together(page, spec)
                                          : prepare_phases(page, spec);
}

static tess_same_bits bits_by(const tess_spec *spec) {
    return sums_in_order(spec) ? TESS_BITS_OF_ANY : TESS_BITS_OF_RUN;
}

static const tess_variant variants[] = {
    {"point-parallel", .tuned = TESS_LOOPS_THAT_ADD},
    {"point-parallel:sum=mesh-order", .same_bits = TESS_LOOPS_THAT_ADD},
    {0}};

const tess_strategy tess_strategy_point_parallel = {
    .name = "point-parallel",
    .summary = "one thread a point recomputes its elements and sums in registers",
    .reference = "FUN3D 2021, sections II and III: node parallel; what blocks stage: Tesselab",
    .options = options,
    .variants = variants,
    .text = tess_point_parallel_text,
    .wants = TESS_WANT_PHASE_POINTS,
    .tables_there = true,
    .owns_points = true,
    .colourless = true,
    .bits_by = bits_by,
    .places_a_thread = places_a_thread,
    .fits = fits,
    .prepare = prepare,
};
