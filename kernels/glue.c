/* The glue: the page between a strategy's text and a user kernel, generated from the loop. */
#include "kernels/glue.h"

#include "core/array.h"
#include "kernels/embed.h"
#include "kernels/strategy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_staging_text, "staging.h");
TESS_EMBED(tess_block_sum_text, "block_sum.h");

enum { SYMBOL = 2 * TESS_NAME_SIZE };

/* What the page calls a dat: cells_q, global_rms. */
static void symbol_of(const tess_arg *arg, char symbol[SYMBOL]) {
    snprintf(symbol, SYMBOL, "%s_%s", arg->set[0] ? arg->set : "global", arg->dat);
}

static bool same_dat(const tess_arg *a, const tess_arg *b) {
    return strcmp(a->dat, b->dat) == 0 && strcmp(a->set, b->set) == 0;
}

static bool is_global(const tess_arg *arg) {
    return arg->set[0] == '\0';
}

/* True when an earlier arg names the same dat. */
static bool named_before(const tess_loop *loop, int a) {
    for (int b = 0; b < a; b++)
        if (same_dat(&loop->args[a], &loop->args[b]))
            return true;
    return false;
}

/* True when some arg of the loop writes the dat: it cannot be fetched. */
static bool written(const tess_loop *loop, const tess_arg *arg) {
    for (int b = 0; b < loop->n_args; b++)
        if (loop->args[b].access != TESS_READ && same_dat(arg, &loop->args[b]))
            return true;
    return false;
}

static const tess_map *map_of(const tess_execution *x, const tess_arg *arg) {
    return tess_mesh_find_map(x->bound->mesh, arg->map);
}

/* The reach and its slot that slot `k` of an arg's map is. */
static void reach_slot(const tess_execution *x, const tess_arg *arg, int k, int *reach, int *slot) {
    const int32_t *index = map_of(x, arg)->index + k;
    for (*reach = 0; *reach < x->bound->n_reaches; ++*reach)
        for (*slot = 0; *slot < x->bound->reaches[*reach].n_slots; ++*slot)
            if (x->bound->reaches[*reach].slot_index[*slot] == index)
                return;
}

static const char *set_name(const tess_execution *x, int reach) {
    return x->bound->mesh->sets[x->bound->reaches[reach].set].name;
}

/* First and one past the last slot of the map that an arg goes through. */
static void slots_of(const tess_execution *x, const tess_arg *arg, int *first, int *end) {
    *first = arg->slot < 0 ? 0 : arg->slot;
    *end = arg->slot < 0 ? map_of(x, arg)->arity : arg->slot + 1;
}

/* Number of values of an arg's local array. */
static int local_size(const tess_execution *x, const tess_arg *arg) {
    int first = 0, end = 1;
    if (arg->map[0])
        slots_of(x, arg, &first, &end);
    return (end - first) * arg->dim;
}

/* --- constants and params -------------------------------------------------------------------- */

static tess_status declare_dat(tess_execution *x, const tess_arg *arg) {
    const tess_stored *stored = tess_store_find(x->store, arg->dat, arg->set);
    if (!stored || stored->dat->dim != arg->dim || stored->dat->type != arg->type)
        FAIL(TESS_ERROR_USAGE, "loop %s wants %s on '%s' as %d %s, which the state lacks",
             x->bound->loop->name, arg->dat, arg->set, arg->dim, tess_type_name(arg->type));
    char s[SYMBOL], type[32];
    symbol_of(arg, s);
    tess_page *page = &x->page;
    const char *type_name = tess_type_name(arg->type);
    tess_page_print(page, "typedef %s %s_type;\n#define %s_DIM %d\n#define %s_AOS %d\n", type_name,
                    s, s, arg->dim, s, stored->layout == TESS_AOS);
    const char *wide = stored->stride * arg->dim > INT32_MAX ? "(long long)" : "";
    if (stored->layout == TESS_AOS)
        tess_page_print(page, "#define %s_AT(i, d) (%s(i) * %d + (d))\n", s, wide, arg->dim);
    else
        tess_page_print(page, "#define %s_AT(i, d) (%s(d) * %lld + (i))\n", s, wide,
                        (long long)stored->stride);
    snprintf(type, sizeof type, "%s%s *", written(x->bound->loop, arg) ? "" : "const ", type_name);
    tess_page_param(page, type, stored->address, "%s", s);
    return TESS_OK;
}

