/* The strategy point-parallel: one thread a point recomputes its elements and sums in registers. */
#include "kernels/strategies/block_sum_parts.h"
#include "kernels/text/embed.h"

#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_point_parallel_text, "strategies/point_parallel.cu");

static const tess_option options[] = {
    {.key = "stage",
     .value = "all",
     .help = "whether what is read goes through shared memory",
     .kind = TESS_OPTION_CHOICE,
     .choices = "all|none"},
    {.key = "direct",
     .value = "auto",
     .help = "what is elements' own: read where it is, or staged in shared memory, too",
     .kind = TESS_OPTION_CHOICE,
     .choices = "auto|elements|staged"},
    {.key = "slots",
     .value = "auto",
     .help = "code for each slot of an element, or for all slots at once",
     .kind = TESS_OPTION_CHOICE,
     .choices = "auto|each|all"},
    {.key = "antisymmetry",
     .value = "use",
     .help = "what a loop declares of its elements' ends: used, or not",
     .kind = TESS_OPTION_CHOICE,
     .choices = "use|ignore"},
    TESS_AHEAD_OPTION,
    TESS_REGISTERS_OPTION("-1"),
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

/* True where both ends of an element need nearly the same values and arithmetic. */
static bool ends_are_alike(const tess_execution *x) {
    int first_slot = 0;
    return x->bound->reaches[tess_part_owned_reach(x, &first_slot)].n_slots <= 2;
}

/* Two points one after the other, so that more blocks fit at a time; but one where elements have
 * more than two ends, since bookleaf's loop takes 0.205 ms so and 0.241 with two. */
static int places_a_thread(const tess_execution *x) {
    return ends_are_alike(x) ? 2 : 1;
}

/* True where both ends may compute an element as slot 0, since nothing else depends on its slots.
 */
static bool may_exchange(const tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    int first_slot = 0;
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && loop->args[a].access != TESS_READ)
            return false;
    return x->options.kernel->antisymmetry == TESS_EXCHANGE &&
           x->bound->reaches[tess_part_owned_reach(x, &first_slot)].n_slots == 2;
}

static tess_status prepare(tess_execution *x) {
    tess_status status = TESS_OK;
    const tess_spec *spec = x->options.spec;
    const bool reads = tess_spec_is(spec, options, "stage", "all"), rows = sums_in_rows(x);
    const bool own = tess_part_own_reads(x) > 0 && reads &&
                     (tess_spec_is(spec, options, "direct", "staged") ||
                      (tess_spec_is(spec, options, "direct", "auto") && ends_are_alike(x)));
    x->apart =
        reads && x->options.kernel->apart && tess_spec_is(spec, options, "antisymmetry", "use");
    x->staged_more = reads ? 2 * TESS_RUN_ALIGNED : 0;
    int64_t start = reads ? tess_part_read_bytes(x) : 0;
    int32_t *element_place = NULL;
    const bool exchanged =
        reads && may_exchange(x) && tess_spec_is(spec, options, "antisymmetry", "use");
    bool mixed = false;
    CHECK(reads ? TESS_OK : tess_part_index(x, NULL));
    if (own)
        CHECK(tess_part_elements(x, &start, &element_place));
    CHECK(tess_part_entries(x, reads, exchanged, element_place, &mixed));
    const bool together = tess_spec_is(spec, options, "slots", "auto")
                              ? mixed || ends_are_alike(x)
                              : tess_spec_is(spec, options, "slots", "all");
    tess_page_print(&x->page,
                    "#define STAGE_READS %d\n#define STAGE_OWN %d\n#define SUM_ROWS %d\n"
                    "#define SUM_START %lld\n#define EACH_SLOT %d\n#define EXCHANGED %d\n"
                    "#define AHEAD %lld\n#define APART %d\n#define TURNS_MOST %lld\n",
                    reads, own, rows, (long long)start, !together, exchanged,
                    (long long)tess_part_blocks_ahead(x, tess_spec_int(spec, options, "ahead")),
                    x->apart, ((long long)x->plan->block_size + x->threads - 1) / x->threads);
    tess_part_registers(x, tess_spec_int(spec, options, "registers"));
    CHECK(
        tess_part_launch_blocks(x, "point_parallel", start + (rows ? tess_part_sum_bytes(x) : 0)));
done:
    free(element_place);
    return status;
}

const tess_strategy tess_strategy_point_parallel = {
    .name = "point-parallel",
    .summary = "one thread a point recomputes its elements and sums in registers",
    .reference = "ours",
    .options = options,
    .text = tess_point_parallel_text,
    .over_to_set = true,
    .places_a_thread = places_a_thread,
    .fits = fits,
    .prepare = prepare,
};
