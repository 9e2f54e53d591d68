/* The strategy block-colour: staged in shared memory, thread and block colours: the paper's
 * Algorithm 1. */
#include "kernels/embed.h"
#include "kernels/parts.h"

TESS_EMBED(tess_block_colour_text, "strategies/block_colour.cu");

static const tess_option options[] = {
    {.key = "stage",
     .value = "all",
     .help = "what goes through shared memory",
     .kind = TESS_OPTION_CHOICE,
     .choices = "all|increments|none"},
    {.key = NULL},
};

static tess_status prepare(tess_execution *x) {
    const bool reads = tess_spec_is(x->options.spec, options, "stage", "all");
    const bool sums = !tess_spec_is(x->options.spec, options, "stage", "none");
    const int64_t read_bytes = reads ? tess_part_read_bytes(x) : 0;
    const int64_t sum_bytes = sums ? tess_part_sum_bytes(x) : 0;
    /* One element a thread: all have been read before the first increment, so sums may take the
     * place of the copies. */
    const bool overlay = reads && x->threads >= x->plan->block_size;
    const int64_t sum_start = overlay ? 0 : read_bytes;
    tess_page_print(&x->page,
                    "#define STAGE_READS %d\n#define STAGE_SUMS %d\n#define SUM_START %lld\n"
                    "#define OVERLAY %d\n",
                    reads, sums, (long long)sum_start, overlay);
    TRY(tess_part_order(x));
    TRY(tess_part_blocks(x));
    TRY(tess_part_thread_colours(x));
    if (!reads || !sums)
        TRY(tess_part_index(x));
    if (reads || sums)
        TRY(tess_part_points(x, TESS_MARK_NONE));
    const int64_t end = sum_start + sum_bytes;
    return tess_part_launch_colours(x, "block_colour", end > read_bytes ? end : read_bytes);
}

const tess_strategy tess_strategy_block_colour = {
    .name = "block-colour",
    .summary = "staged in shared memory, thread and block colours: the paper's Algorithm 1",
    .reference = "Sulyok et al. 2019, section 2.2",
    .options = options,
    .text = tess_block_colour_text,
    .prepare = prepare,
};
