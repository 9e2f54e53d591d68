/* Giving: how the lanes of a warp put the increments of one slot together before they add them to
 * global memory; each slot in its own way. */
#include "kernels/codegen/warp_reduction.h"

#include "kernels/codegen/made.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_parts.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_warp_sum_text, "kernels/codegen/warp_sum.h");

/* Bytes that are added, or go to shared memory, at once. */
enum { PIECE = 16 };

/* How the lanes put the increments of one slot together. */
typedef struct slot_variant {
    const char *aggregate; /* "unsorted", "sorted", "shared" or "no" */
    const char *transpose; /* "shared", "shuffles", "groups" or "no" */
    bool vectors;          /* four floats are added at once, where they may */
    bool runs;             /* a row of doubles is, where it may */
} slot_variant;

/* The choice that a list makes for a slot. */
static const char *choice_of(const tess_spec *spec, const tess_option *options, const char *key,
                             const char *const *choices, int slot) {
    while (*choices && !tess_spec_item_is(spec, options, key, slot, *choices))
        choices++;
    return *choices;
}

static slot_variant variant_of(const tess_spec *spec, const tess_option *options, int slot) {
    static const char *const aggregates[] = {"no", "unsorted", "sorted", "shared", NULL};
    static const char *const transposes[] = {"no", "shared", "shuffles", "groups", NULL};
    return (slot_variant){.aggregate = choice_of(spec, options, "aggregate", aggregates, slot),
                          .transpose = choice_of(spec, options, "transpose", transposes, slot),
                          .vectors = !tess_spec_is(spec, options, "adds", "values"),
                          .runs = tess_spec_is(spec, options, "adds", "widest")};
}

static bool sums_in_shared(const slot_variant *how) {
    return strcmp(how->aggregate, "shared") == 0;
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

/* Values of a point's row of doubles that are added at once: whole pieces of 16 bytes that hold the
 * dat's, with zeros for the others. */
typedef struct run {
    int first, n; /* n 0: they may not be */
} run;

static run run_of(const tess_page_dat *dat) {
    const int begin = tess_kernel_arg_component(dat->view, 0), piece = PIECE / dat->size;
    const int first = begin / piece * piece, end = begin + dat->dim;
    if (!dat->aos || strcmp(dat->type, "double") != 0 || dat->row % piece != 0)
        return (run){0, 0};
    for (int d = 1; d < dat->dim; d++)
        if (tess_kernel_arg_component(dat->view, d) != begin + d)
            return (run){0, 0};
    return (run){first, (end + piece - 1) / piece * piece - first};
}

/* Runs are added at once by GPUs of compute capability 9.0 and later. */
static tess_status check_device(const tess_page *page) {
    enum { LEAST = 90 };
    const tess_store *store = page->store;
    const int capability =
        store->device->facts ? store->device->facts(store->target).capability : 0;
    if (capability > 0 && capability < LEAST)
        FAIL(TESS_ERROR_USAGE,
             "adds=widest needs a GPU of compute capability 9.0, and this one has %d.%d: take "
             "adds=vectors or values",
             capability / 10, capability % 10);
    return TESS_OK;
}

/* What adds=vectors and adds=widest ask of the loop, of whose dats so many are added to at once. */
static tess_status check_adds(const tess_page *page, const slot_variant *how, int n_quads,
                              int n_runs) {
    if (how->runs)
        TRY(check_device(page));
    if (how->runs && n_quads + n_runs == 0)
        FAIL(TESS_ERROR_USAGE,
             "adds=widest is for doubles in aos whose points have 16, 32 ... bytes each, and for "
             "floats there, a multiple of four of a point: loop %s adds to none; take layout aos16",
             page->bound->loop->name);
    if (how->vectors && !how->runs && n_quads == 0)
        FAIL(TESS_ERROR_USAGE,
             "adds=vectors is for floats in aos, a multiple of four of a point: loop %s adds to "
             "none (GPUs add vectors of floats alone)",
             page->bound->loop->name);
    return TESS_OK;
}

/* What a slot's way asks of each dat that is added to through it. */
static tess_status check_dats(const tess_page *page, const tess_spec *spec,
                              const tess_option *options) {
    int n_quads = 0, n_runs = 0;
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        const slot_variant how = variant_of(spec, options, to->slot);
        const bool shared = strcmp(how.transpose, "shared") == 0;
        const int dim = to->dat->dim;
        if (to->access != TESS_INC)
            continue;
        if (strcmp(how.transpose, "groups") == 0 && (dim > TESS_WARP || (dim & (dim - 1))))
            FAIL(TESS_ERROR_USAGE,
                 "transpose=groups turns 1, 2, 4, 8, 16 or 32 values of a point, and '%s' of loop "
                 "%s has %d: take shuffles",
                 page->bound->loop->args[to->arg].dat, page->bound->loop->name, dim);
        if (how.vectors && strcmp(how.transpose, "no") != 0 && !shared)
            FAIL(TESS_ERROR_USAGE, "adds=%s goes with transpose=no and shared, not %s",
                 how.runs ? "widest" : "vectors", how.transpose);
        if (sums_in_shared(&how) && !shared)
            FAIL(TESS_ERROR_USAGE, "aggregate=shared goes with transpose=shared, not %s",
                 how.transpose);
        n_quads += quads_of(to->dat);
        n_runs += run_of(to->dat).n > 0;
    }
    const slot_variant any = variant_of(spec, options, 0);
    return check_adds(page, &any, n_quads, n_runs);
}

