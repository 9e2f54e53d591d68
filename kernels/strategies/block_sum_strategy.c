/* A block's sum: the parts of the plan and the options that block_sum.h needs. */
#include "kernels/strategies/block_sum_strategy.h"

#include "kernels/applications/kernel_parts.h"
#include "kernels/page/page_phases.h"
#include <stdio.h>
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

/* The ways to run a kernel's parts. */
enum { TOGETHER, PHASES, LOOPS };

static int parts_of(const tess_spec *spec, const tess_option *options) {
    return tess_spec_is(spec, options, "parts", "together") ? TOGETHER
           : tess_spec_is(spec, options, "parts", "phases") ? PHASES
                                                            : LOOPS;
}

/* Fails (USAGE) where the spec has an option that says nothing of this way. */
static tess_status refuse_others(const tess_spec *spec, const tess_option *options, int parts) {
    static const char *const names[] = {"together", "phases", "loops"};
    static const struct {
        const char *key;
        bool of[3]; /* such parts */
    } known[] = {{"sum", {true, false, false}},   {"stage", {true, false, false}},
                 {"ahead", {true, false, false}}, {"loads", {true, false, false}},
                 {"sums", {true, false, false}},  {"made", {true, false, false}},
                 {"split", {false, true, true}},  {"next", {false, true, false}}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (const tess_option *option = options; option->key; option++)
            if (strcmp(option->key, known[k].key) == 0 && !known[k].of[parts] &&
                !tess_spec_is(spec, options, option->key, option->value))
                FAIL(TESS_ERROR_USAGE, "%s has no effect with parts=%s: leave it out", option->key,
                     names[parts]);
    return TESS_OK;
}

static tess_status launch_blocks(tess_page *page, tess_block_sums sums, const char *kernel,
                                 int64_t shared_bytes) {
    return sums == TESS_SUMS_COLOURED ? tess_table_launch_colours(page, kernel, shared_bytes)
                                      : tess_table_launch_blocks(page, kernel, shared_bytes);
}

/* A launch of all blocks for each phase, with a kernel of its own. */
static tess_status launch_phases(tess_page *page, tess_block_sums sums, const char *kernel) {
    for (int p = 0; p < page->n_phases; p++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s_%d", kernel, p);
        TRY(launch_blocks(page, sums, name, tess_page_phase_bytes(page, p)));
    }
    return TESS_OK;
}

/* What phase_sum.h needs to know. */
static void print_phase_words(tess_page *page) {
    tess_page_print(page,
                    "#define PHASES %d\n#define PHASES_AHEAD %d\n#define PHASES_LAUNCHED %d\n"
                    "#define PHASE_ADDS 0x%xu\n#define ELEMENTS %lld\n#define EACH_PHASE(X)",
                    page->n_phases, page->phase_order == TESS_PHASES_AHEAD,
                    page->phase_order == TESS_PHASES_LAUNCHED, adding_phases(page),
                    (long long)most_of_a_thread(page));
    for (int p = 0; p < page->n_phases; p++)
        tess_page_print(page, " X(%d)", p);
    tess_page_print(page, "\n");
}

/* The page of a split loop. */
static tess_status prepare_phases(tess_page *page, const tess_phases *phases, const tess_spec *spec,
                                  const tess_option *options, tess_block_sums sums,
                                  const char *kernel) {
    const tess_marks marks = sums == TESS_SUMS_OWNED   ? TESS_MARK_OTHERS
                             : sums == TESS_SUMS_ADDED ? TESS_MARK_BORDER
                                                       : TESS_MARK_NONE;
    const bool launched = parts_of(spec, options) == LOOPS;
    TRY(tess_page_split(page, phases,
                        launched                                       ? TESS_PHASES_LAUNCHED
                        : tess_spec_is(spec, options, "next", "ahead") ? TESS_PHASES_AHEAD
                                                                       : TESS_PHASES_AFTER));
    tess_page_print_phases(page, phases);
    print_phase_words(page);
    const int64_t end = tess_page_stage_sums(page, tess_page_stage_reads(page, 0));
    if (launched)
        TRY(tess_page_pass_on(page, phases));
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    page->carveout = (int)tess_spec_int(spec, options, "carveout");
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    TRY(tess_table_slots(page, marks, true, TESS_SUM_COMPUTED));
    return launched ? launch_phases(page, sums, kernel) : launch_blocks(page, sums, kernel, end);
}

tess_status tess_block_phases_prepare(tess_page *page, const tess_spec *spec,
                                      const tess_option *options, tess_block_sums sums,
                                      const char *kernel, bool *split) {
    const int parts = parts_of(spec, options);
    tess_phases phases;
    *split = parts != TOGETHER;
    TRY(refuse_others(spec, options, parts));
    if (!*split)
        return TESS_OK;
    TRY(tess_phases_find(page->kernel, page->bound, split_of(page, spec, options), &phases));
    const tess_status status = prepare_phases(page, &phases, spec, options, sums, kernel);
    tess_phases_clear(&phases);
    return status;
}

/* What instances of parts make is added slot by slot, while no other is kept. */
static tess_status check_each(tess_page *page, int by) {
    page->use = TESS_USE_THREAD | TESS_USE_SLOTS;
    if (by != SLOTS)
        FAIL(TESS_ERROR_USAGE, "made=each goes with sum=slots");
    return tess_parts_check_separate(page->kernel, page->use, "made=each");
}

tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                   const tess_option *options, bool owned, const char *kernel) {
    bool split;
    TRY(tess_block_phases_prepare(page, spec, options, owned ? TESS_SUMS_OWNED : TESS_SUMS_ADDED,
                                  kernel, &split));
    if (split)
        return TESS_OK;
    const bool reads = tess_spec_is(spec, options, "stage", "all");
    const int by = page->plan->thread_colour ? sum_by(spec, options) : SLOTS; /* of nothing */
    const bool early = by == SLOTS || by == GATHER;
    const bool each = tess_spec_is(spec, options, "made", "each");
    const tess_marks marks = owned ? TESS_MARK_OTHERS : TESS_MARK_BORDER;
    const int64_t ahead =
        early ? tess_table_blocks_ahead(page, tess_spec_int(spec, options, "ahead")) : 0;
    if (each)
        TRY(check_each(page, by));
    tess_page_print(page, "#define STAGE_READS %d\n#define SUM_BY %d\n#define MADE_EACH %d\n",
                    reads, by, each);
    int64_t end = reads ? tess_page_stage_reads(page, 0) : 0;
    end = by == GATHER ? tess_table_increments(page, end) : tess_page_stage_sums(page, end);
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    page->carveout = (int)tess_spec_int(spec, options, "carveout");
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    TRY(tess_table_ahead(page, ahead));
    TRY(early ? tess_table_slots(page, marks, reads,
                                 each           ? TESS_SUM_MADE
                                 : by == GATHER ? TESS_SUM_GATHERED
                                                : TESS_SUM_COMPUTED)
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
