/* The strategy tiles: several lanes share an element of a kernel in parts. */
#include "kernels/codegen/cell_edges.h"
#include "kernels/codegen/tile.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"
#include <stdio.h>
#include <stdlib.h>

TESS_EMBED(tess_tiles_text, "kernels/strategies/tiles.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("lanes", "auto", "auto|1|2|4|8|16|32",
                       "lanes of an element; auto: the fewest that are as many as its slots"),
    TESS_CHOICE_OPTION("by", "slots", "slots|edges",
                       "a lane makes what a slot (a row of a matrix) gets, or what an edge gives"),
    TESS_CHOICE_OPTION("edges", "shared", "shared|own",
                       "of by=slots: whether lanes share what the slots of an element have in "
                       "common beyond its points, as a cell's edges, or each finds that of its own "
                       "slot, as FUN3D's node-parallel way does"),
    TESS_CHOICE_OPTION("sum", "global", "global|shared-atomics|serial|sets",
                       "of by=edges: each edge adds to global memory; or a cell's edges sum up in "
                       "shared memory first: by atomics, one edge after another, or one set of "
                       "edges without a common end after another"),
    TESS_LEAVE_OPTIONS,
    TESS_FIND_OPTION,
    TESS_LAUNCH_OPTIONS("0"),
};

/* --- parts that add --------------------------------------------------------------------------- */

/* The values of an instance `k`, of lanes where `gives`. */
static void print_make(const tess_tile *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    tess_part_print_made(&page->functions, page->kernel, part);
    tess_page_code(page, NULL, "        if (gives) {\n");
    tess_tile_print_reads(t, part);
    tess_page_code(page, NULL, "            ");
    tess_part_print_call(&page->functions, page->kernel, part, &tess_tile_words);
    tess_page_code(page, NULL, "        }\n");
}

/* Gives `values`0 ... of a part to slot `row`, or to the block of `row` and `column`, of lanes
 * where `active`, in a `turn` of its own. */
static void print_scatter(const tess_tile *t, const tess_kernel_part *part, bool others,
                          const char *active, const char *values, const char *turn) {
    const int n = tess_page_part_slots(t->page, part);
    char point[4 * TESS_NAME_SIZE], from[32];
    for (int k = 0; k < part->n_adds; k++) {
        const tess_page_access *to = tess_page_access_of(t->page, part->adds[k] + others, 0);
        if (others)
            snprintf(point, sizeof point, "%s_slot(p, i, %d + %d * row + column - (column > row))",
                     to->dat->set, to->slot, n - 1);
        else
            snprintf(point, sizeof point, "%s_slot(p, i, %d + row)", to->dat->set, to->slot);
        snprintf(from, sizeof from, "%s%d", values, k);
        tess_give_one(t->page, &t->variants,
                      &(tess_scatter){.dat = to->dat,
                                      .slot = to->slot,
                                      .point = point,
                                      .values = from,
                                      .active = active,
                                      .turn = turn});
    }
}

/* Gives where some lanes may add to the diagonal of a matrix, others beside it. */
static void print_mixed_scatters(const tess_tile *t, const tess_kernel_part *part,
                                 const char *values, const char *turn) {
    if (!tess_part_is_of_matrix(part)) {
        print_scatter(t, part, false, "gives", values, turn);
        return;
    }
    print_scatter(t, part, false, "(gives && row == column)", values, turn);
    print_scatter(t, part, true, "(gives && row != column)", values, turn);
}

static int turns_of(const tess_tile *t, int64_t n) {
    return (int)((n + t->lanes - 1) / t->lanes);
}

/* Opens the loop over turns: in each a lane has one of n rows, or a block of a row and a column. It
 * keeps its row where no lane is idle then; else blocks go round, first those of the diagonal. */
