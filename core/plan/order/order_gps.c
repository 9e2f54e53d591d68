/* Gibbs-Poole-Stockmeyer: the level structures of two ends of a pseudo-diameter combined into one
 * of small width, numbered level by level. The roman numbers are the steps of their paper (1976).
 */
#include "core/plan/order/graph_order.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/plan/order/levels.h"
#include <stdlib.h>

/* A connected piece of the vertices whose level the two structures do not agree on. */
typedef struct piece {
    int64_t start, n; /* its vertices: queue[start ... start + n) */
} piece;

typedef struct gps {
    tess_ranked_graph graph;
    tess_numbering numbering;
    tess_levels from, to, other;
    int32_t *level;          /* [n_vertices]: the combined level, -1 while open */
    int64_t *size;           /* [n_vertices + 1]: vertices of each combined level */
    int64_t *first, *second; /* [n_vertices]: those that a piece would add; zeros between pieces */
    piece *pieces;
    int64_t n_pieces, pieces_capacity;
    uint64_t *by_level; /* [n_vertices]: the ranks of a component's vertices, by level */
} gps;

static tess_status gps_new(const tess_rows *graph, gps *g) {
    const int64_t n = graph->n;
    g->graph = (tess_ranked_graph){.rows = tess_incidence_of_rows(graph, n), .n = n};
    TRY(tess_numbering_new(&g->graph, &g->numbering));
    TRY(tess_levels_new(n, &g->from));
    TRY(tess_levels_new(n, &g->to));
    TRY(tess_levels_new(n, &g->other));
    TRY(TESS_ALLOC(n, &g->level));
    TRY(TESS_ZEROS(n + 1, &g->size));
    TRY(TESS_ZEROS(n, &g->first));
    TRY(TESS_ZEROS(n, &g->second));
    return TESS_ALLOC(n, &g->by_level);
}

static void gps_free(gps *g) {
    tess_numbering_free(&g->numbering);
    tess_levels_free(&g->from);
    tess_levels_free(&g->to);
    tess_levels_free(&g->other);
    free(g->level);
    free(g->size);
    free(g->first);
    free(g->second);
    free(g->pieces);
    free(g->by_level);
}

static int32_t level_from(const gps *g, int32_t v) {
    return g->from.level[v];
}

/* The level of v counted from the other end. */
static int32_t level_to(const gps *g, int32_t v) {
    return g->from.height - 1 - g->to.level[v];
}

/* II.A: vertices on whose level both structures agree keep it, the rest are open. */
static void levels_agree(gps *g) {
    for (int32_t l = 0; l < g->from.height; l++)
        g->size[l] = 0;
    for (int64_t i = 0; i < g->from.n; i++) {
        const int32_t v = g->from.queue[i];
        const bool agree = level_from(g, v) == level_to(g, v);
        g->level[v] = agree ? level_from(g, v) : -1;
        if (agree)
            g->size[g->level[v]]++;
    }
}

static int larger_piece_first(const void *a, const void *b) {
    const piece *p = a, *q = b;
    if (p->n != q->n)
        return p->n > q->n ? -1 : 1;
    return p->start < q->start ? -1 : p->start > q->start;
}

/* II.B: the connected pieces of the open vertices, largest first, in other.queue. */
static tess_status pieces_find(gps *g) {
    tess_levels_clear(&g->other);
    int32_t *const queue = g->other.queue, *const seen = g->other.level;
    int64_t n = 0;
    g->n_pieces = 0;
    for (int64_t i = 0; i < g->from.n; i++) {
        const int32_t root = g->from.queue[i];
        if (g->level[root] >= 0 || seen[root] >= 0)
            continue;
        const int64_t start = n;
        queue[n++] = root;
        seen[root] = 0;
        for (int64_t at = start; at < n; at++) {
            int64_t n_beside = 0;
            const int32_t *row = tess_ranked_row(&g->graph, queue[at], &n_beside);
            for (int64_t j = 0; j < n_beside; j++)
                if (g->level[row[j]] < 0 && seen[row[j]] < 0) {
                    seen[row[j]] = 0;
                    queue[n++] = row[j];
                }
        }
        TRY(TESS_RESERVE(g->n_pieces + 1, &g->pieces_capacity, &g->pieces));
        g->pieces[g->n_pieces++] = (piece){start, n - start};
    }
    g->other.n = n;
    if (g->n_pieces)
        qsort(g->pieces, (size_t)g->n_pieces, sizeof *g->pieces, larger_piece_first);
    return TESS_OK;
}

/* II.C: puts a piece where it makes the widest of its levels least wide; true when that is by the
 * second structure. */
