/* Levels: a breadth-first search from one vertex. */
#include "core/plan/order/levels.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <stdlib.h>

enum { MOST_ENDS = 8 }; /* vertices of a last level that are tried as the other end */

tess_status tess_levels_new(int64_t n_vertices, tess_levels *levels) {
    TRY(TESS_ALLOC(n_vertices, &levels->level));
    TRY(TESS_ALLOC(n_vertices + 1, &levels->queue));
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

/* Searches from `root`; inlined for levels that are kept, and that are not. Each neighbour is put
 * behind the queue and stays there where it is new: which are new cannot be foretold. */
static inline void search(const tess_ranked_graph *graph, int32_t root, bool keeps,
                          tess_levels *levels) {
    const int64_t ahead = 16; /* vertices, while whose rows are read another one comes */
    int32_t *const level = levels->level, *const queue = levels->queue;
    bool *const seen = levels->seen;
    int64_t n = 0, at = 0;
    *levels = (tess_levels){.level = level, .seen = seen, .queue = queue, .root = root};
    queue[n++] = root;
    if (keeps)
        level[root] = 0;
    else
        seen[root] = true;
    while (at < n) {
        const int64_t end = n;
        levels->last = at;
        levels->width = end - at > levels->width ? end - at : levels->width;
        levels->height++;
        for (; at < end; at++) {
            int64_t n_beside = 0;
            if (at + ahead < n)
                tess_incidence_prefetch(&graph->rows, queue[at + ahead]);
            const int32_t *row = tess_ranked_row(graph, queue[at], &n_beside);
            for (int64_t i = 0; i < n_beside; i++) {
                const int32_t w = row[i];
                const bool is_new = keeps ? level[w] < 0 : !seen[w];
                queue[n] = w;
                n += is_new;
                if (keeps)
                    level[w] = is_new ? levels->height : level[w];
                else
                    seen[w] = true;
            }
        }
    }
    levels->n = n;
}

/* Forgets the last search and searches from `root`. */
static void levels_search(const tess_ranked_graph *graph, int32_t root, tess_levels *levels) {
    if (levels->level) {
        tess_levels_clear(levels);
        search(graph, root, true, levels);
        return;
    }
    search(graph, root, false, levels);
    for (int64_t i = 0; i < levels->n; i++)
        levels->seen[levels->queue[i]] = false;
}

/* The first vertices of the last level by rank, ascending; returns how many. */
static int ends_of(const tess_ranked_graph *graph, const tess_levels *levels,
                   int32_t ends[MOST_ENDS]) {
    uint64_t rank[MOST_ENDS];
    int n = 0;
    for (int64_t i = levels->last; i < levels->n; i++) {
        const uint64_t its = tess_rank_of(graph, levels->queue[i]);
        if (n == MOST_ENDS && its > rank[n - 1])
            continue;
        int at = n < MOST_ENDS ? n++ : n - 1;
        for (; at > 0 && rank[at - 1] > its; at--) {
            rank[at] = rank[at - 1];
            ends[at] = ends[at - 1];
        }
        rank[at] = its;
        ends[at] = levels->queue[i];
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
static bool other_end_is_farther(const tess_ranked_graph *graph, tess_levels *from, tess_levels *to,
                                 tess_levels *other) {
    int32_t ends[MOST_ENDS];
    const int n_ends = ends_of(graph, from, ends);
    const int32_t root = from->root, height = from->height;
    for (int i = 0; i < n_ends && !tess_interrupted(); i++) {
        levels_search(graph, ends[i], other);
        if (other->height > height) {
            if (other != from)
                levels_swap(from, other);
            return true;
        }
        if (to && (i == 0 || other->width < to->width))
            levels_swap(to, other);
    }
    from->root = root;
    return false;
}

int32_t tess_levels_least(const tess_ranked_graph *graph, int32_t start, tess_levels *levels) {
    levels_search(graph, start, levels);
    return tess_rank_first(graph, levels->queue, start, levels->n);
}

void tess_levels_of_ends(const tess_ranked_graph *graph, int32_t least, tess_levels *from,
                         tess_levels *to, tess_levels *other) {
    levels_search(graph, least, from);
    while (other_end_is_farther(graph, from, to, other) && !tess_interrupted())
        ;
}
