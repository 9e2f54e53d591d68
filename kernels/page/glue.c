/* The glue: the page between a strategy's text and a user kernel, generated from the loop. */
#include "kernels/page/glue.h"

#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include "kernels/tables/parts.h"
#include "kernels/text/embed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_staging_text, "text/staging.h");
TESS_EMBED(tess_block_sum_text, "text/block_sum.h");
TESS_EMBED(tess_slot_sum_text, "text/slot_sum.h");
TESS_EMBED(tess_run_staging_text, "text/run_staging.h");

static void print_struct(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    tess_page_print(page, "struct element {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        tess_page_print(page, "    int %s_point[%s_SLOTS], %s_local[%s_SLOTS];\n",
                        tess_reach_name(x, r), tess_reach_name(x, r), tess_reach_name(x, r),
                        tess_reach_name(x, r));
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "    %s arg%d[%d]; /* %s %s */\n", tess_type_name(loop->args[a].type),
                        a, tess_arg_local_size(x, &loop->args[a]),
                        tess_access_name(loop->args[a].access), loop->args[a].dat);
    tess_page_print(page, "};\n\n");
}

/* struct rounds: in which round each increment of an element is added. */
static void print_find_rounds(tess_execution *x) {
    tess_page *page = &x->page;
    const long long positions = tess_store_stride(x->plan->n_executed);
    tess_page_print(page, "struct rounds {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        tess_page_print(page, "    int %s[%s_SLOTS];\n", tess_reach_name(x, r),
                        tess_reach_name(x, r));
    tess_page_print(page, "};\n\nINLINE void find_rounds(const struct params *p, struct rounds *e, "
                          "int k) {\n");
    for (int r = 0; r < x->bound->n_reaches; r++)
        for (int s = 0; x->bound->reaches[r].incremented && s < x->bound->reaches[r].n_slots; s++)
            tess_page_print(page, "    e->%s[%d] = fetch(&p->%s_round[%lld + k]);\n",
                            tess_reach_name(x, r), s, tess_reach_name(x, r), s * positions);
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
                                tess_reach_name(x, r), s, tess_reach_name(x, r), s * stride);
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
                            tess_reach_name(x, r), s, tess_reach_name(x, r), s * positions);
            tess_page_print(page,
                            "    if (%s_PADDED && e->%s_local[%d] == %d)\n"
                            "        e->%s_local[%d] = -1;\n",
                            tess_reach_name(x, r), tess_reach_name(x, r), s, TESS_NO_POINT,
                            tess_reach_name(x, r), s);
        }
    tess_page_print(page, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* Prints the copying of an arg's values, one line a slot, from where `staged` says. */
static void print_read_slot(tess_execution *x, int a, int k, int offset, bool staged) {
    const tess_arg *arg = &x->bound->loop->args[a];
    const char *get = arg->access == TESS_READ ? "fetch" : "load";
    char s[TESS_SYMBOL_SIZE];
    tess_dat_symbol(arg, s);
    int reach = 0, slot = 0;
    tess_arg_reach_slot(x, arg, k, &reach, &slot);
    tess_page *page = &x->page;
    char point[TESS_SYMBOL_SIZE];
    snprintf(point, sizeof point, "e->%s_%s[%d]", arg->set, staged ? "local" : "point", slot);
    tess_page_print(page,
                    "    UNROLL for (int d = 0; d < %d; d++)\n"
                    "        e->arg%d[%d + d] = %s_PADDED && %s < 0 ? (%s_type)0\n            : ",
                    arg->dim, a, offset, arg->set, point, s);
    if (staged)
        tess_page_print(page, "load(&((const %s_type *)(shared + %s_READ))[d * %s_STAGED + %s]);\n",
                        s, s, arg->set, point);
    else
        tess_page_print(page, "%s(&p->%s[%s_AT(%s, d)]);\n", get, s, s, point);
}

/* Prints the copying back of what an arg changed at the point of one slot. */
static void print_write_slot(tess_execution *x, int a, int k, int offset) {
    const tess_arg *arg = &x->bound->loop->args[a];
    char s[TESS_SYMBOL_SIZE];
    tess_dat_symbol(arg, s);
    int reach = 0, slot = 0;
    tess_arg_reach_slot(x, arg, k, &reach, &slot);
    tess_page_print(&x->page,
                    "    UNROLL for (int d = 0; d < %d; d++) if (IS_POINT(%s, e->%s_point[%d]))\n"
                    "        store(&p->%s[%s_AT(e->%s_point[%d], d)], e->arg%d[%d + d]);\n",
                    arg->dim, arg->set, arg->set, slot, s, s, arg->set, slot, a, offset);
}

/* read_changed and write_points: args that are rw, or write and rw, at points. */
static void print_changed(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    for (int writing = 0; writing < 2; writing++) {
        tess_page_print(&x->page, "INLINE void %s(const struct params *p, struct element *e) {\n",
                        writing ? "write_points" : "read_changed");
        for (int a = 0; x->has_index && a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!arg->map[0] || (arg->access != TESS_RW && (!writing || arg->access != TESS_WRITE)))
                continue;
            int first, end;
            tess_arg_slots(x, arg, &first, &end);
            for (int k = first; k < end; k++)
                if (writing)
                    print_write_slot(x, a, k, (k - first) * arg->dim);
                else
                    print_read_slot(x, a, k, (k - first) * arg->dim, false);
        }
        tess_page_print(&x->page, "    (void)e, (void)p;\n}\n\n");
    }
}

