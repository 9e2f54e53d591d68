/* Walks: breadth-first levels inside a region; balls; what orders cost. */
#include "partitioners/mosaic/walk.h"
#include "core/base/array.h"
#include "core/base/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tess_status walk_reserve(int64_t n_elements, int64_t n_points, mosaic_walk *walk) {
    if (walk->region && n_elements <= walk->capacity_elements && n_points <= walk->capacity_points)
        return TESS_OK;
    mosaic_walk_clear(walk);
    TRY(TESS_ALLOC(n_elements, &walk->order));
    TRY(TESS_ALLOC(n_elements + 1, &walk->queue));
    TRY(TESS_ALLOC(n_elements, &walk->region));
    TRY(TESS_ALLOC(n_elements + 1, &walk->level));
    TRY(TESS_ALLOC(n_elements, &walk->height));
    TRY(TESS_ALLOC(n_elements, &walk->best));
    TRY(TESS_ALLOC(n_points, &walk->seen));
    TRY(TESS_ALLOC(n_points, &walk->mean));
    walk->capacity_elements = n_elements;
    walk->capacity_points = n_points;
    return TESS_OK;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

tess_status mosaic_walk_reset(const mosaic_pins *pins, const tess_rows *rows, mosaic_walk *walk) {
    TRY(walk_reserve(larger(pins->n_elements, walk->capacity_elements),
                     larger(pins->n_points, walk->capacity_points), walk));
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

/* Where a walk has come to: elements of stamp `from` become `to`. */
typedef struct reaching {
    int32_t from, to;
    int64_t tail; /* of the queue */
} reaching;

/* Appends the elements of stamp `from` that some points have, without a jump that depends on it:
 * half of them are taken, and no core guesses which. */
static inline void reach_points(mosaic_walk *walk, const int32_t *point, int n, reaching *now) {
    const int32_t *const item = walk->rows->item;
    const int64_t *const row = walk->rows->offset;
    int32_t *const queue = walk->queue, *const region = walk->region;
    const int32_t from = now->from, change = now->from ^ now->to;
    int64_t tail = now->tail;
    for (int i = 0; i < n; ++i) {
        const int64_t row_end = row[point[i] + 1];
        for (int64_t k = row[point[i]]; k < row_end; ++k) {
            const int32_t next = item[k], stamp = region[next], is_new = stamp == from;
            queue[tail] = next;
            tail += is_new;
            region[next] = stamp ^ (change & -is_new);
        }
    }
    now->tail = tail;
}

/* Appends the elements of stamp `from` that share a point with those of queue[head ... end). */
static inline __attribute__((always_inline)) void reach_all(mosaic_walk *walk, int64_t head,
                                                            int64_t end, const int64_t *offset,
                                                            int32_t arity, reaching *now) {
    const int32_t *const pin = walk->pins->point, *const queue = walk->queue, to = now->to;
    int32_t *const seen = walk->seen, fresh[WALK_POINTS];
    int n = 0;
    for (; head < end; ++head) {
        const int64_t element = queue[head];
        const int64_t first = offset ? offset[element] : element * arity;
        const int64_t last = offset ? offset[element + 1] : first + arity;
        for (int64_t i = first; i < last; ++i) {
            const int32_t point = pin[i];
            fresh[n] = point;
            n += seen[point] != to;
            seen[point] = to;
            if (n == WALK_POINTS) {
                reach_points(walk, fresh, n, now);
                n = 0;
            }
        }
    }
    reach_points(walk, fresh, n, now);
}

/* The same, by a loop of its own for rows of two points. Gives the new end of the queue. */
static int64_t reach(mosaic_walk *walk, int64_t head, int64_t end, int32_t from, int32_t to,
                     int64_t tail) {
    reaching now = {from, to, tail};
    const mosaic_pins *const pins = walk->pins;
    if (!pins->offset && pins->arity == 2)
        reach_all(walk, head, end, NULL, 2, &now);
    else
        reach_all(walk, head, end, pins->offset, pins->arity, &now);
    return now.tail;
}

void mosaic_walk_from(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n_sources) {
    const int32_t from = ++walk->clock, to = ++walk->clock;
    for (int64_t i = begin; i < end; ++i)
        walk->region[walk->order[i]] = from;
    int64_t head = begin, tail = begin, left = end; /* order[left ... end) has been reached */
    while (n_sources > 0) {
        const int32_t source = walk->order[--left];
        walk->region[source] = to;
        walk->queue[tail++] = source;
        --n_sources;
    }
    walk->n_levels = 0;
    walk->n_parts = 1;
    while (head < end) {
        if (tail == head) { /* another component */
            ++walk->n_parts;
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
    walk->level[walk->n_levels] = (int32_t)end;
    memcpy(walk->order + begin, walk->queue + begin, (size_t)(end - begin) * sizeof *walk->order);
}

/* Puts an element and what it reaches through elements of stamp `from` into the queue from `begin`
 * on, with the stamp `to`, and gives their number. */
static int64_t flood(mosaic_walk *walk, int64_t begin, int32_t element, int32_t from, int32_t to) {
    walk->region[element] = to;
    walk->queue[begin] = element;
    int64_t tail = begin + 1;
    for (int64_t head = begin; head < tail;) {
        const int64_t level_end = tail;
        tail = reach(walk, head, level_end, from, to, tail);
        head = level_end;
    }
    return tail - begin;
}

/* Puts the connected piece of the segment [begin, end) that holds its last element into the queue
 * from `begin` on, and gives its size; others have the stamp walk->clock - 1. */
static int64_t find_piece(mosaic_walk *walk, int64_t begin, int64_t end) {
    const int32_t from = ++walk->clock, to = ++walk->clock;
    for (int64_t i = begin; i < end; ++i)
        walk->region[walk->order[i]] = from;
    return flood(walk, begin, walk->order[end - 1], from, to);
}

int64_t mosaic_walk_last_piece(mosaic_walk *walk, int64_t end) {
    const int64_t begin = walk->level[walk->n_levels - 1];
    const int64_t size = find_piece(walk, begin, end);
    int64_t tail = begin + size;
    for (int64_t i = begin; i < end; ++i) /* the others go before it */
        if (walk->region[walk->order[i]] == walk->clock - 1)
            walk->queue[tail++] = walk->order[i];
    for (int64_t i = begin; i < end; ++i)
        walk->order[end - 1 - (i - begin)] = walk->queue[i];
    return size;
}

/* Walks from the elements with the stamp walk->clock of the middle level, not to the level before
 * it, whose elements come last then: into the queue, levels after those of the last walk, as many
 * as there is room for. Gives the number of levels, 0 where something was not reached. */
static int32_t walk_one_way(mosaic_walk *walk, int64_t begin, int64_t end, int32_t middle) {
    const int32_t source = walk->clock, before = ++walk->clock, from = ++walk->clock,
                  to = ++walk->clock;
    int32_t *const level = walk->level + walk->n_levels + 1, n_levels = 0;
    const int64_t most = end - begin - walk->n_levels;
    int64_t tail = begin;
    for (int32_t i = walk->level[middle]; i < walk->level[middle + 1]; ++i)
        if (walk->region[walk->order[i]] == source)
            walk->queue[tail++] = walk->order[i];
    for (int64_t i = begin; i < end; ++i)
        walk->region[walk->order[i]] = from;
    for (int32_t i = walk->level[middle - 1]; i < walk->level[middle]; ++i)
        walk->region[walk->order[i]] = before;
    for (int64_t i = begin; i < tail; ++i)
        walk->region[walk->queue[i]] = to;
    for (int64_t head = begin; head < tail;) {
        if (n_levels == most)
            return 0;
        level[n_levels++] = (int32_t)head;
        const int64_t level_end = tail;
        tail = reach(walk, head, level_end, from, to, tail);
        head = level_end;
        for (int32_t i = walk->level[middle - 1]; n_levels == 1 && i < walk->level[middle]; ++i)
            walk->region[walk->order[i]] = from;
    }
    level[n_levels] = (int32_t)end;
    return tail == end ? n_levels : 0;
}

/* Where fronts are in two pieces that go around a ring and meet again, walks once more from one of
 * them, one way, all around the ring: a front is in one piece then. False where they are not. */
static bool open_ring(mosaic_walk *walk, int64_t begin, int64_t end) {
    const int32_t middle = walk->n_levels / 2, n_before = walk->n_levels;
    const int64_t first = walk->level[middle], last = walk->level[middle + OPEN_BAND];
    const int64_t n = find_piece(walk, first, last);
    if (OPEN_PART * n < last - first || OPEN_PART * (last - first - n) < last - first)
        return false;
    const int32_t n_levels = walk_one_way(walk, begin, end, middle);
    if (n_levels < OPEN_LONGER * n_before)
        return false;
    memmove(walk->level, walk->level + n_before + 1, (size_t)(n_levels + 1) * sizeof *walk->level);
    memcpy(walk->order + begin, walk->queue + begin, (size_t)(end - begin) * sizeof *walk->order);
    walk->n_levels = n_levels;
    return true;
}

/* Elements of a stamp at an element's points, those at two of them twice. */
static int32_t count_beside(const mosaic_walk *walk, int32_t element, int32_t stamp) {
    const mosaic_pins *const pins = walk->pins;
    const int64_t *const row = walk->rows->offset;
    int32_t n = 0;
    for (int64_t k = mosaic_first(pins, element); k < mosaic_end(pins, element); ++k)
        for (int64_t i = row[pins->point[k]]; i < row[pins->point[k] + 1]; ++i)
            n += walk->region[walk->rows->item[i]] == stamp;
    return n;
}

/* Of elements of stamp `from`, which are among n from `begin` on, those with the most others beside
 * them, and those near these, lose it. Gives the number of the others. */
static int64_t leave_crossing(mosaic_walk *walk, int64_t begin, int64_t n, int32_t from) {
    const int32_t crossing = ++walk->clock;
    int32_t most = 0;
    int64_t head = begin, tail = begin, n_all = 0;
    for (int64_t i = begin; i < begin + n; ++i) {
        const int32_t element = walk->order[i];
        if (walk->region[element] != from)
            continue;
        const int32_t beside = count_beside(walk, element, from);
        tail = beside > most ? begin : tail;
        most = beside > most ? beside : most;
        if (beside == most)
            walk->queue[tail++] = element;
        ++n_all;
    }
    for (int64_t i = begin; i < tail; ++i)
        walk->region[walk->queue[i]] = crossing;
    for (int l = 0; l < SIDES_LEVELS; ++l) {
        const int64_t level_end = tail;
        tail = reach(walk, head, level_end, from, crossing, tail);
        head = level_end;
    }
    return n_all - (tail - begin);
}

/* Stamps one side of the n elements of the first level, where these are sides that cross, with
 * walk->clock, and gives the number of its elements, else 0. */
static int64_t find_side(mosaic_walk *walk, int64_t begin, int64_t n) {
    ++walk->clock;
    for (int64_t i = begin; i < begin + n; ++i)
        walk->region[walk->order[i]] = walk->clock;
    for (int t = 0; t < SIDES_OFTEN; ++t) {
        const int32_t from = walk->clock;
        const int64_t n_left = leave_crossing(walk, begin, n, from);
        int64_t i = begin;
        if (n_left < SIDES_LEFT * (double)n)
            return 0;
        while (walk->region[walk->order[i]] != from)
            ++i;
        const int64_t n_side = flood(walk, begin, walk->order[i], from, ++walk->clock);
        if (OPEN_PART * n_side >= n_left && OPEN_PART * (n_left - n_side) >= n_left)
            return n_side;
    }
    return 0;
}

/* Where the first level is sides that cross, fronts shrink: walks once more from one of the sides.
 * On a torus that is as long as wide two sides are farthest from an element. */
static bool walk_from_side(mosaic_walk *walk, int64_t begin, int64_t end) {
    const int64_t n = walk->level[1] - begin, n_last = end - walk->level[walk->n_levels - 1];
    if (n_last > n / 2 || n > (end - begin) / 2)
        return false;
    const int64_t n_side = find_side(walk, begin, n);
    int64_t last = end;
    if (n_side == 0)
        return false;
    for (int64_t i = begin + n - 1; i >= begin; --i) {
        const int32_t element = walk->order[i];
        if (walk->region[element] == walk->clock) {
            walk->order[i] = walk->order[--last];
            walk->order[last] = element;
        }
    }
    mosaic_walk_from(walk, begin, end, n_side);
    return true;
}

void mosaic_walk_straighten(mosaic_walk *walk, int64_t begin, int64_t end) {
    if (walk->n_parts > 1 || walk->n_levels < OPEN_LEVELS || open_ring(walk, begin, end))
        return;
    if (walk_from_side(walk, begin, end) && walk->n_levels >= OPEN_LEVELS)
        open_ring(walk, begin, end);
}

void mosaic_walk_out(mosaic_walk *walk, int64_t begin, int64_t end, double from) {
    const int64_t somewhere = begin + (int64_t)((double)(end - begin) * from);
    const int32_t element = walk->order[somewhere];
    walk->order[somewhere] = walk->order[end - 1];
    walk->order[end - 1] = element;
    mosaic_walk_from(walk, begin, end, 1);
}

/* Stamps the points of a segment; the weight of those that had the stamp `before`. */
static int64_t stamp_points(mosaic_walk *walk, int64_t begin, int64_t end, int32_t before,
                            int32_t stamp) {
    const mosaic_pins *pins = walk->pins;
    int64_t met = 0;
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
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
    const double turn = (t + 1) * WALK_FROM + shift;
    return turn - floor(turn);
}

void mosaic_walk_across(mosaic_walk *walk, int64_t begin, int64_t end, double from) {
    if (begin == end)
        return;
    mosaic_walk_out(walk, begin, end, from);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
}

void mosaic_walk_tally(mosaic_walk *walk, const int32_t *order, int64_t n, int64_t block_size,
                       mosaic_tally *sum) {
    const mosaic_pins *pins = walk->pins;
    for (int64_t begin = 0; begin < n; begin += block_size) {
        const int32_t stamp = ++walk->clock;
        int64_t points = 0;
        for (int64_t i = begin; i < n && i < begin + block_size; ++i) {
            const int64_t last = mosaic_end(pins, order[i]);
            for (int64_t k = mosaic_first(pins, order[i]); k < last; ++k) {
                const int32_t point = pins->point[k];
                const int64_t is_new = walk->seen[point] != stamp;
                points += is_new * mosaic_weight(pins, point);
                walk->seen[point] = stamp;
            }
        }
        sum->points += (double)points;
        sum->few += (double)points <= sum->limit;
        sum->alike += fabs((double)points - sum->last) <= 1;
        sum->last = (double)points;
        ++sum->blocks;
    }
    sum->elements += (double)n;
}

void mosaic_walk_sample(mosaic_walk *walk, const int32_t *order, int64_t n, int64_t block_size,
                        mosaic_tally *sum) {
    const int64_t run = JUDGED_BLOCKS * block_size, n_runs = n / run;
    if (n_runs <= JUDGED_RUNS) {
        mosaic_walk_tally(walk, order, n, block_size, sum);
        return;
    }
    for (int r = 0; r < JUDGED_RUNS; ++r) {
        const int64_t first = (2 * r + 1) * n_runs / (2 * JUDGED_RUNS) * run;
        mosaic_walk_tally(walk, order + first, run, block_size, sum);
    }
}

/* True where a block of n elements is in several pieces. last [n_points]: the last element so far
 * of each point that has the block's stamp; parent [n]: another element of its piece, or itself. */
static bool is_torn(mosaic_walk *walk, const int32_t *block, int64_t n, int32_t *last,
                    int32_t *parent) {
    const mosaic_pins *pins = walk->pins;
    const int32_t stamp = ++walk->clock;
    int64_t pieces = n;
    for (int32_t i = 0; i < n; ++i) {
        parent[i] = i;
        for (int64_t k = mosaic_first(pins, block[i]); k < mosaic_end(pins, block[i]); ++k) {
            const int32_t point = pins->point[k];
            if (walk->seen[point] == stamp)
                pieces -= tess_sets_join(parent, last[point], i);
            walk->seen[point] = stamp;
            last[point] = i;
        }
    }
    return pieces > 1;
}

tess_status mosaic_walk_torn(mosaic_walk *walk, const int32_t *order, int64_t n, int64_t block_size,
                             double *part) {
    tess_status status = TESS_OK;
    int32_t *last = NULL, *parent = NULL;
    const int64_t n_blocks = n / block_size, most = JUDGED_RUNS * JUDGED_BLOCKS;
    const int64_t n_judged = n_blocks < most ? n_blocks : most;
    int64_t n_torn = 0;
    CHECK(TESS_ALLOC(walk->pins->n_points, &last));
    CHECK(TESS_ALLOC(block_size, &parent));
    for (int64_t i = 0; i < n_judged; ++i) {
        const int64_t b = (2 * i + 1) * n_blocks / (2 * n_judged);
        n_torn += is_torn(walk, order + b * block_size, block_size, last, parent);
    }
    *part = n_judged ? (double)n_torn / (double)n_judged : 0;
done:
    free(last);
    free(parent);
    return status;
}

mosaic_ball mosaic_walk_ball(mosaic_walk *walk, int32_t centre, int64_t size) {
    const int32_t to = ++walk->clock;
    int64_t tail = 1, head = 0;
    mosaic_ball ball = {.width = -1};
    mosaic_tally sum = {0};
    walk->queue[0] = centre;
    walk->region[centre] = to;
    while (head < tail) {
        const int64_t level_end = tail;
        ball.levels = (ball.levels ^ (uint64_t)(level_end - head)) * MOSAIC_SCATTER;
        if (level_end >= size) {
            ball.width += 2 * (double)(size - head) / (double)(level_end - head);
            break;
        }
        ball.width += 2;
        tail = reach(walk, head, level_end, 0, to, tail);
        head = level_end;
    }
    const int64_t n = tail < size ? tail : size;
    mosaic_walk_tally(walk, walk->queue, n, n, &sum);
    ball.points = sum.points;
    ball.size = tail;
    for (int64_t i = 0; i < tail; ++i)
        walk->region[walk->queue[i]] = 0;
    return ball;
}

void mosaic_walk_clear(mosaic_walk *walk) {
    free(walk->order);
    free(walk->queue);
    free(walk->region);
    free(walk->level);
    free(walk->seen);
    free(walk->height);
    free(walk->mean);
    free(walk->best);
    *walk = (mosaic_walk){0};
}
