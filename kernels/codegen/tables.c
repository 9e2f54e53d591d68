/* Parts of a plan: its arrays on the device, as strategies' texts name them. */
#include "kernels/codegen/tables.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>

tess_status tess_table_order(tess_page *page) {
    const int64_t n = page->plan->n_executed;
    int32_t *executed = NULL;
    TRY(TESS_ALLOC(n, &executed));
    bool in_order = true;
    const int32_t *order = tess_store_order(page->store, page->bound->set);
#pragma omp parallel for reduction(&& : in_order)
    for (int64_t k = 0; k < n; k++) {
        executed[k] = order ? order[page->plan->executed[k]] : page->plan->executed[k];
        in_order = in_order && executed[k] == k;
    }
    tess_page_print(page, "#define ELEMENTS_IN_ORDER %d\n", in_order);
    tess_page_code(page, NULL,
                   "INLINE int element_at(const struct params *p, int k) {\n"
                   "    (void)p;\n    return %s;\n}\n\n",
                   in_order ? "k" : "fetch(&p->executed[k])");
    tess_status status = TESS_OK;
    if (!in_order)
        status = tess_page_array(page, "const int *", executed, n * 4, "executed");
    free(executed);
    return status;
}

/* The table of a target's points: rows of the elements in the order of their places. */
typedef struct index_source {
    const tess_loop_target *target;
    const int32_t *list;     /* which stored element has each place; NULL: that of its number */
    const int32_t *elements; /* which element is stored as each; NULL: that of its number */
    const int32_t *points;   /* where each point is stored; NULL: at its number */
    int64_t n, stride;       /* elements, with padding */
    bool rows;               /* slots side by side */
} index_source;

static inline int32_t index_at(const index_source *from, int64_t place, int64_t slot) {
    if (place >= from->n)
        return 0;
    const int64_t stored = from->list ? from->list[place] : place;
    const int64_t e = from->elements ? from->elements[stored] : stored;
    const int32_t point = from->target->slot_index[slot][e * from->target->slot_stride[slot]];
    return point < 0 ? -1 : from->points ? from->points[point] : point;
}

static void fill_index(const void *context, int64_t at, int64_t bytes, void *to) {
    const index_source *from = context;
    const int64_t size = sizeof(int32_t), first = at / size, end = (at + bytes) / size;
    const int64_t stride = from->stride, n_slots = from->target->n_slots;
    int32_t *const out = to;
    if (bytes == 0) /* without elements there is no stride */
        return;
    if (from->rows) {
#pragma omp parallel for
        for (int64_t i = first; i < end; i++)
            out[i - first] = index_at(from, i / n_slots, i % n_slots);
        return;
    }
    for (int64_t s = first / stride; s <= (end - 1) / stride; s++) {
        const int64_t begin = s * stride < first ? first : s * stride;
        const int64_t past = (s + 1) * stride > end ? end : (s + 1) * stride;
#pragma omp parallel for
        for (int64_t i = begin; i < past; i++)
            out[i - first] = index_at(from, i - s * stride, s);
    }
}

static tess_status index_array(tess_page *page, const int32_t *list, int r) {
    const tess_loop_target *target = &page->bound->targets[r];
    const tess_store *store = page->store;
    const int64_t n = page->bound->n_elements, stride = tess_store_stride(n);
    const index_source from = {.target = target,
                               .list = list,
                               .elements = tess_store_elements(store, page->bound->set),
                               .points = tess_store_order(store, target->set),
                               .n = n,
                               .stride = stride,
                               .rows = store->maps_in_rows};
    TRY(tess_page_array_filled(page, "const int *", (tess_filler){fill_index, &from},
                               stride * target->n_slots * 4, "%s_index", page->sets[r].name));
    if (!list)
        tess_page_param_own(page, (tess_page_own){.n = target->n_slots,
                                                  .size = 4,
                                                  .next_element = from.rows ? target->n_slots : 1,
                                                  .next_value = from.rows ? 1 : stride});
    return TESS_OK;
}

