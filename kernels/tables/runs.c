/* Runs: what a block stages of a set, as one range of consecutive elements and a list of others,
 * and ranges by block that need not be fetched. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/tables/tables.h"

#include <stdlib.h>
#include <string.h>

/* --- ranges ----------------------------------------------------------------------------------- */

/* The size of all ranges but one, `*odd`, or -1 where more differ. */
static int64_t size_of_ranges(const int64_t *offset, int64_t n, int64_t *odd) {
    const int64_t size = n > 2 && offset[1] - offset[0] != offset[2] - offset[1]
                             ? offset[3] - offset[2]
                             : offset[1] - offset[0];
    *odd = n;
    for (int64_t b = 0; b < n; b++) {
        if (offset[b + 1] - offset[b] == size)
            continue;
        if (*odd < n)
            return -1;
        *odd = b;
    }
    return size;
}

tess_status tess_table_ranges(tess_page *page, const char *begin, const char *end,
                              const int64_t *offset, const char *set, const char *name) {
    const int64_t n = page->plan->n_blocks;
    int64_t odd = 0;
    const int64_t size = n > 0 ? size_of_ranges(offset, n, &odd) : 0;
    if (size < 0 || offset[n] > INT32_MAX) {
        tess_page_print(page, "#define %s%s(p, b) fetch(&(p)->%s%s[b])\n", set, begin, set, name);
        tess_page_print(page, "#define %s%s(p, b) fetch(&(p)->%s%s[(b) + 1])\n", set, end, set,
                        name);
        return tess_table_offsets(page, offset, n + 1, set, name);
    }
    const long long more = odd < n ? (long long)(offset[odd + 1] - offset[odd] - size) : 0;
    tess_page_print(page, "#define %s%s(p, b) ((b) * %lld + ((b) > %lld ? %lld : 0))\n", set, begin,
                    (long long)size, (long long)odd, more);
    tess_page_print(page, "#define %s%s(p, b) (((b) + 1) * %lld + ((b) >= %lld ? %lld : 0))\n", set,
                    end, (long long)size, (long long)odd, more);
    return TESS_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

tess_run tess_run_longest(const int32_t *stored, int64_t n) {
    tess_run longest = {0, 0};
    int64_t first = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && stored[i] != stored[i - 1] + 1)
            first = i;
        if (i + 1 - first > longest.length)
            longest = (tess_run){.begin = stored[first], .length = (int32_t)(i + 1 - first)};
    }
    return longest;
}

int32_t tess_run_place(tess_run run, bool outside, int32_t stored, const int32_t *others,
                       int64_t n_others) {
    if (!outside && stored >= run.begin && stored < run.begin + run.length)
        return stored - run.begin + run.begin % TESS_RUN_ALIGNED;
    return tess_run_end(run) + (int32_t)tess_sorted_place(others, n_others, stored);
}

int64_t tess_run_others(tess_run run, const int32_t *stored, int64_t n, int32_t *others) {
    int64_t n_others = 0;
    for (int64_t i = 0; i < n; i++)
        if (stored[i] < run.begin || stored[i] >= run.begin + run.length)
            others[n_others++] = stored[i];
    return n_others;
}

/* Gives all blocks a list of one length, filled up with -1, where that costs no more than a quarter
 * of the lists: their offsets need then not be fetched before them. */
static tess_status pad_lists(int32_t n_blocks, int64_t *offset, int32_t **list) {
    int64_t most = 0;
    for (int32_t b = 0; b < n_blocks; b++)
        if (offset[b + 1] - offset[b] > most)
            most = offset[b + 1] - offset[b];
    most = (most + 7) / 8 * 8;
    if (most * n_blocks > offset[n_blocks] * 5 / 4 + 8 * n_blocks)
        return TESS_OK;
    int32_t *padded = NULL;
    TRY(TESS_ALLOC(most * n_blocks, &padded));
    memset(padded, 0xff, (size_t)(most * n_blocks) * sizeof *padded);
    for (int32_t b = 0; b < n_blocks; b++)
        memcpy(padded + b * most, *list + offset[b],
               (size_t)(offset[b + 1] - offset[b]) * sizeof *padded);
    for (int32_t b = 0; b <= n_blocks; b++)
        offset[b] = b * most;
    free(*list);
    *list = padded;
    return TESS_OK;
}

tess_status tess_table_runs(tess_page *page, const char *set, const tess_run *runs,
                            int64_t *others_offset, int32_t **others) {
    const int32_t n_blocks = page->plan->n_blocks;
    if (runs) {
        tess_page_print(page,
                        "#define %s_RUN_BEGIN(p, b) fetch(&(p)->%s_run[2 * (b)])\n"
                        "#define %s_RUN_END(p, b) (%s_RUN_BEGIN(p, b) + "
                        "fetch(&(p)->%s_run[2 * (b) + 1]))\n",
                        set, set, set, set, set);
        TRY(tess_page_array(page, "const int *", runs, n_blocks * (int64_t)sizeof *runs, "%s_run",
                            set));
    }
    TRY(pad_lists(n_blocks, others_offset, others));
    TRY(tess_table_ranges(page, "_OTHERS_BEGIN", "_OTHERS_END", others_offset, set,
                          "_others_offset"));
    return tess_page_array(page, "const int *", *others, others_offset[n_blocks] * 4, "%s_others",
                           set);
}
