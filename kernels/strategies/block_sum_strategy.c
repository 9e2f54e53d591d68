/* A block's sum: the parts of the plan and the options that block_sum.h needs. */
#include "kernels/strategies/block_sum_strategy.h"

#include "kernels/codegen/page_phases.h"
#include "kernels/loops/kernel_parts.h"
#include <stdio.h>

enum { SLOTS, GATHER, THREAD_COLOURS, INCREMENT_COLOURS, ATOMICS, MESH_ORDER };

/* The choices of the option `sum`, and their names in block_sum.h. */
static const char *const choices_of_sum[][2] = {
    [SLOTS] = {"slots", "SUM_BY_SLOTS"},
    [GATHER] = {"block-gather", "SUM_BY_GATHER"},
    [THREAD_COLOURS] = {"thread-colours", "SUM_BY_THREAD_COLOURS"},
    [INCREMENT_COLOURS] = {"increment-colours", "SUM_BY_INCREMENT_COLOURS"},
    [ATOMICS] = {"shared-atomics", "SUM_BY_SHARED_ATOMICS"},
    [MESH_ORDER] = {"mesh-order", "SUM_BY_SLOTS"}};

static int sum_by(const tess_spec *spec, const tess_option *options) {
    int by = 0;
    while (!tess_spec_is(spec, options, "sum", choices_of_sum[by][0]))
        by++;
    return by;
}

