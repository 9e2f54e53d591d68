/* The strategy tiles: several lanes share an element of a kernel in parts. */
#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "kernels/applications/kernel_parts.h"
#include "kernels/strategies/cell_edges.h"
#include "kernels/strategies/give.h"
#include "kernels/strategies/strategy.h"
#include "kernels/tables/tables.h"
#include "kernels/text/embed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_tiles_text, "strategies/tiles.cu");

enum { WARP = 32, WORD = 8 };

static const tess_option options[] = {
    TESS_CHOICE_OPTION("lanes", "auto", "auto|1|2|4|8|16|32",
                       "lanes of an element; auto: the fewest that are as many as its slots"),
    TESS_CHOICE_OPTION("by", "slots", "slots|edges",
                       "a lane makes what a slot (a row of a matrix) gets, or what an edge gives"),
    TESS_CHOICE_OPTION("sum", "global", "global|shared-atomics|serial|sets",
                       "of by=edges: each edge adds to global memory; or a cell's edges sum up in "
                       "shared memory first: by atomics, one edge after another, or one set of "
                       "edges without a common end after another"),
    TESS_LEAVE_OPTIONS,
    TESS_FIND_OPTION,
    TESS_REGISTERS_OPTION("0"),
    TESS_CARVEOUT_OPTION,
    {.key = NULL},
};

/* How the edges of a cell sum up. */
typedef enum edge_sum { SUM_GLOBAL, SUM_ATOMICS, SUM_SERIAL, SUM_SETS } edge_sum;

/* What is printed, of what. */
typedef struct tiles {
    tess_page *page;
    tess_give_ways ways;
    const tess_cell_type *type; /* NULL: the loop is over no cells */
    int lanes;
    edge_sum sum;
    int64_t words; /* of a tile, of 8 bytes */
} tiles;

static bool is_used(const tiles *t, const tess_kernel_part *part) {
    return tess_part_is_used(part, t->page->use);
}

/* True where edges of a part sum up in the tile. */
static bool sums_in_tile(const tiles *t, const tess_kernel_part *part) {
    return tess_part_is_of_edges(part) && (t->page->use & TESS_USE_EDGES) && t->sum != SUM_GLOBAL;
}

static const char *made_type(const tiles *t, const tess_kernel_part *part) {
    const char *made = part->made ? part->made : "real";
    return strcmp(made, "real") == 0 ? tess_page_real(t->page) : made;
}

/* --- what a tile holds ------------------------------------------------------------------------ */

/* An array of so many values, of whole words. */
static void print_member(tiles *t, const char *type, const char *name, int64_t n) {
    const int64_t size = strcmp(type, "double") == 0 ? 8 : 4, words = (n * size + WORD - 1) / WORD;
    tess_page_code(t->page, NULL, "    %s %s[%lld];\n", type, name,
                   (long long)(words * WORD / size));
    t->words += words;
}

/* The odd number of words keeps a warp's tiles in different banks. */
static void print_tile(tiles *t) {
    const tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    char name[32];
    tess_page_code(t->page, NULL, "/* What the lanes of an element share. */\nstruct tile {\n");
    for (int a = 0; a < kernel->n_args; a++)
        if (kernel->args[a].access == TESS_READ) {
            snprintf(name, sizeof name, "arg%d", a);
            print_member(t, tess_page_dat_of(page, a)->type, name, tess_page_local_size(page, a));
        }
    for (int b = 0; b < kernel->n_between; b++) {
        snprintf(name, sizeof name, "between%d", b);
        if (tess_parts_give(kernel, page->use, kernel->n_parts, b))
            print_member(t, tess_page_real(page), name, kernel->between[b].dim);
    }
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        for (int k = 0; k < part->n_adds && is_used(t, part) && sums_in_tile(t, part); k++) {
            const int dim = kernel->args[part->adds[k]].dim;
            snprintf(name, sizeof name, "sum%d_%d", p, k);
            print_member(t, made_type(t, part), name, dim * tess_page_part_slots(page, part));
            snprintf(name, sizeof name, "edge%d_%d", p, k);
            if (t->sum == SUM_SERIAL)
                print_member(t, made_type(t, part), name, dim * t->type->n_edges);
        }
    }
    if (t->words % 2 == 0)
        print_member(t, "double", "unused", 1);
    tess_page_code(t->page, NULL, "};\n\n");
}

/* Gives pair s of the element's points. */
static void print_found_slot(tess_page *page, const tess_page_dat *set,
                             const tess_pair_slots *pairs) {
    const char *points = page->sets[pairs->rows].name;
    tess_page_code(page, set,
                   "    const int row = s / %d, column = s %% %d + (s %% %d >= row);\n"
                   "    return @set_found(p, i, s, %s_slot(p, i, %d + row), "
                   "%s_slot(p, i, %d + column));\n",
                   pairs->n - 1, pairs->n - 1, pairs->n - 1, points, pairs->first, points,
                   pairs->first);
}

