/* Runs: what a block stages of a set, as one range of consecutive elements and a list of others,
 * and ranges by block that need not be fetched. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/codegen/tables_there.h"

#include <stdio.h>
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
        tess_page_code(page, NULL,
                       "INLINE int %s%s(const struct params *p, int block) {\n"
                       "    return fetch(&p->%s%s[block]);\n}\n\n",
                       set, begin, set, name);
        tess_page_code(page, NULL,
                       "INLINE int %s%s(const struct params *p, int block) {\n"
                       "    return fetch(&p->%s%s[block + 1]);\n}\n\n",
                       set, end, set, name);
        return tess_table_offsets(page, offset, n + 1, set, name);
    }
    const long long more = odd < n ? (long long)(offset[odd + 1] - offset[odd] - size) : 0;
    tess_page_code(page, NULL,
                   "INLINE int %s%s(const struct params *p, int block) {\n    (void)p;\n"
                   "    return block * %lld + (block > %lld ? %lld : 0);\n}\n\n",
                   set, begin, (long long)size, (long long)odd, more);
    tess_page_code(page, NULL,
                   "INLINE int %s%s(const struct params *p, int block) {\n    (void)p;\n"
                   "    return (block + 1) * %lld + (block >= %lld ? %lld : 0);\n}\n\n",
                   set, end, (long long)size, (long long)odd, more);
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

int32_t tess_run_position(tess_run run, bool outside, int32_t stored, const int32_t *others,
                          int64_t n_others) {
    if (!outside && stored >= run.begin && stored < run.begin + run.length)
        return stored - run.begin + run.begin % TESS_RUN_ALIGNED;
    return tess_run_end(run) + (int32_t)tess_sorted_position(others, n_others, stored);
}

int64_t tess_run_others(tess_run run, const int32_t *stored, int64_t n, int32_t *others) {
    int64_t n_others = 0;
    for (int64_t i = 0; i < n; i++)
        if (stored[i] < run.begin || stored[i] >= run.begin + run.length)
            others[n_others++] = stored[i];
    return n_others;
}

void tess_table_close_gaps(int32_t *items, const int64_t *begin, int64_t n, int64_t *offset) {
    for (int64_t b = 0; b < n; b++) {
        memmove(items + offset[b], items + begin[b], (size_t)offset[b + 1] * sizeof *items);
        offset[b + 1] += offset[b];
    }
}

/* Says where the lists of blocks begin if all are of one length, filled up with -1, where that
 * costs no more than a quarter of them: their offsets need then not be fetched before them. */
static bool pad_offsets(int32_t n_blocks, int64_t *offset) {
    int64_t most = 0;
    for (int32_t b = 0; b < n_blocks; b++)
        if (offset[b + 1] - offset[b] > most)
            most = offset[b + 1] - offset[b];
    most = (most + 7) / 8 * 8;
    if (most * n_blocks > offset[n_blocks] * 5 / 4 + 8 * n_blocks)
        return false;
    for (int32_t b = 0; b <= n_blocks; b++)
        offset[b] = b * most;
    return true;
}

static tess_status pad_lists(int32_t n_blocks, int64_t *offset, int32_t **list) {
    tess_status status = TESS_OK;
    int32_t *padded = NULL;
    int64_t *begin = NULL;
    CHECK(TESS_ALLOC(n_blocks + INT64_C(1), &begin));
    memcpy(begin, offset, (size_t)(n_blocks + INT64_C(1)) * sizeof *begin);
    if (!pad_offsets(n_blocks, offset))
        goto done;
    CHECK(TESS_ALLOC(offset[n_blocks], &padded));
    memset(padded, 0xff, (size_t)offset[n_blocks] * sizeof *padded);
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < n_blocks; b++)
        memcpy(padded + offset[b], *list + begin[b],
               (size_t)(begin[b + 1] - begin[b]) * sizeof *padded);
    free(*list);
    *list = TESS_TAKE(padded);