/* How a dat's rows travel through shared memory: values of a row that go together, those of a row,
 * and those from one lane's row to the next's. */
typedef struct travel {
    int piece, n, width;
} travel;

static travel travel_of(const slot_variant *how, const tess_page_dat *dat) {
    const int quads = how->vectors ? quads_of(dat) : 0;
    travel t = {1, dat->dim, 0};
    if (how->runs && run_of(dat).n > 0)
        t = (travel){PIECE / dat->size, run_of(dat).n, 0};
    else if (sums_in_shared(how) && 4 * quads >= dat->dim)
        t = (travel){4, 4 * quads, 0};
    t.width = t.piece * (t.n / t.piece | 1); /* odd: lanes fall into different banks */
    return t;
}

/* Bytes of shared memory that a lane needs for a row of any dat that is incremented through a slot:
 * of those that are added as runs, or of the others. */
static int64_t most_bytes(const tess_page *page, const slot_variant *how, bool runs) {
    int64_t most = 0;
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        const int64_t bytes = travel_of(how, dat).width * (int64_t)dat->size;
        if (dat->summed && (how->runs && run_of(dat).n > 0) == runs && bytes > most)
            most = bytes;
    }
    return (most + 7) / 8 * 8;
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

/* The rows of a warp, `quads` times four values at once, then one by one: each by a lane. */
static void print_give_quads(tess_page *page, const tess_reduction_variants *variants,
                             const tess_page_dat *dat, int quads) {
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
                   (int)variants->lists, width, n, n, n, quads, 3 * quads, n, quads, width);
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

/* Declares the lane's row as it travels: its values behind those before them, zeros for the rest.
 */
static void print_whole_row(tess_page *page, const tess_page_dat *dat, int begin, int n) {
    tess_page_code(page, dat,
                   "        @type whole[%d];\n"
                   "        UNROLL for (int d = 0; d < %d; d++)\n"
                   "            whole[d] = d >= %d && d < %d + @dim ? sum[(d + @dim - %d) %% @dim] "
                   ": (@type)0;\n",
                   n, n, begin, begin, begin);
}

/* Values of a point's row before the dat's in what is added at once. */
static int begin_of(const tess_page_dat *dat) {
    return tess_kernel_arg_component(dat->view, 0) - run_of(dat).first;
}

/* The lane's own as a run, by way of its position in shared memory. */
static void print_give_run(tess_page *page, const tess_reduction_variants *variants,
                           const tess_page_dat *dat) {
    const run at_once = run_of(dat);
    print_whole_row(page, dat, begin_of(dat), at_once.n);
    tess_page_code(page, dat,
                   "        async_add_wait();\n"
                   "        if (point >= 0) {\n"
                   "            @type *row = (@type *)(rows + WARP * %d) + lane() * %d;\n"
                   "            store_run(row, whole, %d);\n"
                   "            async_add_run(&p->@dat[@dat_at(point, 0)] - %d, row, %d);\n"
                   "        }\n",
                   (int)variants->turned_bytes, (int)variants->run_bytes / dat->size, at_once.n,
                   begin_of(dat), at_once.n);
}