static void print_turns(const tess_tile *t, int n, int n_columns) {
    const int others = n * (n - 1), diagonal = turns_of(t, n);
    if (n_columns == 1 || n % t->lanes == 0) {
        tess_page_code(t->page, NULL,
                       "    ONE_BY_ONE for (int turn = 0; turn < %d; turn++) {\n"
                       "        const int row = tile_lane() + turn / %d * LANES, gives = active && "
                       "row < %d;\n"
                       "        const int column = (row + turn %% %d) %% %d, diagonal = turn %% %d "
                       "== 0;\n",
                       diagonal * n_columns, n_columns, n, n_columns, n_columns, n_columns);
        return;
    }
    tess_page_code(t->page, NULL,
                   "    ONE_BY_ONE for (int turn = 0; turn < %d; turn++) {\n"
                   "        const int diagonal = turn < %d;\n"
                   "        const int b = tile_lane() + (turn - (diagonal ? 0 : %d)) * LANES;\n"
                   "        const int row = diagonal ? b : b / %d, beside = b %% %d;\n"
                   "        const int column = diagonal ? b : beside + (beside >= row);\n"
                   "        const int gives = active && b < (diagonal ? %d : %d);\n",
                   diagonal + turns_of(t, others), diagonal, diagonal, n - 1, n - 1, n, others);
}

/* A slot or pair a lane. */
static void print_rows(const tess_tile *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    const int n = tess_page_part_slots(page, part);
    const bool of_matrix = tess_part_is_of_matrix(part);
    const int n_columns = of_matrix ? n : 1;
    print_turns(t, n, n_columns);
    if (!tess_part_is_of_edges(part)) {
        tess_page_code(page, NULL, "        const int k = row * %d + column;\n", n_columns);
        print_make(t, part);
    } else {
        for (int k = 0; k < part->n_adds; k++)
            tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                           "        %s total%d[@dim];\n"
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            total%d[d] = 0;\n",
                           tess_tile_made_type(t, part), k, k);
        tess_page_code(page, NULL,
                       "        for (int z = 0; z < MOST_EDGES; z++) {\n"
                       "        const int e = active && row < %d ? slot_edge(row, z) : -1;\n"
                       "        const int gives = e >= 0, k = e * %d + column;\n",
                       n, n_columns);
        print_make(t, part);
        for (int k = 0; k < part->n_adds; k++)
            tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            total%d[d] += gives && edge_end(e, 0) == row ? -made%d[d] "
                           ": made%d[d];\n",
                           k, k, k);
        tess_page_code(page, NULL, "        }\n");
    }
    const char *values = tess_part_is_of_edges(part) ? "total" : "made";
    if (of_matrix)
        tess_page_code(page, NULL, "        if (diagonal) {\n");
    print_scatter(t, part, false, "gives", values, "turn");
    if (of_matrix) {
        tess_page_code(page, NULL, "        } else {\n");
        print_scatter(t, part, true, "gives", values, "turn");
        tess_page_code(page, NULL, "        }\n");
    }
    tess_page_code(page, NULL, "        (void)column, (void)diagonal;\n    }\n");
}

/* An edge a lane; what it makes goes to its two ends, in `column` of a matrix. */
static void print_edges(const tess_tile *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    const int n_columns = part->each == TESS_PART_EDGE_SLOT ? tess_page_part_slots(page, part) : 1;
    const int n_turns = turns_of(t, t->type->n_edges);
    tess_page_code(page, NULL,
                   "    ONE_BY_ONE for (int turn = 0; turn < %d; turn++) {\n"
                   "        const int e = tile_lane() + turn %% %d * LANES, column = turn / %d;\n"
                   "        const int gives = active && e < %d, k = e * %d + column;\n",
                   n_turns * n_columns, n_turns, n_turns, t->type->n_edges, n_columns);
    print_make(t, part);
    for (int end = 0; end < 2; end++) {
        tess_page_code(page, NULL,
                       "        {\n        const int row = gives ? edge_end(e, %d) : 0;\n", end);
        print_mixed_scatters(t, part, end ? "made" : "-made", end ? "2 * turn + 1" : "2 * turn");
        tess_page_code(page, NULL, "        (void)row;\n        }\n");
    }
    tess_page_code(page, NULL, "        (void)column;\n    }\n");
}

