/* Border sums: to points of several blocks the first of them adds at once, what the others add is
 * kept, and a second launch adds it up in the order of the blocks, so that a sum has the same bits
 * in every run. */
#include "core/base/array.h"
#include "core/base/rows.h"
#include "kernels/codegen/tables.h"

#include <stdio.h>
#include <stdlib.h>

/* Of each border point its kept sums among those of all blocks' points. The last points come first:
 * what the last blocks kept is what a GPU's cache still has. */
static tess_status list_sums(const int32_t *points, const uint8_t *incremented, int64_t n,
                             tess_rows *list) {
    for (int64_t i = 0; i < n; i++)
        if (points[i] < 0 && incremented[i])
            tess_rows_count(list, list->n - 1 - ~points[i]);
    TRY(tess_rows_open(list));
    for (int64_t i = 0; i < n; i++)
        if (points[i] < 0 && incremented[i])
            tess_rows_put(list, list->n - 1 - ~points[i], (int32_t)i);
    return TESS_OK;
}

/* SET_border[n_border], where each is stored, and SET_border_offset[n_border + 1] into
 * SET_border_sums. */
static tess_status border_arrays(tess_page *page, int r, int64_t n_points, const tess_rows *list) {
    tess_status status = TESS_OK;
    tess_page_set *set = &page->sets[r];
    int32_t *border = NULL;
    int64_t *offset = NULL;
    CHECK(TESS_ALLOC(n_points, &border));
    CHECK(TESS_ALLOC(n_points + 1, &offset));
    for (int64_t row = 0; row < n_points; row++)
        if (tess_rows_size(list, row) > 0) {
            offset[set->n_border] = list->offset[row];
            border[set->n_border++] = (int32_t)(n_points - 1 - row);
        }
    offset[set->n_border] = list->offset[n_points];
    CHECK(tess_page_array(page, "const int *", border, set->n_border * 4, "%s_border", set->name));
    CHECK(tess_table_offsets(page, offset, set->n_border + 1, set->name, "_border_offset"));
    CHECK(tess_page_array(page, "const int *", list->item, list->offset[n_points] * 4,
                          "%s_border_sums", set->name));
done:
    free(border);
    free(offset);
    return status;
}

/* Where the sums of n points are kept: DAT_kept(p, i, d). */
static tess_status keep_sums(tess_page *page, const tess_page_dat *dat, int64_t n) {
    char type[32];
    snprintf(type, sizeof type, "%s *", dat->type);
    tess_page_code(page, dat,
                   "INLINE @type *@dat_kept(const struct params *p, long long i, int d) {\n");
    if (dat->aos)
        tess_page_code(page, dat, "    return &p->@dat_temporary[i * @dim + d];\n}\n\n");
    else
        tess_page_code(page, dat, "    return &p->@dat_temporary[d * %lldll + i];\n}\n\n",
                       (long long)n);
    return tess_page_array(page, type, NULL, n * dat->dim * dat->size, "%s_temporary", dat->symbol);
}

tess_status tess_table_border_lists(tess_page *page, int r, const int32_t *points,
                                    const uint8_t *incremented, int64_t n) {
    tess_status status = TESS_OK;
    const int64_t n_points = page->bound->mesh->sets[page->bound->targets[r].set].size;
    tess_rows *list = NULL;
    if (n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "blocks have too many %s for 32-bit entries", page->sets[r].name);
    CHECK(tess_rows_new(n_points, &list));
    CHECK(list_sums(points, incremented, n, list));
    CHECK(border_arrays(page, r, n_points, list));
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].target == r && page->dats[i].summed)
            CHECK(keep_sums(page, &page->dats[i], n));
done:
    tess_rows_free(list);
    return status;
}

static void print_add(tess_page *page, const tess_page_dat *dat) {
    tess_page_code(page, dat,
                   "    if (j < %lld) {\n"
                   "        const int point = fetch(&p->@set_border[j]);\n"
                   "        const int last = fetch(&p->@set_border_offset[j + 1]);\n"
                   "        @type total[@dim];\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            total[d] = load(&p->@dat[@dat_at(point, d)]);\n"
                   "        for (int k = fetch(&p->@set_border_offset[j]); k < last; k++) {\n"
                   "            const int i = fetch(&p->@set_border_sums[k]);\n"
                   "            UNROLL for (int d = 0; d < @dim; d++)\n"
                   "                total[d] += fetch(@dat_kept(p, i, d));\n"
                   "        }\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            store(&p->@dat[@dat_at(point, d)], total[d]);\n"
                   "    }\n",
                   (long long)page->sets[dat->target].n_border);
}

tess_status tess_table_launch_border(tess_page *page, const char *kernel) {
    int64_t most = 0;
    tess_page_code(page, NULL, "INLINE void add_border(const struct params *p, int j) {\n");
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed)
            print_add(page, &page->dats[i]);
    tess_page_code(page, NULL, "    (void)p, (void)j;\n}\n\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        most = page->sets[r].n_border > most ? page->sets[r].n_border : most;
    return most > 0 ? tess_table_launch_flat(page, kernel, 0, most) : TESS_OK;
}