static bool reach_padded(const tess_reach *reach, int64_t n_elements) {
    for (int s = 0; s < reach->n_slots; s++)
        for (int64_t e = 0; e < n_elements; e++)
            if (reach->slot_index[s][e * reach->slot_stride[s]] < 0)
                return true;
    return false;
}

static void declare_set(tess_execution *x, int r) {
    const tess_reach *reach = &x->bound->reaches[r];
    const char *name = set_name(x, r);
    tess_page_print(
        &x->page,
        "#define %s_SLOTS %d\n#define %s_SIZE %lld\n#define %s_STAGED %lld\n#define %s_PADDED %d\n",
        name, reach->n_slots, name, (long long)x->bound->mesh->sets[reach->set].size, name,
        (long long)tess_execution_staged(x, r), name, reach_padded(reach, x->bound->n_elements));
}

/* FROM_TO_ARITY for each map of the mesh. */
static void print_arities(tess_execution *x) {
    const tess_mesh *mesh = x->bound->mesh;
    for (int m = 0; m < mesh->n_maps; m++)
        tess_page_print(&x->page, "#define %s_%s_ARITY %d\n", mesh->sets[mesh->maps[m].from].name,
                        mesh->sets[mesh->maps[m].to].name, mesh->maps[m].arity);
}

/* DAT_SLOTS: bit s is set where some arg increments the dat through slot s of its set. */
static void print_slots(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        if (!loop->args[a].map[0] || loop->args[a].access != TESS_INC || named_before(loop, a))
            continue;
        uint64_t slots = 0;
        for (int b = a; b < loop->n_args; b++) {
            if (!loop->args[b].map[0] || !same_dat(&loop->args[a], &loop->args[b]))
                continue;
            int first, end, reach = 0, slot = 0;
            slots_of(x, &loop->args[b], &first, &end);
            for (int k = first; k < end; k++) {
                reach_slot(x, &loop->args[b], k, &reach, &slot);
                slots |= UINT64_C(1) << slot;
            }
        }
        char s[SYMBOL];
        symbol_of(&loop->args[a], s);
        tess_page_print(&x->page, "#define %s_SLOTS 0x%llxull\n", s, (unsigned long long)slots);
    }
}

/* X-macros over the dats of indirect args that are read (or incremented), once each, and where
 * their copies lie in shared memory. */
static void print_each_dat(tess_execution *x, const char *each, const char *word, bool summed) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char previous[SYMBOL] = "", s[SYMBOL];
    tess_page_print(page, "#define %s(X)", each);
    for (int pass = 0; pass < 2; pass++) {
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!arg->map[0] || (arg->access != TESS_READ) != summed)
                continue;
            bool before = false;
            for (int b = 0; b < a; b++)
                before |= loop->args[b].map[0] && (loop->args[b].access != TESS_READ) == summed &&
                          same_dat(arg, &loop->args[b]);
            if (before)
                continue;
            symbol_of(arg, s);
            if (pass == 0) {
                tess_page_print(page, " X(%s, %s)", arg->set, s);
                continue;
            }
            tess_page_print(page, "#define %s_%s ", s, word);
            if (previous[0])
                tess_page_print(page, "(%s_%s + (%s_DIM * %s_BYTES + 15) / 16 * 16)\n", previous,
                                word, previous, previous);
            else
                tess_page_print(page, "0\n");
            tess_page_print(page, "#define %s_BYTES (%s_STAGED * (int)sizeof(%s_type))\n", s,
                            arg->set, s);
            snprintf(previous, sizeof previous, "%s", s);
        }
        tess_page_print(page, "\n");
    }
    if (previous[0])
        tess_page_print(page, "#define %s_BYTES (%s_%s + (%s_DIM * %s_BYTES + 15) / 16 * 16)\n",
                        word, previous, word, previous, previous);
    else
        tess_page_print(page, "#define %s_BYTES 0\n", word);
}