/* Which slots of an element one function reads from the block's copies. */
typedef enum staged_slots { ALL_SLOTS, OWN_SLOT, OTHER_SLOTS } staged_slots;

static void print_read_args(tess_execution *x, bool staged, staged_slots which) {
    const tess_loop *loop = x->bound->loop;
    int first_slot = 0;
    const int own_reach = which == ALL_SLOTS ? -1 : tess_part_owned_reach(x, &first_slot);
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ)
            continue;
        int first, end, reach = 0, slot = 0;
        tess_arg_slots(x, arg, &first, &end);
        for (int k = first; k < end; k++) {
            tess_arg_reach_slot(x, arg, k, &reach, &slot);
            if (reach == own_reach ? x->apart : which == OWN_SLOT)
                continue;
            if (reach == own_reach)
                tess_page_print(&x->page, "    if (own_slot %s %d)\n",
                                which == OWN_SLOT ? "==" : "!=", slot);
            print_read_slot(x, a, k, (k - first) * arg->dim, staged);
        }
    }
}

static void print_read_points(tess_execution *x) {
    tess_page_print(&x->page, "INLINE void read_points(const struct params *p, struct element *e) "
                              "{\n");
    print_read_args(x, false, ALL_SLOTS);
    tess_page_print(&x->page, "    (void)e, (void)p;\n}\n\n");
}

static void print_read_staged(tess_execution *x, const char *name, staged_slots which) {
    tess_page_print(&x->page, "INLINE void %s(struct element *e, const char *shared%s) {\n", name,
                    which == ALL_SLOTS ? "" : ", int own_slot");
    print_read_args(x, true, which);
    tess_page_print(&x->page, "    (void)e, (void)shared%s;\n}\n\n",
                    which == ALL_SLOTS ? "" : ", (void)own_slot");
}

/* read_own_ends: what is read of the set that blocks own, of one point for all slots. */
static void print_read_own_ends(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(&x->page,
                    "INLINE void read_own_ends(const struct params *p, struct element *e, "
                    "int point) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ || strcmp(arg->set, x->plan->over) != 0 ||
            tess_dat_named_before(loop, a))
            continue;
        tess_dat_symbol(arg, s);
        tess_page_print(&x->page,
                        "    UNROLL for (int d = 0; d < %d; d++) {\n"
                        "        const %s_type value = fetch(&p->%s[%s_AT(point, d)]);\n",
                        arg->dim, s, s, s);
        for (int b = a; b < loop->n_args; b++)
            for (int v = 0;
                 tess_same_dat(arg, &loop->args[b]) && v < tess_arg_local_size(x, &loop->args[b]);
                 v += arg->dim)
                tess_page_print(&x->page, "        e->arg%d[%d + d] = value;\n", b, v);
        tess_page_print(&x->page, "    }\n");
    }
    tess_page_print(&x->page, "    (void)p, (void)e, (void)point;\n}\n\n");
}

