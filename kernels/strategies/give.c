/* Giving: how the lanes of a warp put the increments of one slot together before they add them to
 * global memory; each slot in its own way. */
#include "kernels/strategies/give.h"

#include "kernels/applications/kernel_parts.h"
#include "kernels/page/made.h"
#include "kernels/text/embed.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_warp_sum_text, "text/warp_sum.h");

enum { WARP = 32 };

/* How the lanes put the increments of one slot together. */
typedef struct slot_way {
    const char *aggregate; /* "unsorted", "sorted" or "no" */
    const char *transpose; /* "shared", "shuffles", "groups" or "no" */
    bool vectors;          /* four floats are added at once, where they may */
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
    static const char *const transposes[] = {"no", "shared", "shuffles", "groups", NULL};
    return (slot_way){.aggregate = choice_of(spec, options, "aggregate", aggregates, slot),
                      .transpose = choice_of(spec, options, "transpose", transposes, slot),
                      .vectors = tess_spec_is(spec, options, "adds", "vectors")};
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

/* How often four floats of a point's row, from the first on, lie in 16 bytes of their own: the last
 * may be partly what pads the row. */
static int quads_of(const tess_page_dat *dat) {
    const int first = tess_kernel_arg_component(dat->view, 0);
    int n = 0;
    if (!dat->aos || strcmp(dat->type, "float") != 0 || dat->row % 4 != 0 || first % 4 != 0)
        return 0;
    while (n < dat->dim && tess_kernel_arg_component(dat->view, n) == first + n)
        n++;
    return dat->dim == dat->stored->dat->dim ? (n + 3) / 4 : n / 4;
}

/* What a slot's way asks of each dat that is added to through it. */
static tess_status check_dats(const tess_page *page, const tess_spec *spec,
                              const tess_option *options) {
    const bool vectors = tess_spec_is(spec, options, "adds", "vectors");
    int n_quads = 0;
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        const slot_way how = way_of(spec, options, to->slot);
        const int dim = to->dat->dim;
        if (to->access != TESS_INC)
            continue;
        if (strcmp(how.transpose, "groups") == 0 && (dim > WARP || (dim & (dim - 1))))
            FAIL(TESS_ERROR_USAGE,
                 "transpose=groups turns 1, 2, 4, 8, 16 or 32 values of a point, and '%s' of loop "
                 "%s has %d: take shuffles",
                 page->bound->loop->args[to->arg].dat, page->bound->loop->name, dim);
        if (vectors && strncmp(how.transpose, "no", 2) != 0 && strcmp(how.transpose, "shared") != 0)
            FAIL(TESS_ERROR_USAGE, "adds=vectors goes with transpose=no and shared, not %s",
                 how.transpose);
        n_quads += quads_of(to->dat);
    }
    if (vectors && n_quads == 0)
        FAIL(TESS_ERROR_USAGE,
             "adds=vectors is for floats in aos, a multiple of four of a point: loop %s adds to "
             "none (GPUs add vectors of floats alone)",
             page->bound->loop->name);
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

static slot_way way_to(const tess_give_ways *w, int slot) {
    slot_way how = way_of(w->spec, w->options, slot);
    how.row_bytes = w->row_bytes;
    return how;
}

/* The rows of a warp, `quads` times four values at once, then one by one: each by a lane. */
static void print_give_quads(tess_page *page, const slot_way *how, const tess_page_dat *dat,
                             int quads) {
    const int alone = dat->dim > 4 * quads ? dat->dim - 4 * quads : 0, n = quads + alone;
    const int width = dat->dim | 1;
    tess_page_code(page, dat,
                   "        @type *values = (@type *)rows;\n"
                   "        int *points = (int *)(rows + WARP * %d);\n"
                   "        const int n = put_rows_@type(sum, @dim, point, values, %d, points);\n"
                   "        UNROLL for (int t = 0; t < %d; t++) {\n"
                   "            const int v = t * WARP + lane(), row = v / %d, item = v %% %d;\n"
                   "            const int d = item < %d ? 4 * item : item + %d;\n"
                   "            if (v < n * %d && item < %d) {\n"
                   "                @type four[4];\n"
                   "                UNROLL for (int c = 0; c < 4; c++)\n"
                   "                    four[c] = d + c < @dim ? load(&values[row * %d + d + c]) "
                   ": 0;\n"
                   "                atomic_add4(&p->@dat[@dat_at(load(&points[row]), d)], four);\n",
                   (int)how->row_bytes - (int)sizeof(int32_t), width, n, n, n, quads, 3 * quads, n,
                   quads, width);
    if (alone > 0)
        tess_page_code(page, dat,
                       "            } else if (v < n * %d) {\n"
                       "                atomic_add(&p->@dat[@dat_at(load(&points[row]), d)],\n"
                       "                           load(&values[row * %d + d]));\n",
                       n, width);
    tess_page_code(page, NULL, "            }\n        }\n");
}

/* The lane's own. */
static void print_give_alone(tess_page *page, const tess_page_dat *dat, int quads) {
    tess_page_code(page, NULL, "        if (point >= 0)%s\n", quads > 0 ? " {" : "");
    for (int q = 0; q < quads; q++)
        if (4 * q + 4 <= dat->dim)
            tess_page_code(page, dat,
                           "            atomic_add4(&p->@dat[@dat_at(point, %d)], &sum[%d]);\n",
                           4 * q, 4 * q);
        else
            tess_page_code(page, dat,
                           "            @type last[4];\n"
                           "            UNROLL for (int c = 0; c < 4; c++)\n"
                           "                last[c] = %d + c < @dim ? sum[(%d + c) %% @dim] : 0;\n"
                           "            atomic_add4(&p->@dat[@dat_at(point, %d)], last);\n",
                           4 * q, 4 * q, 4 * q);
    if (4 * quads < dat->dim)
        tess_page_code(page, dat,
                       "            UNROLL for (int d = %d; d < @dim; d++)\n"
                       "                atomic_add(&p->@dat[@dat_at(point, d)], sum[d]);\n",
                       4 * quads);
    if (quads > 0)
        tess_page_code(page, NULL, "        }\n");
}

/* Adds what a lane has of one slot, `sum` of `point`, with the others of its warp. */
static void print_give(tess_page *page, const slot_way *how, const tess_page_dat *dat) {
    const int quads = how->vectors ? quads_of(dat) : 0;
    if (strcmp(how->transpose, "shared") == 0 && quads > 0)
        print_give_quads(page, how, dat, quads);
    else if (strcmp(how->transpose, "shared") == 0)
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
    else if (strcmp(how->transpose, "groups") == 0)
        tess_page_code(
            page, dat,
            "        swap_@type(sum, @dim);\n"
            "        UNROLL for (int t = 0; t < @dim; t++) {\n"
            "            const int whose = shuffle(ALL_LANES, point, lane() / @dim * @dim + t);\n"
            "            if (whose >= 0)\n"
            "                atomic_add(&p->@dat[@dat_at(whose, lane() %% @dim)], sum[t]);\n"
            "        }\n");
    else
        print_give_alone(page, dat, quads);
}

/* Which of an element's increments it is, of how many. */
typedef struct increment {
    int n, n_all;
} increment;

void tess_give_one(tess_page *page, const tess_give_ways *ways, const tess_gift *gift) {
    const slot_way how = way_to(ways, gift->slot);
    tess_page_code(page, gift->dat,
                   "    {\n        @type sum[@dim];\n        TURN(%s);\n"
                   "        int point = %s ? %s : -1;\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            sum[d] = %s ? (@type)%s[%d + d] : (@type)0;\n",
                   gift->turn, gift->active, gift->point, gift->active, gift->values, gift->first);
    if (strcmp(how.aggregate, "no") != 0)
        tess_page_code(page, gift->dat, "        point = aggregate_%s_@type(sum, @dim, point);\n",
                       how.aggregate);
    print_give(page, &how, gift->dat);
    tess_page_code(page, NULL, "    }\n");
}

/* Adds one increment of an element, whose values are in the array `from`: those of an arg, which
 * has all slots, or those that were made for this one. */
static void print_add_slot(tess_page *page, const tess_give_ways *w, const tess_page_access *to,
                           const char *from, increment *which) {
    char point[2 * TESS_NAME_SIZE], turn[48];
    snprintf(point, sizeof point, "e->%s_point[%d]", to->dat->set, to->slot);
    snprintf(turn, sizeof turn, "turn * %d + %d", which->n_all, which->n++);
    tess_give_one(page, w,
                  &(tess_gift){.dat = to->dat,
                               .slot = to->slot,
                               .point = point,
                               .values = from,
                               .first = strncmp(from, "e->", 3) == 0 ? to->offset : 0,
                               .active = "active",
                               .turn = turn});
}

/* Adds all increments, which compute(&e) has left. */
static void print_add_all(tess_page *page, const tess_give_ways *w, increment *which) {
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        char from[32];
        if (to->access != TESS_INC)
            continue;
        snprintf(from, sizeof from, "e->arg%d", to->arg);
        print_add_slot(page, w, to, from, which);
    }
}

