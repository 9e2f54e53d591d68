/* The glue: the page between a strategy's text and a user kernel, generated from the loop. */
#include "kernels/page/glue.h"

#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include "kernels/text/embed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_staging_text, "text/staging.h");
TESS_EMBED(tess_block_sum_text, "text/block_sum.h");
TESS_EMBED(tess_slot_sum_text, "text/slot_sum.h");
TESS_EMBED(tess_run_staging_text, "text/run_staging.h");

static void print_struct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_print(page, "struct element {\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        tess_page_print(page, "    int %s_point[%s_SLOTS], %s_local[%s_SLOTS];\n",
                        tess_reach_name(page, r), tess_reach_name(page, r),
                        tess_reach_name(page, r), tess_reach_name(page, r));
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "    %s arg%d[%d]; /* %s %s */\n", tess_type_name(loop->args[a].type),
                        a, tess_arg_local_size(page, &loop->args[a]),
                        tess_access_name(loop->args[a].access), loop->args[a].dat);
    tess_page_print(page, "};\n\n");
}

/* struct rounds: in which round each increment of an element is added. */
static void print_find_rounds(tess_page *page) {
    const long long positions = tess_store_stride(page->plan->n_executed);
    tess_page_print(page, "struct rounds {\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        tess_page_print(page, "    int %s[%s_SLOTS];\n", tess_reach_name(page, r),
                        tess_reach_name(page, r));
    tess_page_print(page, "};\n\nINLINE void find_rounds(const struct params *p, struct rounds *e, "
                          "int k) {\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        for (int s = 0; page->bound->targets[r].incremented && s < page->bound->targets[r].n_slots;
             s++)
            tess_page_print(page, "    e->%s[%d] = fetch(&p->%s_round[%lld + k]);\n",
                            tess_reach_name(page, r), s, tess_reach_name(page, r), s * positions);
    tess_page_print(page, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* find_points where the strategy asked for the index, find_local_points where it asked for the
 * block's own. */
static void print_find_points(tess_page *page) {
    const long long stride = tess_store_stride(page->bound->n_elements);
    if (page->has_index) {
        tess_page_print(page, "INLINE void find_points(const struct params *p, struct element *e, "
                              "int i) {\n");
        for (int r = 0; r < page->bound->n_targets; r++)
            for (int s = 0; s < page->bound->targets[r].n_slots; s++)
                tess_page_print(page, "    e->%s_point[%d] = fetch(&p->%s_index[%lld + i]);\n",
                                tess_reach_name(page, r), s, tess_reach_name(page, r), s * stride);
        tess_page_print(page, "    (void)p, (void)e, (void)i;\n}\n\n");
    }
    if (page->has_rounds)
        print_find_rounds(page);
    if (!page->has_local)
        return;
    const long long positions = tess_store_stride(page->plan->n_executed);
    tess_page_print(page, "INLINE void find_local_points(const struct params *p, struct element "
                          "*e, int k) {\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        for (int s = 0; s < page->bound->targets[r].n_slots; s++) {
            tess_page_print(page, "    e->%s_local[%d] = fetch(&p->%s_local[%lld + k]);\n",
                            tess_reach_name(page, r), s, tess_reach_name(page, r), s * positions);
            tess_page_print(page,
                            "    if (%s_PADDED && e->%s_local[%d] == %d)\n"
                            "        e->%s_local[%d] = -1;\n",
                            tess_reach_name(page, r), tess_reach_name(page, r), s, TESS_NO_POINT,
                            tess_reach_name(page, r), s);
        }
    tess_page_print(page, "    (void)p, (void)e, (void)k;\n}\n\n");
}

/* Prints the copying of an arg's values, one line a slot, from where `staged` says. */
static void print_read_slot(tess_page *page, int a, int k, int offset, bool staged) {
    const tess_arg *arg = &page->bound->loop->args[a];
    const char *get = arg->access == TESS_READ ? "fetch" : "load";
    char s[TESS_SYMBOL_SIZE];
    tess_dat_symbol(arg, s);
    int reach = 0, slot = 0;
    tess_arg_reach_slot(page, arg, k, &reach, &slot);
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
static void print_write_slot(tess_page *page, int a, int k, int offset) {
    const tess_arg *arg = &page->bound->loop->args[a];
    char s[TESS_SYMBOL_SIZE];
    tess_dat_symbol(arg, s);
    int reach = 0, slot = 0;
    tess_arg_reach_slot(page, arg, k, &reach, &slot);
    tess_page_print(page,
                    "    UNROLL for (int d = 0; d < %d; d++) if (IS_POINT(%s, e->%s_point[%d]))\n"
                    "        store(&p->%s[%s_AT(e->%s_point[%d], d)], e->arg%d[%d + d]);\n",
                    arg->dim, arg->set, arg->set, slot, s, s, arg->set, slot, a, offset);
}

/* read_changed and write_points: args that are rw, or write and rw, at points. */
static void print_changed(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    for (int writing = 0; writing < 2; writing++) {
        tess_page_print(page, "INLINE void %s(const struct params *p, struct element *e) {\n",
                        writing ? "write_points" : "read_changed");
        for (int a = 0; page->has_index && a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!arg->map[0] || (arg->access != TESS_RW && (!writing || arg->access != TESS_WRITE)))
                continue;
            int first, end;
            tess_arg_slots(page, arg, &first, &end);
            for (int k = first; k < end; k++)
                if (writing)
                    print_write_slot(page, a, k, (k - first) * arg->dim);
                else
                    print_read_slot(page, a, k, (k - first) * arg->dim, false);
        }
        tess_page_print(page, "    (void)e, (void)p;\n}\n\n");
    }
}

/* Which slots of an element one function reads from the block's copies. */
typedef enum staged_slots { ALL_SLOTS, OWN_SLOT, OTHER_SLOTS } staged_slots;

static void print_read_args(tess_page *page, bool staged, staged_slots which) {
    const tess_loop *loop = page->bound->loop;
    int first_slot = 0;
    const int own_reach = which == ALL_SLOTS ? -1 : tess_owned_reach(page, &first_slot);
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ)
            continue;
        int first, end, reach = 0, slot = 0;
        tess_arg_slots(page, arg, &first, &end);
        for (int k = first; k < end; k++) {
            tess_arg_reach_slot(page, arg, k, &reach, &slot);
            if (reach == own_reach ? page->independent_ends : which == OWN_SLOT)
                continue;
            if (reach == own_reach)
                tess_page_print(page, "    if (own_slot %s %d)\n",
                                which == OWN_SLOT ? "==" : "!=", slot);
            print_read_slot(page, a, k, (k - first) * arg->dim, staged);
        }
    }
}