/* SET_slot(p, i, s): the point of slot s of the element stored at i; those of pairs, [n_targets]
 * with n > 0, come last. */
static void print_slots(const tiles *t, const tess_pair_slots *pairs) {
    tess_page *page = t->page;
    const long long stride = tess_store_stride(page->bound->n_elements);
    const int n_targets = page->bound->n_targets;
    for (int k = 0; k < 2 * n_targets; k++) {
        const int r = k % n_targets;
        const bool found = pairs[r].n > 0;
        const tess_page_dat set = tess_page_set_words(page, r);
        const bool wide = stride * page->bound->targets[r].n_slots > INT32_MAX;
        if (found != (k >= n_targets))
            continue;
        tess_page_code(page, &set,
                       "INLINE int @set_slot(const struct params *p, int i, int s) {\n");
        if (found)
            print_found_slot(page, &set, &pairs[r]);
        else if (page->store->maps_in_rows)
            tess_page_code(page, &set, "    return fetch(&p->@set_index[@set_index_at(i, s)]);\n");
        else
            tess_page_code(page, &set, "    return fetch(&p->@set_index[%ss * %lld + i]);\n",
                           wide ? "(long long)" : "", stride);
        tess_page_code(page, NULL, "}\n\n");
    }
}

/* Loads what an arg reads at its points. All lanes go through all turns, in the same code. */
static void print_load_points(const tiles *t, int a) {
    tess_page *page = t->page;
    const tess_page_access *first = tess_page_access_of(page, a, 0);
    const bool padded = page->sets[first->dat->target].padded;
    const int n = tess_page_local_size(page, a);
    tess_page_code(
        page, first->dat,
        "    UNROLL TURNS(all, 0, %d, LANES) {\n        const int v = all + tile_lane();\n"
        "        TURN(%d * WARP + all / LANES);\n"
        "        if (active && v < %d) {\n"
        "            const int point = @set_slot(p, i, %d + v / @dim);\n            "
        "store(&t->arg%d[v], %sfetch(&p->@dat[@dat_at(point, v %% @dim)]));\n"
        "        }\n    }\n",
        n, a, n, first->slot, a, padded ? "point < 0 ? (@type)0 : " : "");
}

static void print_load(const tiles *t) {
    tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    tess_page_code(page, NULL,
                   "INLINE void load_tile(const struct params *p, struct tile *t, int i, int "
                   "active) {\n");
    for (int a = 0; a < kernel->n_args; a++) {
        if (kernel->args[a].access != TESS_READ)
            continue;
        if (kernel->args[a].map)
            print_load_points(t, a);
        else
            tess_page_code(page, tess_page_dat_of(page, a),
                           "    TURNS(v, tile_lane(), active ? @dim : 0, LANES)\n"
                           "        store(&t->arg%d[v], fetch(&p->@dat[@dat_at(%s, v)]));\n",
                           a, kernel->args[a].set ? "i" : "0");
    }
    tess_page_code(page, NULL, "    TURN(0);\n    tile_barrier();\n    (void)p, (void)i;\n}\n\n");
}

/* --- parts that give -------------------------------------------------------------------------- */

/* Says what a part takes, for the emulator's checks. */
static void print_reads(const tiles *t, const tess_kernel_part *part) {
    for (int k = 0; k < part->n_takes; k++) {
        const int value = part->takes[k];
        tess_page_code(t->page, NULL, "        reads(t->%s%d, %d);\n",
                       value < 0 ? "between" : "arg", value < 0 ? ~value : value,
                       value < 0 ? t->page->kernel->between[~value].dim
                                 : tess_page_local_size(t->page, value));
    }
}

static const tess_part_words words = {
    .arg = "t->arg", .between = "t->between", .given = "given", .instance = "k"};

/* A part's instances, each by a lane. */
static void print_giving(const tiles *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    const int n = tess_part_instances(page->kernel, part, page->bound->mesh);
    tess_part_words call = words;
    if (part->each == TESS_PART_ONCE)
        call.instance = NULL;
    tess_page_code(page, NULL, "    TURNS(k, tile_lane(), active ? %d : 0, LANES) {\n", n);
    for (int g = 0; g < part->n_gives; g++)
        tess_page_code(page, NULL, "        real given%d[%d];\n", part->gives[g],
                       page->kernel->between[part->gives[g]].dim / n);
    print_reads(t, part);
    tess_page_code(page, NULL, "        ");
    tess_part_print_call(&page->functions, page->kernel, part, &call);
    for (int g = 0; g < part->n_gives; g++) {
        const int b = part->gives[g], share = page->kernel->between[b].dim / n;
        tess_page_code(page, NULL,
                       "        UNROLL for (int d = 0; d < %d; d++)\n"
                       "            store(&t->between%d[k * %d + d], given%d[d]);\n",
                       share, b, share, b);
    }
    tess_page_code(page, NULL, "    }\n");
}

