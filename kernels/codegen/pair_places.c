/* Pair places: how an element finds the pairs of its points without a table of their numbers. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/codegen/tables.h"
#include <stdio.h>
#include <stdlib.h>

/* The pairs of a set in rows, as stored: each row's by ascending column. */
typedef struct pair_rows {
    int64_t n_rows, n_pairs;
    int32_t *begin;    /* [n_rows + 1] */
    uint64_t *pair;    /* [n_pairs]: column << 32 | the pair, both as stored */
    int32_t *position; /* [n_pairs], by the pair as stored: its position in `pair` */
    bool in_order;     /* that is the pair itself */
} pair_rows;

static void pair_rows_clear(pair_rows *rows) {
    free(rows->begin);
    free(rows->pair);
    free(rows->position);
}

/* The map from a set to the rows and columns of its pairs; NULL where it leads to one of no two
 * points. */
static const tess_map *pairs_map(const tess_mesh *mesh, int from, int to) {
    for (int m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].from == from && mesh->maps[m].to == to && mesh->maps[m].arity == 2 &&
            mesh->maps[m].derived)
            return &mesh->maps[m];
    return NULL;
}

/* Whether each element's pairs are (0, 1), (0, 2) ... (1, 0) ... of its points. */
static bool are_pairs(const tess_page *page, const tess_pair_slots *slots, const tess_map *map) {
    const tess_loop_target *pairs = &page->bound->targets[slots->pairs],
                           *rows = &page->bound->targets[slots->rows];
    for (int s = 0; s < pairs->n_slots; s++)
        for (int64_t e = 0; e < page->bound->n_elements; e++) {
            const int32_t pair = tess_target_point(pairs, e, s);
            if (pair < 0 ||
                map->index[2 * pair] != tess_target_point(rows, e, tess_pair_row(slots, s)) ||
                map->index[2 * pair + 1] != tess_target_point(rows, e, tess_pair_column(slots, s)))
                return false;
        }
    return true;
}

bool tess_pair_slots_find(const tess_page *page, int target, tess_pair_slots *out) {
    const tess_bound_loop *bound = page->bound;
    const int n_pairs = bound->targets[target].n_slots;
    *out = (tess_pair_slots){.pairs = target};
    while (out->n * (out->n - 1) < n_pairs)
        out->n++;
    for (out->rows = 0; out->rows < bound->n_targets; out->rows++) {
        const tess_loop_target *rows = &bound->targets[out->rows];
        const tess_map *map = pairs_map(bound->mesh, bound->targets[target].set, rows->set);
        for (out->first = 0; map && out->first + out->n <= rows->n_slots; out->first++)
            if (out->n * (out->n - 1) == n_pairs && are_pairs(page, out, map))
                return true;
    }
    return false;
}

static tess_status pair_rows_build(const tess_page *page, const tess_pair_slots *slots,
                                   pair_rows *rows) {
    const tess_mesh *mesh = page->bound->mesh;
    const int from = page->bound->targets[slots->pairs].set,
              to = page->bound->targets[slots->rows].set;
    const int32_t *index = pairs_map(mesh, from, to)->index;
    int32_t *next = NULL;
    rows->n_rows = mesh->sets[to].size;
    rows->n_pairs = mesh->sets[from].size;
    rows->in_order = true;
    TRY(TESS_ZEROS(rows->n_rows + 1, &rows->begin));
    TRY(TESS_ALLOC(rows->n_pairs, &rows->pair));
    TRY(TESS_ALLOC(rows->n_pairs, &rows->position));
    TRY(TESS_ALLOC(rows->n_rows, &next));
    for (int64_t i = 0; i < rows->n_pairs; i++)
        rows->begin[tess_page_point(page, slots->rows, index[2 * i]) + 1]++;
    for (int64_t row = 0; row < rows->n_rows; row++) {
        next[row] = rows->begin[row];
        rows->begin[row + 1] += rows->begin[row];
    }
    for (int64_t i = 0; i < rows->n_pairs; i++) {
        const int32_t row = tess_page_point(page, slots->rows, index[2 * i]);
        const int32_t column = tess_page_point(page, slots->rows, index[2 * i + 1]);
        rows->pair[next[row]++] =
            (uint64_t)column << 32 | (uint32_t)tess_page_point(page, slots->pairs, (int32_t)i);
    }
    free(next);
    for (int64_t row = 0; row < rows->n_rows; row++)
        tess_sort_words(rows->pair + rows->begin[row], rows->begin[row + 1] - rows->begin[row]);
    for (int32_t k = 0; k < rows->n_pairs; k++) {
        rows->position[(uint32_t)rows->pair[k]] = k;
        rows->in_order &= (uint32_t)rows->pair[k] == (uint32_t)k;
    }
    return TESS_OK;
}

/* Half of each pair of words, as an array of the page. */
static tess_status half_array(tess_page *page, const pair_rows *rows, const char *set, int shift,
                              const char *name) {
    int32_t *half = NULL;
    TRY(TESS_ALLOC(rows->n_pairs, &half));
    for (int64_t k = 0; k < rows->n_pairs; k++)
        half[k] = (int32_t)(uint32_t)(rows->pair[k] >> shift);
    const tess_status status =
        tess_page_array(page, "const int *", half, rows->n_pairs * 4, "%s_%s", set, name);
    free(half);
    return status;
}

