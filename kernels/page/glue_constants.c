/* The constants of the glue: what a page says of the loop before its functions. */
#include "kernels/page/glue.h"

#include "kernels/page/loop_names.h"
#include <stdio.h>
#include <string.h>

static tess_status declare_dat(tess_page *page, const tess_arg *arg) {
    const tess_stored *stored = tess_store_find(page->store, arg->dat, arg->set);
    if (!stored || stored->dat->dim != arg->dim || stored->dat->type != arg->type)
        FAIL(TESS_ERROR_USAGE, "loop %s wants %s on '%s' as %d %s, which the state lacks",
             page->bound->loop->name, arg->dat, arg->set, arg->dim, tess_type_name(arg->type));
    char s[TESS_SYMBOL_SIZE], type[32];
    tess_dat_symbol(arg, s);
    const char *type_name = tess_type_name(arg->type);
    tess_page_print(page, "typedef %s %s_type;\n#define %s_DIM %d\n#define %s_AOS %d\n", type_name,
                    s, s, arg->dim, s, stored->layout == TESS_AOS);
    const char *wide = stored->stride * arg->dim > INT32_MAX ? "(long long)" : "";
    if (stored->layout == TESS_AOS)
        tess_page_print(page, "#define %s_AT(i, d) (%s(i) * %d + (d))\n", s, wide, arg->dim);
    else
        tess_page_print(page, "#define %s_AT(i, d) (%s(d) * %lld + (i))\n", s, wide,
                        (long long)stored->stride);
    snprintf(type, sizeof type, "%s%s *",
             tess_dat_is_written(page->bound->loop, arg) ? "" : "const ", type_name);
    tess_page_param(page, type, stored->address, "%s", s);
    return TESS_OK;
}

static bool reach_padded(const tess_loop_target *reach, int64_t n_elements) {
    for (int s = 0; s < reach->n_slots; s++)
        for (int64_t e = 0; e < n_elements; e++)
            if (reach->slot_index[s][e * reach->slot_stride[s]] < 0)
                return true;
    return false;
}

static void declare_set(tess_page *page, int r) {
    const tess_loop_target *reach = &page->bound->targets[r];
    const char *name = tess_reach_name(page, r);
    tess_page_print(
        page,
        "#define %s_SLOTS %d\n#define %s_SIZE %lld\n#define %s_STAGED %lld\n#define %s_PADDED %d\n",
        name, reach->n_slots, name, (long long)page->bound->mesh->sets[reach->set].size, name,
        (long long)tess_page_staged(page, r), name, reach_padded(reach, page->bound->n_elements));
}

/* FROM_TO_ARITY for each map of the mesh. */
static void print_arities(tess_page *page) {
    const tess_mesh *mesh = page->bound->mesh;
    for (int m = 0; m < mesh->n_maps; m++)
        tess_page_print(page, "#define %s_%s_ARITY %d\n", mesh->sets[mesh->maps[m].from].name,
                        mesh->sets[mesh->maps[m].to].name, mesh->maps[m].arity);
}

/* DAT_SLOTS: bit s is set where some arg increments the dat through slot s of its set. */
static void print_slots(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        if (!loop->args[a].map[0] || loop->args[a].access != TESS_INC ||
            tess_dat_named_before(loop, a))
            continue;
        uint64_t slots = 0;
        for (int b = a; b < loop->n_args; b++) {
            if (!loop->args[b].map[0] || !tess_same_dat(&loop->args[a], &loop->args[b]))
                continue;
            int first, end, reach = 0, slot = 0;
            tess_arg_slots(page, &loop->args[b], &first, &end);
            for (int k = first; k < end; k++) {
                tess_arg_reach_slot(page, &loop->args[b], k, &reach, &slot);
                slots |= UINT64_C(1) << slot;
            }
        }
        char s[TESS_SYMBOL_SIZE];
        tess_dat_symbol(&loop->args[a], s);
        tess_page_print(page, "#define %s_SLOTS 0x%llxull\n", s, (unsigned long long)slots);
    }
}

/* X-macros over the dats of indirect args that are read (or incremented), once each, and where
 * their copies lie in shared memory. */
static void print_each_dat(tess_page *page, const char *each, const char *word, bool summed) {
    const tess_loop *loop = page->bound->loop;
    char previous[TESS_SYMBOL_SIZE] = "", s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "#define %s(X)", each);
    for (int pass = 0; pass < 2; pass++) {
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!tess_arg_travels(page, arg, summed))
                continue;
            bool before = false;
            for (int b = 0; b < a; b++)
                before |= tess_arg_travels(page, &loop->args[b], summed) &&
                          tess_same_dat(arg, &loop->args[b]);
            if (before)
                continue;
            tess_dat_symbol(arg, s);
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

/* EACH_set_READ and EACH_set_SUM: the same of one set. */
static void print_each_of_set(tess_page *page, int r) {
    const tess_loop *loop = page->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    for (int summed = 0; summed < 2; summed++) {
        tess_page_print(page, "#define EACH_%s_%s(X)", tess_reach_name(page, r),
                        summed ? "SUM" : "READ");
        for (int a = 0; a < loop->n_args; a++) {
            if (tess_arg_first_reach(page, a, summed) != r)
                continue;
            tess_dat_symbol(&loop->args[a], s);
            tess_page_print(page, " X(%s, %s)", loop->args[a].set, s);
        }
        tess_page_print(page, "\n");
    }
}

tess_status tess_glue_constants(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_print(
        page,
        "/* Loop %s over %s by %s. */\n"
        "#define THREADS %d\n#define BLOCK_SIZE %d\n#define N_ELEMENTS %lld\n"
        "#define N_POSITIONS %lld\n#ifndef LEAST_BLOCKS\n#define LEAST_BLOCKS 1\n#endif\n"
        "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, LEAST_BLOCKS)\n"
        "#define IS_POINT(set, i) (!set##_PADDED || (i) >= 0)\n#define WRITES_POINTS %d\n",
        loop->name, loop->set, page->strategy, page->threads, page->plan->block_size,
        (long long)page->bound->n_elements, (long long)page->plan->n_executed,
        tess_loop_point_writer(loop) >= 0);
    for (int a = 0; a < loop->n_args; a++)
        if (!tess_dat_named_before(loop, a))
            TRY(declare_dat(page, &loop->args[a]));
    tess_page_print(page, "#define EACH_SET(X)");
    for (int r = 0; r < page->bound->n_targets; r++)
        tess_page_print(page, " X(%s)", tess_reach_name(page, r));
    tess_page_print(page, "\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        declare_set(page, r);
    const bool own_lists = page->has_slots || (page->has_entries && page->plan->owns_points);
    for (int r = 0; own_lists && r < page->bound->n_targets; r++)
        print_each_of_set(page, r);
    print_arities(page);
    print_slots(page);
    print_each_dat(page, "EACH_READ", "READ", false);
    print_each_dat(page, "EACH_SUM", "SUM", true);
    return tess_page_finish(page);
}
