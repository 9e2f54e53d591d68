/* The strategy atomics: increments straight to global memory, atomically. */
#include "kernels/strategies/strategy.h"
#include "kernels/tables/tables.h"
#include "kernels/text/embed.h"
#include <string.h>

TESS_EMBED(tess_atomics_text, "strategies/atomics.cu");
TESS_EMBED(tess_warp_sum_text, "text/warp_sum.h");

static const tess_option options[] = {
    TESS_CHOICE_OPTION(
        "aggregate", "no", "no|unsorted|sorted",
        "whether lanes of a warp that increment one point sum up first: wherever they are "
        "(unsorted), or neighbours only (sorted)"),
    TESS_CHOICE_OPTION(
        "transpose", "no", "no|shared|shuffles",
        "whether lanes exchange increments so that they hit one point's values together (for "
        "aos), and through what"),
    TESS_INT_OPTION("elements", "1", 1, 64,
                    "elements of a thread, one after the other: the points of the next are fetched "
                    "meanwhile"),
    {.key = NULL},
};

/* How the lanes of a warp put increments together. */
typedef struct together {
    const char *aggregate; /* "unsorted", "sorted" or "no" */
    const char *transpose; /* "shared", "shuffles" or "no" */
    int64_t row_bytes;     /* of shared memory a lane */
} together;

/* Shared memory that a lane needs for a row of any dat that is incremented, and a point. */
static int64_t row_bytes(const tess_page *page) {
    int64_t most = 0;
    for (int i = 0; i < page->n_dats; i++) {
        const int64_t bytes = (page->dats[i].dim | 1) * (int64_t)page->dats[i].size;
        if (page->dats[i].summed && bytes > most)
            most = bytes;
    }
    return (most + 7) / 8 * 8 + (int64_t)sizeof(int32_t);
}

/* The functions of warp_sum.h, for each type of increments. */
static void print_warp_sum(tess_page *page) {
    for (int i = 0; i < page->n_dats; i++) {
        bool first = page->dats[i].summed;
        for (int j = 0; j < i; j++)
            first &= !page->dats[j].summed || page->dats[j].type != page->dats[i].type;
        if (first)
            tess_page_code(page, &page->dats[i], "%s\n", tess_warp_sum_text);
    }
}

/* Adds what a lane has of one slot, `sum` of `point`, with the others of its warp. */
static void print_give(tess_page *page, const together *how, const tess_page_dat *dat) {
    if (strcmp(how->transpose, "shared") == 0)
        tess_page_code(
            page, dat,
            "        @type *values = (@type *)rows;\n"
            "        int *points = (int *)(rows + WARP * %d);\n"
            "        const int n = put_rows_@type(sum, @dim, point, values, %d, points);\n"
            "        UNROLL for (int d = 0; d < @dim; d++) {\n"
            "            const int v = d * WARP + lane();\n"
            "            if (v < n * @dim)\n"
            "                atomic_add(&p->@dat[@dat_at(load(&points[v / @dim]), v %% "
            "@dim)],\n"
            "                           load(&values[v / @dim * %d + v %% @dim]));\n"
            "        }\n",
            (int)how->row_bytes - (int)sizeof(int32_t), dat->dim | 1, dat->dim | 1);
    else if (strcmp(how->transpose, "shuffles") == 0)
        tess_page_code(
            page, dat,
            "        @type turned[@dim];\n"
            "        turn_@type(sum, @dim, turned);\n"
            "        UNROLL for (int t = 0; t < @dim; t++) {\n"
            "            const int v = t * WARP + lane();\n"
            "            const int whose = shuffle(ALL_LANES, point, v / @dim);\n"
            "            if (whose >= 0)\n"
            "                atomic_add(&p->@dat[@dat_at(whose, v %% @dim)], turned[t]);\n"
            "        }\n");
    else
        tess_page_code(page, dat,
                       "        if (point >= 0)\n"
                       "            UNROLL for (int d = 0; d < @dim; d++)\n"
                       "                atomic_add(&p->@dat[@dat_at(point, d)], sum[d]);\n");
}

static void print_add_together(tess_page *page, const together *how, int n_increments) {
    int n = 0;
    tess_page_code(page, NULL,
                   "/* Adds increments, the lanes of a warp together, one slot after another. */\n"
                   "INLINE void add_together(const struct params *p, const struct element *e, int "
                   "active, int turn, char *rows) {\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC)
            continue;
        tess_page_code(page, to->dat,
                       "    {\n        @type sum[@dim];\n"
                       "        int point = active ? e->@set_point[%d] : -1;\n"
                       "        UNROLL for (int d = 0; d < @dim; d++)\n"
                       "            sum[d] = active ? e->arg%d[%d + d] : (@type)0;\n"
                       "        TURN(turn * %d + %d);\n",
                       to->slot, to->arg, to->offset, n_increments, n++);
        if (strcmp(how->aggregate, "no") != 0)
            tess_page_code(page, to->dat, "        point = aggregate_%s_@type(sum, @dim, point);\n",
                           how->aggregate);
        print_give(page, how, to->dat);
        tess_page_code(page, NULL, "    }\n");
    }
    tess_page_code(
        page, NULL,
        "    TURN(0);\n    (void)p, (void)e, (void)active, (void)turn, (void)rows;\n}\n\n");
}

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

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    const together how = {
        .aggregate = tess_spec_text(spec, options, "aggregate"),
        .transpose = tess_spec_text(spec, options, "transpose"),
        .row_bytes = tess_spec_is(spec, options, "transpose", "shared") ? row_bytes(page) : 0};
    const bool alone = strcmp(how.aggregate, "no") == 0 && strcmp(how.transpose, "no") == 0;
    const int64_t elements = tess_spec_int(spec, options, "elements");
    int n_increments = 0;
    for (int i = 0; i < page->n_accesses; i++)
        n_increments += page->accesses[i].access == TESS_INC;
    tess_page_print(page, "#define TOGETHER %d\n#define ROW_BYTES %lld\n#define ELEMENTS %lld\n",
                    !alone, (long long)how.row_bytes, (long long)elements);
    print_warp_sum(page);
    print_add_together(page, &how, n_increments);
    print_add_atomically(page);
    TRY(tess_table_order(page));
    TRY(tess_table_index(page, NULL));
    TRY(tess_table_launch_flat(page, "atomics", 0,
                               (page->plan->n_executed + elements - 1) / elements));
    if (page->n_launches > 0)
        page->launches[page->n_launches - 1].shared_bytes = page->threads * how.row_bytes;
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