static bool piece_position(gps *g, const piece *p) {
    const int32_t *queue = g->other.queue + p->start;
    int64_t widest_first = 0, widest_second = 0;
    for (int64_t i = 0; i < p->n; i++) {
        g->first[level_from(g, queue[i])]++;
        g->second[level_to(g, queue[i])]++;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const int32_t a = level_from(g, queue[i]), b = level_to(g, queue[i]);
        widest_first =
            g->size[a] + g->first[a] > widest_first ? g->size[a] + g->first[a] : widest_first;
        widest_second =
            g->size[b] + g->second[b] > widest_second ? g->size[b] + g->second[b] : widest_second;
    }
    const bool by_second = widest_second < widest_first ||
                           (widest_second == widest_first && g->to.width < g->from.width);
    for (int64_t i = 0; i < p->n; i++) {
        const int32_t v = queue[i];
        g->first[level_from(g, v)] = g->second[level_to(g, v)] = 0;
        g->level[v] = by_second ? level_to(g, v) : level_from(g, v);
        g->size[g->level[v]]++;
    }
    return by_second;
}

/* Sorts the component's vertices by combined level, then rank; size[l] becomes where level l starts
 * and size[height] the total. */
static void sort_by_level(gps *g) {
    const int32_t height = g->from.height;
    int64_t sum = 0;
    for (int32_t l = 0; l < height; l++) {
        g->first[l] = sum;
        sum += g->size[l];
        g->size[l] = g->first[l];
    }
    g->size[height] = sum;
    for (int64_t i = 0; i < g->from.n; i++) {
        const int32_t v = g->from.queue[i];
        g->by_level[g->first[g->level[v]]++] = tess_rank_of(&g->graph, v);
    }
    for (int32_t l = 0; l < height; l++) {
        g->first[l] = 0;
        tess_sort_words(g->by_level + g->size[l], g->size[l + 1] - g->size[l]);
    }
}

/* The vertex of a rank: its number is its own. */
static int32_t vertex_of(uint64_t rank) {
    return (int32_t)(uint32_t)rank;
}

/* III.B-D: numbers level after level. */
static void number_levels(gps *g, int32_t start) {
    tess_numbering *numbering = &g->numbering;
    int64_t last_start = numbering->n, last_end = last_start;
    tess_numbering_add(numbering, start);
    for (int32_t l = 0; l < g->from.height; l++) {
        const int64_t level_start = last_end, level_end = level_start + g->size[l + 1] - g->size[l];
        for (int64_t i = last_start; i < last_end; i++)
            tess_numbering_add_around(numbering, numbering->order[i], g->level, l);
        int64_t least = g->size[l];
        for (int64_t i = level_start; i < level_end; i++) {
            if (i == numbering->n) { /* nobody adjacent is left: the open one of least rank */
                while (numbering->numbered[vertex_of(g->by_level[least])])
                    least++;
                tess_numbering_add(numbering, vertex_of(g->by_level[least]));
            }
            tess_numbering_add_around(numbering, numbering->order[i], g->level, l);
        }
        last_start = level_start;
        last_end = level_end;
    }
}

/* Numbers the component of v. */
static tess_status number_component(gps *g, int32_t v) {
    const int64_t first = g->numbering.n;
    const int32_t least = tess_levels_least(&g->graph, v, &g->from);
    tess_levels_of_ends(&g->graph, least, &g->from, &g->to, &g->other);
    TRY(tess_interrupt_check());
    levels_agree(g);
    TRY(pieces_find(g));
    bool by_second = false;
    for (int64_t i = 0; i < g->n_pieces; i++) {
        const bool second = piece_position(g, &g->pieces[i]);
        by_second = i == 0 ? second : by_second;
    }
    /* III.A: start from the end of lower degree */
    const int32_t from = g->from.root, to = g->to.root, height = g->from.height;
    const bool interchanged = tess_rank_of(&g->graph, to) < tess_rank_of(&g->graph, from);
    if (interchanged) {
        for (int64_t i = 0; i < g->from.n; i++)
            g->level[g->from.queue[i]] = height - 1 - g->level[g->from.queue[i]];
        for (int32_t a = 0, b = height - 1; a < b; a++, b--) {
            const int64_t kept = g->size[a];
            g->size[a] = g->size[b];
            g->size[b] = kept;
        }
    }
    TRY(tess_interrupt_check());
    sort_by_level(g);
    number_levels(g, interchanged ? to : from);
    /* III.E: numbers descend from the end whose structure decided, as in reverse Cuthill-McKee */
    if (interchanged == by_second)
        tess_reverse(g->numbering.order + first, g->numbering.n - first);
    return TESS_OK;
}

tess_status tess_order_gps(const tess_rows *graph, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    gps g = {0};
    CHECK(gps_new(graph, &g));
    for (int32_t v = 0; v < graph->n; v++)
        if (!g.numbering.numbered[v])
            CHECK(number_component(&g, v));
    *new_to_old = g.numbering.order;
    g.numbering.order = NULL;
done:
    gps_free(&g);
    return status;
}
