/* Indices: which points the elements have, as both are stored. */
#include "kernels/codegen/slots_there.h"

#include "core/base/array.h"
#include <stdlib.h>

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
    const int32_t point = tess_target_point(from->target, e, (int)slot);
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

/* Whether the device finds the points of all elements in the plan, which executes each once, and
 * has kernels for blocks of so many points. */
static bool is_made_there(const tess_page *page, int r) {
    const tess_plan *plan = page->plan;
    return page->there && !plan->owns_points && plan->n_executed == page->bound->n_elements &&
           tess_page_staged(page, r) <= TESS_CUT_CHUNK &&
           page->bound->targets[r].n_slots <= TESS_SLOTS_THERE;
}

/* Brings where the element at each position of the plan is in a list of all that are stored. */
static tess_status bring_places(tess_page *page, const int32_t *list, tess_address *places) {
    const int64_t n = page->bound->n_elements;
    int32_t *place_of = NULL, *place = NULL;
    tess_status status = TESS_OK;
    CHECK(TESS_ALLOC(n, &place_of));
    CHECK(TESS_ALLOC(n, &place));
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        place_of[list[i]] = (int32_t)i;
#pragma omp parallel for
    for (int64_t k = 0; k < n; k++)
        place[k] = place_of[tess_page_element(page, page->plan->executed[k])];
    CHECK(tess_cut_send(&page->there->room, "places", place, n, sizeof *place, places));
done:
    free(place_of);
    free(place);
    return status;
}

static tess_status index_there(tess_page *page, const int32_t *list, int r, tess_address *places) {
    if (list && !*places)
        TRY(bring_places(page, list, places));
    return tess_index_there(page, r, *places);
}

static tess_status index_array(tess_page *page, const int32_t *list, int r, tess_address *places) {
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
    if (is_made_there(page, r))
        TRY(index_there(page, list, r, places));
    else
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
    tess_address places = 0; /* brought for the first */
    for (int r = 0; r < page->bound->n_targets; r++)
        if (find == TESS_FIND_TABLE || !tess_pair_slots_find(page, r, &pairs[r])) {
            pairs[r].n = 0;
            TRY(index_array(page, list, r, &places));
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