static bool increments(const tess_page *page) {
    for (int r = 0; r < page->plan->n_sets; r++)
        if (page->plan->sets[r].incremented)
            return true;
    return false;
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

/* The launch of all blocks, or those of the phases, and of what sums border points. */
static tess_status launch_border(tess_page *page, tess_block_sums sums, const char *kernel) {
    char name[TESS_NAME_SIZE];
    tess_page_print(page, "#define BORDER_KEPT %d\n", sums == TESS_SUMS_KEPT);
    snprintf(name, sizeof name, "%s_border", kernel);
    return sums == TESS_SUMS_KEPT ? tess_table_launch_border(page, name) : TESS_OK;
}

static tess_marks marks_of(tess_block_sums sums) {
    static const tess_marks marks[] = {[TESS_SUMS_ADDED] = TESS_MARK_BORDER,
                                       [TESS_SUMS_KEPT] = TESS_MARK_KEPT,
                                       [TESS_SUMS_OWNED] = TESS_MARK_OTHERS,
                                       [TESS_SUMS_COLOURED] = TESS_MARK_NONE};
    return marks[sums];
}

/* The page of a split loop. */
static tess_status prepare_phases(tess_page *page, const tess_phases *phases, const tess_spec *spec,
                                  const tess_option *options, tess_block_sums sums,
                                  const char *kernel) {
    const bool launched = page->phase_order == TESS_PHASES_LAUNCHED;
    const bool shared = !launched && tess_spec_is(spec, options, "passed", "shared");
    const int64_t most = tess_page_most_executed(page);
    const int64_t ahead =
        launched || sums == TESS_SUMS_COLOURED ? 0 : tess_table_blocks_to_prefetch(page);
    tess_page_print(page, "#define ELEMENTS %lld\n#define PASSED_SHARED %d\n",
                    (long long)(most + page->threads - 1) / page->threads, shared);
    int64_t end = tess_page_stage_sums(page, tess_page_stage_reads(page));
    if (launched)
        TRY(tess_page_pass_on(page, phases, page->plan->n_executed));
    else if (shared)
        TRY(tess_page_pass_in_shared(page, phases, most, &end));
    else
        tess_page_read_once(page, phases);
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    if (sums == TESS_SUMS_COLOURED)
        TRY(tess_table_blocks_by_colour(page));
    TRY(tess_table_prefetch_distance(page, ahead));
    TRY(tess_table_slots(page, marks_of(sums), true, TESS_SUM_COMPUTED));
    tess_table_prefetch_functions(page, ahead);
    TRY(launched ? launch_phases(page, sums, kernel) : launch_blocks(page, sums, kernel, end));
    return launch_border(page, sums, kernel);
}

tess_status tess_block_phases_prepare(tess_page *page, const tess_spec *spec,
                                      const tess_option *options, tess_block_sums sums,
                                      const char *kernel, bool *split) {
    tess_parts_variant variant;
    tess_phases phases;
    TRY(tess_parts_way_of(spec, options, &variant));
    *split = variant != TESS_PARTS_TOGETHER;
    if (!*split)
        return TESS_OK;
    TRY(tess_parts_split(page, spec, options, &phases));
    const tess_status status = prepare_phases(page, &phases, spec, options, sums, kernel);
    tess_phases_clear(&phases);
    return status;
}

/* What instances of parts make is added slot by slot, while no other is kept. */
static tess_status check_each(tess_page *page, int by) {
    page->use = TESS_USE_THREAD | TESS_USE_SLOTS;
    if (by != SLOTS)
        FAIL(TESS_ERROR_USAGE, "made=per-part goes with sum=slots");
    return tess_parts_check_separate(page->kernel, page->use, "made=per-part");
}

tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                   const tess_option *options, tess_block_sums sums,
                                   const char *kernel) {
    bool split;
    TRY(tess_block_phases_prepare(page, spec, options, sums, kernel, &split));
    if (split)
        return TESS_OK;
    const bool reads = tess_spec_is(spec, options, "stage", "all");
    const int by = increments(page) ? sum_by(spec, options) : SLOTS; /* of nothing */
    const bool early = by == SLOTS || by == GATHER || by == MESH_ORDER;
    const bool each = tess_spec_is(spec, options, "made", "per-part");
    const tess_marks marks = marks_of(sums);
    const int64_t ahead = early ? tess_table_blocks_to_prefetch(page) : 0;
    if (each)
        TRY(check_each(page, by));
    tess_page_print(page, "#define STAGE_READS %d\n#define SUM_BY %s\n#define MADE_EACH %d\n",
                    reads, choices_of_sum[by][1], each);
    if (by == MESH_ORDER && sums == TESS_SUMS_OWNED)
        TRY(tess_table_own_sums(page));
    int64_t end = reads ? tess_page_stage_reads(page) : 0;
    end = by == GATHER ? tess_table_increments(page, end) : tess_page_stage_sums(page, end);
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    TRY(tess_table_prefetch_distance(page, ahead));
    TRY(early ? tess_table_slots(page, marks, reads,
                                 each               ? TESS_SUM_MADE
                                 : by == GATHER     ? TESS_SUM_GATHERED
                                 : by == MESH_ORDER ? TESS_SUM_ORDERED
                                                    : TESS_SUM_COMPUTED)
              : tess_table_points(page, marks, reads));
    tess_table_prefetch_functions(page, ahead);
    if (!reads)
        TRY(tess_table_index(page, NULL));
    TRY(tess_table_home(page, sums == TESS_SUMS_OWNED));
    if (by == THREAD_COLOURS)
        TRY(tess_table_thread_colours(page));
    else if (by == INCREMENT_COLOURS)
        TRY(tess_table_rounds(page));
    TRY(tess_table_launch_blocks(page, kernel, end));
    return launch_border(page, sums, kernel);
}

tess_status tess_block_sum_fits(const tess_bound_loop *bound, const char *strategy) {
    const tess_loop *loop = bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] && arg->set[0] && (arg->access == TESS_RW || arg->access == TESS_INC))
            FAIL(TESS_ERROR_USAGE,
                 "%s computes elements more than once, and arg %d of loop %s "
                 "('%s') changes an element's own values",
                 strategy, a, loop->name, arg->dat);
    }
    if (!tess_loop_adds(loop))
        FAIL(TESS_ERROR_USAGE,
             "%s needs a loop that increments through a map; %s does not: take gather", strategy,
             loop->name);
    return TESS_OK;
}