static void print_read_points(tess_page *page) {
    tess_page_print(page, "INLINE void read_points(const struct params *p, struct element *e) "
                          "{\n");
    print_read_args(page, false, ALL_SLOTS);
    tess_page_print(page, "    (void)e, (void)p;\n}\n\n");
}

static void print_read_staged(tess_page *page, const char *name, staged_slots which) {
    tess_page_print(page, "INLINE void %s(struct element *e, const char *shared%s) {\n", name,
                    which == ALL_SLOTS ? "" : ", int own_slot");
    print_read_args(page, true, which);
    tess_page_print(page, "    (void)e, (void)shared%s;\n}\n\n",
                    which == ALL_SLOTS ? "" : ", (void)own_slot");
}

/* read_own_ends: what is read of the set that blocks own, of one point for all slots. */
static void print_read_own_ends(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "INLINE void read_own_ends(const struct params *p, struct element *e, "
                          "int point) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ ||
            strcmp(arg->set, page->plan->partitioned_set) != 0 || tess_dat_named_before(loop, a))
            continue;
        tess_dat_symbol(arg, s);
        tess_page_print(page,
                        "    UNROLL for (int d = 0; d < %d; d++) {\n"
                        "        const %s_type value = fetch(&p->%s[%s_AT(point, d)]);\n",
                        arg->dim, s, s, s);
        for (int b = a; b < loop->n_args; b++)
            for (int v = 0; tess_same_dat(arg, &loop->args[b]) &&
                            v < tess_arg_local_size(page, &loop->args[b]);
                 v += arg->dim)
                tess_page_print(page, "        e->arg%d[%d + d] = value;\n", b, v);
        tess_page_print(page, "    }\n");
    }
    tess_page_print(page, "    (void)p, (void)e, (void)point;\n}\n\n");
}

