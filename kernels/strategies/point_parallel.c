/* The strategy point-parallel: one thread a point recomputes its elements and sums in registers. */
#include "kernels/block_sum_parts.h"
#include "kernels/embed.h"

#include <string.h>

TESS_EMBED(tess_point_parallel_text, "strategies/point_parallel.cu");

static const tess_option options[] = {
    {.key = "stage",
     .value = "all",
     .help = "whether what is read goes through shared memory",
     .kind = TESS_OPTION_CHOICE,
     .choices = "all|none"},
    {.key = "slots",
     .value = "auto",
     .help = "code for each slot of an element, or for all slots at once",
     .kind = TESS_OPTION_CHOICE,
     .choices = "auto|each|all"},
    {.key = "registers",
     .value = "0",
     .help = "most registers of a thread; 0: as many as the compiler likes",
     .kind = TESS_OPTION_INT,
     .minimum = 0,
     .maximum = 255},
    {.key = NULL},
};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    (void)spec;
    return tess_block_sum_fits(bound, "point-parallel");
}

/* True where increments lie in AoS: they go through shared memory, to be written in rows. */
static bool sums_in_rows(const tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] && arg->access == TESS_INC) {
            const tess_stored *stored = tess_store_find(x->store, arg->dat, arg->set);
            if (stored && stored->layout == TESS_AOS)
                return true;
        }
    }
    return false;
}

/* So many blocks on a multiprocessor, of 65536 registers, leave a thread no more than `registers`.
 */
static void print_least_blocks(tess_execution *x, int64_t registers) {
    const int64_t least = registers > 0 ? 65536 / (registers * x->threads) : 1;
    tess_page_print(&x->page, "#define LEAST_BLOCKS %lld\n", (long long)(least > 1 ? least : 1));
}

static tess_status prepare(tess_execution *x) {
    const tess_spec *spec = x->options.spec;
    const bool reads = tess_spec_is(spec, options, "stage", "all"), rows = sums_in_rows(x);
    const int64_t start = reads ? tess_part_read_bytes(x) : 0;
    bool mixed = false;
    TRY(reads ? TESS_OK : tess_part_index(x));
    TRY(tess_part_entries(x, reads, &mixed));
    /* Both ends of an element need nearly the same values and arithmetic. */
    int first_slot = 0;
    const int n_slots = x->bound->reaches[tess_part_owned_reach(x, &first_slot)].n_slots;
    const bool together = tess_spec_is(spec, options, "slots", "auto")
                              ? mixed || n_slots <= 2
                              : tess_spec_is(spec, options, "slots", "all");
    tess_page_print(&x->page,
                    "#define STAGE_READS %d\n#define SUM_ROWS %d\n#define SUM_START %lld\n"
                    "#define EACH_SLOT %d\n",
                    reads, rows, (long long)start, !together);
    print_least_blocks(x, tess_spec_int(spec, options, "registers"));
    return tess_part_launch_blocks(x, "point_parallel",
                                   start + (rows ? tess_part_sum_bytes(x) : 0));
}

const tess_strategy tess_strategy_point_parallel = {
    .name = "point-parallel",
    .summary = "one thread a point recomputes its elements and sums in registers",
    .reference = "ours",
    .options = options,
    .text = tess_point_parallel_text,
    .over_to_set = true,
    .fits = fits,
    .prepare = prepare,
};
