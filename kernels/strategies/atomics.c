/* The strategy atomics: increments straight to global memory, atomically. */
#include "kernels/codegen/tables.h"
#include "kernels/codegen/warp_reduction.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_atomics_text, "kernels/strategies/atomics.cu");

static const tess_option options[] = {
    TESS_GIVE_OPTIONS,
    TESS_FIND_OPTION,
    TESS_CHOICE_OPTION("loads", "values", "values|vectors",
                       "whether a lane loads value by value, or 16 bytes of a point's or element's "
                       "row at once (aos with rows of 16, 32 ... bytes: aos16)"),
    TESS_INT_OPTION("elements", "1", 1, 64,
                    "elements of a thread, one after the other: the points of the next are fetched "
                    "meanwhile"),
    TESS_LAUNCH_OPTIONS("0"),
};

static void print_add_atomically(tess_page *page) {
    tess_page_code(
        page, NULL,
        "INLINE void add_atomically(const struct params *p, const struct element *e, int "
        "active, int turn) {\n    TURN(turn);\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC)
            continue;
        tess_page_code(page, to->dat, "    UNROLL for (int d = 0; d < @dim; d++)\n");
        if (page->sets[to->dat->target].padded)
            tess_page_code(page, to->dat, "        if (active && e->@set_point[%d] >= 0)\n    ",
                           to->slot);
        else
            tess_page_code(page, to->dat, "        if (active)\n    ");
        tess_page_code(page, to->dat,
                       "        atomic_add(&p->@dat[@dat_at(e->@set_point[%d], d)], e->arg%d[%d + "
                       "d]);\n",
                       to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL,
                   "    TURN(0);\n    (void)p, (void)e, (void)active, (void)turn;\n}\n\n");
}

static tess_status check_loads(const tess_page *page) {
    bool found = !page->wide_reads;
    for (int i = 0; i < page->n_dats; i++)
        found |= (page->dats[i].read || page->dats[i].read_directly) &&
                 tess_page_has_pieces(&page->dats[i]);
    if (!found)
        FAIL(
            TESS_ERROR_USAGE,
            "loads=vectors is for aos whose points or elements have 16, 32 ... bytes each: loop %s "
            "reads none; take layout aos16",
            page->bound->loop->name);
    return TESS_OK;
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    tess_warp_reduction giving;
    const int64_t elements = tess_spec_int(spec, options, "elements");
    TRY(tess_give_print(page, spec, options, &giving));
    tess_page_print(page,
                    "#define TOGETHER %d\n#define ROW_BYTES %lld\n#define ELEMENTS %lld\n#define "
                    "MADE_EACH %d\n",
                    giving.together, (long long)giving.row_bytes, (long long)elements, giving.each);
    page->wide_reads = tess_spec_is(spec, options, "loads", "vectors");
    TRY(check_loads(page));
    print_add_atomically(page);
    TRY(tess_table_order(page));
    TRY(tess_table_index_found(page, tess_find_of(spec, options), NULL));
    TRY(tess_table_launch_flat(page, "atomics", 0,
                               (page->plan->n_executed + elements - 1) / elements));
    if (page->n_launches > 0)
        page->launches[page->n_launches - 1].shared_bytes = page->threads * giving.row_bytes;
    return TESS_OK;
}

static const tess_variant variants[] = {
    {"atomics", .tuned = TESS_LOOPS_OF_ANY_KIND},
    {"atomics:transpose=shared", .tuned = TESS_LOOPS_THAT_ADD},
    {"atomics:aggregate=sorted:elements=4", .tuned = TESS_LOOPS_THAT_ADD},
    {0}};

const tess_strategy tess_strategy_atomics = {
    .name = "atomics",
    .summary = "increments straight to global memory, atomically",
    .reference = "Sulyok et al. 2019, section 2.1; aggregation and transposition: FUN3D 2021, "
                 "section II and appendices",
    .options = options,
    .variants = variants,
    .text = tess_atomics_text,
    .colourless = true,
    .tables_there = true,
    .prepare = prepare,
};