/* @set_index_at(i, s): where slot s of the map row of the element stored at i lies. */
static void print_row_positions(tess_page *page) {
    for (int r = 0; r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        const int n_slots = page->bound->targets[r].n_slots;
        const bool wide = page->bound->n_elements * n_slots > INT32_MAX;
        tess_page_code(page, &set,
                       "INLINE %s @set_index_at(int i, int s) {\n    return %si * %d + s;\n}\n\n",
                       wide ? "long long" : "int", wide ? "(long long)" : "", n_slots);
    }
}

/* The slots of a target from its table, or as pairs of other points. */
static void print_find_set(tess_page *page, int r, const tess_pair_slots *pairs) {
    const long long stride = tess_store_stride(page->bound->n_elements);
    const tess_page_dat set = tess_page_set_words(page, r);
    for (int s = 0; s < page->bound->targets[r].n_slots; s++) {
        if (pairs) {
            const char *points = page->sets[pairs->rows].name;
            tess_page_code(page, &set,
                           "    e->@set_point[%d] = @set_found(p, i, %d, e->%s_point[%d], "
                           "e->%s_point[%d]);\n",
                           s, s, points, tess_pair_row(pairs, s), points,
                           tess_pair_column(pairs, s));
            continue;
        }
        tess_page_code(page, &set, "    e->@set_point[%d] = fetch(&p->@set_index[", s);
        if (page->store->maps_in_rows)
            tess_page_code(page, &set, "@set_index_at(i, %d)]);\n", s);
        else if (page->any_size)
            tess_page_code(page, NULL, "%d * p->index_stride + i]);\n", s);
        else
            tess_page_code(page, NULL, "%lld + i]);\n", s * stride);
    }
}

/* find_points, of which sets that are pairs, n > 0, come last. */
static void print_find_points(tess_page *page, const tess_pair_slots *pairs) {
    tess_page_code(page, NULL,
                   "INLINE void find_points(const struct params *p, struct element *e, int i) {\n");
    for (int of_pairs = 0; of_pairs < 2; of_pairs++)
        for (int r = 0; r < page->bound->n_targets; r++)
            if ((pairs[r].n > 0) == of_pairs)
                print_find_set(page, r, of_pairs ? &pairs[r] : NULL);
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)i;\n}\n\n");
}

/* The sets of a loop, each by its table, or as pairs; these have n > 0. */
static tess_status index_sets(tess_page *page, const int32_t *list, tess_find find,
                              tess_pair_slots *pairs) {
    for (int r = 0; r < page->bound->n_targets; r++)
        if (find == TESS_FIND_TABLE || !tess_pair_slots_find(page, r, &pairs[r])) {
            pairs[r].n = 0;
            TRY(index_array(page, list, r));
        }
    if (page->store->maps_in_rows)
        print_row_positions(page);
    if (page->any_size)
        tess_page_param(page, "long long", (uint64_t)tess_store_stride(page->bound->n_elements),
                        "index_stride");
    for (int r = 0; r < page->bound->n_targets; r++)
        if (pairs[r].n > 0)
            TRY(tess_table_pair_positions(page, &pairs[r], find));
    return TESS_OK;
}

static tess_status index_by(tess_page *page, const int32_t *list, tess_find find,
                            tess_pair_slots **out) {
    tess_status status = TESS_OK;
    tess_pair_slots *pairs = NULL;
    bool found = find == TESS_FIND_TABLE;
    CHECK(TESS_ZEROS(page->bound->n_targets, &pairs));
    CHECK(index_sets(page, list, find, pairs));
    for (int r = 0; r < page->bound->n_targets; r++)
        found |= pairs[r].n > 0;
    if (!found)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "find is how an element finds the blocks of a matrix, and loop %s adds to "
                        "none: leave it out",
                        page->bound->loop->name));
    print_find_points(page, pairs);
    if (out)
        *out = TESS_TAKE(pairs);
done:
    free(pairs);
    return status;
}

tess_status tess_table_index(tess_page *page, const int32_t *list) {
    return index_by(page, list, TESS_FIND_TABLE, NULL);
}

tess_find tess_find_of(const tess_spec *spec, const tess_option *options) {
    return tess_spec_is(spec, options, "find", "table")   ? TESS_FIND_TABLE
           : tess_spec_is(spec, options, "find", "ranks") ? TESS_FIND_RANKS
                                                          : TESS_FIND_SEARCH;
}