/* What is done with a piece of a point's sum, `total`, from value d on. */
static void print_leave(tess_page *page, const tess_page_dat *dat, const travel *t, bool is_run) {
    if (is_run)
        tess_page_code(page, dat,
                       "                store_run(&values[lowest_lane(lanes) * %d + d], "
                       "total, %d);\n",
                       t->width, t->piece);
    else if (t->piece > 1)
        tess_page_code(page, dat,
                       "                atomic_add4(&p->@dat[@dat_at(load(&lists[row]), "
                       "d)], total);\n");
    else
        tess_page_code(page, dat,
                       "                atomic_add(&p->@dat[@dat_at(load(&lists[row]), "
                       "d)], total[0]);\n");
}

/* Rows that are summed on their way through shared memory: a lane adds up a piece of a row of all
 * lanes that have the point. A run goes back to its first lane's place, which then adds it. */
static void print_give_summed(tess_page *page, const tess_reduction_variants *variants,
                              const slot_variant *how, const tess_page_dat *dat) {
    travel t = travel_of(how, dat);
    const bool is_run = how->runs && run_of(dat).n > 0;
    if (is_run)
        t.width = (int)variants->run_bytes / dat->size;
    const int n_pieces = t.n / t.piece;
    print_whole_row(page, dat, is_run ? begin_of(dat) : 0, t.n);
    if (is_run)
        tess_page_code(page, NULL, "        async_add_wait();\n");
    tess_page_code(
        page, dat,
        "        @type *values = (@type *)(rows + WARP * %d);\n"
        "        int *lists = (int *)(rows + WARP * %d);\n"
        "        const unsigned mine = put_members_@type(whole, %d, point, values, %d, lists);\n"
        "        const int n = count_lanes(ballot(ALL_LANES, mine != 0));\n"
        "        %s for (int t = 0; t < %d; t++) {\n"
        "            const int v = t * WARP + lane(), row = v / %d, d = v %% %d * %d;\n"
        "            const unsigned lanes = v < n * %d ? (unsigned)load(&lists[WARP + row]) : 0;\n"
        "            if (%s) {\n"
        "                @type total[4];\n"
        "                sum_members_@type(values + d, %d, lanes, %d, total);\n",
        is_run ? (int)variants->turned_bytes : 0, (int)variants->lists, t.n, t.width,
        is_run ? "ONE_BY_ONE" : "UNROLL", n_pieces, n_pieces, n_pieces, t.piece, n_pieces,
        is_run ? "lanes & (lanes - 1)" : "lanes", t.width, t.piece);
    print_leave(page, dat, &t, is_run);
    tess_page_code(page, NULL, "            }\n        }\n");
    if (is_run)
        tess_page_code(page, dat,
                       "        async_publish();\n"
                       "        warp_barrier(ALL_LANES);\n"
                       "        if (mine)\n"
                       "            async_add_run(&p->@dat[@dat_at(point, 0)] - %d, &values[lane() "
                       "* %d], %d);\n",
                       begin_of(dat), t.width, t.n);
}

/* Adds what a lane has of one slot, `sum` of `point`, with the others of its warp. */
static void print_give(tess_page *page, const tess_reduction_variants *variants,
                       const slot_variant *how, const tess_page_dat *dat) {
    const int quads = how->vectors ? quads_of(dat) : 0;
    if (sums_in_shared(how))
        print_give_summed(page, variants, how, dat);
    else if (how->runs && run_of(dat).n > 0)
        print_give_run(page, variants, dat);
    else if (strcmp(how->transpose, "shared") == 0 && quads > 0)
        print_give_quads(page, variants, dat, quads);
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
            (int)variants->lists, dat->dim | 1, dat->dim | 1);
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

void tess_give_one(tess_page *page, const tess_reduction_variants *variants,
                   const tess_scatter *scatter) {
    const slot_variant how = variant_of(variants->spec, variants->options, scatter->slot);
    tess_page_code(page, scatter->dat,
                   "    {\n        @type sum[@dim];\n        TURN(%s);\n"
                   "        int point = %s ? %s : -1;\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            sum[d] = %s ? (@type)%s[%d + d] : (@type)0;\n",
                   scatter->turn, scatter->active, scatter->point, scatter->active, scatter->values,
                   scatter->first);
    if (strcmp(how.aggregate, "no") != 0 && !sums_in_shared(&how))
        tess_page_code(page, scatter->dat,
                       "        point = aggregate_%s_@type(sum, @dim, point);\n", how.aggregate);
    print_give(page, variants, &how, scatter->dat);
    tess_page_code(page, NULL, "    }\n");
}