/* What an edge made, into the tile's sums, its own lane's. */
static void print_sum_ends(const tess_tile *t, const tess_kernel_part *part, int p,
                           const char *add) {
    for (int k = 0; k < part->n_adds; k++)
        for (int end = 0; end < 2; end++)
            tess_page_code(t->page, tess_page_dat_of(t->page, part->adds[k]),
                           "            UNROLL for (int d = 0; d < @dim; d++)\n"
                           "                %s(&t->sum%d_%d[edge_end(e, %d) * @dim + d], "
                           "%smade%d[d]);\n",
                           add, p, k, end, end ? "" : "-", k);
}

/* The edges of a cell to the tile's sums. */
static void print_sum_edges(const tess_tile *t, const tess_kernel_part *part, int p) {
    tess_page *page = t->page;
    if (t->sum == TESS_EDGES_ATOMICS) {
        tess_page_code(page, NULL, "        if (gives) {\n");
        print_sum_ends(t, part, p, "atomic_add");
        tess_page_code(page, NULL, "        }\n");
    } else if (t->sum == TESS_EDGES_SETS) {
        tess_page_code(page, NULL,
                       "        for (int set = 0; set < N_EDGE_SETS; set++) {\n"
                       "            if (gives && edge_set(e) == set) {\n");
        print_sum_ends(t, part, p, "plain_add");
        tess_page_code(page, NULL, "            }\n            tile_barrier();\n        }\n");
    } else {
        for (int k = 0; k < part->n_adds; k++)
            tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            if (gives)\n"
                           "                store(&t->edge%d_%d[e * @dim + d], made%d[d]);\n",
                           p, k, k);
    }
}

/* One edge after another: a lane has some components of all of them. */
static void print_serial(const tess_tile *t, const tess_kernel_part *part, int p) {
    tess_page *page = t->page;
    tess_page_code(page, NULL,
                   "        tile_barrier();\n"
                   "        for (int e = 0; e < (active ? %d : 0); e++) {\n",
                   t->type->n_edges);
    for (int k = 0; k < part->n_adds; k++)
        tess_page_code(
            page, tess_page_dat_of(page, part->adds[k]),
            "            for (int d = tile_lane(); d < @dim; d += LANES) {\n"
            "                const %s value = load(&t->edge%d_%d[e * @dim + d]);\n"
            "                plain_add(&t->sum%d_%d[edge_end(e, 1) * @dim + d], value);\n"
            "                plain_add(&t->sum%d_%d[edge_end(e, 0) * @dim + d], "
            "-value);\n"
            "            }\n",
            tess_tile_made_type(t, part), p, k, p, k, p, k);
    tess_page_code(page, NULL, "        }\n");
}

/* What the slots got, a slot a lane. */
static void print_give_sums(const tess_tile *t, const tess_kernel_part *part, int p) {
    tess_page *page = t->page;
    const int n = tess_page_part_slots(page, part);
    tess_page_code(page, NULL,
                   "        ONE_BY_ONE for (int round = 0; round < %d; round++) {\n"
                   "        const int row = tile_lane() + round * LANES, gives = active && row < "
                   "%d;\n"
                   "        const int turn = column * %d + round;\n",
                   turns_of(t, n), n, turns_of(t, n));
    for (int k = 0; k < part->n_adds; k++)
        tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                       "        %s total%d[@dim];\n"
                       "        UNROLL for (int d = 0; d < @dim; d++)\n"
                       "            total%d[d] = gives ? load(&t->sum%d_%d[row * @dim + d]) : 0;\n",
                       tess_tile_made_type(t, part), k, k, p, k);
    print_mixed_scatters(t, part, "total", "turn");
    tess_page_code(page, NULL, "        (void)turn;\n        }\n");
}