tess_status tess_table_index_found(tess_page *page, tess_find find, tess_pair_slots **out) {
    if (page->any_size && find != TESS_FIND_TABLE)
        FAIL(TESS_ERROR_USAGE, "the parts of a mesh have tables of a matrix: leave find out");
    return index_by(page, NULL, find, out);
}

tess_status tess_table_offsets(tess_page *page, const int64_t *offset, int64_t n, const char *set,
                               const char *name) {
    int32_t *narrow = NULL;
    TRY(TESS_ALLOC(n, &narrow));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < n; i++) {
        if (offset[i] > INT32_MAX)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s%s of this plan passes 2^31", set, name));
        narrow[i] = (int32_t)offset[i];
    }
    CHECK(tess_page_array(page, "const int *", narrow, n * 4, "%s%s", set, name));
done:
    free(narrow);
    return status;
}

tess_status tess_table_block_list(const tess_plan *plan, int32_t **out) {
    TRY(TESS_ALLOC(plan->n_blocks, out));
    int32_t n = 0;
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++)
            if (!plan->block_colour || plan->block_colour[b] == colour)
                (*out)[n++] = b;
    return TESS_OK;
}

tess_status tess_table_blocks(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_table_offsets(page, plan->block_offset, plan->n_blocks + 1, "", "block_offset"));
    tess_page_member(page, NULL, "    int begin, end; /* its elements, by position */\n");
    tess_page_open_code(page, NULL,
                        "    b.begin = fetch(&p->block_offset[index]);\n"
                        "    b.end = fetch(&p->block_offset[index + 1]);\n");
    return TESS_OK;
}

tess_status tess_table_blocks_by_colour(tess_page *page) {
    int32_t *list = NULL;
    TRY(tess_table_block_list(page->plan, &list));
    const tess_status status =
        tess_page_array(page, "const int *", list, (int64_t)page->plan->n_blocks * 4, "block_list");
    free(list);
    return status;
}

int64_t tess_table_groups(tess_page *page, int64_t n) {
    const int64_t n_positions = page->plan->n_executed;
    tess_page_member(page, NULL, "    int begin, end; /* its elements, by position */\n");
    tess_page_open_code(
        page, NULL,
        "    b.begin = index * %lld;\n"
        "    b.end = N_POSITIONS - b.begin < %lld ? N_POSITIONS : b.begin + %lld;\n",
        (long long)n, (long long)n, (long long)n);
    return (n_positions + n - 1) / n;
}

static tess_launch launch_of(const char *kernel) {
    tess_launch launch = {.shared_bytes = 0};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", kernel);
    return launch;
}

tess_status tess_table_launch_colours(tess_page *page, const char *kernel, int64_t shared_bytes) {
    const tess_plan *plan = page->plan;
    tess_launch launch = launch_of(kernel);
    launch.shared_bytes = shared_bytes;
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++) {
        launch.count = 0;
        for (int32_t b = 0; b < plan->n_blocks; b++)
            launch.count += !plan->block_colour || plan->block_colour[b] == colour;
        launch.n_blocks = launch.count;
        TRY(tess_page_launch(page, &launch));
        launch.first += launch.count;
    }
    return TESS_OK;
}

tess_status tess_table_launch_blocks(tess_page *page, const char *kernel, int64_t shared_bytes) {
    tess_launch launch = launch_of(kernel);
    launch.shared_bytes = shared_bytes;
    launch.n_blocks = launch.count = page->plan->n_blocks;
    return tess_page_launch(page, &launch);
}

tess_status tess_table_launch_flat(tess_page *page, const char *kernel, int64_t first, int64_t n) {
    tess_launch launch = launch_of(kernel);
    launch.first = first;
    launch.count = n;
    launch.n_blocks = (n + page->threads - 1) / page->threads;
    return tess_page_launch(page, &launch);
}

tess_status tess_table_thread_colours(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_page_array(page, "const unsigned short *", plan->thread_colour,
                        plan->n_executed * (int64_t)sizeof *plan->thread_colour, "thread_colour"));
    tess_page_member(page, NULL, "    int n_rounds; /* thread colours */\n");
    tess_page_open_code(page, NULL, "    b.n_rounds = fetch(&p->thread_colours[index]);\n");
    return tess_page_array(page, "const int *", plan->thread_colours, plan->n_blocks * INT64_C(4),
                           "thread_colours");
}