static tess_status print_constants(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    tess_page_print(page,
                    "/* Loop %s over %s by %s. */\n"
                    "#define THREADS %d\n#define BLOCK_SIZE %d\n#define N_ELEMENTS %lld\n"
                    "#define N_POSITIONS %lld\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
                    "#define IS_POINT(set, i) (!set##_PADDED || (i) >= 0)\n",
                    loop->name, loop->set, x->options.strategy->name, x->threads,
                    x->plan->block_size, (long long)x->bound->n_elements,
                    (long long)x->plan->n_executed);
    for (int a = 0; a < loop->n_args; a++)
        if (!named_before(loop, a))
            TRY(declare_dat(x, &loop->args[a]));
    tess_page_print(page, "#define EACH_SET(X)");
    for (int r = 0; r < x->bound->n_reaches; r++)
        tess_page_print(page, " X(%s)", set_name(x, r));
    tess_page_print(page, "\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        declare_set(x, r);
    print_arities(x);
    print_slots(x);
    print_each_dat(x, "EACH_READ", "READ", false);
    print_each_dat(x, "EACH_SUM", "SUM", true);
    return tess_page_finish(page);
}

/* --- functions ------------------------------------------------------------------------------- */

static void print_struct(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    tess_page_print(page, "struct element {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        tess_page_print(page, "    int %s_point[%s_SLOTS], %s_local[%s_SLOTS];\n", set_name(x, r),
                        set_name(x, r), set_name(x, r), set_name(x, r));
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "    %s arg%d[%d]; /* %s %s */\n", tess_type_name(loop->args[a].type),
                        a, local_size(x, &loop->args[a]), tess_access_name(loop->args[a].access),
                        loop->args[a].dat);
    tess_page_print(page, "};\n\n");
}