/* Column after column the edges of a cell sum up in the tile, and slots give their sums. */
static void print_columns(const tess_tile *t, const tess_kernel_part *part, int p) {
    tess_page *page = t->page;
    const int n = tess_page_part_slots(page, part);
    const int n_columns = part->each == TESS_PART_EDGE_SLOT ? n : 1;
    tess_page_code(page, NULL, "    ONE_BY_ONE for (int column = 0; column < %d; column++) {\n",
                   n_columns);
    for (int k = 0; k < part->n_adds; k++)
        tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                       "        TURNS(v, tile_lane(), %d * @dim, LANES)\n"
                       "            store(&t->sum%d_%d[v], 0);\n",
                       n, p, k);
    tess_page_code(page, NULL,
                   "        tile_barrier();\n"
                   "        ONE_BY_ONE for (int round = 0; round < %d; round++) {\n"
                   "        const int e = tile_lane() + round * LANES, gives = active && e < %d;\n"
                   "        const int k = e * %d + column;\n",
                   turns_of(t, t->type->n_edges), t->type->n_edges, n_columns);
    print_make(t, part);
    print_sum_edges(t, part, p);
    tess_page_code(page, NULL, "        }\n");
    if (t->sum == TESS_EDGES_SERIAL)
        print_serial(t, part, p);
    tess_page_code(page, NULL, "        tile_barrier();\n");
    print_give_sums(t, part, p);
    tess_page_code(page, NULL, "        tile_barrier();\n    }\n");
}

static void print_add_parts(const tess_tile *t) {
    tess_page *page = t->page;
    tess_page_code(page, NULL,
                   "INLINE void add_parts(const struct params *p, struct tile *t, int i, int "
                   "active, char *rows) {\n");
    for (int p = 0; p < page->kernel->n_parts; p++) {
        const tess_kernel_part *part = &page->kernel->parts[p];
        if (part->n_adds == 0 || !tess_tile_uses(t, part))
            continue;
        if (tess_tile_sums(t, part))
            print_columns(t, part, p);
        else if (tess_part_is_of_edges(part) && (page->use & TESS_USE_EDGES))
            print_edges(t, part);
        else
            print_rows(t, part);
    }
    tess_page_code(page, NULL,
                   "    TURN(0);\n    (void)p, (void)t, (void)i, (void)active, (void)rows;\n}\n\n");
}

/* --- the strategy ----------------------------------------------------------------------------- */

static tess_status check_parts(const tess_page *page) {
    const tess_kernel *kernel = page->kernel;
    const char *loop = page->bound->loop->name;
    TRY(tess_parts_check_separate(kernel, page->use, "tiles"));
    if ((page->use & TESS_USE_EDGES) && !tess_parts_have_edges(kernel, page->use))
        FAIL(TESS_ERROR_USAGE, "by=edges: loop %s has no part that runs for each edge", loop);
    for (int a = 0; a < kernel->n_args; a++)
        for (int k = 1;
             kernel->args[a].map && k < tess_page_local_size(page, a) / kernel->args[a].dim; k++)
            if (tess_page_access_of(page, a, k)->slot != tess_page_access_of(page, a, 0)->slot + k)
                FAIL(TESS_ERROR_USAGE,
                     "tiles takes slots of %s in their order: let the first arg through it have "
                     "all of them",
                     kernel->args[a].map);
    return TESS_OK;
}

/* Lanes of an element: as chosen, or as many as slots, rounded up. */
static int lanes_of(const tess_page *page, const tess_spec *spec) {
    int lanes = 1, p = 0;
    if (!tess_spec_is(spec, options, "lanes", "auto"))
        return atoi(tess_spec_text(spec, options, "lanes"));
    while (page->kernel->parts[p].n_adds == 0)
        p++;
    while (lanes < tess_page_part_slots(page, &page->kernel->parts[p]) && lanes < TESS_WARP)
        lanes *= 2;
    return lanes;
}

