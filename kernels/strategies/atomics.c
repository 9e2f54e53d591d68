/* The strategy atomics: increments straight to global memory, atomically. */
#include "kernels/strategies/strategy.h"
#include "kernels/tables/tables.h"
#include "kernels/text/embed.h"

TESS_EMBED(tess_atomics_text, "strategies/atomics.cu");

static const tess_option options[] = {
    {.key = "aggregate",
     .value = "no",
     .help = "whether lanes of a warp that increment one point sum up first: wherever they are "
             "(unsorted), or neighbours only (sorted)",
     .kind = TESS_OPTION_CHOICE,
     .choices = "no|unsorted|sorted"},
    {.key = "transpose",
     .value = "no",
     .help = "whether lanes exchange increments so that they hit one point's values together (for "
             "aos), and through what",
     .kind = TESS_OPTION_CHOICE,
     .choices = "no|shared|shuffles"},
    {.key = "elements",
     .value = "1",
     .help = "elements of a thread, one after the other: the points of the next are fetched "
             "meanwhile",
     .kind = TESS_OPTION_INT,
     .minimum = 1,
     .maximum = 64},
    {.key = NULL},
};

/* Shared memory that a lane needs for a row of any dat that is incremented, and a point. */
static int64_t row_bytes(const tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    int64_t most = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const int64_t bytes = (loop->args[a].dim | 1) * (int64_t)tess_type_size(loop->args[a].type);
        if (loop->args[a].map[0] && loop->args[a].access == TESS_INC && bytes > most)
            most = bytes;
    }
    return (most + 7) / 8 * 8 + (int64_t)sizeof(int32_t);
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    const bool shared = tess_spec_is(spec, options, "transpose", "shared");
    const int64_t bytes = shared ? row_bytes(page) : 0;
    const int64_t elements = tess_spec_int(spec, options, "elements");
    tess_page_print(page,
                    "#define AGGREGATE_UNSORTED %d\n#define AGGREGATE_SORTED %d\n"
                    "#define TRANSPOSE_SHARED %d\n#define TRANSPOSE_SHUFFLES %d\n"
                    "#define ROW_BYTES %lld\n#define ELEMENTS %lld\n",
                    tess_spec_is(spec, options, "aggregate", "unsorted"),
                    tess_spec_is(spec, options, "aggregate", "sorted"), shared,
                    tess_spec_is(spec, options, "transpose", "shuffles"), (long long)bytes,
                    (long long)elements);
    TRY(tess_table_order(page));
    TRY(tess_table_index(page, NULL));
    TRY(tess_table_launch_flat(page, "atomics", 0,
                               (page->plan->n_executed + elements - 1) / elements));
    if (page->n_launches > 0)
        page->launches[page->n_launches - 1].shared_bytes = page->threads * bytes;
    return TESS_OK;
}

const tess_strategy tess_strategy_atomics = {
    .name = "atomics",
    .summary = "increments straight to global memory, atomically",
    .reference = "Sulyok et al. 2019, section 2.1; aggregation and transposition: FUN3D 2021, "
                 "section II and appendices",
    .options = options,
    .text = tess_atomics_text,
    .prepare = prepare,
};