done:
    free(padded);
    free(begin);
    return status;
}

static void print_runs(tess_page *page, const char *set) {
    const tess_page_dat words = {.set = set};
    tess_page_code(page, &words,
                   "INLINE int @set_run_begin(const struct params *p, int block) {\n"
                   "    return fetch(&p->@set_run[2 * block]);\n}\n\n"
                   "INLINE int @set_run_end(const struct params *p, int block) {\n"
                   "    return fetch(&p->@set_run[2 * block]) + fetch(&p->@set_run[2 * block + 1]);"
                   "\n}\n\n");
}

tess_status tess_table_runs_there(tess_page *page, const char *set, int64_t *others_offset) {
    tess_tables_there *there = page->there;
    tess_cut_params *p = &there->kernels.params;
    const int32_t n_blocks = page->plan->n_blocks;
    if (p->runs) {
        print_runs(page, set);
        TRY(tess_there_array(page, "const int *", p->runs, n_blocks * (int64_t)sizeof(tess_run),
                             "%s_run", set));
    }
    pad_offsets(n_blocks, others_offset);
    TRY(tess_table_ranges(page, "_others_begin", "_others_end", others_offset, set,
                          "_others_offset"));
    p->offsets_out = 0;
    TRY(tess_there_offsets(page, others_offset, &p->offsets_out));
    TRY(tess_cut_take(&there->room, "lists of others", others_offset[n_blocks], sizeof(int32_t),
                      &p->points_out));
    TRY(tess_cut_launch(&there->kernels, "close_lists", n_blocks));
    return tess_there_array(page, "const int *", p->points_out, others_offset[n_blocks] * 4,
                            "%s_others", set);
}

tess_status tess_table_runs(tess_page *page, const char *set, const tess_run *runs,
                            int64_t *others_offset, int32_t **others) {
    const int32_t n_blocks = page->plan->n_blocks;
    if (runs) {
        print_runs(page, set);
        TRY(tess_page_array(page, "const int *", runs, n_blocks * (int64_t)sizeof *runs, "%s_run",
                            set));
    }
    TRY(pad_lists(n_blocks, others_offset, others));
    TRY(tess_table_ranges(page, "_others_begin", "_others_end", others_offset, set,
                          "_others_offset"));
    return tess_page_array(page, "const int *", *others, others_offset[n_blocks] * 4, "%s_others",
                           set);
}

/* --- functions -------------------------------------------------------------------------------- */

void tess_table_run_members(tess_page *page, const char *set) {
    const tess_page_dat words = {.set = set};
    tess_page_member(
        page, &words,
        "    int @set_begin, @set_end;     /* the run: where they are stored */\n"
        "    int @set_run_place, @set_others;  /* of the run's first, and of the others, "
        "among the staged */\n"
        "    int @set_list, @set_n_others; /* the others in their list (no more than) */\n"
        "    int @set_other; /* the thread's first of them, known before any copy is "
        "under way; negative: none */\n");
    tess_page_code(
        page, &words,
        "INLINE void find_@set_run(const struct params *p, struct block *b) {\n"
        "    b->@set_begin = @set_run_begin(p, b->index);\n"
        "    b->@set_end = @set_run_end(p, b->index);\n"
        "    b->@set_list = @set_others_begin(p, b->index);\n"
        "    b->@set_n_others = @set_others_end(p, b->index) - b->@set_list;\n"
        "    b->@set_run_place = b->@set_begin %% 4;\n"
        "    b->@set_others = (b->@set_run_place + b->@set_end - b->@set_begin + 3) / 4 * 4;\n}\n\n"
        "INLINE void find_@set_other(const struct params *p, struct block *b) {\n"
        "    b->@set_other = thread_index() < b->@set_n_others\n"
        "                        ? fetch(&p->@set_others[b->@set_list + thread_index()])"
        "\n                        : -1;\n}\n\n");
}

