/* Levels: a breadth-first search from one vertex, and the vertices of a graph ranked by degree. */
#include "core/plan/order/levels.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include <stdlib.h>

enum { MOST_ENDS = 8 }; /* vertices of a last level that are tried as the other end */

tess_status tess_levels_new(int64_t n_vertices, tess_levels *levels) {
    TRY(TESS_ALLOC(n_vertices, &levels->level));
    TRY(TESS_ALLOC(n_vertices, &levels->queue));
    for (int64_t v = 0; v < n_vertices; v++)
        levels->level[v] = -1;
    return TESS_OK;
}

void tess_levels_free(tess_levels *levels) {
    free(levels->level);
    free(levels->queue);
}

void tess_levels_clear(tess_levels *levels) {
    for (int64_t i = 0; i < levels->n; i++)
        levels->level[levels->queue[i]] = -1;
    levels->n = 0;
}

/* Forgets the last search (in time of its size) and searches from `root`. */
static void levels_search(const tess_rows *graph, int32_t root, tess_levels *levels) {
    tess_levels_clear(levels);
    int32_t *const level = levels->level, *const queue = levels->queue;
    int64_t n = 0, level_start = 0, width = 0;
    queue[n++] = root;
    level[root] = 0;
    int32_t height = 0;
    while (level_start < n) {
        const int64_t level_end = n;
        width = level_end - level_start > width ? level_end - level_start : width;
        height++;
        for (; level_start < level_end; level_start++) {
            const int32_t v = queue[level_start];
            for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
                const int32_t w = graph->item[i];
                if (level[w] < 0) {
                    level[w] = height;
                    queue[n++] = w;
                }
            }
        }
    }
    levels->n = n;
    levels->root = root;
    levels->height = height;
    levels->width = width;
}

static tess_status ranks_new(const tess_rows *graph, tess_ranks *ranks) {
    const int64_t n = graph->n;
    const int64_t largest = tess_rows_longest(graph);
    int64_t *next = NULL;
    TRY(TESS_ALLOC(n, &ranks->rank));
    TRY(TESS_ALLOC(n, &ranks->by_rank));
    TRY(TESS_ZEROS(largest + 2, &next));
    for (int64_t v = 0; v < n; v++)
        next[tess_rows_size(graph, v) + 1]++;
    for (int64_t d = 0; d <= largest; d++)
        next[d + 1] += next[d];
    for (int64_t v = 0; v < n; v++) {
        const int64_t r = next[tess_rows_size(graph, v)]++;
        ranks->rank[v] = (int32_t)r;
        ranks->by_rank[r] = (int32_t)v;
    }
    free(next);
    return TESS_OK;
}

static void ranks_free(tess_ranks *ranks) {
    free(ranks->rank);
    free(ranks->by_rank);
}

/* The vertex of least rank among n. */
static int32_t ranks_least(const tess_ranks *ranks, const int32_t *vertices, int64_t n) {
    int32_t least = vertices[0];
    for (int64_t i = 1; i < n; i++)
        if (ranks->rank[vertices[i]] < ranks->rank[least])
            least = vertices[i];
    return least;
}

tess_status tess_numbering_new(const tess_rows *graph, tess_numbering *numbering) {
    numbering->graph = graph;
    TRY(ranks_new(graph, &numbering->ranks));
    TRY(TESS_ZEROS(graph->n, &numbering->numbered));
    return TESS_ALLOC(graph->n, &numbering->order);
}

void tess_numbering_free(tess_numbering *numbering) {
    ranks_free(&numbering->ranks);
    free(numbering->numbered);
    free(numbering->order);
}

void tess_numbering_add(tess_numbering *numbering, int32_t v) {
    numbering->numbered[v] = true;
    numbering->order[numbering->n++] = v;
}

void tess_numbering_add_around(tess_numbering *numbering, int32_t v, const int32_t *level,
                               int32_t wanted) {
    const tess_rows *graph = numbering->graph;
    const tess_ranks *ranks = &numbering->ranks;
    int32_t *const order = numbering->order;
    const int64_t start = numbering->n;
    for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
        const int32_t w = graph->item[i];
        if (!numbering->numbered[w] && (!level || level[w] == wanted))
            tess_numbering_add(numbering, w);
    }
    for (int64_t i = start; i < numbering->n; i++)
        order[i] = ranks->rank[order[i]];
    tess_sort(order + start, numbering->n - start);
    for (int64_t i = start; i < numbering->n; i++)
        order[i] = ranks->by_rank[order[i]];
}

/* The vertices of least rank in the last level, ascending by rank; returns how many. */
static int ends_of(const tess_ranks *ranks, const tess_levels *levels, int32_t ends[MOST_ENDS]) {
    int n = 0;
    for (int64_t i = levels->n; i-- > 0;) {
        const int32_t v = levels->queue[i];
        if (levels->level[v] < levels->height - 1)
            break;
        if (n == MOST_ENDS && ranks->rank[v] > ranks->rank[ends[n - 1]])
            continue;
        int at = n < MOST_ENDS ? n++ : n - 1;
        for (; at > 0 && ranks->rank[ends[at - 1]] > ranks->rank[v]; at--)
            ends[at] = ends[at - 1];
        ends[at] = v;
    }
    return n;
}

static void levels_swap(tess_levels *a, tess_levels *b) {
    const tess_levels kept = *a;
    *a = *b;
    *b = kept;
}

/* Tries the ends; true when one of them is farther from its last level than `from` is: it is the
 * new start then. Else `to` is searched from the end of least width. */
static bool other_end_is_farther(const tess_rows *graph, const tess_ranks *ranks, tess_levels *from,
                                 tess_levels *to, tess_levels *other) {
    int32_t ends[MOST_ENDS];
    const int n_ends = ends_of(ranks, from, ends);
    for (int i = 0; i < n_ends && !tess_interrupted(); i++) {
        levels_search(graph, ends[i], other);
        if (other->height > from->height) {
            levels_swap(from, other);
            return true;
        }
        if (i == 0 || other->width < to->width)
            levels_swap(to, other);
    }
    return false;
}

void tess_levels_of_ends(const tess_rows *graph, const tess_ranks *ranks, int32_t start,
                         tess_levels *from, tess_levels *to, tess_levels *other) {
    levels_search(graph, start, from);
    start = ranks_least(ranks, from->queue, from->n);
    levels_search(graph, start, from);
    while (other_end_is_farther(graph, ranks, from, to, other) && !tess_interrupted())
        ;
}
