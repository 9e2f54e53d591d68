/* What a block brings to the L2 for one that begins later: the plan's part of it. */
#include "core/base/array.h"
#include "kernels/codegen/slots_there.h"
#include "kernels/loops/loop_bytes.h"

#include <stdio.h>
#include <stdlib.h>

int64_t tess_table_blocks_to_prefetch(const tess_page *page) {
    static const int64_t distance = 9000000, cached = 40000000;
    const int64_t ahead = tess_spec_int(page->spec, page->options, "prefetch");
    const int64_t bytes = tess_dat_bytes(page->bound) + tess_map_bytes(page->bound);
    if (ahead >= 0)
        return ahead;
    if (bytes < cached || page->kernel->flops * page->bound->n_elements < bytes / 2)
        return 0;
    return (distance * page->plan->n_blocks + bytes - 1) / bytes;
}

/* For each block one past the highest point, as stored, that it or a block before it reaches; the
 * first is 0. Where points are stored in the order in which blocks target them, those between two
 * such numbers are the ones that are new to a block. */
static tess_status put_frontier(tess_page *page, int r) {
    tess_status status = TESS_OK;
    const tess_plan_set *set = &page->plan->sets[r];
    const int32_t n_blocks = page->plan->n_blocks;
    int32_t *frontier = NULL;
    CHECK(TESS_ZEROS(n_blocks + INT64_C(1), &frontier));
    if (page->there)
        CHECK(tess_frontiers_there(page, r, frontier + 1));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < (page->there ? 0 : n_blocks); b++)
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
            const int32_t end = tess_page_point(page, r, set->points[i]) + 1;
            frontier[b + 1] = end > frontier[b + 1] ? end : frontier[b + 1];
        }
    for (int32_t b = 0; b < n_blocks; b++)
        frontier[b + 1] = frontier[b] > frontier[b + 1] ? frontier[b] : frontier[b + 1];
    CHECK(tess_page_array(page, "const int *", frontier, (n_blocks + INT64_C(1)) * 4, "%s_frontier",
                          page->sets[r].name));
done:
    free(frontier);
    return status;
}

/* --- functions -------------------------------------------------------------------------------- */

void tess_table_prefetch_words(tess_page *page) {
    tess_page_code(page, NULL,
                   "/* Brings the whole pieces of 16 bytes of an array of words to the L2. */\n"
                   "INLINE void bring_words(const void *array, int begin, int end) {\n"
                   "    const int from = (begin + 3) / 4 * 4, n = end / 4 * 4 - from;\n"
                   "    if (n > 0)\n"
                   "        prefetch_run((const int *)array + from, n * (int)sizeof(int));\n"
                   "}\n\n");
}

void tess_table_prefetch(tess_page *page, const tess_page_dat *dat, const char *begin,
                         const char *end) {
    tess_page_code(page, dat,
                   "    {\n        const int from = %s / 4 * 4, n = (%s + 3) / 4 * 4 - from;\n"
                   "        if (n > 0)\n",
                   begin, end);
    tess_page_code(page, dat,
                   dat->aos ? "            prefetch_run(&p->@dat[@dat_at(from, %d)], n * %d * %d);"
                              "\n    }\n"
                            : "            UNROLL for (int d = %d; d < @dim; d++)\n"
                              "                prefetch_run(&p->@dat[@dat_at(from, d)], n * %d);\n"
                              "    }\n",
                   dat->aos ? -tess_kernel_arg_component(dat->view, 0) : 0, dat->size,
                   dat->row); /* whole rows of AoS */
}

/* Whether elements' own values of a dat are read. */
static bool is_direct(const tess_page *page, const tess_page_dat *dat) {
    for (int a = 0; a < page->bound->loop->n_args; a++) {
        const tess_arg *arg = &page->bound->loop->args[a];
        if (tess_page_dat_of(page, a) == dat && !arg->map[0] && arg->set[0] &&
            arg->access != TESS_WRITE)
            return true;
    }
    return false;
}

/* Points that are new to a block, no more than MOST_NEW: else they are stored in another order. */
static void print_new_points(tess_page *page) {
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        tess_page_code(page, &set,
                       "    const int @set_from = fetch(&p->@set_frontier[ahead]);\n"
                       "    const int @set_end = fetch(&p->@set_frontier[ahead + 1]);\n"
                       "    const int @set_to = @set_end - @set_from <= 2048 ? @set_end : "
                       "@set_from;\n");
    }
}