/* struct rounds: in which round each increment of an element is added. */
static void print_find_rounds(tess_execution *x) {
    tess_page *page = &x->page;
    const long long positions = tess_store_stride(x->plan->n_executed);
    tess_page_print(page, "struct rounds {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        tess_page_print(page, "    int %s[%s_SLOTS];\n", set_name(x, r), set_name(x, r));
    tess_page_print(page, "};\n\nINLINE void find_rounds(const struct params *p, struct rounds *e, "
                          "int k) {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        for (int s = 0; x->bound->reaches[r].incremented && s < x->bound->reaches[r].n_slots; s++)
            tess_page_print(page, "    e->%s[%d] = fetch(&p->%s_round[%lld + k]);\n",
                            set_name(x, r), s, set_name(x, r), s * positions);
    tess_page_print(page, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* find_points where the strategy asked for the index, find_local_points where it asked for the
 * block's own. */
static void print_find_points(tess_execution *x) {
    tess_page *page = &x->page;
    const long long stride = tess_store_stride(x->bound->n_elements);
    if (x->has_index) {
        tess_page_print(page, "INLINE void find_points(const struct params *p, struct element *e, "
                              "int i) {\n");
        for (int r = 0; r < x->bound->n_reaches; r++)
            for (int s = 0; s < x->bound->reaches[r].n_slots; s++)
                tess_page_print(page, "    e->%s_point[%d] = fetch(&p->%s_index[%lld + i]);\n",
                                set_name(x, r), s, set_name(x, r), s * stride);
        tess_page_print(page, "    (void)p, (void)e, (void)i;\n}\n\n");
    }
    if (x->has_rounds)
        print_find_rounds(x);
    if (!x->has_local)
        return;
    const long long positions = tess_store_stride(x->plan->n_executed);
    tess_page_print(page, "INLINE void find_local_points(const struct params *p, struct element "
                          "*e, int k) {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        for (int s = 0; s < x->bound->reaches[r].n_slots; s++) {
            tess_page_print(page, "    e->%s_local[%d] = fetch(&p->%s_local[%lld + k]);\n",
                            set_name(x, r), s, set_name(x, r), s * positions);
            tess_page_print(page,
                            "    if (%s_PADDED && e->%s_local[%d] == %d)\n"
                            "        e->%s_local[%d] = -1;\n",
                            set_name(x, r), set_name(x, r), s, TESS_NO_POINT, set_name(x, r), s);
        }
    tess_page_print(page, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* Prints the copying of an arg's values, one line a slot, from where `staged` says. */
static void print_read_slot(tess_execution *x, int a, int k, int offset, bool staged) {
    const tess_arg *arg = &x->bound->loop->args[a];
    char s[SYMBOL];
    symbol_of(arg, s);
    int reach = 0, slot = 0;
    reach_slot(x, arg, k, &reach, &slot);
    tess_page *page = &x->page;
    char point[SYMBOL];
    snprintf(point, sizeof point, "e->%s_%s[%d]", arg->set, staged ? "local" : "point", slot);
    tess_page_print(page,
                    "    UNROLL for (int d = 0; d < %d; d++)\n"
                    "        e->arg%d[%d + d] = %s_PADDED && %s < 0 ? (%s_type)0\n            : ",
                    arg->dim, a, offset, arg->set, point, s);
    if (staged)
        tess_page_print(page, "load(&((const %s_type *)(shared + %s_READ))[d * %s_STAGED + %s]);\n",
                        s, s, arg->set, point);
    else
        tess_page_print(page, "fetch(&p->%s[%s_AT(%s, d)]);\n", s, s, point);
}

static void print_read_points(tess_execution *x, bool staged) {
    const tess_loop *loop = x->bound->loop;
    tess_page_print(&x->page, staged ? "INLINE void read_staged(struct element *e, const char "
                                       "*shared) {\n"
                                     : "INLINE void read_points(const struct params *p, struct "
                                       "element *e) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ)
            continue;
        int first, end;
        slots_of(x, arg, &first, &end);
        for (int k = first; k < end; k++)
            print_read_slot(x, a, k, (k - first) * arg->dim, staged);
    }
    tess_page_print(&x->page, "    (void)e, (void)%s;\n}\n\n", staged ? "shared" : "p");
}

static void print_direct(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char s[SYMBOL];
    tess_page_print(page, "INLINE void read_direct(const struct params *p, struct element *e, "
                          "int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || (arg->access != TESS_READ && arg->access != TESS_RW))
            continue;
        symbol_of(arg, s);
        tess_page_print(page,
                        "    UNROLL for (int d = 0; d < %d; d++)\n"
                        "        e->arg%d[d] = %s(&p->%s[%s_AT(%s, d)]);\n",
                        arg->dim, a, written(loop, arg) ? "load" : "fetch", s, s,
                        is_global(arg) ? "0" : "i");
    }
    tess_page_print(page, "    (void)p, (void)e, (void)i;\n}\n\n"
                          "INLINE void write_direct(const struct params *p, struct element *e, "
                          "int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || arg->access == TESS_READ || is_global(arg))
            continue;
        symbol_of(arg, s);
        tess_page_print(page,
                        "    UNROLL for (int d = 0; d < %d; d++)\n"
                        "        %s(&p->%s[%s_AT(i, d)], e->arg%d[d]);\n",
                        arg->dim, arg->access == TESS_INC ? "plain_add" : "store", s, s, a);
    }
    tess_page_print(page, "    (void)p, (void)e, (void)i;\n}\n\n");
}

static void print_compute(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    tess_page_print(page, "INLINE void compute(struct element *e) {\n");
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].access == TESS_INC)
            tess_page_print(page,
                            "    UNROLL for (int d = 0; d < %d; d++)\n        e->arg%d[d] = 0;\n",
                            local_size(x, &loop->args[a]), a);
    tess_page_print(page, "    %s(", x->options.kernel->name);
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "%se->arg%d", a > 0 ? ", " : "", a);
    tess_page_print(page, ");\n}\n\n");
}

static void print_each_increment(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char s[SYMBOL];
    tess_page_print(page, "#define EACH_INCREMENT(X)");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_INC)
            continue;
        symbol_of(arg, s);
        int first, end, reach = 0, slot = 0;
        slots_of(x, arg, &first, &end);
        for (int k = first; k < end; k++) {
            reach_slot(x, arg, k, &reach, &slot);
            tess_page_print(page, " X(%s, %s, %d, (e.arg%d + %d))", arg->set, s, slot, a,
                            (k - first) * arg->dim);
        }
    }
    tess_page_print(page, "\n\n");
}

static void print_sums(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    const char *const heads[] = {"struct sums {\n    int none;\n",
                                 "INLINE void sums_clear(struct sums *s) {\n    s->none = 0;\n",
                                 "INLINE void sums_take(struct sums *s, struct element *e) {\n"
                                 "    (void)s, (void)e;\n",
                                 "INLINE void sums_give(const struct params *p, struct sums *s) {\n"
                                 "    (void)p, (void)s;\n"};
    const char *const tails[] = {"};\n\n", "}\n\n", "}\n\n", "}\n\n"};
    for (int part = 0; part < 4; part++) {
        tess_page_print(page, "%s", heads[part]);
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!is_global(arg) || arg->access != TESS_INC)
                continue;
            if (part == 0) {
                tess_page_print(page, "    %s arg%d[%d];\n", tess_type_name(arg->type), a,
                                arg->dim);
                continue;
            }
            tess_page_print(page, "    UNROLL for (int d = 0; d < %d; d++)\n        ", arg->dim);
            if (part == 1)
                tess_page_print(page, "s->arg%d[d] = 0;\n", a);
            else if (part == 2)
                tess_page_print(page, "s->arg%d[d] += e->arg%d[d];\n", a, a);
            else
                tess_page_print(page, "GIVE_SUM(&p->global_%s[d], s->arg%d[d]);\n", arg->dat, a);
        }
        tess_page_print(page, "%s", tails[part]);
    }
}

