/* Walks: breadth-first levels inside a region, and balls. */
#include "partitioners/mosaic/walk.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Part of the numbering after which a walk sets out, and from each try to the next: the golden
 * section's smaller part, which is inside and never comes back. */
static const double GOLDEN = 0.381966;

/* Balls whose median width is that of slabs. */
enum { BALLS = 15 };

static tess_status walk_reserve(const mosaic_pins *pins, mosaic_walk *walk) {
    int64_t n_elements = walk->capacity_elements, n_points = walk->capacity_points;
    if (walk->region && pins->n_elements <= n_elements && pins->n_points <= n_points)
        return TESS_OK;
    n_elements = pins->n_elements > n_elements ? pins->n_elements : n_elements;
    n_points = pins->n_points > n_points ? pins->n_points : n_points;
    mosaic_walk_clear(walk);
    TRY(TESS_ALLOC(n_elements, &walk->order));
    TRY(TESS_ALLOC(n_elements + 1, &walk->queue));
    TRY(TESS_ALLOC(n_elements, &walk->region));
    TRY(TESS_ALLOC(n_elements + 1, &walk->level));
    TRY(TESS_ALLOC(n_elements, &walk->height));
    TRY(TESS_ALLOC(n_points, &walk->seen));
    TRY(TESS_ALLOC(n_points, &walk->mean));
    walk->capacity_elements = n_elements;
    walk->capacity_points = n_points;
    return TESS_OK;
}

tess_status mosaic_walk_reset(const mosaic_pins *pins, const tess_rows *rows, mosaic_walk *walk) {
    TRY(walk_reserve(pins, walk));
    walk->pins = pins;
    walk->rows = rows;
    walk->clock = 0;
    walk->n_levels = 0;
    for (int64_t e = 0; e < pins->n_elements; ++e)
        walk->order[e] = (int32_t)e;
    memset(walk->region, 0, (size_t)pins->n_elements * sizeof *walk->region);
    memset(walk->seen, 0, (size_t)pins->n_points * sizeof *walk->seen);
    return TESS_OK;
}

/* Appends the elements of stamp `from` at a point to the queue, with the stamp `to`: without a jump
 * that depends on it, as half of them are taken, and no core guesses which. */
static inline int64_t reach_point(mosaic_walk *walk, int32_t point, int32_t from, int32_t to,
                                  int64_t tail) {
    const int32_t *const item = walk->rows->item;
    const int64_t row_end = walk->rows->offset[point + 1];
    for (int64_t k = walk->rows->offset[point]; k < row_end; ++k) {
        const int32_t next = item[k], stamp = walk->region[next], is_new = stamp == from;
        walk->queue[tail] = next;
        tail += is_new;
        walk->region[next] = stamp ^ ((from ^ to) & -is_new);
    }
    return tail;
}

/* Appends those that share a point with an element of queue[head ... end); gives the new end. */
static int64_t reach(mosaic_walk *walk, int64_t head, int64_t end, int32_t from, int32_t to,
                     int64_t tail) {
    const mosaic_pins *const pins = walk->pins;
    for (; head < end; ++head) {
        const int64_t last = mosaic_end(pins, walk->queue[head]);
        for (int64_t i = mosaic_first(pins, walk->queue[head]); i < last; ++i)
            if (walk->seen[pins->point[i]] != to) {
                walk->seen[pins->point[i]] = to;
                tail = reach_point(walk, pins->point[i], from, to, tail);
            }
    }
    return tail;
}

/* Whether a walk so long is given up: one of millions takes seconds. */
static bool is_given_up(int64_t n) {
    return n > MOSAIC_SERIAL && tess_interrupted();
}

void mosaic_walk_from(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n_sources) {
    const int32_t from = ++walk->clock, to = ++walk->clock;
    for (int64_t i = begin; i < end; ++i)
        walk->region[walk->order[i]] = from;
    int64_t head = begin, tail = begin, left = end; /* order[left ... end) has been reached */
    while (n_sources-- > 0) {
        const int32_t source = walk->order[--left];
        walk->region[source] = to;
        walk->queue[tail++] = source;
    }
    walk->n_levels = 0;
    while (head < end && !is_given_up(end - begin)) {
        if (tail == head) { /* another component */
            while (walk->region[walk->order[--left]] != from)
                ;
            walk->region[walk->order[left]] = to;
            walk->queue[tail++] = walk->order[left];
        }
        walk->level[walk->n_levels++] = (int32_t)head;
        const int64_t level_end = tail;
        tail = reach(walk, head, level_end, from, to, tail);
        head = level_end;
    }
    if (head < end) { /* all is one level, in the order that it was in */
        walk->level[0] = (int32_t)begin;
        walk->level[walk->n_levels = 1] = (int32_t)end;
        return;
    }
    walk->level[walk->n_levels] = (int32_t)end;
    memcpy(walk->order + begin, walk->queue + begin, (size_t)(end - begin) * sizeof *walk->order);
}

