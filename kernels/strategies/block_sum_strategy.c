/* A block's sum: the parts of the plan and the options that block_sum.h needs. */
#include "kernels/strategies/block_sum_strategy.h"

#include "kernels/page/page_phases.h"
#include <string.h>

enum { SLOTS, GATHER, THREAD_COLOURS, INCREMENT_COLOURS };

/* The number of a choice of the option `sum`, as block_sum.h has it. */
static int sum_by(const tess_spec *spec, const tess_option *options) {
    static const char *const choices[] = {"slots", "block-gather", "thread-colours",
                                          "increment-colours", "shared-atomics"};
    int by = 0;
    while (!tess_spec_is(spec, options, "sum", choices[by]))
        by++;
    return by;
}

static tess_split split_of(const tess_page *page, const tess_spec *spec,
                           const tess_option *options) {
    return tess_spec_is(spec, options, "split", "parts")        ? TESS_SPLIT_PARTS
           : tess_spec_is(spec, options, "split", "outputs")    ? TESS_SPLIT_OUTPUTS
           : tess_spec_is(spec, options, "split", "components") ? TESS_SPLIT_COMPONENTS
                                                                : tess_split_of(page->kernel);
}

/* The phases that add something, as flags. */
static unsigned adding_phases(const tess_page *page) {
    unsigned flags = 0;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed)
            flags |= page->dats[i].phases;
    return flags;
}

/* Elements of a block that a thread has at most. */
static int64_t most_of_a_thread(const tess_page *page) {
    const tess_plan *plan = page->plan;
    int64_t most = 1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_offset[b + 1] - plan->block_offset[b] > most)
            most = plan->block_offset[b + 1] - plan->block_offset[b];
    return (most + page->threads - 1) / page->threads;
}

/* Fails (USAGE) where the spec has an option that says nothing of this way. */
static tess_status refuse_others(const tess_spec *spec, const tess_option *options, bool phases) {
    static const struct {
        const char *key;
        bool of_phases;
    } known[] = {
        {"sum", false}, {"stage", false}, {"ahead", false}, {"split", true}, {"next", true}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (const tess_option *option = options; option->key; option++)
            if (strcmp(option->key, known[k].key) == 0 && known[k].of_phases != phases &&
                !tess_spec_is(spec, options, option->key, option->value))
                FAIL(TESS_ERROR_USAGE, "%s has no effect with parts=%s: leave it out", option->key,
                     phases ? "phases" : "together");
    return TESS_OK;
}

/* The page of a split loop. */
static tess_status prepare_phases(tess_page *page, const tess_phases *phases, const tess_spec *spec,
                                  const tess_option *options, bool owned, const char *kernel) {
    const tess_marks marks = owned ? TESS_MARK_OTHERS : TESS_MARK_BORDER;
    TRY(tess_page_split(page, phases, tess_spec_is(spec, options, "next", "ahead")));
    tess_page_print_phases(page, phases);
    tess_page_print(page,
                    "#define PHASES %d\n#define PHASES_AHEAD %d\n#define PHASE_ADDS 0x%xu\n"
                    "#define ELEMENTS %lld\n",
                    page->n_phases, page->phases_ahead, adding_phases(page),
                    (long long)most_of_a_thread(page));
    const int64_t end = tess_page_stage_sums(page, tess_page_stage_reads(page, 0));
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    TRY(tess_table_slots(page, marks, true, false));
    return tess_table_launch_blocks(page, kernel, end);
}

tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                   const tess_option *options, bool owned, const char *kernel) {
    const bool split = tess_spec_is(spec, options, "parts", "phases");
    TRY(refuse_others(spec, options, split));
    if (split) {
        tess_phases phases;
        TRY(tess_phases_find(page->kernel, page->bound, split_of(page, spec, options), &phases));
        const tess_status status = prepare_phases(page, &phases, spec, options, owned, kernel);
        tess_phases_clear(&phases);
        return status;
    }
    const bool reads = tess_spec_is(spec, options, "stage", "all");
    const int by = page->plan->thread_colour ? sum_by(spec, options) : SLOTS; /* of nothing */
    const bool early = by == SLOTS || by == GATHER;
    const tess_marks marks = owned ? TESS_MARK_OTHERS : TESS_MARK_BORDER;
    const int64_t ahead =
        early ? tess_table_blocks_ahead(page, tess_spec_int(spec, options, "ahead")) : 0;
    tess_page_print(page, "#define STAGE_READS %d\n#define SUM_BY %d\n", reads, by);
    int64_t end = reads ? tess_page_stage_reads(page, 0) : 0;
    end = by == GATHER ? tess_table_increments(page, end) : tess_page_stage_sums(page, end);
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    TRY(tess_table_ahead(page, ahead));
    TRY(early ? tess_table_slots(page, marks, reads, by == GATHER)
              : tess_table_points(page, marks, reads));
    tess_table_ahead_functions(page, ahead);
    if (!reads)
        TRY(tess_table_index(page, NULL));
    TRY(tess_table_home(page, owned));
    if (by == THREAD_COLOURS)
        TRY(tess_table_thread_colours(page));
    else if (by == INCREMENT_COLOURS)
        TRY(tess_table_rounds(page));
    return tess_table_launch_blocks(page, kernel, end);
}

tess_status tess_block_sum_fits(const tess_bound_loop *bound, const char *strategy) {
    const tess_loop *loop = bound->loop;
    bool increments = false;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        increments |= arg->map[0] && arg->access == TESS_INC;
        if (!arg->map[0] && arg->set[0] && (arg->access == TESS_RW || arg->access == TESS_INC))
            FAIL(TESS_ERROR_USAGE,
                 "%s computes elements more than once, and arg %d of loop %s "
                 "('%s') changes an element's own values",
                 strategy, a, loop->name, arg->dat);
    }
    if (!increments)
        FAIL(TESS_ERROR_USAGE,
             "%s needs a loop that increments through a map; %s does not: take gather", strategy,
             loop->name);
    return TESS_OK;
}