/* The user kernel under its own file name, for the compiler's messages. */
static void print_kernel(tess_execution *x) {
    char file[2 * TESS_NAME_SIZE];
    snprintf(file, sizeof file, "kernel-%s.h", x->options.kernel->name);
    tess_page_include(&x->page, file, x->options.kernel->text);
    tess_page_print(&x->page, "#line 1 \"glue-%s.h\"\n", x->options.kernel->name);
}

/* A loop in which all `real` args are float is compiled with real = float. */
static const char *real_of(const tess_execution *x) {
    for (int a = 0; a < x->bound->loop->n_args; a++)
        if (strcmp(x->options.kernel->args[a].type, "real") == 0)
            return tess_type_name(x->bound->loop->args[a].type);
    return "double";
}

tess_status tess_glue_write(tess_execution *x) {
    tess_page *page = &x->page;
    TRY(print_constants(x));
    tess_page_print(page, "typedef %s real;\n", real_of(x));
    tess_page_print_params(page);
    print_kernel(x);
    print_struct(x);
    print_find_points(x);
    print_read_points(x, false);
    if (x->has_local)
        print_read_points(x, true);
    print_direct(x);
    print_compute(x);
    print_each_increment(x);
    print_sums(x);
    tess_page_include(page, "staging.h", tess_staging_text);
    if (strstr(x->options.strategy->text, "block_sum("))
        tess_page_include(page, "block_sum.h", tess_block_sum_text);
    char file[2 * TESS_NAME_SIZE];
    snprintf(file, sizeof file, "%s.cu", x->options.strategy->name);
    tess_page_include(page, file, x->options.strategy->text);
    return tess_page_finish(page);
}