/* What an element reads of its own and of globals: from memory, or (own) from the block's copies.
 */
static void print_read_direct(tess_page *page, bool own) {
    const tess_loop *loop = page->bound->loop;
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

static void print_write_direct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
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

static void print_compute(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_print(page, "INLINE void compute(struct element *e) {\n");
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].access == TESS_INC)
            tess_page_print(page,
                            "    UNROLL for (int d = 0; d < %d; d++)\n        e->arg%d[d] = 0;\n",
                            tess_arg_local_size(page, &loop->args[a]), a);
    tess_page_print(page, "    %s(", page->kernel->name);
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "%se->arg%d", a > 0 ? ", " : "", a);
    tess_page_print(page, ");\n}\n\n");
}

static void print_each_increment(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "#define EACH_INCREMENT(X)");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || arg->access != TESS_INC)
            continue;
        tess_dat_symbol(arg, s);
        int first, end, reach = 0, slot = 0;
        tess_arg_slots(page, arg, &first, &end);
        for (int k = first; k < end; k++) {
            tess_arg_reach_slot(page, arg, k, &reach, &slot);
            tess_page_print(page, " X(%s, %s, %d, (e.arg%d + %d))", arg->set, s, slot, a,
                            (k - first) * arg->dim);
        }
    }
    tess_page_print(page, "\n\n");
}

/* The user kernel under its own file name, for the compiler's messages. */
static void print_kernel(tess_page *page) {
    char file[2 * TESS_NAME_SIZE];
    snprintf(file, sizeof file, "kernel-%s.h", page->kernel->name);
    tess_page_include(page, file, page->kernel->text);
    tess_page_print(page, "#line 1 \"glue-%s.h\"\n", page->kernel->name);
}

/* A loop in which all `real` args are float is compiled with real = float. */
static const char *real_of(const tess_page *page) {
    for (int a = 0; a < page->bound->loop->n_args; a++)
        if (strcmp(page->kernel->args[a].type, "real") == 0)
            return tess_type_name(page->bound->loop->args[a].type);
    return "double";
}

tess_status tess_glue_write(tess_page *page, const char *text) {
    TRY(tess_glue_constants(page));
    tess_page_print(page, "typedef %s real;\n", real_of(page));
    tess_page_print_params(page);
    print_kernel(page);
    print_struct(page);
    print_find_points(page);
    print_read_points(page);
    if (!page->independent_ends && (page->has_local || page->has_entries || page->has_slots))
        print_read_staged(page, "read_staged", ALL_SLOTS);
    if (page->has_entries && page->plan->owns_points) {
        print_read_staged(page, "read_staged_own", OWN_SLOT);
        print_read_staged(page, "read_staged_others", OTHER_SLOTS);
        if (page->independent_ends)
            print_read_own_ends(page);
    }
    print_changed(page);
    print_read_direct(page, false);
    if (page->has_own_reads)
        print_read_direct(page, true);
    print_write_direct(page);
    print_compute(page);
    print_each_increment(page);
    tess_glue_sums(page);
    tess_page_include(page, "staging.h", tess_staging_text);
    if (strstr(text, "block_sum("))
        tess_page_include(page, page->has_slots ? "slot_sum.h" : "block_sum.h",
                          page->has_slots ? tess_slot_sum_text : tess_block_sum_text);
    if (page->has_entries && page->plan->owns_points)
        tess_page_include(page, "run_staging.h", tess_run_staging_text);
    char file[2 * TESS_NAME_SIZE];
    snprintf(file, sizeof file, "%s.cu", page->strategy);
    tess_page_include(page, file, text);
    return tess_page_finish(page);
}
