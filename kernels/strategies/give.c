/* Giving: how the lanes of a warp put the increments of one slot together before they add them to
 * global memory; each slot in its own way. */
#include "kernels/strategies/give.h"

#include "core/mesh/cell_type.h"
#include "kernels/page/glue.h"
#include "kernels/text/embed.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_warp_sum_text, "text/warp_sum.h");

/* How the lanes put the increments of one slot together. */
typedef struct slot_way {
    const char *aggregate; /* "unsorted", "sorted" or "no" */
    const char *transpose; /* "shared", "shuffles" or "no" */
    int64_t row_bytes;     /* of shared memory a lane */
} slot_way;

/* The choice that a list makes for a slot. */
static const char *choice_of(const tess_spec *spec, const tess_option *options, const char *key,
                             const char *const *choices, int slot) {
    while (*choices && !tess_spec_item_is(spec, options, key, slot, *choices))
        choices++;
    return *choices;
}

static slot_way way_of(const tess_spec *spec, const tess_option *options, int slot) {
    static const char *const aggregates[] = {"no", "unsorted", "sorted", NULL};
    static const char *const transposes[] = {"no", "shared", "shuffles", NULL};
    return (slot_way){.aggregate = choice_of(spec, options, "aggregate", aggregates, slot),
                      .transpose = choice_of(spec, options, "transpose", transposes, slot)};
}

static int most_slots(const tess_page *page) {
    int most = 1;
    for (int r = 0; r < page->bound->n_targets; r++)
        if (page->bound->targets[r].incremented && page->bound->targets[r].n_slots > most)
            most = page->bound->targets[r].n_slots;
    return most;
}

/* No list has more items than the loop has slots. */
static tess_status check_list(const tess_page *page, const tess_spec *spec,
                              const tess_option *options, const char *key) {
    int n = 1;
    for (const char *c = tess_spec_text(spec, options, key); *c; c++)
        n += *c == '+';
    if (n > most_slots(page))
        FAIL(TESS_ERROR_USAGE, "%s=%s has %d items, but what loop %s increments has %d slot%s", key,
             tess_spec_text(spec, options, key), n, page->bound->loop->name, most_slots(page),
             most_slots(page) > 1 ? "s" : "");
    return TESS_OK;
}

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
static void print_give(tess_page *page, const slot_way *how, const tess_page_dat *dat) {
    if (strcmp(how->transpose, "shared") == 0)
        tess_page_code(
            page, dat,
            "        @type *values = (@type *)rows;\n"
            "        int *points = (int *)(rows + WARP * %d);\n"
            "        const int n = put_rows_@type(sum, @dim, point, values, %d, points);\n"
            "        UNROLL for (int d = 0; d < @dim; d++) {\n"
            "            const int v = d * WARP + lane();\n"
            "            if (v < n * @dim)\n"
            "                atomic_add(&p->@dat[@dat_at(load(&points[v / @dim]), v %% @dim)],\n"
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

/* Which of an element's increments it is, of how many. */
typedef struct increment {
    int n, n_all;
} increment;

/* Adds one increment of an element, whose values are in the array `from`: those of an arg, which
 * has all slots, or those that were made for this one. */
static void print_add_slot(tess_page *page, const tess_page_access *to, const slot_way *how,
                           const char *from, const increment *which) {
    tess_page_code(page, to->dat,
                   "    {\n        @type sum[@dim];\n"
                   "        int point = active ? e->@set_point[%d] : -1;\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            sum[d] = active ? (@type)%s[%d + d] : (@type)0;\n"
                   "        TURN(turn * %d + %d);\n",
                   to->slot, from, strncmp(from, "e->", 3) == 0 ? to->offset : 0, which->n_all,
                   which->n);
    if (strcmp(how->aggregate, "no") != 0)
        tess_page_code(page, to->dat, "        point = aggregate_%s_@type(sum, @dim, point);\n",
                       how->aggregate);
    print_give(page, how, to->dat);
    tess_page_code(page, NULL, "    }\n");
}

/* The ways of all slots. */
typedef struct ways {
    const tess_spec *spec;
    const tess_option *options;
    int64_t row_bytes;
} ways;

static slot_way way_to(const ways *w, const tess_page_access *to) {
    slot_way how = way_of(w->spec, w->options, to->slot);
    how.row_bytes = w->row_bytes;
    return how;
}

/* Adds all increments, which compute(&e) has left. */
static void print_add_all(tess_page *page, const ways *w, increment *which) {
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        const slot_way how = way_to(w, to);
        char from[32];
        if (to->access != TESS_INC)
            continue;
        snprintf(from, sizeof from, "e->arg%d", to->arg);
        print_add_slot(page, to, &how, from, which);
        which->n++;
    }
}

/* The access through slot k of what an arg adds. */
static const tess_page_access *access_of(const tess_page *page, int arg, int k) {
    const tess_page_access *to = page->accesses;
    while (to->arg != arg)
        to++;
    return to + k;
}

/* Makes and adds what one instance of a part adds: of a pair (i, j) of n slots the block. */
static void print_instance(tess_page *page, const ways *w, const tess_kernel_part *part,
                           int instance, increment *which) {
    const int n = tess_page_part_slots(page, part), i = instance / n, j = instance % n;
    tess_page_code(page, NULL, "    {\n");
    tess_glue_make(page, part, instance);
    for (int k = 0; k < part->n_adds; k++) {
        char from[32];
        const tess_page_access *to =
            part->each == TESS_PART_SLOT ? access_of(page, part->adds[k], instance)
            : i == j                     ? access_of(page, part->adds[k], i)
                     : access_of(page, part->adds[k] + 1, (n - 1) * i + j - (j > i));
        const slot_way how = way_to(w, to);
        snprintf(from, sizeof from, "made%d", k);
        print_add_slot(page, to, &how, from, which);
        which->n++;
    }
    tess_page_code(page, NULL, "    }\n");
}

/* Adds what an instance of a part made at slot k, `from` made0 as from "made". */
static void print_give_made(tess_page *page, const ways *w, const tess_kernel_part *part, int slot,
                            const char *from, increment *which) {
    for (int k = 0; k < part->n_adds; k++) {
        const tess_page_access *to = access_of(page, part->adds[k], slot);
        const slot_way how = way_to(w, to);
        char values[32];
        snprintf(values, sizeof values, "%s%d", from, k);
        print_add_slot(page, to, &how, values, which);
        which->n++;
    }
}

/* Each edge is made once and given to both ends. */
static void print_edges(tess_page *page, const ways *w, const tess_kernel_part *part,
                        increment *which) {
    const tess_cell_type *type = tess_cell_type_of_set(page->kernel->set);
    for (int e = 0; e < type->n_edges; e++) {
        tess_page_code(page, NULL, "    {\n");
        tess_glue_make(page, part, e);
        print_give_made(page, w, part, type->edge[e][0], "-made", which);
        print_give_made(page, w, part, type->edge[e][1], "made", which);
        tess_page_code(page, NULL, "    }\n");
    }
}

/* A slot's edges are made again for it, and their sum is given. */
static void print_slot_of_edges(tess_page *page, const ways *w, const tess_kernel_part *part,
                                int slot, increment *which) {
    const tess_cell_type *type = tess_cell_type_of_set(page->kernel->set);
    tess_page_code(page, NULL, "    {\n");
    for (int k = 0; k < part->n_adds; k++)
        tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                       "        @type total%d[@dim] = {0};\n", k);
    for (int e = 0; e < type->n_edges; e++) {
        if (type->edge[e][0] != slot && type->edge[e][1] != slot)
            continue;
        tess_page_code(page, NULL, "        {\n");
        tess_glue_make(page, part, e);
        for (int k = 0; k < part->n_adds; k++)
            tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            total%d[d] %s= made%d[d];\n",
                           k, type->edge[e][0] == slot ? "-" : "+", k);
        tess_page_code(page, NULL, "        }\n");
    }
    print_give_made(page, w, part, slot, "total", which);
    tess_page_code(page, NULL, "    }\n");
}