static void print_prefetch(tess_page *page) {
    tess_table_prefetch_words(page);
    tess_page_code(page, NULL,
                   "/* Brings what block `ahead` will read to the L2, by one thread. */\n"
                   "INLINE void prefetch(const struct params *p, int ahead) {\n"
                   "    const int begin = fetch(&p->block_offset[ahead]);\n"
                   "    const int end = fetch(&p->block_offset[ahead + 1]);\n");
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        tess_page_code(page, &set,
                       "    bring_words(p->@set_points, fetch(&p->@set_point_offset[ahead]),\n"
                       "                fetch(&p->@set_point_offset[ahead + 1]));\n");
    }
    tess_page_code(page, NULL,
                   "    UNROLL for (int w = 0; w < LOCAL_WORDS; w++)\n"
                   "        bring_words(local_words(p, w), begin, end);\n");
    print_new_points(page);
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < page->n_dats; i++) {
            const tess_page_dat *dat = &page->dats[i];
            char from[TESS_NAME_SIZE + 8], to[TESS_NAME_SIZE + 8];
            if (!(kind == 0 ? is_direct(page, dat) : kind == 1 ? dat->read : dat->summed))
                continue;
            tess_page_code(page, dat,
                           kind == 0 ? "    if (ELEMENTS_IN_ORDER)\n"
                                     : "    if (@set_to > @set_from)\n");
            snprintf(from, sizeof from, kind == 0 ? "begin" : "%s_from", dat->set);
            snprintf(to, sizeof to, kind == 0 ? "end" : "%s_to", dat->set);
            tess_table_prefetch(page, dat, from, to);
        }
    tess_page_code(page, NULL, "}\n\n");
}

tess_status tess_table_prefetch_distance(tess_page *page, int64_t ahead) {
    tess_page_print(page, "#define PREFETCH_DISTANCE %lld\n", (long long)ahead);
    for (int r = 0; ahead > 0 && r < page->bound->n_targets; r++)
        TRY(put_frontier(page, r));
    return TESS_OK;
}

static void print_prefetch_nothing(tess_page *page) {
    tess_page_code(page, NULL,
                   "INLINE void prefetch(const struct params *p, int ahead) {\n"
                   "    (void)p, (void)ahead;\n}\n\n");
}

void tess_table_prefetch_functions(tess_page *page, int64_t ahead) {
    if (ahead > 0)
        print_prefetch(page);
    else
        print_prefetch_nothing(page);
}

/* Brings what the maps say of elements from `begin` to `end`. */
static void print_prefetch_maps(tess_page *page) {
    const long long stride = tess_store_stride(page->bound->n_elements);
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        const int n_slots = page->bound->targets[r].n_slots;
        if (page->store->maps_in_rows)
            tess_page_code(page, &set,
                           "    bring_words(&p->@set_index[@set_index_at(begin, 0)], 0, (end - "
                           "begin) * %d);\n",
                           n_slots);
        for (int s = 0; s < n_slots && !page->store->maps_in_rows; s++)
            tess_page_code(page, &set, "    bring_words(p->@set_index + %lld, begin, end);\n",
                           s * stride);
    }
}

void tess_table_prefetch_of_groups(tess_page *page, int64_t n, int64_t ahead) {
    tess_page_print(page, "#define PREFETCH_DISTANCE %lld\n", (long long)ahead);
    if (ahead == 0) {
        print_prefetch_nothing(page);
        return;
    }
    tess_table_prefetch_words(page);
    tess_page_code(
        page, NULL,
        "/* Brings what the elements of group `ahead` have of their own, by one thread. */\n"
        "INLINE void prefetch(const struct params *p, int ahead) {\n"
        "    const int begin = ahead * %lld;\n"
        "    const int end = N_POSITIONS - begin < %lld ? N_POSITIONS : begin + %lld;\n"
        "    if (!ELEMENTS_IN_ORDER)\n        return;\n",
        (long long)n, (long long)n, (long long)n);
    print_prefetch_maps(page);
    for (int i = 0; i < page->n_dats; i++)
        if (is_direct(page, &page->dats[i]))
            tess_table_prefetch(page, &page->dats[i], "begin", "end");
    tess_page_code(page, NULL, "    (void)p, (void)end;\n}\n\n");
}