/* Adds increments that instances of parts make, by the ways of an element's. */
typedef struct made_ways {
    const tess_give_ways *ways;
    increment *which;
} made_ways;

static void print_add_made(tess_page *page, void *context, const tess_page_access *to,
                           const char *values) {
    const made_ways *made = context;
    print_add_slot(page, made->ways, to, values, made->which);
}

tess_status tess_give_ways_open(tess_page *page, const tess_spec *spec, const tess_option *options,
                                tess_give_ways *out) {
    *out = (tess_give_ways){.spec = spec, .options = options};
    TRY(check_list(page, spec, options, "aggregate"));
    TRY(check_list(page, spec, options, "transpose"));
    TRY(check_dats(page, spec, options));
    for (int slot = 0; slot < most_slots(page); slot++) {
        const slot_way how = way_of(spec, options, slot);
        out->together |=
            strcmp(how.aggregate, "no") != 0 || strcmp(how.transpose, "no") != 0 || how.vectors;
        if (strcmp(how.transpose, "shared") == 0)
            out->row_bytes = row_bytes(page);
    }
    print_warp_sum(page);
    return TESS_OK;
}

tess_status tess_give_print(tess_page *page, const tess_spec *spec, const tess_option *options,
                            tess_giving *out) {
    increment which = {.n = 0};
    tess_give_ways w;
    const bool by_edges = tess_spec_is(spec, options, "by", "edges");
    page->use = TESS_USE_THREAD | (by_edges ? TESS_USE_EDGES : TESS_USE_SLOTS);
    TRY(tess_give_ways_open(page, spec, options, &w));
    const bool each = tess_spec_is(spec, options, "made", "each");
    *out = (tess_giving){.together = w.together || each, .each = each, .row_bytes = w.row_bytes};
    if (each)
        TRY(tess_parts_check_separate(page->kernel, page->use, "made=each"));
    for (int i = 0; i < page->n_accesses; i++) /* an edge gives twice, a prism has 1.5 a slot */
        which.n_all += page->accesses[i].access == TESS_INC ? (each ? 4 : 1) : 0;
    tess_page_code(page, NULL,
                   "/* Adds increments, the lanes of a warp together, one slot after another. */\n"
                   "INLINE void add_together(const struct params *p, %sstruct element *e, int "
                   "active, int turn, char *rows) {\n",
                   each ? "" : "const ");
    if (each)
        tess_made_print(
            page, &(tess_made_sink){.add = print_add_made, .context = &(made_ways){&w, &which}});
    else
        print_add_all(page, &w, &which);
    tess_page_code(
        page, NULL,
        "    TURN(0);\n    (void)p, (void)e, (void)active, (void)turn, (void)rows;\n}\n\n");
    return TESS_OK;
}
