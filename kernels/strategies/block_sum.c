/* A block's sum: the parts of the plan and the options that block_sum.h needs. */
#include "kernels/strategies/block_sum_parts.h"

#include <string.h>

tess_status tess_block_sum_prepare(tess_execution *x, const tess_option *options, bool owned,
                                   const char *kernel) {
    static const char *const words[] = {"THREAD_COLOURS", "INCREMENT_COLOURS", "GATHER",
                                        "SHARED_ATOMICS", "SLOTS"};
    static const char *const choices[] = {"thread-colours", "increment-colours", "block-gather",
                                          "shared-atomics", "slots"};
    const tess_spec *spec = x->options.spec;
    const bool reads = tess_spec_is(spec, options, "stage", "all");
    int by = 0;
    while (!tess_spec_is(spec, options, "sum", choices[by]))
        by++;
    const int64_t start = reads ? tess_part_read_bytes(x) : 0;
    tess_page_print(&x->page,
                    "#define STAGE_READS %d\n#define SUM_BY SUM_BY_%s\n#define SUM_START %lld\n"
                    "#define GATHERED %d\n"
                    "#define BORDER_ATOMICS %d\n#define IS_HOME(p, k) %s\n",
                    reads, words[by], (long long)start, by == 2, !owned,
                    owned ? "fetch(&(p)->home[k])" : "1");
    tess_part_registers(x, tess_spec_int(spec, options, "registers"));
    TRY(tess_part_order(x));
    TRY(tess_part_blocks(x));
    const int64_t ahead = tess_part_blocks_ahead(x, tess_spec_int(spec, options, "ahead"));
    const bool gathered = by == 2, in_order = gathered || by == 4;
    TRY(tess_part_ahead(x, in_order ? ahead : 0));
    const tess_marks marks = owned ? TESS_MARK_OTHERS : TESS_MARK_BORDER;
    TRY(in_order ? tess_part_slots(x, marks, gathered) : tess_part_points(x, marks));
    if (!reads)
        TRY(tess_part_index(x, NULL));
    if (owned)
        TRY(tess_part_home(x));
    if (by == 0)
        TRY(tess_part_thread_colours(x));
    else if (by == 1)
        TRY(tess_part_rounds(x));
    return tess_part_launch_blocks(
        x, kernel, gathered ? tess_part_increments(x, start) : start + tess_part_sum_bytes(x));
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
        FAIL(TESS_ERROR_USAGE, "%s needs a loop that increments through a map; %s does not",
             strategy, loop->name);
    return TESS_OK;
}