/* Adds one increment of an element, whose values are in the array `from`: those of an arg, which
 * has all slots, or those that were made for this one. */
static void print_add_slot(tess_page *page, const tess_reduction_variants *w,
                           const tess_page_access *to, const char *from, increment *which) {
    char point[2 * TESS_NAME_SIZE], turn[48];
    snprintf(point, sizeof point, "e->%s_point[%d]", to->dat->set, to->slot);
    snprintf(turn, sizeof turn, "turn * %d + %d", which->n_all, which->n++);
    tess_give_one(page, w,
                  &(tess_scatter){.dat = to->dat,
                                  .slot = to->slot,
                                  .point = point,
                                  .values = from,
                                  .first = strncmp(from, "e->", 3) == 0 ? to->offset : 0,
                                  .active = "active",
                                  .turn = turn});
}

/* Adds all increments, which compute(&e) has left. */
static void print_add_all(tess_page *page, const tess_reduction_variants *w, increment *which) {
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
typedef struct made_variants {
    const tess_reduction_variants *variants;
    increment *which;
} made_variants;

static void print_add_made(tess_page *page, void *context, const tess_page_access *to,
                           const char *values) {
    const made_variants *made = context;
    print_add_slot(page, made->variants, to, values, made->which);
}

tess_status tess_reduction_variants_open(tess_page *page, const tess_spec *spec,
                                         const tess_option *options, tess_reduction_variants *out) {
    *out = (tess_reduction_variants){.spec = spec, .options = options};
    TRY(check_list(page, spec, options, "aggregate"));
    TRY(check_list(page, spec, options, "transpose"));
    TRY(check_dats(page, spec, options));
    int64_t after = 0;
    for (int slot = 0; slot < most_slots(page); slot++) {
        const slot_variant how = variant_of(spec, options, slot);
        const int64_t turned = most_bytes(page, &how, false);
        out->together |=
            strcmp(how.aggregate, "no") != 0 || strcmp(how.transpose, "no") != 0 || how.vectors;
        if (how.runs)
            out->run_bytes = most_bytes(page, &how, true);
        if (strcmp(how.transpose, "shared") != 0)
            continue;
        const int64_t lists = (sums_in_shared(&how) ? 2 : 1) * (int64_t)sizeof(int32_t);
        out->lists = turned > out->lists ? turned : out->lists;
        after = lists > after ? lists : after;
    }
    out->turned_bytes = out->lists + after;
    tess_page_print(page, "INLINE void wait_given(void) {%s}\n\n",
                    out->run_bytes > 0 ? "\n    async_add_wait();\n" : "");
    out->row_bytes = out->turned_bytes + out->run_bytes;
    print_warp_sum(page);
    return TESS_OK;
}

tess_status tess_give_print(tess_page *page, const tess_spec *spec, const tess_option *options,
                            tess_warp_reduction *out) {
    increment which = {.n = 0};
    tess_reduction_variants w;
    const bool by_edges = tess_spec_is(spec, options, "by", "edges");
    page->use = TESS_USE_THREAD | (by_edges ? TESS_USE_EDGES : TESS_USE_SLOTS);
    TRY(tess_reduction_variants_open(page, spec, options, &w));
    const bool each = tess_spec_is(spec, options, "made", "per-part");
    *out = (tess_warp_reduction){
        .together = w.together || each, .each = each, .row_bytes = w.row_bytes};
    if (each)
        TRY(tess_parts_check_separate(page->kernel, page->use, "made=per-part"));
    for (int i = 0; i < page->n_accesses; i++) /* an edge gives twice, a prism has 1.5 a slot */
        which.n_all += page->accesses[i].access == TESS_INC ? (each ? 4 : 1) : 0;
    tess_page_code(page, NULL,
                   "/* Adds increments, the lanes of a warp together, one slot after another. */\n"
                   "INLINE void add_together(const struct params *p, %sstruct element *e, int "
                   "active, int turn, char *rows) {\n",
                   each ? "" : "const ");
    if (each)
        tess_made_print(page, &(tess_made_sink){.add = print_add_made,
                                                .context = &(made_variants){&w, &which}});
    else
        print_add_all(page, &w, &which);
    tess_page_code(
        page, NULL,
        "    TURN(0);\n    (void)p, (void)e, (void)active, (void)turn, (void)rows;\n}\n\n");
    return TESS_OK;
}