/* Makes and adds, one instance of a part after another. */
static void print_add_each(tess_page *page, const ways *w, increment *which) {
    const bool by_edges = tess_spec_is(w->spec, w->options, "by", "edges");
    for (int p = 0; p < page->kernel->n_parts; p++) {
        const tess_kernel_part *part = &page->kernel->parts[p];
        if (part->each == TESS_PART_ONCE)
            continue;
        const int n = tess_page_part_slots(page, part);
        if (part->each == TESS_PART_EDGE && by_edges)
            print_edges(page, w, part, which);
        else
            for (int k = 0; k < (part->each == TESS_PART_PAIR ? n * n : n); k++)
                if (part->each == TESS_PART_EDGE)
                    print_slot_of_edges(page, w, part, k, which);
                else
                    print_instance(page, w, part, k, which);
    }
}

tess_status tess_give_print(tess_page *page, const tess_spec *spec, const tess_option *options,
                            tess_giving *out) {
    increment which = {.n = 0};
    *out = (tess_giving){.together = false};
    TRY(check_list(page, spec, options, "aggregate"));
    TRY(check_list(page, spec, options, "transpose"));
    for (int slot = 0; slot < most_slots(page); slot++) {
        const slot_way how = way_of(spec, options, slot);
        out->together |= strcmp(how.aggregate, "no") != 0 || strcmp(how.transpose, "no") != 0;
        if (strcmp(how.transpose, "shared") == 0)
            out->row_bytes = row_bytes(page);
    }
    out->each = tess_spec_is(spec, options, "made", "each");
    out->together |= out->each;
    if (out->each && page->kernel->n_parts == 0)
        FAIL(TESS_ERROR_USAGE, "made=each is for kernels in parts: loop %s has none",
             page->bound->loop->name);
    print_warp_sum(page);
    for (int i = 0; i < page->n_accesses; i++) /* an edge gives twice, a prism has 1.5 a slot */
        which.n_all += page->accesses[i].access == TESS_INC ? (out->each ? 4 : 1) : 0;
    tess_page_code(page, NULL,
                   "/* Adds increments, the lanes of a warp together, one slot after another. */\n"
                   "INLINE void add_together(const struct params *p, %sstruct element *e, int "
                   "active, int turn, char *rows) {\n",
                   out->each ? "" : "const ");
    const ways w = {.spec = spec, .options = options, .row_bytes = out->row_bytes};
    if (out->each)
        print_add_each(page, &w, &which);
    else
        print_add_all(page, &w, &which);
    tess_page_code(
        page, NULL,
        "    TURN(0);\n    (void)p, (void)e, (void)active, (void)turn, (void)rows;\n}\n\n");
    return TESS_OK;
}