void tess_table_copy_rows(tess_page *page, const tess_page_dat *dat, const char *n,
                          const char *point, const char *what) {
    tess_page_code(page, dat,
                   "    for (int v = thread_index(); v < %s * @dim; v += THREADS) {\n"
                   "        const int i = v / @dim, d = v %% @dim;\n"
                   "        const int point = %s;\n",
                   n, point);
    tess_page_code(page, dat, "%s", what);
    tess_page_code(page, NULL, "    }\n");
}

void tess_table_copy_run(tess_page *page, const tess_page_dat *dat, const char *copy) {
    char words[256];
    if (!dat->aos) {
        tess_page_code(
            page, dat,
            "    for (int i = thread_index() * %d; i < b->@set_run_place + b->@set_end - "
            "b->@set_begin; i += THREADS * %d)\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            async_copy((struct piece *)@dat_%s(b, i, d),\n"
            "                       (const struct piece *)&p->@dat[@dat_at(b->@set_begin - "
            "b->@set_run_place + i, d)]);\n",
            16 / dat->size, 16 / dat->size, copy);
        return;
    }
    snprintf(
        words, sizeof words,
        "        async_copy(@dat_%s(b, b->@set_run_place + i, d), &p->@dat[@dat_at(point, d)]);\n",
        copy);
    tess_table_copy_rows(page, dat, "(b->@set_end - b->@set_begin)", "b->@set_begin + i", words);
}

void tess_table_copy_others(tess_page *page, const tess_page_dat *dats, int n, const char *copy) {
    char words[256];
    unsigned phases = 0;
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        phases |= tess_phases_begin(page, dats[i].phases);
    tess_page_if_phase(page, phases);
    tess_page_code(page, dats,
                   "    for (int i = thread_index(); i < b->@set_n_others; i += THREADS) {\n"
                   "        const int point = i == thread_index()\n"
                   "                              ? b->@set_other\n"
                   "                              : fetch(&p->@set_others[b->@set_list + i]);\n"
                   "        if (point < 0)\n            break;\n");
    for (int i = 0; i < n; i++)
        if (!dats[i].aos) {
            tess_page_if_phase(page, tess_phases_begin(page, dats[i].phases));
            tess_page_code(page, &dats[i],
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            async_copy(@dat_%s(b, b->@set_others + i, d), "
                           "&p->@dat[@dat_at(point, d)]);\n",
                           copy);
        }
    tess_page_code(page, NULL, "    }\n");
    snprintf(words, sizeof words,
             "        if (point >= 0)\n"
             "            async_copy(@dat_%s(b, b->@set_others + i, d), &p->@dat[@dat_at(point, "
             "d)]);\n",
             copy);
    for (int i = 0; i < n; i++)
        if (dats[i].aos) {
            tess_page_if_phase(page, tess_phases_begin(page, dats[i].phases));
            tess_table_copy_rows(page, &dats[i], "b->@set_n_others",
                                 "fetch(&p->@set_others[b->@set_list + i])", words);
        }
}

void tess_table_prefetch_run(tess_page *page, const tess_page_dat *dats, int n) {
    if (n == 0)
        return;
    tess_page_code(page, dats,
                   "    const int @set_begin = @set_run_begin(p, ahead);\n"
                   "    const int @set_end = @set_run_end(p, ahead);\n");
    for (int i = 0; i < n; i++) {
        char begin[TESS_NAME_SIZE + 8], end[TESS_NAME_SIZE + 8];
        snprintf(begin, sizeof begin, "%s_begin", dats[i].set);
        snprintf(end, sizeof end, "%s_end", dats[i].set);
        tess_table_prefetch(page, &dats[i], begin, end);
    }
    tess_page_code(page, dats,
                   "    bring_words(p->@set_others, @set_others_begin(p, ahead), "
                   "@set_others_end(p, ahead));\n");
}
