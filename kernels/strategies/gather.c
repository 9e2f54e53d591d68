/* The strategy gather: loops that increment nothing, a thread an element and no waiting. */
#include "kernels/codegen/tables.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_gather_text, "kernels/strategies/gather.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("own", "direct", "direct|staged",
                       "what is elements' own and lies in rows, maps included: read by each "
                       "thread, or copied to shared memory by all together"),
    TESS_CHOICE_OPTION("reads", "cached", "cached|staged",
                       "what is read at points: through the caches, or staged in shared memory, "
                       "once a block"),
    TESS_INT_OPTION("elements", "1", 1, 64,
                    "elements of a thread, one after the other, where reads are cached"),
    TESS_PREFETCH_OPTION,
    TESS_LAUNCH_OPTIONS("0"),
};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    const tess_loop *loop = bound->loop;
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0] && loop->args[a].access != TESS_READ)
            FAIL(TESS_ERROR_USAGE,
                 "gather fits loops that only read through maps; arg %d of loop %s ('%s' through "
                 "%s) is %s: take atomics or another of tess list strategies",
                 a, loop->name, loop->args[a].dat, loop->args[a].map,
                 tess_access_name(loop->args[a].access));
    if (tess_spec_is(spec, options, "reads", "staged") &&
        tess_spec_int(spec, options, "elements") > 1)
        FAIL(TESS_ERROR_USAGE, "gather:reads=staged goes by blocks: --block-size and --threads say "
                               "how many elements a thread has, not elements");
    return TESS_OK;
}

/* A host has no memory that its threads share but the caches. */
static tess_status check_host(const tess_page *page, bool own, bool reads) {
    if (page->one_thread && (own || reads))
        FAIL(TESS_ERROR_USAGE,
             "gather stages nothing on the host: leave own and reads as they are");
    return TESS_OK;
}

/* Blocks of the plan, and their points in shared memory; gives where these end. */
static tess_status prepare_staged(tess_page *page, int64_t ahead, int64_t *end) {
    *end = tess_page_stage_reads(page);
    TRY(tess_table_blocks(page));
    TRY(tess_table_prefetch_distance(page, ahead));
    TRY(tess_table_slots(page, TESS_MARK_NONE, true, TESS_SUM_COMPUTED));
    tess_table_prefetch_functions(page, ahead);
    return TESS_OK;
}

/* Where an element finds its points among the block's: its words, where points are staged. */
static void print_local(tess_page *page, bool reads) {
    if (!reads) {
        tess_page_code(page, NULL, "struct local {\n    int none;\n};\n\n");
        return;
    }
    tess_page_code(page, NULL,
                   "struct local {\n    struct words words;\n};\n\n"
                   "INLINE void fetch_local(const struct params *p, struct local *local, int k) {\n"
                   "    fetch_words(p, &local->words, k);\n}\n\n"
                   "INLINE void find_staged(struct element *e, const struct local *local) {\n"
                   "    find_local(e, &local->words);\n}\n\n");
}

/* Groups of positions, on the host the plan's blocks, that read through the caches. */
static tess_status prepare_cached(tess_page *page, int64_t group, int64_t ahead,
                                  int64_t *n_groups) {
    TRY(tess_table_index(page, NULL));
    tess_table_prefetch_of_groups(page, group, ahead);
    *n_groups = page->one_thread ? page->plan->n_blocks : tess_table_groups(page, group);
    return page->one_thread ? tess_table_blocks(page) : TESS_OK;
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    const bool own = tess_spec_is(spec, options, "own", "staged");
    const bool reads = tess_spec_is(spec, options, "reads", "staged");
    const int64_t group = page->threads * tess_spec_int(spec, options, "elements");
    const int64_t ahead = page->one_thread ? 0 : tess_table_blocks_to_prefetch(page);
    const tess_rows_staged rows = {
        .dats = own, .maps = own && !reads && page->store->maps_in_rows, .index = !reads};
    tess_launch launch = {.kernel = "gather", .n_blocks = page->plan->n_blocks};
    TRY(check_host(page, own, reads));
    TRY(tess_table_order(page));
    TRY(reads ? prepare_staged(page, ahead, &launch.shared_bytes)
              : prepare_cached(page, group, ahead, &launch.n_blocks));
    print_local(page, reads);
    const int64_t end = tess_table_rows(page, &rows, launch.shared_bytes);
    tess_page_print(page, "#define STAGE_READS %d\n#define STAGE_ROWS %d\n", reads,
                    end > launch.shared_bytes);
    launch.shared_bytes = end;
    launch.count = launch.n_blocks;
    return tess_page_launch(page, &launch);
}

static const tess_variant variants[] = {{"gather", .tuned = TESS_LOOPS_THAT_READ},
                                        {"gather:own=staged", .tuned = TESS_LOOPS_THAT_READ},
                                        {"gather:reads=staged", .tuned = TESS_LOOPS_THAT_READ},
                                        {0}};

const tess_strategy tess_strategy_gather = {
    .name = "gather",
    .summary = "loops that increment nothing: a thread an element, nobody waits",
    .reference = "Langguth et al. 2015, section 3.2: kernel 1 is own=staged, kernel 2 own=direct, "
                 "both with --layout aos,maps=aos",
    .options = options,
    .variants = variants,
    .text = tess_gather_text,
    .anywhere = true,
    .tables_there = true,
    .fits = fits,
    .prepare = prepare,
};