int64_t mosaic_walk_last_piece(mosaic_walk *walk, int64_t end) {
    const int32_t from = ++walk->clock, to = ++walk->clock;
    const int64_t begin = walk->level[walk->n_levels - 1];
    for (int64_t i = begin; i < end; ++i)
        walk->region[walk->order[i]] = from;
    walk->region[walk->order[end - 1]] = to;
    walk->queue[begin] = walk->order[end - 1];
    int64_t tail = begin + 1;
    for (int64_t head = begin; head < tail; ++head)
        tail = reach(walk, head, head + 1, from, to, tail);
    const int64_t size = tail - begin;
    for (int64_t i = begin; i < end; ++i) /* the others go before it */
        if (walk->region[walk->order[i]] == from)
            walk->queue[tail++] = walk->order[i];
    for (int64_t i = begin; i < end; ++i)
        walk->order[end - 1 - (i - begin)] = walk->queue[i];
    return size;
}

void mosaic_walk_across(mosaic_walk *walk, int64_t begin, int64_t end, double from) {
    const int64_t inside = begin + (int64_t)((double)(end - begin) * from);
    const int32_t element = walk->order[inside];
    walk->order[inside] = walk->order[end - 1];
    walk->order[end - 1] = element;
    mosaic_walk_from(walk, begin, end, 1);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
}

/* Stamps the points of a segment; the weight of those that had the stamp `before`. */
static int64_t stamp_points(mosaic_walk *walk, int64_t begin, int64_t end, int32_t before,
                            int32_t stamp) {
    const mosaic_pins *pins = walk->pins;
    int64_t met = 0;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t last = mosaic_end(pins, walk->order[i]);
        for (int64_t k = mosaic_first(pins, walk->order[i]); k < last; ++k) {
            const int32_t point = pins->point[k];
            if (walk->seen[point] == before)
                met += mosaic_weight(pins, point);
            walk->seen[point] = stamp;
        }
    }
    return met;
}

int64_t mosaic_walk_common(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end) {
    const int32_t low = ++walk->clock, high = ++walk->clock;
    stamp_points(walk, begin, middle, high, low);
    return stamp_points(walk, middle, end, low, high);
}

double mosaic_walk_inside(int t, double shift) {
    const double turn = (t + 1) * GOLDEN + shift;
    return turn - floor(turn);
}

static double ball_width(mosaic_walk *walk, int32_t centre, int64_t size) {
    const int32_t to = ++walk->clock;
    int64_t tail = 1, head = 0;
    double width = -1;
    walk->queue[0] = centre;
    walk->region[centre] = to;
    while (head < tail) {
        const int64_t level_end = tail;
        if (level_end >= size) {
            width += 2 * (double)(size - head) / (double)(level_end - head);
            break;
        }
        width += 2;
        tail = reach(walk, head, level_end, 0, to, tail);
        head = level_end;
    }
    for (int64_t i = 0; i < tail; ++i)
        walk->region[walk->queue[i]] = 0;
    return width;
}

double mosaic_walk_ball_width(mosaic_walk *walk, int64_t size) {
    double width[BALLS];
    for (int i = 0; i < BALLS; ++i)
        width[i] =
            ball_width(walk, (int32_t)((2 * i + 1) * walk->pins->n_elements / (2 * BALLS)), size);
    tess_sort_reals(width, BALLS);
    return fmax(1, width[BALLS / 2]);
}

void mosaic_walk_clear(mosaic_walk *walk) {
    free(walk->order);
    free(walk->queue);
    free(walk->region);
    free(walk->level);
    free(walk->seen);
    free(walk->height);
    free(walk->mean);
    *walk = (mosaic_walk){0};
}