/* True where a part takes what was given since the last barrier, which `fresh` marks. */
static bool takes_fresh(const tess_kernel_part *part, const bool *fresh) {
    for (int k = 0; k < part->n_takes; k++)
        if (part->takes[k] < 0 && fresh[~part->takes[k]])
            return true;
    return false;
}

static tess_status print_give_parts(const tiles *t) {
    tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    bool *fresh = NULL;
    TRY(TESS_ZEROS(kernel->n_between + 1, &fresh));
    tess_page_code(page, NULL, "INLINE void give_parts(struct tile *t, int active) {\n");
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        if (part->n_gives == 0 || !is_used(t, part))
            continue;
        if (takes_fresh(part, fresh)) {
            tess_page_code(page, NULL, "    tile_barrier();\n");
            memset(fresh, 0, (size_t)kernel->n_between);
        }
        print_giving(t, part);
        for (int g = 0; g < part->n_gives; g++)
            fresh[part->gives[g]] = true;
    }
    tess_page_code(page, NULL, "    tile_barrier();\n    (void)t, (void)active;\n}\n\n");
    free(fresh);
    return TESS_OK;
}

/* --- parts that add --------------------------------------------------------------------------- */

/* The values of an instance `k`, of lanes where `gives`. */
static void print_make(const tiles *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    tess_part_print_made(&page->functions, page->kernel, part);
    tess_page_code(page, NULL, "        if (gives) {\n");
    print_reads(t, part);
    tess_page_code(page, NULL, "            ");
    tess_part_print_call(&page->functions, page->kernel, part, &words);
    tess_page_code(page, NULL, "        }\n");
}

/* Gives `values`0 ... of a part to slot `row`, or to the block of `row` and `column`, of lanes
 * where `active`, in a `turn` of its own. */
static void print_gift(const tiles *t, const tess_kernel_part *part, bool others,
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
        tess_give_one(t->page, &t->ways,
                      &(tess_gift){.dat = to->dat,
                                   .slot = to->slot,
                                   .point = point,
                                   .values = from,
                                   .active = active,
                                   .turn = turn});
    }
}

/* The same where some lanes may give to the diagonal of a matrix, others beside it. */
static void print_mixed_gifts(const tiles *t, const tess_kernel_part *part, const char *values,
                              const char *turn) {
    if (!tess_part_is_of_matrix(part)) {
        print_gift(t, part, false, "gives", values, turn);
        return;
    }
    print_gift(t, part, false, "(gives && row == column)", values, turn);
    print_gift(t, part, true, "(gives && row != column)", values, turn);
}

static int turns_of(const tiles *t, int64_t n) {
    return (int)((n + t->lanes - 1) / t->lanes);
}

/* Opens the loop over turns: in each a lane has one of n rows, or a block of a row and a column. It
 * keeps its row where no lane is idle then; else blocks go round, first those of the diagonal. */
static void print_turns(const tiles *t, int n, int n_columns) {
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
static void print_rows(const tiles *t, const tess_kernel_part *part) {
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
                           made_type(t, part), k, k);
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
    print_gift(t, part, false, "gives", values, "turn");
    if (of_matrix) {
        tess_page_code(page, NULL, "        } else {\n");
        print_gift(t, part, true, "gives", values, "turn");
        tess_page_code(page, NULL, "        }\n");
    }
    tess_page_code(page, NULL, "        (void)column, (void)diagonal;\n    }\n");
}

/* An edge a lane; what it makes goes to its two ends, in `column` of a matrix. */
static void print_edges(const tiles *t, const tess_kernel_part *part) {
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
        print_mixed_gifts(t, part, end ? "made" : "-made", end ? "2 * turn + 1" : "2 * turn");
        tess_page_code(page, NULL, "        (void)row;\n        }\n");
    }
    tess_page_code(page, NULL, "        (void)column;\n    }\n");
}

/* What an edge made, into the tile's sums, its own lane's. */
static void print_sum_ends(const tiles *t, const tess_kernel_part *part, int p, const char *add) {
    for (int k = 0; k < part->n_adds; k++)
        for (int end = 0; end < 2; end++)
            tess_page_code(t->page, tess_page_dat_of(t->page, part->adds[k]),
                           "            UNROLL for (int d = 0; d < @dim; d++)\n"
                           "                %s(&t->sum%d_%d[edge_end(e, %d) * @dim + d], "
                           "%smade%d[d]);\n",
                           add, p, k, end, end ? "" : "-", k);
}