static int64_t longest_row(const pair_rows *rows) {
    int64_t most = 0;
    for (int64_t row = 0; row < rows->n_rows; row++)
        if (rows->begin[row + 1] - rows->begin[row] > most)
            most = rows->begin[row + 1] - rows->begin[row];
    return most;
}

/* The ranks of elements' pairs in their rows, where the table would have their numbers. */
static tess_status rank_array(tess_page *page, const tess_pair_slots *slots,
                              const pair_rows *rows) {
    const tess_loop_target *pairs = &page->bound->targets[slots->pairs],
                           *points = &page->bound->targets[slots->rows];
    const int64_t n = page->bound->n_elements, stride = tess_store_stride(n);
    const bool in_rows = page->store->maps_in_rows, narrow = longest_row(rows) <= 256;
    const int64_t n_values = stride * pairs->n_slots;
    uint16_t *rank = NULL;
    TRY(TESS_ZEROS(n_values, &rank));
    for (int s = 0; s < pairs->n_slots; s++)
        for (int64_t e = 0; e < n; e++) {
            const int64_t i = tess_page_element(page, (int32_t)e);
            const int64_t at = in_rows ? i * pairs->n_slots + s : s * stride + i;
            const int32_t row = tess_page_point(
                page, slots->rows, tess_target_point(points, e, tess_pair_row(slots, s)));
            const int32_t pair =
                tess_page_point(page, slots->pairs, tess_target_point(pairs, e, s));
            rank[at] = (uint16_t)(rows->position[pair] - rows->begin[row]);
        }
    uint8_t *const bytes = (uint8_t *)rank; /* no value is overwritten before it is read */
    for (int64_t k = 0; narrow && k < n_values; k++)
        bytes[k] = (uint8_t)rank[k];
    const tess_status status =
        tess_page_array(page, narrow ? "const unsigned char *" : "const unsigned short *", rank,
                        n_values * (narrow ? 1 : 2), "%s_rank", page->sets[slots->pairs].name);
    free(rank);
    return status;
}

/* Gives the pair at a place, which it may be itself. */
static void print_return(tess_page *page, const pair_rows *rows, const tess_page_dat *set) {
    tess_page_code(page, set,
                   rows->in_order ? "    return place;\n}\n\n"
                                  : "    return fetch(&p->@set_stored[place]);\n}\n\n");
}

static void print_ranked(tess_page *page, const tess_page_dat *set, const char *at) {
    tess_page_code(page, set,
                   "    const int place = fetch(&p->@set_begin[row]) + fetch(&p->@set_rank[%s]);\n"
                   "    (void)column;\n",
                   at);
}

/* The last of the row's columns that is not greater. */
static void print_searched(tess_page *page, const tess_page_dat *set) {
    tess_page_code(page, set,
                   "    int place = fetch(&p->@set_begin[row]);\n"
                   "    int end = fetch(&p->@set_begin[row + 1]);\n"
                   "    while (end - place > 1) {\n"
                   "        const int middle = (place + end) / 2;\n"
                   "        if (fetch(&p->@set_column[middle]) <= column)\n"
                   "            place = middle;\n"
                   "        else\n"
                   "            end = middle;\n"
                   "    }\n"
                   "    (void)i, (void)s;\n");
}

tess_status tess_table_pair_positions(tess_page *page, const tess_pair_slots *slots,
                                      tess_find find) {
    tess_status status = TESS_OK;
    const tess_page_dat set = tess_page_set_words(page, slots->pairs);
    const long long stride = tess_store_stride(page->bound->n_elements);
    const char *name = page->sets[slots->pairs].name;
    char at[64];
    pair_rows rows = {.n_rows = 0};
    CHECK(pair_rows_build(page, slots, &rows));
    if (find == TESS_FIND_RANKS && longest_row(&rows) > UINT16_MAX + 1)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "%s have a row of %lld, too long for find=ranks: leave find out", name,
                        (long long)longest_row(&rows)));
    CHECK(
        tess_page_array(page, "const int *", rows.begin, (rows.n_rows + 1) * 4, "%s_begin", name));
    CHECK(find == TESS_FIND_RANKS ? rank_array(page, slots, &rows)
                                  : half_array(page, &rows, name, 32, "column"));
    if (!rows.in_order)
        CHECK(half_array(page, &rows, name, 0, "stored"));
    tess_page_code(page, &set,
                   "INLINE int @set_found(const struct params *p, int i, int s, int row, int "
                   "column) {\n");
    if (page->store->maps_in_rows)
        snprintf(at, sizeof at, "%s_index_at(i, s)", name);
    else
        snprintf(at, sizeof at, "%ss * %lld + i",
                 stride * (slots->n * (slots->n - 1)) > INT32_MAX ? "(long long)" : "", stride);
    if (find == TESS_FIND_RANKS)
        print_ranked(page, &set, at);
    else
        print_searched(page, &set);
    print_return(page, &rows, &set);
done:
    pair_rows_clear(&rows);
    return status;
}
