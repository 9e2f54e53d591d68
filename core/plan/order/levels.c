/* Levels: a breadth-first search from one vertex. */
#include "core/plan/order/levels.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
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

/* The first by degree among n vertices. */
static int32_t least_degree(const tess_degree_order *by_degree, const int32_t *vertices,
                            int64_t n) {
    int32_t least = vertices[0];
    for (int64_t i = 1; i < n; i++)
        if (by_degree->position[vertices[i]] < by_degree->position[least])
            least = vertices[i];
    return least;
}

/* The first vertices of the last level by degree, ascending; returns how many. */
static int ends_of(const tess_degree_order *by_degree, const tess_levels *levels,
                   int32_t ends[MOST_ENDS]) {
    int n = 0;
    for (int64_t i = levels->n; i-- > 0;) {
        const int32_t v = levels->queue[i];
        if (levels->level[v] < levels->height - 1)
            break;
        if (n == MOST_ENDS && by_degree->position[v] > by_degree->position[ends[n - 1]])
            continue;
        int at = n < MOST_ENDS ? n++ : n - 1;
        for (; at > 0 && by_degree->position[ends[at - 1]] > by_degree->position[v]; at--)
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
static bool other_end_is_farther(const tess_rows *graph, const tess_degree_order *by_degree,
                                 tess_levels *from, tess_levels *to, tess_levels *other) {
    int32_t ends[MOST_ENDS];
    const int n_ends = ends_of(by_degree, from, ends);
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

void tess_levels_of_ends(const tess_rows *graph, const tess_degree_order *by_degree, int32_t start,
                         tess_levels *from, tess_levels *to, tess_levels *other) {
    levels_search(graph, start, from);
    start = least_degree(by_degree, from->queue, from->n);
    levels_search(graph, start, from);
    while (other_end_is_farther(graph, by_degree, from, to, other) && !tess_interrupted())
        ;
}