/* The edges of a cell to the tile's sums. */
static void print_sum_edges(const tiles *t, const tess_kernel_part *part, int p) {
    tess_page *page = t->page;
    if (t->sum == SUM_ATOMICS) {
        tess_page_code(page, NULL, "        if (gives) {\n");
        print_sum_ends(t, part, p, "atomic_add");
        tess_page_code(page, NULL, "        }\n");
    } else if (t->sum == SUM_SETS) {
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
static void print_serial(const tiles *t, const tess_kernel_part *part, int p) {
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
            made_type(t, part), p, k, p, k, p, k);
    tess_page_code(page, NULL, "        }\n");
}

/* What the slots got, a slot a lane. */
static void print_give_sums(const tiles *t, const tess_kernel_part *part, int p) {
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
                       made_type(t, part), k, k, p, k);
    print_mixed_gifts(t, part, "total", "turn");
    tess_page_code(page, NULL, "        (void)turn;\n        }\n");
}

/* Column after column the edges of a cell sum up in the tile, and slots give their sums. */
static void print_columns(const tiles *t, const tess_kernel_part *part, int p) {
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
    if (t->sum == SUM_SERIAL)
        print_serial(t, part, p);
    tess_page_code(page, NULL, "        tile_barrier();\n");
    print_give_sums(t, part, p);
    tess_page_code(page, NULL, "        tile_barrier();\n    }\n");
}

static void print_add_parts(const tiles *t) {
    tess_page *page = t->page;
    tess_page_code(page, NULL,
                   "INLINE void add_parts(const struct params *p, struct tile *t, int i, int "
                   "active, char *rows) {\n");
    for (int p = 0; p < page->kernel->n_parts; p++) {
        const tess_kernel_part *part = &page->kernel->parts[p];
        if (part->n_adds == 0 || !is_used(t, part))
            continue;
        if (sums_in_tile(t, part))
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
    while (lanes < tess_page_part_slots(page, &page->kernel->parts[p]) && lanes < WARP)
        lanes *= 2;
    return lanes;
}

static edge_sum sum_of(const tess_spec *spec) {
    static const char *const names[] = {"global", "shared-atomics", "serial", "sets"};
    int s = SUM_GLOBAL;
    while (!tess_spec_is(spec, options, "sum", names[s]))
        s++;
    return (edge_sum)s;
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    const bool by_edges = tess_spec_is(spec, options, "by", "edges");
    page->use = TESS_USE_LANES | (by_edges ? TESS_USE_EDGES : TESS_USE_SLOTS);
    TRY(check_parts(page));
    tiles t = {.page = page,
               .type = tess_cell_type_of_set(page->kernel->set),
               .lanes = lanes_of(page, spec),
               .sum = sum_of(spec)};
    tess_pair_slots *pairs = NULL;
    TRY(tess_give_ways_open(page, spec, options, &t.ways));
    const int64_t row_bytes = (t.ways.row_bytes + WORD - 1) / WORD * WORD;
    tess_table_registers(page, tess_spec_int(spec, options, "registers"));
    page->carveout = (int)tess_spec_int(spec, options, "carveout");
    tess_page_code(page, NULL,
                   "INLINE int tile_lane(void) {\n    return lane() %% LANES;\n}\n\n"
                   "INLINE void tile_barrier(void) {\n"
                   "    warp_barrier(TILE_LANES << (lane() - tile_lane()));\n}\n\n");
    TRY(tess_table_order(page));
    TRY(tess_table_index_found(page, tess_find_of(spec, options), &pairs));
    print_tile(&t);
    print_slots(&t, pairs);
    free(pairs);
    print_load(&t);
    if (t.type)
        tess_cell_edges_print(t.type, page);
    TRY(print_give_parts(&t));
    print_add_parts(&t);
    tess_page_print(page,
                    "#define LANES %d\n#define TILE_LANES 0x%llxu\n#define TILE_BYTES %lld\n"
                    "#define ROW_BYTES %lld\n",
                    t.lanes, (1ull << t.lanes) - 1, (long long)(t.words * WORD),
                    (long long)row_bytes);
    TRY(tess_table_launch_flat(page, "tiles", 0, page->plan->n_executed * t.lanes));
    if (page->n_launches > 0)
        page->launches[page->n_launches - 1].shared_bytes =
            page->threads * row_bytes + page->threads / t.lanes * t.words * WORD;
    return TESS_OK;
}

const tess_strategy tess_strategy_tiles = {
    .name = "tiles",
    .summary = "several lanes share an element of a kernel in parts",
    .reference = "FUN3D 2021, sections II and III: CG tiles, edge and node parallel, sums in "
                 "shared memory",
    .options = options,
    .text = tess_tiles_text,
    .prepare = prepare,
};