static tess_edge_sum sum_of(const tess_spec *spec) {
    static const char *const names[] = {[TESS_EDGES_GLOBAL] = "global",
                                        [TESS_EDGES_ATOMICS] = "shared-atomics",
                                        [TESS_EDGES_SERIAL] = "serial",
                                        [TESS_EDGES_SETS] = "sets"};
    int s = TESS_EDGES_GLOBAL;
    while (!tess_spec_is(spec, options, "sum", names[s]))
        s++;
    return (tess_edge_sum)s;
}

/* How a kernel's parts are used. */
static tess_status use_of(const tess_page *page, const tess_spec *spec, int *out) {
    const tess_kernel *kernel = page->kernel;
    const bool by_edges = tess_spec_is(spec, options, "by", "edges");
    const int shared = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED;
    const int own = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN;
    const char *loop = page->bound->loop->name;
    *out = by_edges ? TESS_USE_LANES | TESS_USE_EDGES | TESS_USE_SHARED : shared;
    if (tess_spec_is(spec, options, "edges", "shared"))
        return TESS_OK;
    if (by_edges)
        FAIL(TESS_ERROR_USAGE, "edges=own is of by=slots: by edges each lane has its own edge");
    if (tess_parts_same(kernel, shared, own) && !tess_parts_have_edges(kernel, own))
        FAIL(TESS_ERROR_USAGE,
             "edges=own: loop %s has no part for it (only: [own]), nor one that runs for each edge",
             loop);
    *out = own;
    return TESS_OK;
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    TRY(use_of(page, spec, &page->use));
    TRY(check_parts(page));
    tess_tile t = {.page = page,
                   .type = tess_cell_type_of_set(page->kernel->set),
                   .lanes = lanes_of(page, spec),
                   .sum = sum_of(spec)};
    tess_pair_slots *pairs = NULL;
    TRY(tess_reduction_variants_open(page, spec, options, &t.variants));
    const int64_t row_bytes =
        (t.variants.row_bytes + TESS_TILE_WORD - 1) / TESS_TILE_WORD * TESS_TILE_WORD;
    tess_page_code(page, NULL,
                   "INLINE int tile_lane(void) {\n    return lane() %% LANES;\n}\n\n"
                   "INLINE void tile_barrier(void) {\n"
                   "    warp_barrier(TILE_LANES << (lane() - tile_lane()));\n}\n\n");
    TRY(tess_table_order(page));
    TRY(tess_table_index_found(page, tess_find_of(spec, options), &pairs));
    const tess_status status = tess_tile_print(&t, pairs);
    free(pairs);
    TRY(status);
    if (t.type)
        tess_cell_edges_print(t.type, page);
    TRY(tess_tile_print_give_parts(&t));
    print_add_parts(&t);
    tess_page_print(page,
                    "#define LANES %d\n#define TILE_LANES 0x%llxu\n#define TILE_BYTES %lld\n"
                    "#define TILE_SHIFT %lld\n#define ROW_BYTES %lld\n",
                    t.lanes, (1ull << t.lanes) - 1, (long long)(t.words * TESS_TILE_WORD),
                    (long long)(t.shift * TESS_TILE_WORD), (long long)row_bytes);
    TRY(tess_table_launch_flat(page, "tiles", 0, page->plan->n_executed * t.lanes));
    if (page->n_launches > 0)
        page->launches[page->n_launches - 1].shared_bytes =
            page->threads * row_bytes + page->threads / t.lanes * t.words * TESS_TILE_WORD +
            (page->threads + TESS_WARP / 2) / TESS_WARP * t.shift * TESS_TILE_WORD;
    return TESS_OK;
}

const tess_strategy tess_strategy_tiles = {
    .name = "tiles",
    .summary = "several lanes share an element of a kernel in parts",
    .reference = "FUN3D 2021, sections II and III: CG tiles, edge and node parallel, sums in "
                 "shared memory",
    .options = options,
    .text = tess_tiles_text,
    .colourless = true,
    .tables_there = true,
    .prepare = prepare,
};
