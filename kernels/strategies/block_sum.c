/* A block's sum: the parts of the plan and the options that block_sum.h needs. */
#include "kernels/strategies/block_sum.h"

#include <string.h>

tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                   const tess_option *options, bool owned, const char *kernel) {
    static const char *const words[] = {"THREAD_COLOURS", "INCREMENT_COLOURS", "GATHER",
                                        "SHARED_ATOMICS", "SLOTS"};
    static const char *const choices[] = {"thread-colours", "increment-colours", "block-gather",
                                          "shared-atomics", "slots"};
    const bool reads = tess_spec_is(spec, options, "stage", "all");
    int by = 0;
    while (!tess_spec_is(spec, options, "sum", choices[by]))
        by++;
    const int64_t start = reads ? tess_table_read_bytes(page) : 0;
    tess_page_print(page,
                    "#define STAGE_READS %d\n#define SUM_BY SUM_BY_%s\n#define SUM_START %lld\n"
                    "#define GATHERED %d\n"
                    "#define BORDER_ATOMICS %d\n#define IS_HOME(p, k) %s\n",
                    reads, words[by], (long long)start, by == 2, !owned,
                    owned ? "fetch(&(p)->home[k])" : "1");
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    TRY(tess_table_order(page));
    TRY(tess_table_blocks(page));
    const int64_t ahead = tess_table_blocks_ahead(page, tess_spec_int(spec, options, "ahead"));
    const bool gathered = by == 2, in_order = gathered || by == 4;
    TRY(tess_table_ahead(page, in_order ? ahead : 0));
    const tess_marks marks = owned ? TESS_MARK_OTHERS : TESS_MARK_BORDER;
    TRY(in_order ? tess_table_slots(page, marks, gathered) : tess_table_points(page, marks));
    if (!reads)
        TRY(tess_table_index(page, NULL));
    if (owned)
        TRY(tess_table_home(page));
    if (by == 0)
        TRY(tess_table_thread_colours(page));
    else if (by == 1)
        TRY(tess_table_rounds(page));
    return tess_table_launch_blocks(page, kernel,
                                    gathered ? tess_table_increments(page, start)
                                             : start + tess_table_sum_bytes(page));
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