/* What an element reads of its own and of globals: from memory, or (own) from the block's copies.
 */
static void print_read_direct(tess_execution *x, bool own) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page,
                    own ? "INLINE void read_own(const struct params *p, struct element *e, "
                          "int k, const char *shared) {\n"
                        : "INLINE void read_direct(const struct params *p, struct element *e, "
                          "int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || (arg->access != TESS_READ && arg->access != TESS_RW))
            continue;
        tess_dat_symbol(arg, s);
        tess_page_print(
            page, "    UNROLL for (int d = 0; d < %d; d++)\n        e->arg%d[d] = ", arg->dim, a);
        if (own && !tess_arg_is_global(arg))
            tess_page_print(
                page, "load(&((const %s_type *)(shared + %s_OWN))[d * ELEMENTS_STAGED + k]);\n", s,
                s);
        else
            tess_page_print(page, "%s(&p->%s[%s_AT(%s, d)]);\n",
                            tess_dat_is_written(loop, arg) ? "load" : "fetch", s, s,
                            tess_arg_is_global(arg) ? "0" : "i");
    }
    tess_page_print(page, "    (void)p, (void)e, (void)%s;\n}\n\n", own ? "k, (void)shared" : "i");
}

static void print_write_direct(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "INLINE void write_direct(const struct params *p, struct element *e, "
                          "int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || arg->access == TESS_READ || tess_arg_is_global(arg))
            continue;
        tess_dat_symbol(arg, s);
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
                            tess_arg_local_size(x, &loop->args[a]), a);
    tess_page_print(page, "    %s(", x->options.kernel->name);
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "%se->arg%d", a > 0 ? ", " : "", a);
    tess_page_print(page, ");\n}\n\n");
}

static void print_each_increment(tess_execution *x) {
    const tess_loop *loop = x->bound->loop;
    tess_page *page = &x->page;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "#define EACH_INCREMENT(X)");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_INC)
            continue;
        tess_dat_symbol(arg, s);
        int first, end, reach = 0, slot = 0;
        tess_arg_slots(x, arg, &first, &end);
        for (int k = first; k < end; k++) {
            tess_arg_reach_slot(x, arg, k, &reach, &slot);
            tess_page_print(page, " X(%s, %s, %d, (e.arg%d + %d))", arg->set, s, slot, a,
                            (k - first) * arg->dim);
        }
    }
    tess_page_print(page, "\n\n");
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
    TRY(tess_glue_constants(x));
    tess_page_print(page, "typedef %s real;\n", real_of(x));
    tess_page_print_params(page);
    print_kernel(x);
    print_struct(x);
    print_find_points(x);
    print_read_points(x);
    if (!x->apart && (x->has_local || x->has_entries || x->has_slots))
        print_read_staged(x, "read_staged", ALL_SLOTS);
    if (x->has_entries && x->plan->over_to_set) {
        print_read_staged(x, "read_staged_own", OWN_SLOT);
        print_read_staged(x, "read_staged_others", OTHER_SLOTS);
        if (x->apart)
            print_read_own_ends(x);
    }
    print_changed(x);
    print_read_direct(x, false);
    if (x->has_own_reads)
        print_read_direct(x, true);
    print_write_direct(x);
    print_compute(x);
    print_each_increment(x);
    tess_glue_sums(x);
    tess_page_include(page, "staging.h", tess_staging_text);
    if (strstr(x->options.strategy->text, "block_sum("))
        tess_page_include(page, x->has_slots ? "slot_sum.h" : "block_sum.h",
                          x->has_slots ? tess_slot_sum_text : tess_block_sum_text);
    if (x->has_entries && x->plan->over_to_set)
        tess_page_include(page, "run_staging.h", tess_run_staging_text);
    char file[2 * TESS_NAME_SIZE];
    snprintf(file, sizeof file, "%s.cu", x->options.strategy->name);
    tess_page_include(page, file, x->options.strategy->text);
    return tess_page_finish(page);
}
